package core_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"poolproof/core"
	"poolproof/core/coretest"
)

// story runs the scripts of a folder: each is told, and the outcome compared.
func story(t *testing.T, folder string, tell func(t *testing.T, s *coretest.Scenario, p core.Profile) string) {
	datadriven.Walk(t, "testdata/"+folder, func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s, err := coretest.Parse(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			var name string
			d.MaybeScanArgs(t, "profile", &name)
			profile, err := core.ParseProfile(name)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			return tell(t, s, profile)
		})
	})
}

// TestDecisions runs the stories of who is started and taken away, and of what
// is proved of it: core.Tree.Decide says the same, and asking changes nothing.
func TestDecisions(t *testing.T) {
	story(t, "decisions", func(t *testing.T, s *coretest.Scenario, p core.Profile) string {
		var b strings.Builder
		_, err := s.Replay(p, func(tree *core.Tree, q *coretest.Question) {
			before := coretest.Show(tree, &s.Dimensions)
			if q.Kind == "prove" {
				b.WriteString(s.Prove(tree, q))
			} else {
				answer := s.Ask(tree, q)
				b.WriteString(answer)
				slot, _ := tree.NodeOf(q.Node)
				if n := tree.Node(slot); n.Waiting > 0 || !n.Online { // who skips scheduling does not ask Decide
					return
				}
				started, preempted := s.Decide(tree, q)
				if started != strings.Count(answer, "\nstart ") || preempted != strings.Count(answer, "\npreempt ") {
					t.Errorf("Decide starts %d and preempts %d:\n%s", started, preempted, answer)
				}
			}
			if after := coretest.Show(tree, &s.Dimensions); after != before {
				t.Errorf("asking changed the tree:\n%s\nwas\n%s", after, before)
			}
		})
		if err != nil {
			fmt.Fprintf(&b, "refused: %v\n", err)
		}
		return b.String()
	})
}

// TestAdmissions runs the stories of which operations may start, run and move.
func TestAdmissions(t *testing.T) {
	story(t, "admissions", func(_ *testing.T, s *coretest.Scenario, p core.Profile) string { return s.Admit(p) })
}
