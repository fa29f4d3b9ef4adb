package ytsaurus_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"poolproof/core"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/trace"
	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

func at(t testing.TB, text string) core.Time {
	t.Helper()
	moment, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return core.Time(moment.UnixMicro())
}

// story lists what a trace records jobs that start, and of what happens to
// operations, before a moment.
func story(t testing.TB, dir string, until core.Time) map[string]bool {
	t.Helper()
	tr, all := joblogtest.Read(t, dir), map[string]bool{}
	for _, tree := range tr.Trees {
		for _, j := range tree.Jobs {
			if j.Time < until {
				all[fmt.Sprintf("job %s of %s on %d: %d to %v, %s", j.ID, tr.Operations[j.Op].ID, j.Node, j.Time, j.FinishTime, j.EndKind)] = true
			}
		}
		for _, e := range tree.OpEvents {
			if e.Time < until {
				all[fmt.Sprintf("operation %s in %s: %s at %d", tr.Operations[e.Op].ID, tree.Name, e.Event, e.Time)] = true
			}
		}
		for _, d := range tree.Demands {
			if d.Time < until {
				all[fmt.Sprintf("operation %s in %s needs %v at %d", tr.Operations[d.Op].ID, tree.Name, d.Needed, d.Time)] = true
			}
		}
	}
	return all
}

// What a span of a longer log records is what the whole tells of it: rows before it are
// looked back to, and how jobs and operations ended is looked up after it.
func TestSpan(t *testing.T) {
	for _, age := range []eventlogtest.Age{eventlogtest.Age2023, eventlogtest.Age2025} {
		l := sampleLog(t, age)
		exports := []ytsaurus.Export{{Path: l.export}}
		log := writeRows(t, filepath.Join(t.TempDir(), "log"), l.rows)
		from, to := at(t, "2025-03-03T08:00:40Z"), at(t, "2025-03-03T08:01:50.5Z") // a snapshot has just told when all operations began
		whole := importLog(t, ytsaurus.Options{Sources: []string{log}, Exports: exports})
		span := importLog(t, ytsaurus.Options{Sources: []string{log}, Exports: exports, From: from, To: to})
		m := span.manifest(t)
		if m.Window != (trace.Window{From: from, To: to}) || m.WarmupUS <= 0 || m.LookaheadUS <= 0 {
			t.Errorf("%s: window %v, %d us before and %d after it", age, m.Window, m.WarmupUS, m.LookaheadUS)
		}
		want, got := story(t, whole.dir, to), story(t, span.dir, to)
		for _, line := range slices.Sorted(maps.Keys(want)) {
			if !got[line] {
				t.Errorf("%s: lost %s", age, line)
			}
		}
		for _, line := range slices.Sorted(maps.Keys(got)) {
			if !want[line] {
				t.Errorf("%s: made up %s", age, line)
			}
		}
		for line := range story(t, span.dir, 1<<62) {
			ended := strings.Contains(line, ": completed at") || strings.Contains(line, ": failed at") || strings.Contains(line, ": aborted at")
			if !got[line] && !ended {
				t.Errorf("%s: after the span, %s", age, line)
			}
		}
	}
}

// Ends are looked up for ten hours and no longer.
func TestLookahead(t *testing.T) {
	l := sampleLog(t, "2023")
	to := at(t, "2025-03-03T08:03:20Z")
	job := ""
	rows := edit(t, l.rows, "job_completed", func(f fields) bool {
		job = f["job_id"].(string)
		f["timestamp"], f["finish_time"] = "2025-03-03T18:03:19.000000Z", "2025-03-03T18:03:18.000000Z"
		return true
	})
	for _, c := range []struct{ stamp, end string }{{"2025-03-03T18:03:19.000000Z", "completed"}, {"2025-03-03T18:03:21.000000Z", "running"}} {
		rows := edit(t, rows, "job_completed", func(f fields) bool {
			f["timestamp"] = c.stamp
			return f["job_id"] == job
		})
		got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), rows)}, Exports: []ytsaurus.Export{{Path: l.export}}, To: to})
		found := false
		for _, tree := range joblogtest.Read(t, got.dir).Trees {
			for _, j := range tree.Jobs {
				if j.ID == job {
					found = true
					if j.EndKind != c.end && !(c.end == "running" && j.EndKind == "unknown") {
						t.Errorf("told at %s: %s", c.stamp, j.EndKind)
					}
				}
			}
		}
		if !found {
			t.Errorf("told at %s: no job", c.stamp)
		}
	}
}
