package command

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core"
	"poolproof/ingest"
	"poolproof/replay/env"
)

// BenchmarkEvents measures events per second, one tree after the other on one
// goroutine, through ever more of the way: reading and merging the trace, the
// core with an update per second of log time, and the whole replay with its
// result tables. POOLPROOF_BENCH_HEARTBEATS sets the length of the log.
func BenchmarkEvents(b *testing.B) {
	heartbeats := 500_000
	if text := os.Getenv("POOLPROOF_BENCH_HEARTBEATS"); text != "" {
		var err error
		if heartbeats, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	dir := commandtest.BusyTrace{Heartbeats: heartbeats}.Make(b)
	for _, stage := range []struct {
		name string
		run  func(*testing.B, string) int64
	}{{"ingest", runIngest}, {"core", runCore}, {"replay", runReplay}} {
		b.Run("stage="+stage.name, func(b *testing.B) {
			var events int64
			before := usedCPU(b)
			for b.Loop() {
				events += stage.run(b, dir)
			}
			b.ReportMetric(float64(events)/(usedCPU(b)-before).Seconds(), "events/cpu-s")
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func openTrace(b *testing.B, dir string) *ingest.Trace {
	t, err := ingest.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

func runIngest(b *testing.B, dir string) (events int64) {
	t := openTrace(b, dir)
	for _, name := range t.Trees() {
		for _, err := range t.Events(name, ingest.Options{}) {
			if err != nil {
				b.Fatal(err)
			}
			events++
		}
	}
	return events
}

func runCore(b *testing.B, dir string) (events int64) {
	t := openTrace(b, dir)
	for _, name := range t.Trees() {
		tree := core.New(t.Dimensions(), core.Documented)
		var second core.Time
		for e, err := range t.Events(name, ingest.Options{}) {
			if err != nil {
				b.Fatal(err)
			}
			if at := e.Time / core.Second; at > second {
				if tree.Stale() {
					if err := tree.Update(at * core.Second); err != nil {
						b.Fatal(err)
					}
				}
				tree.ClearChanges()
				second = at
			}
			tree.Step(e)
			events++
		}
	}
	return events
}

func runReplay(b *testing.B, dir string) (events int64) {
	out := b.TempDir()
	p := &progress{quiet: true}
	q := &replayRequest{selection: selection{workers: 1}, resolution: env.DefaultResolution}
	manifest, err := replayInto(b.Context(), out, dir, q, p)
	if err != nil {
		b.Fatal(err)
	}
	trees, err := filepath.Glob(filepath.Join(out, "tables", "jobs", "*.arrow"))
	if err != nil || len(trees) != len(commandtest.BusyTrees) {
		b.Fatalf("%d tables of jobs, %v", len(trees), err)
	}
	return manifest.Events
}
