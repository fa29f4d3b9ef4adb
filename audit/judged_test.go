package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// A run that is judged apart tells what one whose verdict is written tells, and nothing is
// written into it. Its database has no more than was asked for.
func TestARunIsJudgedApart(t *testing.T) {
	t.Parallel()
	const twice = "job_in_two_places"
	run := func(after bool) *testRun {
		r := comparedRun(t)
		if after {
			job := tables.Job{Job: "j0", Operation: 0, Pool: 1, StartTime: at(20), End: core.EndCompleted}
			put(r, "a", job, job)
		}
		return r
	}
	var apart [2]*Judged
	var written [2]*testRun
	for i := range apart {
		r := run(i == 1)
		j, err := putTo(context.Background(), Judging, r.dir, Options{Queries: about(t, twice), Workers: 1, FindingsAlone: true}, AskedByCompare()...)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		apart[i], written[i] = j, run(i == 1)
		written[i].audit(twice)
		if _, err := j.DB.Exec("SELECT preempted_for FROM jobs"); err == nil || !strings.Contains(err.Error(), "preempted_for") {
			t.Errorf("a column for which nobody asks: %v", err)
		}
		if _, err := j.DB.Exec("FROM problems"); err == nil || !strings.Contains(err.Error(), "problems") {
			t.Errorf("a table for which nobody asks: %v", err)
		}
		if _, err := os.Stat(filepath.Join(r.dir, DatabaseName)); err == nil {
			t.Error("a database was written")
		}
	}
	want, err := Compare(context.Background(), written[0].dir, written[1].dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := apart[1].Compare(context.Background(), apart[0])
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Metrics, want.Metrics) || len(got.Metrics) < 100 {
		t.Error("the metrics are others")
	}
	if d := cmp.Diff(want.First, got.First); d != "" {
		t.Errorf("the first decision is another: %s", d)
	}
	if d := cmp.Diff(told(want.After), told(got.After)); d != "" || len(got.After.Findings) == 0 || got.After.Findings[0].Status != New {
		t.Errorf("the findings are others: %s", d)
	}
}

// putTo puts a question to a run.
func putTo(ctx context.Context, ask func(Options, ...string) (*Question, error), dir string, opts Options, asked ...string) (*Judged, error) {
	q, err := ask(opts, asked...)
	if err != nil {
		return nil, err
	}
	return q.Put(ctx, dir, nil)
}

// A run that holds no more than a question reads answers it as the whole run does. Neither is taken
// for the other.
func TestAnExtractIsAskedAsTheWholeRun(t *testing.T) {
	t.Parallel()
	const twice = "job_in_two_places"
	opts := Options{Queries: about(t, twice), FindingsAlone: true, Fresh: true}
	whole, err := Judging(opts, AskedByMetrics()...)
	if err != nil {
		t.Fatal(err)
	}
	opts.Extracted = true
	some, err := Judging(opts, AskedByMetrics()...)
	if err != nil {
		t.Fatal(err)
	}
	runs := map[*Question]*testRun{whole: newTestRun(t), some: newTestRun(t)}
	runs[some].dict.Extract = some.Extract()
	var findings [][]string
	var metrics [][]Change
	for _, q := range []*Question{whole, some} {
		r := withDecisions(runs[q])
		job := tables.Job{Job: "j0", Operation: 0, Pool: 1, StartTime: at(20), End: core.EndCompleted}
		put(r, "a", job, job)
		j, err := q.Put(context.Background(), r.dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		numbers, err := j.Metrics(context.Background())
		if err := errors.Join(err, j.Close()); err != nil {
			t.Fatal(err)
		}
		findings, metrics = append(findings, told(j.Verdict)), append(metrics, numbers)
	}
	if d := cmp.Diff(findings[0], findings[1]); d != "" || len(findings[0]) != 1 {
		t.Errorf("the findings are others, or none: %s", d)
	}
	if !reflect.DeepEqual(metrics[0], metrics[1]) || len(metrics[0]) < 100 {
		t.Error("the metrics are others")
	}
	for q, other := range map[*Question]*testRun{whole: runs[some], some: runs[whole]} {
		if _, err := q.Put(context.Background(), other.dir, nil); err == nil || !strings.Contains(err.Error(), "its columns are not those") {
			t.Errorf("one is taken for the other: %v", err)
		}
	}
}

// Audits that share workers take one for each table that is loaded and each audit that runs.
func TestAuditsShareWorkers(t *testing.T) {
	t.Parallel()
	r := comparedRun(t)
	var taken, most, all int
	var mu sync.Mutex
	add := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		taken += n
		most, all = max(most, taken), all+max(n, 0)
	}
	token := make(chan bool, 1)
	take := func(ctx context.Context) (func(), error) {
		token <- true
		add(1)
		return func() { add(-1); <-token }, ctx.Err()
	}
	q, err := Judging(Options{Queries: about(t, "job_in_two_places", "job_without_end", "job_misplaced"), Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	j, err := q.Put(context.Background(), r.dir, take)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if want := 3 + len(j.runner.loader().wanted()); most != 1 || taken != 0 || all != want || want < 10 {
		t.Errorf("%d workers were taken, %d at a time, and %d kept; want %d one at a time", all, most, taken, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := q.Put(ctx, r.dir, take); !errors.Is(err, context.Canceled) {
		t.Errorf("without a worker: %v", err)
	}
}

// told is what a verdict says of its findings.
func told(v *Verdict) (lines []string) {
	for i := range v.Findings {
		f := &v.Findings[i]
		lines = append(lines, fmt.Sprint(f.ID, f.Status, f.Verdict, f.Subject, f.Magnitude != nil, f.Reason))
	}
	return lines
}

// A fresh run is taken for what its manifest lists; another is not.
func TestAFreshRunIsTakenAsItIs(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	r.writeManifest()
	file := filepath.Join(r.dir, tables.Directory, tables.FileName("jobs", "a"))
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(b, 0), 0o644); err != nil { // the reader finds the end of the tables by their last bytes
		t.Fatal(err)
	}
	opts := Options{Dir: r.dir, Queries: queries.Files, Only: []string{"job_without_end"}}
	if _, err := Run(context.Background(), opts); err == nil || !strings.Contains(err.Error(), "its digest differs") {
		t.Errorf("not fresh: %v", err)
	}
	opts.Fresh = true
	if _, err := Run(context.Background(), opts); err == nil || strings.Contains(err.Error(), "its digest differs") {
		t.Errorf("fresh: %v", err)
	}
}

// What takes more memory than there is room for goes to a file; with fewer columns it may fit.
func TestWhatFitsInMemory(t *testing.T) {
	t.Parallel()
	rows := usualRoom / 4 / 8 / int64(len(tableNamed("jobs").Columns))
	r := &runner{manifest: &manifest{Tables: []tables.File{{Path: "tables/jobs/a.arrow", Rows: rows}}}}
	if !r.fits() {
		t.Errorf("%d rows do not fit", rows)
	}
	r.manifest.Tables[0].Rows++
	if r.fits() {
		t.Errorf("%d rows fit", rows+1)
	}
	if r.reads = (readColumns{"jobs": {"node": true}}); !r.fits() {
		t.Error("two columns do not fit")
	}
	if r.reads["jobs"][everyColumn] = true; r.fits() {
		t.Error("whole rows fit")
	}
}
