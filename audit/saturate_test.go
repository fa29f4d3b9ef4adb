package audit

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"poolproof/replay/tables"
)

// What JSON has no word for never reaches it, and sums stay where they cannot grow.
func TestMagnitudesAreNumbers(t *testing.T) {
	t.Parallel()
	audits := &Audit{Invariants: []string{"SHR-01"}}
	var all []*Finding
	for _, x := range []float64{math.Inf(1), 1e308, 1e308, math.NaN()} {
		row := findingRow{}
		row.magnitude.Valid, row.magnitude.Float64 = true, x
		f, _ := row.finding(audits)
		all = append(all, &f)
		if _, err := json.Marshal(f.Magnitude); err != nil {
			t.Errorf("%v: %v", x, err)
		}
	}
	totals := Totals(all)
	if _, err := json.Marshal(totals); err != nil || totals[0].Magnitude != math.MaxFloat64 {
		t.Errorf("%v, %v", totals, err)
	}
}

// Every sum that stands at the most that it can hold is counted in a notice, whichever
// column holds it; a sum just below it is not.
func TestSaturatedSumsAreTold(t *testing.T) {
	t.Parallel()
	const most, below = tables.Saturated, tables.Saturated - 1
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.PoolInterval{Interval: tables.Interval{UsageSeconds: most}}, tables.PoolInterval{Interval: tables.Interval{DemandSeconds: most}},
		tables.PoolInterval{Interval: tables.Interval{FairSeconds: most}}, tables.PoolInterval{Interval: tables.Interval{DemandSeconds: below}})
	put(r, "a", tables.OperationInterval{Interval: tables.Interval{DemandSeconds: most}}, tables.OperationInterval{Interval: tables.Interval{FairSeconds: below}})
	put(r, "a", tables.GuaranteeEpisode{Owed: most}, tables.GuaranteeEpisode{Owed: below})
	put(r, "a", tables.StarvationEpisode{Owed: most}, tables.StarvationEpisode{Owed: below})
	v := r.graded("pool_over_operation_count")
	if told := strings.Join(v.Notices, "\n"); !strings.HasPrefix(told, "6 rows of the result tables hold sums") || !strings.Contains(told, "4.6e+09 share·seconds") {
		t.Errorf("notices %q", v.Notices)
	}
}
