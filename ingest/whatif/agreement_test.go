package whatif

import (
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
)

// TestCompare: a log agrees with itself in full; one without a user does not, by what the
// user had.
func TestCompare(t *testing.T) {
	w := theSmall(t)
	found, err := Compare(t.Context(), w.trace, w.control, w.trace.Trees())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range found {
		if a.Overlap < 0.5 || a.Overlap > 1 || a.Jobs[0] == 0 || a.Waited == 0 || a.Usage[0] <= 0 {
			t.Errorf("the control is %+v", a)
		}
	}
	other := w.edited(t, "users: {robot1: {remove: true}, robot2: {remove: true}, carl: {remove: true}}")
	worse, err := Compare(t.Context(), w.trace, other, w.trace.Trees())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(worse, func(a Agreement) bool { return a.Tree == "physical" })
	if worse[i].Overlap >= found[i].Overlap-0.1 {
		t.Errorf("without three users %v of the usage is the same, and with them %v", worse[i].Overlap, found[i].Overlap)
	}
	at := slices.IndexFunc(worse[i].Pools, func(p PoolOverlap) bool { return p.Pool == "peaks" })
	if p := worse[i].Pools[at]; p.Usage[1] != 0 || p.Overlap != 0 || p.Usage[0] == 0 {
		t.Errorf("of a pool that nobody uses any more: %+v", p)
	}
}

// TestSweep: two steps that overlap by half, by hand.
func TestSweep(t *testing.T) {
	one := resource.Vector{resource.CPU: 300}
	turns := func(from, to core.Time) *course {
		return &course{sizes: values[resource.Vector]{list: []resource.Vector{one}}, turns: []turn{{from * core.Second, 1, 0, false}, {to * core.Second, 1, 0, true}}}
	}
	s := sweep(resource.CPU, turns(0, 20), turns(10, 30))[1]
	if s.usage != [2]float64{60, 60} || s.least != 30 || s.most != 90 || s.overlap() != 1.0/3 {
		t.Errorf("%+v", s)
	}
}
