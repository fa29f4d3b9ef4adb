package core_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// TestHistories checks after every event that the state is what a recount finds.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{T: t}
		profile := rapid.SampledFrom(profiles).Draw(t, "profile")
		tree := core.New(&historyDims, profile)
		for now := core.Time(0); len(h.events) < 100; {
			e := h.next()
			if e.Time > now {
				pass(t, tree, now, e.Time)
			}
			now = e.Time
			tree.Step(e)
			checkState(t, tree, profile)
		}
	})
}

// A count is what a pool holds, counted from scratch.
type count struct {
	sums
	waiting []int32
}

type sums struct {
	usage, demand       resource.Vector
	running, operations int64
	children            int
}

func checkState(t *rapid.T, tree *core.Tree, profile core.Profile) {
	want, nodes := make([]count, tree.Pools()), make([]resource.Vector, tree.Nodes())
	used := make([]resource.Vector, tree.Operations())
	tree.EachJob(func(job int32) {
		j := tree.Job(job)
		used[j.Operation] = used[j.Operation].Add(j.Usage)
		if j.Node >= 0 {
			nodes[j.Node] = nodes[j.Node].Add(j.Usage)
		}
	})
	for slot := range nodes {
		if n := tree.Node(int32(slot)); n.Usage != nodes[slot] {
			t.Fatalf("node %d uses %v, recount %v", n.ID, n.Usage, nodes[slot])
		}
		if tree.IsDisabled(int32(slot)) { // nothing counts
			nodes[slot] = resource.Vector{}
		}
		if known := tree.Scheduling().NodeUsage(scheduling.Node(slot)); known != nodes[slot] {
			t.Fatalf("scheduling has node %d use %v, recount %v", slot, known, nodes[slot])
		}
	}
	for slot := range used {
		if o := tree.Operation(int32(slot)); o.Alive {
			checkOperation(t, tree, o, used[slot], profile)
			addTo(want, tree, int32(slot))
		}
	}
	for slot := range want {
		if p := tree.Pool(int32(slot)); slot > 0 && !p.Removed.Set {
			want[p.Parent].children++
		}
	}
	for slot := range want {
		checkPool(t, tree, int32(slot), &want[slot])
		checkPlace(t, tree, int32(slot), profile)
	}
}

// checkPlace compares a pool with what the admission knows of it. One that the
// admission has no more may stay for the last jobs below it.
func checkPlace(t *rapid.T, tree *core.Tree, slot int32, profile core.Profile) {
	p, at, admission := tree.Pool(slot), pooltree.Pool(slot), tree.Admission()
	if p.Exists() != !(p.Removed.Set) {
		t.Fatalf("pool %d exists %t and is removed at %v", p.ID, p.Exists(), p.Removed)
	}
	if !p.Exists() {
		if admission.Exists(at) {
			t.Fatalf("pool %d is in the admission only", p.ID)
		}
		return
	}
	depth := int32(0)
	for a := p.Parent; a >= 0; a = tree.Pool(a).Parent {
		depth++
	}
	if p.Depth != depth {
		t.Fatalf("pool %d stands at depth %d, not %d", p.ID, depth, p.Depth)
	}
	if slot == 0 {
		return
	}
	if known := tree.Scheduling().Describe(p.Element).Parent; known != tree.Pool(p.Parent).Element {
		t.Fatalf("scheduling has pool %d below %d", p.ID, known)
	}
	if !admission.Exists(at) {
		if p.Configured || !p.Ephemeral || p.Operations != 0 {
			t.Fatalf("pool %d only holds jobs and is %+v", p.ID, *p)
		}
		return
	}
	if p.Parent != int32(admission.Parent(at)) || p.Ephemeral != admission.IsEphemeral(at) || p.Configured == p.Ephemeral {
		t.Fatalf("pool %d stands elsewhere than in the admission, whose parent of it is %d: %+v", p.ID, admission.Parent(at), *p)
	}
	if running, operations := admission.Limits(at); p.MaxRunning != running || p.MaxOperations != operations || p.Config != admission.PoolConfig(at) {
		t.Fatalf("pool %d has limits and options of another time: %+v", p.ID, *p)
	}
}

// checkAdmission compares an operation with what the admission knows of it.
func checkAdmission(t *rapid.T, tree *core.Tree, o *core.Operation) {
	r, admission := o.Registered(), tree.Admission()
	if o.Ended != (r == pooltree.NoOperation) {
		t.Fatalf("operation %d is over %t and registered as %d", o.ID, o.Ended, r)
	}
	if o.Ended {
		return
	}
	if admission.OperationPool(r) != pooltree.Pool(o.Pool) || admission.IsRunning(r) != o.Running {
		t.Fatalf("operation %d runs %t in pool %d, in the admission %t in %d", o.ID, o.Running, o.Pool, admission.IsRunning(r), admission.OperationPool(r))
	}
	if o.Running && admission.Queue(r) != pooltree.NoPool {
		t.Fatalf("operation %d runs and waits for pool %d", o.ID, admission.Queue(r))
	}
}

