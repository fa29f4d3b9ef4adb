package core_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
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
	Operations: []core.OperationInfo{
		{ID: "o0", Type: "vanilla", User: "u"}, {ID: "o1", Type: "vanilla", User: "v"}, {ID: "o2", Type: "map", User: "u"}, {ID: "o3", Type: "vanilla"},
	},
	Nodes: []string{"n0", "n1", "n2"},
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
	if h.jobs == 0 && (e.Kind == core.JobFinished || e.Kind == core.JobPreempted || e.Kind == core.JobReported) {
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
	core.JobFinished, core.JobFinished, core.JobPreempted, core.JobReported, core.JobStarted, core.JobStarted, core.JobStarted, core.HeartbeatReceived,
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
		e.Tree = h.treeConfig()
	case core.PoolConfigured:
		e.Pool, e.Config = h.pool(), h.config()
	case core.NodeChanged, core.HeartbeatReceived:
		e.Node = core.NodeID(h.upTo(0, len(historyDims.Nodes)-1, "node"))
		e.Online, e.Limits = h.upTo(0, 3, "online") > 0, h.amounts(8)
		e.Tags = rapid.SampledFrom([]pooltree.Tags{nil, {"x"}, {"x", "y"}}).Draw(h.T, "tags")
		e.Segment = rapid.SampledFrom([]string{"", "default", "large_gpu"}).Draw(h.T, "segment")
		e.Module = rapid.SampledFrom([]string{"", "east", "west"}).Draw(h.T, "module")
		e.Network = rapid.SampledFrom([]string{"", "east", "ib"}).Draw(h.T, "network")
		e.Limits[resource.GPU] = int64(8 * h.upTo(0, 2, "devices"))
	case core.OperationChanged:
		h.fillStep(e)
	case core.DemandChanged:
		e.Operation, e.Needed = h.operation(), h.amounts(3)
		e.PendingJobs = rapid.Int64Range(-1, 3).Draw(h.T, "pending")
		if rapid.Bool().Draw(h.T, "smallest known") {
			e.MinNeeded = resource.Vector{1, 100, int64(8 * h.upTo(0, 1, "devices")), 0, 0}
			e.Needed = e.Needed.Max(e.MinNeeded)
		}
	case core.JobStarted:
		h.fillStart(e)
	default:
		e.Job = core.JobID(h.upTo(max(0, h.jobs-6), h.jobs-1, "job"))
		e.End = rapid.SampledFrom([]core.EndKind{core.EndCompleted, core.EndAborted, core.EndPreempted}).Draw(h.T, "end")
		if e.Kind == core.JobPreempted && rapid.Bool().Draw(h.T, "stops later") {
			e.Finish = e.Time + core.Second
		}
		if e.Kind == core.JobReported {
			e.Usage, e.Uses = h.amounts(3), true
		}
		if e.Kind == core.JobPreempted && rapid.Bool().Draw(h.T, "for someone") {
			e.For = h.operation()
		}
	}
}

// treeConfig is sometimes refused, always or by the pools of the moment.
func (h *history) treeConfig() *core.TreeConfig {
	c := &core.TreeConfig{
		DefaultParentPool:    rapid.SampledFrom([]string{"", "default", "a", "nowhere"}).Draw(h.T, "default parent"),
		EnableSchedulingTags: core.Some(h.upTo(0, 3, "tags count") > 0),
		MainResource:         core.Some(rapid.SampledFrom([]resource.Kind{resource.CPU, resource.CPU, resource.Memory}).Draw(h.T, "main resource")),
	}
	c.FairShareStarvationTimeout = core.Some(pooltree.Milliseconds(1000 * h.upTo(0, 2, "timeout"))) // so that somebody starves
	n := rapid.Int64Range(0, 3).Draw(h.T, "limit")
	c.MaxRunningOperationCountPerPool = core.Optional[int64]{Value: n, Set: n > 0}
	c.Segments.Enable, c.Segments.ByInfiniband = h.upTo(0, 2, "segments") > 0, rapid.Bool().Draw(h.T, "by network")
	c.Segments.OnlyGangs, c.Segments.LeastRest = rapid.Bool().Draw(h.T, "gangs only"), rapid.Bool().Draw(h.T, "least rest")
	c.SSD.Enable, c.SSD.Filter = rapid.Bool().Draw(h.T, "ssd"), formula("y")
	c.SSD.Media = rapid.SampledFrom([][]string{nil, {"fast"}, {"fast", "faster"}}).Draw(h.T, "media")
	c.Batch.Size = int64(h.upTo(0, 2, "batch"))
	if c.Packing.Enable = rapid.Bool().Draw(h.T, "packing"); c.Packing.Enable {
		c.Packing.MinWindow, c.Packing.WindowSize = core.Some(int64(h.upTo(0, 2, "least window"))), core.Some(int64(h.upTo(0, 3, "window")))
		c.Packing.MaxBetterPast, c.Packing.RelativeTolerance = core.Some(int64(h.upTo(0, 2, "better"))), core.Some(1.0)
	}
	if h.upTo(0, 4, "wrong") == 0 {
		c.PreemptionSatisfaction, c.AggressiveSatisfaction = core.Some(0.5), core.Some(0.6)
	}
	return c
}

