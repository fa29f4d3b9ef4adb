package replay_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"poolproof/core"
	"poolproof/core/coretest"
	"poolproof/replay"
	"poolproof/replay/env"
)

// TestAsksChangeNothing replays the first story of every file twice, the second time with a question
// to every node every half a second and at the instant of every event: all other
// tables are the same, byte for byte.
func TestAsksChangeNothing(t *testing.T) {
	answers := 0
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		first := true
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "replay" || !first {
				return d.Expected
			}
			first = false
			s, err := coretest.Parse(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			opts := replay.Options{Log: env.Log{Window: core.Span{To: 40 * core.Second}}}
			without := tablesOf(t, s, opts)
			for at := core.Time(0); at < opts.Window.To; at += core.Second / 2 {
				opts.Asks = append(opts.Asks, asksAt(s, at)...)
			}
			for i := range s.Events {
				opts.Asks = append(opts.Asks, asksAt(s, s.Events[i].Time)...)
			}
			with := tablesOf(t, s, opts)
			for name, digest := range without {
				switch {
				case !strings.HasPrefix(name, "considerations/"):
					if with[name] != digest {
						t.Errorf("%s: with questions %s is another", d.Pos, name)
					}
				case with[name] != digest:
					answers++
				}
			}
			return d.Expected
		})
	})
	if answers == 0 {
		t.Error("nothing was answered")
	}
}

func asksAt(s *coretest.Scenario, at core.Time) (all []replay.Ask) {
	for n := range s.Dimensions.Nodes {
		all = append(all, replay.Ask{Node: core.NodeID(n), Time: at})
	}
	return all
}

// tablesOf returns the bytes of the tables of a replay, by their paths.
func tablesOf(t *testing.T, s *coretest.Scenario, opts replay.Options) map[string]string {
	t.Helper()
	dir := t.TempDir()
	summary, err := replay.Run(context.Background(), dir, &s.Dimensions, []env.Tree{{Name: "tree", Events: s.Sequence()}}, opts)
	if err != nil {
		return map[string]string{"error": fmt.Sprint(err)}
	}
	files := map[string]string{}
	for _, f := range summary.Files {
		b, err := os.ReadFile(filepath.Join(dir, "tables", f.Path))
		if err != nil {
			b, err = os.ReadFile(filepath.Join(dir, f.Path))
		}
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(f.Path, "tables/")] = string(b)
	}
	return files
}
