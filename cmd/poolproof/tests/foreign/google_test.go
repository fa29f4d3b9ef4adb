package foreign

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/testcorpus"
	"poolproof/ingest/joblog"
)

// TestGoogle imports and runs the beginning of Google's job events with limits that a few
// classes exceed, and counts anew, from the rows of the log, how many operations came
// where their class was full and how long operations waited. POOLPROOF_GOOGLE_TO is how
// far the log is read; the limits are below the most that the recount finds.
func TestGoogle(t *testing.T) {
	t.Parallel()
	to := cmp.Or(os.Getenv("POOLPROOF_GOOGLE_TO"), "1970-01-01T05:00:00Z")
	end, err := time.Parse(time.RFC3339, to)
	if err != nil {
		t.Fatal(err)
	}
	source := testcorpus.File(t, testcorpus.Data, "google-2011-job-events")
	log := readGoogle(t, filepath.Join(source, "job_events.csv.zst"), end.UnixMicro())
	most := log.recount(nil)
	limits := map[string]classLimits{}
	for class, n := range most.peaks {
		limits[class] = classLimits{running: n.running - 20, operations: n.operations - 10}
	}
	delete(limits, "3") // it has none

	dir := t.TempDir()
	trace, run := filepath.Join(dir, "trace"), filepath.Join(dir, "run")
	config := filepath.Join(dir, "pools.yaml")
	if err := os.WriteFile(config, []byte(googleConfig(limits)), 0o666); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	code, stderr, peak := commandtest.Process(t, exec.Command("poolproof", "import", "google2011", source, "--config", config, "--to", to, "--out", trace, "--quiet"))
	if code != exit.Kept {
		t.Fatalf("import: exit code %d: %s", code, stderr)
	}
	t.Logf("import: %.1f s, %d MiB at most", time.Since(start).Seconds(), peak>>10)
	start = time.Now()
	if code, stderr, peak = commandtest.Process(t, exec.Command("poolproof", "run", trace, "--out", run, "--quiet")); code != exit.Violated {
		t.Fatalf("run: exit code %d: %s", code, stderr)
	}
	t.Logf("run: %.1f s, %d MiB at most, %d MiB", time.Since(start).Seconds(), peak>>10, sizeOf(t, run)>>20)

	want := log.recount(limits)
	for invariant, n := range map[string]int64{"CNT-02": want.ranOver, "CNT-01": want.startedOver} {
		if n == 0 {
			t.Errorf("%s: the log breaks no limit", invariant)
		}
		got := askRun(t, run, fmt.Sprintf("SELECT count(*) FROM admissions WHERE invariant = '%s' AND verdict <> 'undecidable' AND full_pool NOT LIKE '%%$%%'", invariant))
		if got[0] != strconv.FormatInt(n, 10) {
			t.Errorf("%s: %s steps met a full pool, %d by the recount", invariant, got[0], n)
		}
	}
	for class, limit := range limits {
		got := askRun(t, run, fmt.Sprintf("SELECT coalesce(max(value), 0) FROM limit_episodes WHERE pool = 'class-%s' AND limit_kind = 'max_running_operation_count'", class))
		if n := want.peaks[class].running; got[0] != strconv.FormatInt(n, 10) {
			t.Errorf("class %s: up to %s running operations, %d by the recount, limit %d", class, got[0], n, limit.running)
		}
	}
	got := askRun(t, run, "SELECT count(*), coalesce(sum(wait_s), 0), max(wait_s), count(*) FILTER (outcome <> 'running') FROM queue_waits WHERE NOT clipped_from")
	count, waiting := strconv.FormatInt(want.ran+want.waiting, 10), strconv.FormatInt(want.waiting, 10)
	sum, _ := strconv.ParseFloat(got[1], 64)
	longest, _ := strconv.ParseFloat(got[2], 64)
	if got[0] != count || math.Abs(sum-want.waited) > 1e-3 || math.Abs(longest-want.longest) > 1e-6 || got[3] != waiting {
		t.Errorf("%s operations waited %f s, one of them %f s, %s never ran; by the recount %s, %f s, %f s and %s", got[0], sum, longest, got[3], count, want.waited, want.longest, waiting)
	}
	if got := askRun(t, run, "SELECT count(*) FROM pending_episodes WHERE NOT clipped_from"); got[0] != strconv.FormatInt(want.waits, 10) {
		t.Errorf("%s waits, %d by the recount", got[0], want.waits)
	}
	// What the log cannot say accuses nobody.
	if got := askRun(t, run, "SELECT count(*) FROM findings WHERE verdict = 'violated' AND audit NOT IN ('operation_ran_over_limit', 'operation_started_over_limit', 'pool_over_operation_count', 'pool_over_running_operation_count')"); got[0] != "0" {
		t.Errorf("%s findings of other audits", got[0])
	}
}

type classLimits struct{ running, operations int64 }

func googleConfig(limits map[string]classLimits) string {
	text := "pools:\n"
	for class, l := range limits {
		text += fmt.Sprintf("  class-%s: {max_running_operation_count: %d, max_operation_count: %d, ephemeral_subpool_config: {max_running_operation_count: 100000, max_operation_count: 100000}}\n", class, l.running, l.operations)
	}
	return text
}