// filter is a scheduling_tag_filter.
func (h *history) filter() pooltree.Formula {
	return rapid.SampledFrom([]pooltree.Formula{{}, {}, formula("x"), formula("!y"), formula("x & y")}).Draw(h.T, "filter")
}

func formula(text string) pooltree.Formula {
	f, err := pooltree.ParseFormula(text)
	if err != nil {
		panic(err)
	}
	return f
}

func (h *history) config() *core.PoolConfig {
	c := &core.PoolConfig{
		Parent:    rapid.SampledFrom([]core.PoolID{core.RootPool, core.RootPool, 0, 1, 2, 3, 4}).Draw(h.T, "parent"),
		Ephemeral: h.upTo(0, 3, "ephemeral") == 0,
		Deleted:   h.upTo(0, 3, "deleted") == 0,
	}
	c.Mode = core.Some(rapid.SampledFrom([]core.Mode{core.FairShare, core.FIFO}).Draw(h.T, "mode"))
	c.LightweightOps = core.Some(rapid.Bool().Draw(h.T, "lightweight"))
	c.FIFOSort = rapid.SampledFrom([][]core.FIFOKey{nil, {core.ByStartTime}, {core.ByWeight}, {core.ByPendingJobs}}).Draw(h.T, "sort")
	n := rapid.Int64Range(0, 5).Draw(h.T, "limit")
	c.MaxRunningOperationCount = core.Optional[int64]{Value: n, Set: n > 0}
	c.ResourceLimits.Amounts[resource.CPU], c.ResourceLimits.Set[resource.CPU] = 100*n, n > 0
	c.StrongGuarantee.Amounts[resource.CPU], c.StrongGuarantee.Set[resource.CPU] = 200, n == 0
	c.TagFilter = h.filter()
	c.CreateSubpools = c.Mode.Value == core.FairShare && h.upTo(0, 2, "hub") == 0
	if h.upTo(0, 3, "subpools") == 0 {
		c.Subpools = core.Some(pooltree.Subpool{Mode: c.Mode, MaxOperationCount: core.Some(n)})
	}
	if h.upTo(0, 3, "integral") == 0 && !c.StrongGuarantee.Set[resource.CPU] {
		c.Integral.Type = core.Relaxed
		c.Integral.Flow.Amounts[resource.CPU], c.Integral.Flow.Set[resource.CPU] = 100, true
	}
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
		f := h.filter()
		p.TagFilter = &f
		medium := rapid.SampledFrom([][]string{nil, {"fast"}, {"slow"}}).Draw(h.T, "medium")
		p.Media = rapid.SampledFrom([]*pooltree.Media{nil, {Some: medium}, {Some: medium, Every: medium}}).Draw(h.T, "asked")
		if h.upTo(0, 3, "own segment") == 0 {
			p.Segment = core.Some(pooltree.Segment(h.upTo(0, 1, "segment")))
		}
		p.Modules = rapid.SampledFrom([]*[]string{nil, {"east"}, {"west", "ib"}}).Draw(h.T, "modules")
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
	boundary := (now/core.Second + 1) * core.Second
	if !tree.Stale() || boundary > to {
		return
	}
	switch err := tree.Update(boundary); {
	case err == nil:
		checkPublished(t, tree, boundary)
	case !refusable(tree):
		t.Fatalf("update at %d: %v", boundary, err)
	}
	tree.ClearChanges()
}

