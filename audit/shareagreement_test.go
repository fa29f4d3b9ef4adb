package audit

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/replay/tables"
)

// TestRecordedSharesAreCounted adds up two trees, whose worst records and missing inputs
// differ.
func TestRecordedSharesAreCounted(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	for _, tree := range []string{"a", "b"} {
		r.addTree(tree, whole())
		put(r, tree, tables.Tree{FromTime: at(0), ToTime: at(1000), Updates: 1})
	}
	put(r, "a",
		tables.ShareAgreement{Element: tables.ElementPool, Inputs: "complete", Decade: -15, Records: 900, WorstTime: at(1), Pool: core.RootPool},
		tables.ShareAgreement{Element: tables.ElementOperation, Inputs: "complete", Decade: -4, Records: 10, Worst: 5e-5, WorstTime: at(2), Pool: core.RootPool, Operation: core.Some[core.OperationID](0)},
		tables.ShareAgreement{Element: tables.ElementPool, Inputs: "records", Decade: 0, Records: 5, Worst: 0.5, WorstTime: at(3), Pool: core.RootPool})
	put(r, "b",
		tables.ShareAgreement{Element: tables.ElementPool, Inputs: "complete", Decade: -15, Records: 90, WorstTime: at(1), Pool: core.RootPool},
		tables.ShareAgreement{Element: tables.ElementPool, Inputs: "configuration_change", Decade: -1, Records: 3, Worst: 0.05, WorstTime: at(3), Pool: core.RootPool},
		tables.ShareAgreement{Element: tables.ElementPool, Inputs: "configuration_change", Decade: 0, Records: 4, Worst: 0.5, WorstTime: at(3), Pool: core.RootPool})
	got := r.graded("job_without_end").ShareAgreement
	want := &ShareAgreement{Records: 1000, Lacking: 12, Missing: "configuration_change", Decades: []ShareDecade{{-15, 990}, {-4, 10}},
		Worst: &WorstShare{5e-5, "a", "operation", "op-a", time.UnixMicro(int64(at(2))).UTC()}}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	if got.Within(-9) != 0.99 || got.Within(-4) != 1 || !got.Differs() {
		t.Errorf("%g, %g, %v", got.Within(-9), got.Within(-4), got.Differs())
	}
}

func TestTheToleranceIsThatOfNearlyAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		decades []ShareDecade
		decade  int
		agree   float64
	}{
		"all are equal":             {[]ShareDecade{{-15, 10}}, -9, 1},
		"99 % are equal":            {[]ShareDecade{{-15, 99}, {0, 1}}, -9, 0.99},
		"most are off by rounding":  {[]ShareDecade{{-15, 1}, {-7, 99}}, -6, 1},
		"many are off, and not far": {[]ShareDecade{{-15, 50}, {-4, 49}, {-1, 1}}, -3, 0.99},
		"half are off":              {[]ShareDecade{{-15, 50}, {0, 50}}, -3, 0.5},
	} {
		s := &ShareAgreement{Decades: c.decades}
		for _, d := range c.decades {
			s.Records += d.Records
		}
		if decade, agree := s.Tolerance(); decade != c.decade || agree != c.agree {
			t.Errorf("%s: 1e%d in %g", name, decade, agree)
		}
	}
}
