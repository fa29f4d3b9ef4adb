package core_test

import (
	"testing"

	"pgregory.net/rapid"

	"poolproof/core"
	"poolproof/core/coretest"
	"poolproof/core/resource"
)

// An allotment is what an operation was last found to fit.
type allotment struct {
	at    core.Time
	share resource.Share
}

// TestBestAllocations follows random histories and works out anew, node by node,
// what every operation fits, at the first update that it takes part in, at the first in another
// pool, and once a period from then on (core/spec/fair-share.md §3.1, §3.5).
func TestBestAllocations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{T: t}
		tree := core.New(&historyDims, core.Documented)
		known, places := map[core.OperationID]allotment{}, map[core.OperationID]place{}
		for now := core.Time(0); len(h.events) < 100; {
			e := h.next()
			if e.Kind == core.ProcessChanged {
				e.Process = "alert_raised" // one that comes back forgets, see below
			}
			for at := (now/core.Second + 1) * core.Second; at < e.Time; at += core.Second {
				if due, ok := tree.NextTick(); !tree.Stale() && (!ok || due > at) {
					checkQuiet(t, tree, known, at)
					continue
				}
				err := tree.Update(at)
				forgetMoved(tree, known, places)
				if err == nil || refusable(tree) {
					checkAllotments(t, tree, known, at)
				}
			}
			now = e.Time
			tree.Step(e)
			forgetMoved(tree, known, places)
			for id := range known {
				if slot, ok := tree.OperationOf(id); !ok || !tree.Operation(slot).Enabled() {
					delete(known, id)
				}
			}
		}
	})
}

// A place is where an operation is.
type place struct {
	pool     int32
	unplaced bool // the log has not told yet
}

// forgetMoved forgets what operations fitted that have another parent than before, which enables
// them anew.
func forgetMoved(tree *core.Tree, known map[core.OperationID]allotment, places map[core.OperationID]place) {
	for slot := range int32(tree.Operations()) {
		if o := tree.Operation(slot); o.Alive {
			if before, some := places[o.ID]; some && before.pool != o.Pool && !before.unplaced {
				delete(known, o.ID)
			}
			places[o.ID] = place{o.Pool, o.Unplaced}
		}
	}
}

func checkAllotments(t *rapid.T, tree *core.Tree, known map[core.OperationID]allotment, now core.Time) {
	for slot := range int32(tree.Operations()) {
		o := tree.Operation(slot)
		if !o.Alive || !o.Enabled() {
			continue
		}
		last, some := known[o.ID]
		if !some || last.at+60*core.Second <= now {
			last = allotment{now, fitted(tree, o)}
			known[o.ID] = last
		}
		if got, _ := tree.BestAllocation(slot); got != last.share {
			t.Fatalf("at %d: operation %d fits %v, want what it fitted at %d, %v", now, o.ID, got, last.at, last.share)
		}
	}
}

// checkQuiet asks that no update is missing where none is due: nobody's turn would
// change what is known.
func checkQuiet(t *rapid.T, tree *core.Tree, known map[core.OperationID]allotment, now core.Time) {
	for id, last := range known {
		slot, _ := tree.OperationOf(id)
		if fits := fitted(tree, tree.Operation(slot)); last.at+60*core.Second <= now && fits != last.share {
			t.Fatalf("at %d: operation %d fits %v, and still has what it fitted at %d, %v", now, id, fits, last.at, last.share)
		}
	}
}

// fitted is what an operation fits now, the slow obvious way.
func fitted(tree *core.Tree, o *core.Operation) resource.Share {
	demand, total, fits, nodes := o.Demand(), tree.Total(), tree.Total(), 0
	var perJob, memory int64
	if demand[resource.UserSlots] > 0 {
		perJob = demand[resource.Memory] / demand[resource.UserSlots]
	}
	for slot := range int32(tree.Nodes()) {
		n := tree.Node(slot)
		if !n.Online || !matches(tree, o, n) || n.Limits[resource.UserSlots] == 0 || n.Limits[resource.Memory] == 0 {
			continue
		}
		nodes++
		for free := n.Limits[resource.Memory]; perJob > 0 && free >= perJob; free -= perJob {
			memory += perJob
		}
	}
	if perJob > 0 && nodes > 0 {
		fits[resource.Memory] = memory
	}
	return fits.ShareOf(total)
}

// matches reports whether a node is one of those that an operation asks for itself.
func matches(tree *core.Tree, o *core.Operation, n *core.Node) bool {
	if o.Params.TagFilter == nil || !tree.Config().EnableSchedulingTags.Or(true) {
		return true
	}
	return o.Params.TagFilter.Match(n.Tags)
}

// TestBestAllocationIsForgotten: a scheduler that comes back works everything out
// anew, and so it is with an operation that runs again.
func TestBestAllocationIsForgotten(t *testing.T) {
	for _, line := range []string{"10 scheduler scheduler_started", "9 pending o\n10 running o"} {
		s, err := coretest.Parse("0 node n user_slots=10 cpu=10 memory=100\n0 start o\n0 running o\n0 demand o user_slots=2 cpu=2 memory=80\n" + line)
		if err != nil {
			t.Fatal(err)
		}
		tree := core.New(&s.Dimensions, core.Documented)
		for i := range s.Events {
			e := &s.Events[i]
			if i == 4 {
				if err := tree.Update(core.Second); err != nil {
					t.Fatal(err)
				}
				if _, at := tree.BestAllocation(0); at != core.Second {
					t.Fatalf("worked out at %d, want at the first update", at)
				}
			}
			tree.Step(e)
		}
		if err := tree.Update(11 * core.Second); err != nil {
			t.Fatal(err)
		}
		if _, at := tree.BestAllocation(0); at != 11*core.Second {
			t.Errorf("%s: worked out at %d, want anew", line, at)
		}
	}
}

// TestRecordedBestAllocationsCount: a recorded best allocation is that of the updates after it, and none is worked
// out any more, until the operation runs again or has another parent. One that is no share is left out.
func TestRecordedBestAllocationsCount(t *testing.T) {
	const story = `0 node n user_slots=10 cpu=10 memory=100
0 pool a
0 pool b
0 start o pool=a
0 running o
1 demand o user_slots=2 cpu=2 memory=180
2 snapshot s user_slots=10 cpu=10 memory=100
`
	for _, c := range []struct {
		lines string
		want  float64 // of memory
	}{
		{"", 0.9}, // a job of 90 fits a node of 100 once
		{"2 sees o pool=a best.user_slots=1 best.cpu=1 best.gpu=1 best.memory=1 best.network=1", 1},
		{"2 sees o pool=a best.user_slots=1 best.cpu=1 best.memory=0.5", 0.5},
		{"2 sees o pool=a best.user_slots=1 best.cpu=1 best.memory=1.5", 0.9},
		{"2 sees o pool=a best.user_slots=1 best.cpu=1 best.memory=0.5\n3 move o pool=b", 1},
		{"2 sees o pool=a best.user_slots=1 best.cpu=1 best.memory=0.5\n3 pending o\n4 running o", 1},
	} {
		s, err := coretest.Parse(story + c.lines)
		if err != nil {
			t.Fatal(err)
		}
		tree := core.New(&s.Dimensions, core.Baseline)
		for i := range s.Events {
			tree.Step(&s.Events[i])
		}
		for _, at := range []core.Time{5, 66} {
			if err := tree.Update(at * core.Second); err != nil {
				t.Fatal(err)
			}
		}
		if got, _ := tree.BestAllocation(0); got[resource.Memory] != c.want {
			t.Errorf("%q: %v, want %v of memory", c.lines, got, c.want)
		}
	}
}