// checkPublished repeats an update with everything handed on anew: what was
// published by the changes alone is, bit for bit, what follows from the state.
func checkPublished(t *rapid.T, tree *core.Tree, now core.Time) {
	before := published(tree)
	tree.HandOnAll()
	if err := tree.Update(now); err != nil {
		t.Fatalf("update at %d once more: %v", now, err)
	}
	for i, after := range published(tree) {
		if before[i] != after {
			t.Fatalf("at %d: %s", now, difference(before[i], after))
		}
	}
}

// difference names the words in which two lines differ.
func difference(before, after string) string {
	a, b := strings.Fields(before), strings.Fields(after)
	what := strings.Join(a[:2], " ")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			what += fmt.Sprintf(", %s by what changed and %s by everything", a[i], b[i])
		}
	}
	return what
}

// published tells what the last update said of every element and job.
func published(tree *core.Tree) (lines []string) {
	tell := func(what string, id any, e fairshare.Element) {
		r := *tree.Shares(e)
		integral := fairshare.IntegralResult{}
		if r.Integral != nil {
			integral = *r.Integral
			// What flows over is that of the time since the update before: none of the second one.
			integral.Overflow, integral.ChildrenOverflow = resource.Volume{}, resource.Volume{}
		}
		r.Integral = nil
		lines = append(lines, fmt.Sprintf("%s %v %+v %+v %+v", what, id, r, integral, tree.Scheduling().Describe(e)))
	}
	for slot := range tree.Pools() {
		if p := tree.Pool(int32(slot)); p.Exists() {
			tell("pool", p.ID, p.Element)
		}
	}
	for slot := range tree.Operations() {
		o := tree.Operation(int32(slot))
		if !o.Alive || !o.Enabled() {
			continue
		}
		tell("operation", o.ID, o.Element)
		if tree.Nodes() > 0 {
			lines = append(lines, fmt.Sprintf("priority of %d: %s", o.ID, tree.Scheduling().Priority(o.Element, 0)))
			for n := range tree.Nodes() {
				lines = append(lines, fmt.Sprintf("node %d of %d: %t", n, o.ID, tree.Scheduling().SegmentFits(o.Element, scheduling.Node(n))))
			}
		}
		tree.Scheduling().OperationJobs(o.Element, func(j scheduling.Job) {
			lines = append(lines, fmt.Sprintf("job of %d: %s %+v", o.ID, tree.Scheduling().List(j), tree.Scheduling().Job(j)))
		})
	}
	return lines
}

// refusable reports whether a FIFO pool holds a pool, or an integral pool another:
// no other input here is wrong (spec/fair-share.md §7.12).
func refusable(tree *core.Tree) bool {
	integral := func(slot int32) bool { return tree.Pool(slot).Config.Integral.Type != core.NoIntegral }
	for slot := range tree.Pools() {
		p := tree.Pool(int32(slot))
		if p.Removed != 0 {
			continue
		}
		for above := p.Parent; above >= 0; above = tree.Pool(above).Parent {
			if tree.Pool(p.Parent).Config.Mode.Value == core.FIFO || integral(int32(slot)) && integral(above) {
				return true
			}
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
		checkPlace(t, tree, int32(slot), profile)
	}
}

// checkPlace compares a pool with what the admission knows of it. One that the
// admission has no more may stay for the last jobs below it.
func checkPlace(t *rapid.T, tree *core.Tree, slot int32, profile core.Profile) {
	p, at, admission := tree.Pool(slot), pooltree.Pool(slot), tree.Admission()
	if p.Exists() != (p.Removed == 0) {
		t.Fatalf("pool %d exists %t and is removed at %d", p.ID, p.Exists(), p.Removed)
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
	lightweight := profile != core.Baseline && o.Running && c.Mode.Value == core.FIFO && c.LightweightOps.Value && historyDims.Operations[o.ID].Type == "vanilla"
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