func checkOperation(t *rapid.T, tree *core.Tree, o *core.Operation, used resource.Vector, profile core.Profile) {
	if o.Usage != used {
		t.Fatalf("operation %d uses %v, recount %v", o.ID, o.Usage, used)
	}
	checkJobs(t, tree, o, used)
	checkSegment(t, tree, o)
	checkAdmission(t, tree, o)
	c := tree.Pool(o.Pool).Config
	lightweight := (profile == core.Documented || profile == core.Current) && o.Running && c.Mode.Value == core.FIFO && c.LightweightOps.Value && historyDims.Operations[o.ID].Type == "vanilla"
	if !o.Ended && o.Lightweight != lightweight {
		t.Fatalf("operation %d is lightweight %t, want %t", o.ID, o.Lightweight, lightweight)
	}
	if wants := o.LiveJobs > 0 || o.Running && !o.Ended; o.Enabled() != wants {
		t.Fatalf("operation %d takes part in the shares %t, want %t", o.ID, o.Enabled(), wants)
	}
}

// checkSegment compares an operation's segment with what it asks for, and its
// module with those that there are.
func checkSegment(t *rapid.T, tree *core.Tree, o *core.Operation) {
	on := tree.Config().Segments.Enable
	switch p := &o.Params; {
	case !on && (o.SegmentKnown || o.Module != 0):
		t.Fatalf("operation %d has a segment in a tree without: %+v", o.ID, *o)
	case on && p.Segment.Set && (!o.SegmentKnown || o.Segment != scheduling.Segment(p.Segment.Value)):
		t.Fatalf("operation %d asks for %s and has %s, known %t", o.ID, p.Segment.Value, o.Segment, o.SegmentKnown)
	case o.Segment != scheduling.LargeGPU && o.Module != 0:
		t.Fatalf("operation %d has module %d in segment %s", o.ID, o.Module, o.Segment)
	}
}

// checkJobs compares the jobs that scheduling knows of an operation with those
// that live; preempted ones stay in its lists and use nothing.
func checkJobs(t *rapid.T, tree *core.Tree, o *core.Operation, used resource.Vector) {
	if !o.Enabled() {
		return
	}
	live, usage := int64(0), resource.Vector{}
	tree.Scheduling().OperationJobs(o.Element, func(j scheduling.Job) {
		info := tree.Scheduling().Job(j)
		usage = usage.Add(info.Usage)
		if !info.Preempted {
			live++
		}
	})
	if live != o.LiveJobs || usage != used {
		t.Fatalf("scheduling has operation %d run %d jobs with %v, recount %d with %v", o.ID, live, usage, o.LiveJobs, used)
	}
}

// addTo adds an operation to what its pools are to hold.
func addTo(want []count, tree *core.Tree, slot int32) {
	o := tree.Operation(slot)
	for p := o.Pool; p >= 0; p = tree.Pool(p).Parent {
		w := &want[p]
		w.usage, w.demand = w.usage.Add(o.Usage), w.demand.Add(o.Demand())
		if !o.Ended {
			w.operations++
		}
		if o.Running && !o.Ended && !o.Lightweight {
			w.running++
		}
	}
	if tree.Pool(o.Pool).Config.Mode.Value == core.FIFO && o.Running && !o.Ended && !o.Suspended && !o.Needed.IsZero() {
		want[o.Pool].waiting = append(want[o.Pool].waiting, slot)
	}
}

func checkPool(t *rapid.T, tree *core.Tree, slot int32, want *count) {
	p := tree.Pool(slot)
	slices.SortFunc(want.waiting, func(a, b int32) int {
		x, y := tree.Operation(a), tree.Operation(b)
		byWeight := cmp.Compare(y.Params.Weight.Or(1), x.Params.Weight.Or(1))
		if sort := p.Config.FIFOSort; sort != nil && !slices.Contains(sort, core.ByWeight) {
			byWeight = 0
		}
		return cmp.Or(byWeight, cmp.Compare(x.Start, y.Start), cmp.Compare(x.ID, y.ID))
	})
	got := count{sums{p.Usage, p.Demand, p.Running, p.Operations, p.Children()}, p.Waiting()}
	if got.sums != want.sums || !slices.Equal(got.waiting, want.waiting) {
		t.Fatalf("pool %d holds %+v, recount %+v", p.ID, got, *want)
	}
	if p.Removed.Set && (p.Operations != 0 || p.Children() != 0 || !p.Usage.IsZero()) {
		t.Fatalf("pool %d is removed and holds %+v", p.ID, got) // an existing child counts, so parents exist
	}
}
