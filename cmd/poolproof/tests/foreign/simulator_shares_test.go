package foreign

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/trace"
)

// TestSweepCasesOfShares imports and judges logs that the scheduler's own code wrote, each about an input of
// its fair shares or of its decisions. Nothing is violated, all compared shares agree, and what is suspect is
// what the log leaves open.
func TestSweepCasesOfShares(t *testing.T) {
	part := sweep.Take(t, 6)
	for i, c := range []struct {
		name, log string // the folder, and the log in it
		records   int64  // compared shares
		inTurn    int    // starts that HB-05 finds in turn; 0 is not looked at
		suspect   map[string]int
	}{
		// Every record has a best allocation of 1: the scheduler never computes another.
		{name: "best-allocation-share", log: "event_log", records: 340, suspect: map[string]int{}},
		// A limit is met exactly, so that the order of operations decides who gets the rest.
		{name: "order-of-children", log: "event_log", records: 570, suspect: map[string]int{}},
		// Ephemeral pools come and go; no configuration changes.
		{name: "ephemeral-pools-are-no-change", log: "event_log", records: 300, suspect: map[string]int{}},
		// Jobs of unlike size start in one heartbeat, and their rows stand in the order of their starts.
		{name: "order-within-a-heartbeat", log: "event_log", records: 168, suspect: map[string]int{}},
		// Snapshots record every update, and shares change then: at whole seconds, or anywhere between them.
		{name: "updates-off-the-second", log: "event_log", records: 145, inTurn: 70, suspect: map[string]int{}},
		{name: "updates-off-the-second", log: "moved_in_time", records: 145, inTurn: 70, suspect: map[string]int{}},
		// Operations that the sort parameters leave equal stand as their fifo_index says.
		{name: "ties-of-fifo-order", log: "event_log", records: 152, suspect: map[string]int{}},
	} {
		if !part.Has(i) {
			continue
		}
		t.Run(c.name+"/"+c.log, func(t *testing.T) {
			folder := commandtest.InProject("ingest/ytsaurus/testdata/simulator/" + c.name)
			run := filepath.Join(commandtest.Made(t, []string{
				"import ytsaurus " + filepath.Join(folder, c.log+".yson.zst") + " --pool-trees " + filepath.Join(folder, "pool_trees.yson") + " --out trace --quiet",
				"run trace --out run --quiet --min-coverage 0",
			}), "run")
			v, err := audit.ReadVerdict(run)
			if err != nil {
				t.Fatal(err)
			}
			if a := v.ShareAgreement; a == nil || a.Records != c.records || a.Lacking != 0 || a.Within(-9) != 1 {
				t.Errorf("shares: %+v, want %d records that agree", a, c.records)
			}
			if c.inTurn > 0 {
				const asked = "SELECT verdict, sum(decisions) FROM decision_counts WHERE invariant = 'HB-05' GROUP BY ALL ORDER BY ALL"
				if got, want := commandtest.Succeed(t, "query", run, asked, "--output", "csv"), fmt.Sprintf("ok,%d\n", c.inTurn); !strings.HasSuffix(got, "\n"+want) {
					t.Errorf("HB-05: %s, want %s", got, want)
				}
			}
			suspect := map[string]int{}
			for i := range v.Findings {
				switch f := &v.Findings[i]; f.Verdict {
				case audit.Violated:
					t.Errorf("violated %s: %s", f.Invariant, f.Reason)
				case audit.Suspect:
					suspect[f.Invariant]++
				}
			}
			if !maps.Equal(suspect, c.suspect) {
				t.Errorf("suspect: %v, want %v", suspect, c.suspect)
			}
			if noted := problemsOf(t, filepath.Join(filepath.Dir(run), "trace")); len(noted) > 0 {
				t.Errorf("problems %q", noted)
			}
		})
	}
}

