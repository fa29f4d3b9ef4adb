package core_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// historyDims are what random histories are about: few of everything, so that
// events meet. Some pools are somebody's below a hub.
var historyDims = core.Dimensions{
	Pools: []core.PoolInfo{
		{Tree: "tree", Name: "a"}, {Tree: "tree", Name: "b"}, {Tree: "tree", Name: "c"}, {Tree: "tree", Name: "default"},
		{Tree: "tree", Name: "a$u"}, {Tree: "tree", Name: "a$v"}, {Tree: "tree", Name: "b$u"}, {Tree: "tree", Name: "u"},
	},
	Operations: []core.OperationInfo{{ID: "o0", Type: "vanilla"}, {ID: "o1", Type: "vanilla"}, {ID: "o2", Type: "map"}, {ID: "o3", Type: "vanilla"}},
	Nodes:      []string{"n0", "n1", "n2"},
}

// A history is a random log in the order (time, kind, seq).
type history struct {
	*rapid.T
	events []core.Event
	jobs   int // started
}

// next adds an event after the last, later if its kind may not follow at once.
func (h *history) next() *core.Event {
	e := core.Event{
		Kind: rapid.SampledFrom(historyKinds).Draw(h.T, "kind"), Seq: int64(len(h.events)),
		Time: core.Second, Pool: core.Unknown, Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown, For: core.Unknown, PendingJobs: -1,
	}
	if h.jobs == 0 && (e.Kind == core.JobFinished || e.Kind == core.JobPreempted || e.Kind == core.JobUsed) {
		e.Kind = core.JobStarted
	}
	if n := len(h.events); n > 0 {
		last := &h.events[n-1]
		e.Time = last.Time + rapid.SampledFrom([]core.Time{0, 0, core.Second / 3, 2 * core.Second, 61 * core.Second}).Draw(h.T, "pause")
		if e.Time == last.Time && e.Kind < last.Kind {
			e.Time++
		}
	}
	h.fill(&e)
	h.events = append(h.events, e)
	return &e
}

// historyKinds are the kinds as often as they shall come.
var historyKinds = []core.Kind{
	core.TreeConfigured, core.PoolConfigured, core.PoolConfigured, core.PoolConfigured, core.NodeChanged, core.DemandChanged, core.DemandChanged,
	core.OperationChanged, core.OperationChanged, core.OperationChanged, core.OperationChanged, core.OperationChanged,
	core.JobFinished, core.JobFinished, core.JobPreempted, core.JobUsed, core.JobStarted, core.JobStarted, core.JobStarted, core.HeartbeatReceived,
}

func (h *history) upTo(least, most int, label string) int {
	return rapid.IntRange(least, most).Draw(h.T, label)
}

func (h *history) pool() core.PoolID { return core.PoolID(h.upTo(0, len(historyDims.Pools)-1, "pool")) }

func (h *history) operation() core.OperationID {
	return core.OperationID(h.upTo(0, len(historyDims.Operations)-1, "operation"))
}

func (h *history) amounts(most int64) resource.Vector {
	n := rapid.Int64Range(0, most).Draw(h.T, "amount")
	return resource.Vector{n, 100 * n, 0, n << 30, 0}
}

func (h *history) fill(e *core.Event) {
	switch e.Kind {
	case core.TreeConfigured:
		e.Tree = &core.TreeConfig{DefaultParentPool: rapid.SampledFrom([]string{"", "default", "a", "nowhere"}).Draw(h.T, "default parent")}
	case core.PoolConfigured:
		e.Pool, e.Config = h.pool(), h.config()
	case core.NodeChanged, core.HeartbeatReceived:
		e.Node = core.NodeID(h.upTo(0, len(historyDims.Nodes)-1, "node"))
		e.Online, e.Limits = h.upTo(0, 3, "online") > 0, h.amounts(8)
	case core.OperationChanged:
		h.fillStep(e)
	case core.DemandChanged:
		e.Operation, e.Needed = h.operation(), h.amounts(3)
		e.PendingJobs = rapid.Int64Range(-1, 3).Draw(h.T, "pending")
	case core.JobStarted:
		h.fillStart(e)
	default:
		e.Job = core.JobID(h.upTo(max(0, h.jobs-6), h.jobs-1, "job"))
		e.End = rapid.SampledFrom([]core.EndKind{core.EndCompleted, core.EndAborted, core.EndPreempted}).Draw(h.T, "end")
		if e.Kind == core.JobPreempted && rapid.Bool().Draw(h.T, "stops later") {
			e.Finish = e.Time + core.Second
		}
		if e.Kind == core.JobUsed {
			e.Usage = h.amounts(3)
		}
		if e.Kind == core.JobPreempted && rapid.Bool().Draw(h.T, "for someone") {
			e.For = h.operation()
		}
	}
}