// A googleLog is the rows of the log, in its order.
type googleLog struct {
	rows  []googleRow
	first int64 // time of the first that is not from before the log began
	end   int64
}

type googleRow struct {
	time            int64
	job, class      string
	event           int
	submitted, last int64 // of its job: the submission, and the row before
}

func readGoogle(t *testing.T, path string, to int64) *googleLog {
	t.Helper()
	f, err := joblog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l := &googleLog{end: 0}
	type life struct{ submitted, last int64 }
	lives := map[string]life{}
	for n := 0; ; n++ {
		line, err := f.Line()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Split(string(line), ",")
		if n == 0 {
			if words[0] != "time_us" || words[2] != "job_id" || words[3] != "event_type" || words[5] != "scheduling_class" {
				t.Fatalf("columns %s", line)
			}
			continue
		}
		r := googleRow{job: words[2], class: words[5]}
		if r.time, err = strconv.ParseInt(words[0], 10, 64); err != nil {
			t.Fatal(err)
		}
		if r.event, err = strconv.Atoi(words[3]); err != nil {
			t.Fatal(err)
		}
		if r.time > to {
			continue
		}
		if l.first == 0 {
			l.first = r.time
		}
		of := lives[r.job]
		if r.event == 0 {
			of.submitted, of.last = r.time, r.time
		}
		r.submitted, r.last = of.submitted, of.last
		of.last = r.time
		lives[r.job] = of
		l.rows, l.end = append(l.rows, r), r.time
	}
	// Who leaves makes room for who comes in the same instant.
	leaves := func(r *googleRow) int {
		if r.event >= 2 && r.event <= 6 && r.last < r.time {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(l.rows, func(a, b googleRow) int {
		x, _ := strconv.ParseInt(a.job, 10, 64)
		y, _ := strconv.ParseInt(b.job, 10, 64)
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(leaves(&a), leaves(&b)), cmp.Compare(a.submitted, b.submitted), cmp.Compare(x, y))
	})
	return l
}

// A googleCount is what the rows say, without any of our code.
type googleCount struct {
	peaks                map[string]classLimits // the most at the end of an instant
	ranOver, startedOver int64                  // steps in the window that met a full class
	ran, waits, waiting  int64                  // operations submitted in the window that ran, waited for some time, wait still or ended waiting
	waited, longest      float64                // seconds
}

func (l *googleLog) recount(limits map[string]classLimits) googleCount {
	c := googleCount{peaks: map[string]classLimits{}}
	type job struct {
		class   string
		running bool
		since   int64 // when it was submitted, -1 before the log began
	}
	live := map[string]*job{}
	now := map[string]classLimits{}
	change := func(class string, running, operations int64) {
		n := now[class]
		now[class] = classLimits{n.running + running, n.operations + operations}
	}
	wait := func(of *job, until int64) {
		if of.since < 0 {
			return
		}
		length := float64(until-of.since) / 1e6
		c.waited, c.longest = c.waited+length, max(c.longest, length)
		if until > of.since {
			c.waits++
		}
	}
	for i, r := range l.rows {
		of := live[r.job]
		limit, limited := limits[r.class]
		switch {
		case r.event == 0:
			if limited && r.time > 0 && now[r.class].operations >= limit.operations {
				c.startedOver++
			}
			since := r.time
			if since == 0 {
				since = -1
			}
			live[r.job] = &job{class: r.class, since: since}
			change(r.class, 0, 1)
		case r.event == 1:
			if limited && r.time > 0 && now[of.class].running >= limit.running {
				c.ranOver++
			}
			of.running = true
			change(of.class, 1, 0)
			if of.since >= 0 {
				c.ran++
			}
			wait(of, r.time)
		case r.event >= 7:
			change(of.class, -1, -1)
			of.class = r.class
			change(of.class, 1, 1)
		default:
			if of.running {
				change(of.class, -1, 0)
			} else if of.since >= 0 {
				c.waiting++
				wait(of, r.time)
			}
			change(of.class, 0, -1)
			delete(live, r.job)
		}
		if i+1 == len(l.rows) || l.rows[i+1].time > r.time {
			if r.time >= l.first {
				for class, n := range now {
					most := c.peaks[class]
					c.peaks[class] = classLimits{max(most.running, n.running), max(most.operations, n.operations)}
				}
			}
		}
	}
	for _, of := range live {
		if !of.running && of.since >= 0 {
			c.waiting++
			wait(of, l.windowEnd())
		}
	}
	return c
}

// windowEnd is the end of the window: a tick after the last row, of machines as well.
func (l *googleLog) windowEnd() int64 { return l.end + 1 }

// askRun returns the only row that a query of a run has.
func askRun(t *testing.T, run, query string) []string {
	t.Helper()
	out, err := exec.Command("poolproof", "query", run, query, "--output", "csv").Output()
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%s: %q, %v", query, out, err)
	}
	return rows[1]
}

// sizeOf returns the bytes of all files of a directory.
func sizeOf(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}
