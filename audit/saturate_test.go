package audit

import (
	"encoding/json"
	"math"
	"testing"
)

// What JSON has no word for never reaches it, and sums stay where they cannot grow.
func TestMagnitudesAreNumbers(t *testing.T) {
	audits := &Audit{Invariants: []string{"SHR-01"}}
	var in Incident
	for _, x := range []float64{math.Inf(1), 1e308, 1e308, math.NaN()} {
		row := findingRow{}
		row.magnitude.Valid, row.magnitude.Float64 = true, x
		f, _ := row.finding(audits)
		in.add(&f)
		if _, err := json.Marshal(f.Magnitude); err != nil {
			t.Errorf("%v: %v", x, err)
		}
	}
	if _, err := json.Marshal(in.Totals); err != nil || in.Totals[0].Magnitude != math.MaxFloat64 {
		t.Errorf("%v, %v", in.Totals, err)
	}
}
