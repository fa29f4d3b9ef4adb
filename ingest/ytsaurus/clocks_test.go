package ytsaurus_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

const milli = core.Second / 1000

// endedJobs returns the lines of a log's file, but for the starts of jobs of which no
// row of the log records the end: those are not known to the moment, whatever the clocks.
func endedJobs(t *testing.T, log []string, path string) [][]byte {
	ended := map[any]bool{}
	for _, p := range log {
		for _, line := range linesOf(t, p) {
			if f := (fields{}); json.Unmarshal(line, &f) == nil && f["finish_time"] != nil {
				ended[f["job_id"]] = true
			}
		}
	}
	return slices.DeleteFunc(linesOf(t, path), func(line []byte) bool {
		f := fields{}
		return json.Unmarshal(line, &f) == nil && f["event_type"] == "job_started" && !ended[f["job_id"]]
	})
}

// What the manifest says of clocks covers by how much they differ, and says nothing
// where they do not.
func TestClocks(t *testing.T) {
	for _, c := range []struct {
		clocks     [2]core.Time
		structured bool
		notes      []string // that begin so
	}{
		{},
		{structured: true},
		{clocks: [2]core.Time{700 * milli, 700 * milli}, notes: []string{"Clocks of controller agents are 0."}},
		{clocks: [2]core.Time{-1500 * milli, -1500 * milli}, notes: []string{"Clocks of controller agents are "}},
		{clocks: [2]core.Time{0, -1200 * milli}, notes: []string{"Clocks of controller agents are "}},
		{clocks: [2]core.Time{2000 * milli, -900 * milli}, notes: []string{"Clocks of controller agents are ", "Clocks of controller agents are "}},
		{clocks: [2]core.Time{0, 1100 * milli}, structured: true, notes: []string{"The clock of log/controller-agent-2 is "}},
		{clocks: [2]core.Time{-800 * milli, 0}, structured: true, notes: []string{"The clock of log/controller-agent-1 is "}},
	} {
		t.Run(fmt.Sprint(c.clocks, c.structured), func(t *testing.T) {
			r := eventlogtest.Write(t, small(t), filepath.Join(t.TempDir(), "log"), eventlogtest.Options{
				Age: eventlogtest.Age2023, Form: eventlogtest.JSONL, Seed: 1, Clocks: c.clocks, Structured: c.structured})
			for _, path := range r.Logs {
				writeRows(t, path, endedJobs(t, r.Logs, path))
			}
			got := importLog(t, ytsaurus.Options{Sources: r.Logs, Exports: []ytsaurus.Export{{Path: r.PoolTrees}}})
			m := got.manifest(t)
			var off core.Time
			for _, by := range c.clocks {
				off = max(off, by, -by)
			}
			if told := core.Time(m.ClockUncertaintyUS); told < off || told > 2*off+core.Second && off > 0 || off == 0 && told != 0 {
				t.Errorf("clocks are %d us off, and the manifest says %d", off, told)
			}
			var notes []string
			for _, n := range m.Notes {
				if strings.Contains(n, "lock") {
					notes = append(notes, n)
				}
			}
			if len(notes) < len(c.notes) || len(c.notes) == 0 && len(notes) > 0 {
				t.Fatalf("notes %q", notes)
			}
			for i, begin := range c.notes {
				if !strings.HasPrefix(notes[i], begin) {
					t.Errorf("note %q, want %q", notes[i], begin)
				}
			}
		})
	}
}