// TestAnOrderBeforeTheLogExplainsShares: operations that were there before the log stand in an order that it does
// not record. What some order gives agrees.
func TestAnOrderBeforeTheLogExplainsShares(t *testing.T) {
	t.Parallel()
	rows, trees := simulatorRows(t, "order-of-children")
	late := bytes.Index(rows, []byte(`{"timestamp"="2023-11-01T00:00:20`))
	v := verdictOf(t, rows[late:], trees)
	if a := v.ShareAgreement; a == nil || a.Records != 438 || a.Within(-9) != 1 {
		t.Errorf("shares: %+v", a)
	}
}

// TestSomeOrderOfStartsExplainsCounts: in a source whose rows go back in time, the order of rows says nothing of the
// order of starts of one instant. Counts of preemptible jobs that some order gives are no reason for doubt.
func TestSomeOrderOfStartsExplainsCounts(t *testing.T) {
	t.Parallel()
	rows, trees := simulatorRows(t, "order-within-a-heartbeat")
	first := bytes.IndexByte(rows, '\n') + 1
	v := verdictOf(t, slices.Concat(rows[first:], rows[:first]), trees)
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Verdict == audit.Violated || f.Verdict == audit.Suspect {
			t.Errorf("%s %s: %s", f.Verdict, f.Invariant, f.Reason)
		}
	}
}

// TestRowsOfOneClock: the time of a row counts where finish_time is missing. A row of the clock on the wall, with a
// start_time in virtual time, tells the start of its job alone.
func TestRowsOfOneClock(t *testing.T) {
	t.Parallel()
	rows, trees := simulatorRows(t, "order-within-a-heartbeat")
	ends := bytes.Count(rows, []byte(`"event_type"="job_completed"`))
	unfinished := regexp.MustCompile(`"finish_time"="[^"]*";`).ReplaceAll(rows, nil)
	onTheWall := regexp.MustCompile(`"timestamp"="2023([^"]*";"event_type"="job_completed")`).ReplaceAll(unfinished, []byte(`"timestamp"="2026$1`))
	for _, c := range []struct {
		name  string
		rows  []byte
		noted string
		ended int
	}{
		{"without finish_time", unfinished, "no_finish_time", ends},
		{"of the clock on the wall", onTheWall, "clocks_differ", 0},
	} {
		log := filepath.Join(t.TempDir(), "log.yson")
		if err := os.WriteFile(log, c.rows, 0o666); err != nil {
			t.Fatal(err)
		}
		made := commandtest.Made(t, []string{
			"import ytsaurus " + log + " --pool-trees " + trees + " --out trace --quiet",
			"run trace --out run --quiet --min-coverage 0",
		})
		m, err := trace.ReadManifest(filepath.Join(made, "trace"))
		if err != nil {
			t.Fatal(err)
		}
		const ended = "SELECT count(*) FROM jobs WHERE end_kind = 'completed'"
		got := commandtest.Succeed(t, "query", filepath.Join(made, "run"), ended, "--output", "csv")
		if want := fmt.Sprint(c.ended); !strings.HasSuffix(strings.TrimSpace(got), "\n"+want) {
			t.Errorf("%s: %q jobs completed, want %s", c.name, got, want)
		}
		if m.Quarantined[c.noted] != int64(ends) {
			t.Errorf("%s: problems %v, want %d of %s", c.name, m.Quarantined, ends, c.noted)
		}
	}
}

// simulatorRows are the rows of a log of the simulator, and the path of the export before it.
func simulatorRows(t *testing.T, name string) (rows []byte, trees string) {
	t.Helper()
	folder := commandtest.InProject("ingest/ytsaurus/testdata/simulator/" + name)
	file, err := os.Open(filepath.Join(folder, "event_log.yson.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := zstd.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if rows, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return rows, filepath.Join(folder, "pool_trees.yson")
}

// verdictOf imports and judges rows of an event log.
func verdictOf(t *testing.T, rows []byte, trees string) *audit.Verdict {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log.yson")
	if err := os.WriteFile(log, rows, 0o666); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(commandtest.Made(t, []string{
		"import ytsaurus " + log + " --pool-trees " + trees + " --out trace --quiet",
		"run trace --out run --quiet --min-coverage 0",
	}), "run")
	v, err := audit.ReadVerdict(run)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
