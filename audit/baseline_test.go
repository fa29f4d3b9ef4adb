package audit

import (
	"fmt"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// statuses are the findings with their status, and what is fixed.
func statuses(v *Verdict) string {
	var lines []string
	for _, f := range append(append([]Finding{}, v.Findings...), v.Fixed...) {
		lines = append(lines, fmt.Sprintf("%s %s %s", f.Status, f.Verdict, f.Subject))
	}
	return strings.Join(lines, "\n")
}

// judgeAfter audits the run against another's verdict.
func (r *testRun) judgeAfter(base *testRun) *Verdict {
	r.t.Helper()
	baseline, err := ReadVerdict(base.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.judgeWith(Options{Queries: about(r.t, nightly...), Baseline: baseline})
}

// nightly are the audits of TestNightsAreCompared.
var nightly = []string{"pool_over_operation_count", "node_over_capacity", "pool_over_resource_limits"}

// TestNightsAreCompared: the same trouble at another time of another night
// persists, what got worse is new, and what is gone is fixed only where somebody
// looked.
func TestNightsAreCompared(t *testing.T) {
	later := func(e tables.LimitEpisode) tables.LimitEpisode {
		e.FromTime, e.ToTime, e.PeakTime = e.FromTime+86400*second, e.ToTime+86400*second, e.PeakTime+86400*second
		return e
	}
	count := func(pool core.PoolID, cause tables.Cause) tables.LimitEpisode {
		return poolOver(pool, tables.MaxOperationCount, cause)
	}
	first := newTestRun(t)
	first.addTree("a", whole())
	put(first, "a",
		count(0, tables.CauseOperation),                            // again
		count(1, tables.CauseLimit),                                // excused, then violated
		nodeOver(0, resource.CPU, tables.CauseJobStarted),          // fixed
		poolOver(2, tables.ResourceLimits, tables.CauseJobStarted), // not seen tonight
		nodeOver(1, resource.CPU, tables.CauseLimit))               // excused, then gone
	put(first, "a", tables.PoolInterval{Pool: 2, Operations: 1, MaxOperations: core.Some(int64(9))})
	first.judge(nightly...)

	second := newTestRun(t)
	second.addTree("a", whole())
	put(second, "a", later(count(0, tables.CauseOperation)), later(count(1, tables.CauseOperation)),
		later(nodeOver(2, resource.CPU, tables.CauseJobStarted)))
	v := second.judgeAfter(first)
	want := "new violated node3\nnew violated batch\npersisting violated prod\nfixed violated node1"
	if got := statuses(v); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := strings.Join(v.Notices, "\n"); !strings.HasPrefix(got, "1 finding of the baseline is neither fixed nor found again") {
		t.Errorf("notices %q", got)
	}
	for _, in := range v.Incidents {
		if want := map[string]Status{"node3": New, "batch": New, "prod": Persisting}[in.Cause]; in.Status != want {
			t.Errorf("the incident of %s is %s", in.Cause, in.Status)
		}
	}
	if got := second.query("SELECT string_agg(subject || ' ' || status, ', ' ORDER BY subject) FROM (FROM findings UNION ALL FROM fixed_findings)"); got != `"batch new, node1 fixed, node3 new, prod persisting"` {
		t.Error(got)
	}
	if v := first.judgeAfter(first); strings.Contains(statuses(v), "new") || len(v.Fixed) > 0 {
		t.Errorf("against itself:\n%s", statuses(v))
	}
	if v := first.judge(nightly...); v.Findings[0].Status != "" || v.Baseline != nil {
		t.Errorf("without a baseline: %+v", v.Findings[0])
	}
}