func (h *history) config() *core.PoolConfig {
	c := &core.PoolConfig{
		Parent:    rapid.SampledFrom([]core.PoolID{core.RootPool, core.RootPool, 0, 1, 2, 3, 4}).Draw(h.T, "parent"),
		Ephemeral: h.upTo(0, 3, "ephemeral") == 0,
		Deleted:   h.upTo(0, 3, "deleted") == 0,
	}
	c.Mode = core.Some(rapid.SampledFrom([]core.Mode{core.FairShare, core.FIFO}).Draw(h.T, "mode"))
	c.LightweightOps = core.Some(rapid.Bool().Draw(h.T, "lightweight"))
	c.FIFOSort = rapid.SampledFrom([][]core.FIFOKey{nil, {core.ByStartTime}, {core.ByWeight}}).Draw(h.T, "sort")
	n := rapid.Int64Range(0, 5).Draw(h.T, "limit")
	c.MaxRunningOperationCount = core.Optional[int64]{Value: n, Set: n > 0}
	c.ResourceLimits.Amounts[resource.CPU], c.ResourceLimits.Set[resource.CPU] = 100*n, n > 0
	c.StrongGuarantee.Amounts[resource.CPU], c.StrongGuarantee.Set[resource.CPU] = 200, n == 0
	return c
}

func (h *history) fillStep(e *core.Event) {
	e.Operation = h.operation()
	if e.Step = core.StepRunning; rapid.Bool().Draw(h.T, "another step") {
		e.Step = core.Step(h.upTo(int(core.StepOther), int(core.StepAborted), "step"))
	}
	if slices.Contains([]core.Step{core.StepStarted, core.StepRevived, core.StepPoolChanged}, e.Step) {
		e.Pool = h.pool()
	}
	if e.Step == core.StepParamsChanged || e.Step == core.StepStarted && rapid.Bool().Draw(h.T, "with settings") {
		p := core.OperationParams{Weight: core.Some(float64(h.upTo(1, 3, "weight")))}
		if rapid.Bool().Draw(h.T, "start time") {
			p.StartTime = core.Some(core.Time(h.upTo(0, 3, "started")) * core.Second / 4)
		}
		e.Params = &p
	}
}

func (h *history) fillStart(e *core.Event) {
	e.Operation, e.Job, e.Name = h.operation(), core.JobID(h.jobs), fmt.Appendf(nil, "j%d", h.jobs)
	h.jobs++
	e.Limits = h.amounts(3)
	e.Limits[resource.UserSlots] = 1
	e.Node = core.NodeID(h.upTo(core.Unknown, len(historyDims.Nodes)-1, "node"))
	e.End = rapid.SampledFrom([]core.EndKind{core.EndUnknown, core.EndRunning, core.EndCompleted}).Draw(h.T, "end")
	if rapid.Bool().Draw(h.T, "in a pool") {
		e.Pool = h.pool()
	}
}

// TestHistories checks after every event that the state is what a recount finds.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{T: t}
		profile := rapid.SampledFrom([]core.Profile{core.Documented, core.Baseline, core.Current}).Draw(t, "profile")
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

// pass lets time go on as a replay does.
func pass(t *rapid.T, tree *core.Tree, now, to core.Time) {
	tree.ClearChanges()
	if boundary := (now/core.Second + 1) * core.Second; tree.Stale() && boundary <= to {
		if err := tree.Update(boundary); err != nil && !refusable(tree) {
			t.Fatalf("update at %d: %v", boundary, err)
		}
		tree.ClearChanges()
	}
}

// refusable reports whether a FIFO pool holds a pool: no other input here is wrong.
func refusable(tree *core.Tree) bool {
	for slot := range tree.Pools() {
		if p := tree.Pool(int32(slot)); p.Removed == 0 && p.Parent >= 0 && tree.Pool(p.Parent).Config.Mode.Value == core.FIFO {
			return true
		}
	}
	return false
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
		if p := tree.Pool(int32(slot)); slot > 0 && p.Removed == 0 {
			want[p.Parent].children++
		}
	}
	for slot := range want {
		checkPool(t, tree, int32(slot), &want[slot])
	}
}

func checkOperation(t *rapid.T, tree *core.Tree, o *core.Operation, used resource.Vector, profile core.Profile) {
	if o.Usage != used {
		t.Fatalf("operation %d uses %v, recount %v", o.ID, o.Usage, used)
	}
	checkJobs(t, tree, o, used)
	c := tree.Pool(o.Pool).Config
	lightweight := profile != core.Baseline && o.Running && c.Mode.Value == core.FIFO && c.LightweightOps.Value && historyDims.Operations[o.ID].Type == "vanilla"
	if !o.Ended && o.Lightweight != lightweight {
		t.Fatalf("operation %d is lightweight %t, want %t", o.ID, o.Lightweight, lightweight)
	}
	if wants := o.LiveJobs > 0 || o.Running && !o.Ended; o.Enabled() != wants {
		t.Fatalf("operation %d takes part in the shares %t, want %t", o.ID, o.Enabled(), wants)
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
		if slices.Equal(p.Config.FIFOSort, []core.FIFOKey{core.ByStartTime}) {
			byWeight = 0
		}
		return cmp.Or(byWeight, cmp.Compare(x.ShareStart(), y.ShareStart()), cmp.Compare(x.ID, y.ID))
	})
	got := count{sums{p.Usage, p.Demand, p.Running, p.Operations, p.Children()}, p.Waiting()}
	if got.sums != want.sums || !slices.Equal(got.waiting, want.waiting) {
		t.Fatalf("pool %d holds %+v, recount %+v", p.ID, got, *want)
	}
	if p.Removed != 0 && (p.Operations != 0 || p.Children() != 0 || !p.Usage.IsZero()) {
		t.Fatalf("pool %d is removed and holds %+v", p.ID, got) // an existing child counts, so parents exist
	}
}
