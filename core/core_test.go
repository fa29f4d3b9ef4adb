package core_test

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"poolproof/core"
	"poolproof/core/coretest"
)

// TestScenarios runs the stories under testdata: the events, an update at the
// end, and the state that follows.
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata/scenarios", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s, err := coretest.Parse(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			profile := core.Documented
			if d.HasArg("profile") {
				var name string
				d.ScanArgs(t, "profile", &name)
				if profile, err = core.ParseProfile(name); err != nil {
					d.Fatalf(t, "%v", err)
				}
			}
			tree := core.New(&s.Dimensions, profile)
			var last core.Time
			for i := range s.Events {
				tree.Step(&s.Events[i])
				last = s.Events[i].Time
				checkCounts(t, tree)
			}
			var b strings.Builder
			if err := tree.Update(last + core.Second); err != nil {
				b.WriteString("refused: " + err.Error() + "\n")
			}
			b.WriteString(coretest.Show(tree, &s.Dimensions))
			return b.String()
		})
	})
}

// checkCounts recounts every pool from its operations.
func checkCounts(t *testing.T, tree *core.Tree) {
	t.Helper()
	type sums struct{ running, operations int64 }
	want := make([]sums, tree.Pools())
	wantUsage := make([][2][5]int64, tree.Pools())
	for slot := range tree.Operations() {
		o := tree.Operation(int32(slot))
		if !o.Alive {
			continue
		}
		for p := o.Pool; p >= 0; p = tree.Pool(p).Parent {
			if !o.Ended {
				want[p].operations++
				if o.Running {
					want[p].running++
				}
			}
			for k := range o.Usage {
				wantUsage[p][0][k] += o.Usage[k]
				wantUsage[p][1][k] += o.Demand()[k]
			}
		}
	}
	for slot := range want {
		p := tree.Pool(int32(slot))
		if p.Running != want[slot].running || p.Operations != want[slot].operations {
			t.Fatalf("pool %d counts running=%d operations=%d, recount %+v", p.ID, p.Running, p.Operations, want[slot])
		}
		if p.Usage != wantUsage[slot][0] || p.Demand != wantUsage[slot][1] {
			t.Fatalf("pool %d usage=%v demand=%v, recount %v", p.ID, p.Usage, p.Demand, wantUsage[slot])
		}
	}
}
