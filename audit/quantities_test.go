package audit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"poolproof/core/quantity"
)

// TestSQLWritesNumbersAsGoDoes: the sentences of findings are made by macros, all others
// by package quantity.
func TestSQLWritesNumbersAsGoDoes(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	r.makeDatabase()
	var calls, want []string
	same := func(call, text string) { calls, want = append(calls, call), append(want, text) }
	for _, x := range []float64{0, 0.0004, 0.01, 0.25, 0.5, 0.999, 1, 1.5, 2.25, 6, 59.9, 60, 99.999, 160, 648, 999.5, 3599, 3600, 11100, 12345.6, 4e6, 3 << 29, 1 << 34} {
		same(fmt.Sprintf("internal.span_text(%v)", x), quantity.Span(x))
		same(fmt.Sprintf("internal.seconds_text(%v)", x), quantity.Seconds(x))
		same(fmt.Sprintf("internal.number_text(%v)", x), quantity.Number(x, 2))
		same(fmt.Sprintf("internal.share_text(%v::DOUBLE)", x), quantity.Share(x))
		same(fmt.Sprintf("internal.count_text(%v, 'job')", int64(x)), quantity.Of(math.Trunc(x), "jobs"))
		for _, resource := range []string{"cpu", "gpu", "memory", "user_slots", "network"} {
			same(fmt.Sprintf("internal.amount_text('%s', %v)", resource, x), quantity.Amount(resource, x))
		}
	}
	got := strings.Split(r.queryAsIs("SELECT concat_ws(';', "+strings.ReplaceAll(strings.Join(calls, ", "), "e+", "e")+") AS x"), ";")
	got[0], got[len(got)-1] = strings.TrimPrefix(got[0], `"`), strings.TrimSuffix(got[len(got)-1], `"`)
	if len(got) != len(want) {
		t.Fatalf("%d texts of %d calls", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s is %q; Go writes %q", calls[i], got[i], want[i])
		}
	}
}
