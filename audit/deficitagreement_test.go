package audit

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/replay/tables"
)

// TestReportedDeficitsAreCounted adds up two trees. Of the reports with complete inputs 1,000 are off by at most 1 %.
func TestReportedDeficitsAreCounted(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	for _, tree := range []string{"a", "b"} {
		r.addTree(tree, whole())
		put(r, tree, tables.Tree{FromTime: at(0), ToTime: at(1000), Updates: 1})
	}
	put(r, "a",
		tables.DeficitAgreement{Inputs: "complete", Decade: -15, Reports: 900, WorstTime: at(1)},
		tables.DeficitAgreement{Inputs: "complete", Decade: -2, Reports: 10, Worst: 0.009, WorstTime: at(2)},
		tables.DeficitAgreement{Inputs: "frequent_records", Decade: 0, Reports: 3, Worst: 0.5, WorstTime: at(3)})
	put(r, "b",
		tables.DeficitAgreement{Inputs: "complete", Decade: -15, Reports: 90, WorstTime: at(1)},
		tables.DeficitAgreement{Inputs: "complete", Decade: -1, Reports: 5, Worst: 0.05, WorstTime: at(3), Operation: core.OperationID(1)},
		tables.DeficitAgreement{Inputs: "frequent_records", Decade: -1, Reports: 3, Worst: 0.05, WorstTime: at(3)},
		tables.DeficitAgreement{Inputs: "volume_reports", Decade: -1, Reports: 5, Worst: 0.05, WorstTime: at(3)})
	want := &DeficitAgreement{Reports: 1005, Lacking: 11, Missing: "frequent_records", Within: 1000,
		Worst: &WorstDeficit{0.05, "b", "op-b", time.UnixMicro(int64(at(3))).UTC()}}
	if d := cmp.Diff(want, r.graded("job_without_end").DeficitAgreement); d != "" {
		t.Fatal(d)
	}
}

func TestWithoutReportsNothingIsSaidOfDeficits(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Tree{FromTime: at(0), ToTime: at(1000), Updates: 1})
	if got := r.graded("job_without_end").DeficitAgreement; got != nil {
		t.Errorf("%+v", got)
	}
}
