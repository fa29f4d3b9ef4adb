package audit

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A scorecard has one row per subject and kind: the versions of a setting are summed up,
// the worst grade stands for all, and the baseline says whether it got better.
func TestAScorecardSumsUpVersionsAndFollowsTheBaseline(t *testing.T) {
	t.Parallel()
	promise := func(pool, kind string, grade Grade, tested, kept float64) Promise {
		return Promise{Tree: "t", Kind: kind, SubjectKind: "pool", Subject: pool, Path: "a/" + pool, Grade: grade, Tested: tested, Kept: kept}
	}
	lacked := &Shortfall{Text: "x lacked"}
	night := Verdict{Promises: []Promise{
		promise("x", "limit", Broken, 100, 25), promise("y", "limit", Broken, 0, 0),
		promise("x", "limit", Kept, 100, 100), promise("y", "guarantee", Kept, 50, 50), promise("z", "limit", Vacuous, 0, 0), promise("new", "limit", Kept, 10, 10),
	}}
	night.Promises[0].Shortfall = lacked
	before := Verdict{Promises: []Promise{
		promise("y", "guarantee", Broken, 100, 50), promise("x", "limit", Kept, 10, 10), promise("y", "limit", Kept, 0, 0), promise("z", "limit", Vacuous, 0, 0),
	}}
	night.compare(&before)
	part := func(x float64) *float64 { return &x }
	want := []Score{
		{Tree: "t", SubjectKind: "pool", Subject: "x", Path: "a/x", Kind: "limit", Grade: Broken, Tested: 200, Kept: 125, Part: part(0.625), Shortfall: lacked, Trend: Worse, BaseGrade: Kept, BasePart: part(1)},
		{Tree: "t", SubjectKind: "pool", Subject: "y", Path: "a/y", Kind: "limit", Grade: Broken, Trend: Worse, BaseGrade: Kept},
		{Tree: "t", SubjectKind: "pool", Subject: "z", Path: "a/z", Kind: "limit", Grade: Vacuous, Trend: Same, BaseGrade: Vacuous},
		{Tree: "t", SubjectKind: "pool", Subject: "new", Path: "a/new", Kind: "limit", Grade: Kept, Tested: 10, Kept: 10, Part: part(1), Trend: Added},
		{Tree: "t", SubjectKind: "pool", Subject: "y", Path: "a/y", Kind: "guarantee", Grade: Kept, Tested: 50, Kept: 50, Part: part(1), Trend: Better, BaseGrade: Broken, BasePart: part(0.5)},
	}
	if d := cmp.Diff(want, night.Scorecard()); d != "" {
		t.Error(d)
	}
}

// What a pool lacked is told in the unit of its promise, and the finding that lasted tells
// it rather than the moment that began it.
func TestAShortfallIsToldInItsUnit(t *testing.T) {
	t.Parallel()
	start, one, six := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC), 1.0, 6.0
	end := start.Add(648 * time.Second)
	about := func(kind, audit, unit, evidence string, to time.Time) charge {
		f := &Finding{ID: audit, SubjectKind: kind, Audit: audit, From: &start, To: &to, Magnitude: &one, Unit: unit, Evidence: []byte(evidence)}
		return charge{Finding: f, subject: "rich", verdict: Violated, title: "Job started over a limit"}
	}
	lacking := about("pool", "strong_guarantee_unmet", "share·s", `{"lacked": 6, "unit": "cores"}`, end)
	crowded := about("pool", "pool_over_running_operation_count", "operations", "{}", end)
	began := about("operation", "start_over_limit", "starts", "{}", start)
	for _, c := range []struct {
		charges []charge
		want    *Shortfall
	}{
		{[]charge{lacking}, &Shortfall{"a/rich was up to 6 cores below its guarantee for 10 min 48 s", &six, "cores", "strong_guarantee_unmet"}},
		{[]charge{began, crowded}, &Shortfall{"a/rich was up to 1 operation over its limit for 10 min 48 s", &one, "operations", "pool_over_running_operation_count"}},
		{[]charge{began}, &Shortfall{"a/rich: job started over a limit (1 start)", &one, "starts", "start_over_limit"}},
	} {
		if d := cmp.Diff(c.want, missedMost(c.charges).shortfall("a/rich")); d != "" {
			t.Error(d)
		}
	}
	began.Tree, began.subject = "t", ""
	if got := began.shortfall("").Text; got != "tree t: job started over a limit (1 start)" {
		t.Error(got)
	}
	lacking.verdict = Excused
	if got := missedMost([]charge{lacking}); got != nil {
		t.Errorf("an excused finding is a shortfall: %v", got)
	}
}

// Where little could be judged nothing is kept: by the share of the rules, and where no
// promise could be judged of those that something tested.
func TestARunOnNothingIsNotKept(t *testing.T) {
	t.Parallel()
	judged := func(n, unknown int) (all []Outcome) {
		for i := range n + unknown {
			o := Outcome{Verdict: OK, Seen: 1}
			if i >= n {
				o = Outcome{Verdict: Undecidable}
			}
			all = append(all, o)
		}
		return all
	}
	for name, c := range map[string]struct {
		v    Verdict
		code int
	}{
		"an accounting log":         {Verdict{Outcomes: judged(3, 85), MinCoverage: defaultMinCoverage}, ExitCoverage},
		"asked for as it is":        {Verdict{Outcomes: judged(3, 85)}, ExitKept},
		"an event log":              {Verdict{Outcomes: judged(65, 10), MinCoverage: defaultMinCoverage}, ExitKept},
		"no promise could be told":  {Verdict{Outcomes: judged(65, 10), MinCoverage: defaultMinCoverage, Promises: []Promise{{Grade: Unverifiable}, {Grade: Vacuous}}}, ExitCoverage},
		"one promise could be told": {Verdict{Outcomes: judged(65, 10), MinCoverage: defaultMinCoverage, Promises: []Promise{{Grade: Unverifiable}, {Grade: Kept}}}, ExitKept},
	} {
		if got := c.v.ExitCode(); got != c.code {
			t.Errorf("%s: exit code %d, want %d", name, got, c.code)
		}
	}
}
