package whatif

import (
	"iter"
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
)

// TestCompare: a log agrees with itself in full; one without a user does not, by what the
// user had.
func TestCompare(t *testing.T) {
	w := theSmall(t)
	recorded, err := Recorded(t.Context(), w.trace, w.control.Plan.Profile, w.trace.Trees(), w.trace.Window())
	if err != nil {
		t.Fatal(err)
	}
	found, err := recorded.Compare(t.Context(), w.control)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range found {
		if a.Overlap < 0.5 || a.Overlap > 1 || a.Jobs[0] == 0 || a.Waited == 0 || a.Usage[0] <= 0 {
			t.Errorf("the control is %+v", a)
		}
	}
	other := w.edited(t, "users: {robot1: {remove: true}, robot2: {remove: true}, carl: {remove: true}}")
	worse, err := recorded.Compare(t.Context(), other)
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

// TestSweep: two jobs that overlap by half, by hand.
func TestSweep(t *testing.T) {
	window := core.Span{From: 0, To: 30 * core.Second}
	dims := &core.Dimensions{Operations: make([]core.OperationInfo, 1), Pools: make([]core.PoolInfo, 2)}
	events := func(all ...core.Event) iter.Seq2[*core.Event, error] {
		return func(yield func(*core.Event, error) bool) {
			for i := range all {
				all[i].Time *= core.Second
				all[i].Finish.Value *= core.Second
				if !yield(&all[i], nil) {
					return
				}
			}
		}
	}
	start := func(at core.Time) core.Event {
		return core.Event{Kind: core.JobStarted, Time: at, Pool: 1, Limits: resource.Vector{resource.CPU: 300}}
	}
	stop := func(kind core.Kind, at core.Time, mode string, finish core.Time) core.Event {
		return core.Event{Kind: kind, Time: at, Finish: core.Some(finish), Preemption: &core.PreemptionRecord{Mode: mode}}
	}
	recorded := newCourse(dims, window)
	if err := recorded.addEvents(t.Context(), events(start(-5), stop(core.JobFinished, 20, "", 20)), func(t turn) { recorded.turns.add(t) }); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		events []core.Event
		usage  float64
		least  float64
	}{
		"to the end of the window":                         {[]core.Event{start(10)}, 60, 30},
		"beyond it":                                        {[]core.Event{start(10), stop(core.JobFinished, 40, "", 40)}, 60, 30},
		"until it is preempted":                            {[]core.Event{start(10), stop(core.JobPreempted, 15, "kill", 25), stop(core.JobFinished, 25, "", 25)}, 15, 15},
		"until it has stopped gracefully":                  {[]core.Event{start(10), stop(core.JobPreempted, 15, "graceful", 25), stop(core.JobFinished, 25, "", 25)}, 45, 30},
		"until it stops gracefully, and nothing tells it":  {[]core.Event{start(10), stop(core.JobPreempted, 15, "graceful", 15)}, 15, 15},
		"until it stops gracefully, which is never":        {[]core.Event{start(10), stop(core.JobPreempted, 15, "graceful", 0)}, 60, 30},
		"and a preemption of a job that nobody saw starts": {[]core.Event{stop(core.JobPreempted, 5, "kill", 5), start(10)}, 60, 30},
	} {
		s := newSweep(recorded, newCourse(dims, window), len(dims.Pools))
		if err := s.control.addEvents(t.Context(), events(c.events...), s.addTurn); err != nil {
			t.Fatal(err)
		}
		s.end()
		if got := s.sums[1+1]; got.usage != [2]float64{60, c.usage} || got.least != c.least || got.most != 60+c.usage-c.least {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
