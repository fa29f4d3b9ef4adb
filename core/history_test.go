package core_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// profiles are all of them.
var profiles = []core.Profile{core.Documented, core.Baseline, core.Current, core.Legacy}

// historyDims are what random histories are about: few of everything, so that
// events meet. Some pools are somebody's below a hub.
var historyDims = core.Dimensions{
	Pools: []core.PoolInfo{
		{Tree: "tree", Name: "a"}, {Tree: "tree", Name: "b"}, {Tree: "tree", Name: "c"}, {Tree: "tree", Name: "default"},
		{Tree: "tree", Name: "a$u"}, {Tree: "tree", Name: "a$v"}, {Tree: "tree", Name: "b$u"}, {Tree: "tree", Name: "u"},
	},
	Operations: []core.OperationInfo{
		{ID: "o0", Type: "vanilla", User: "u"}, {ID: "o1", Type: "vanilla", User: "v"}, {ID: "o2", Type: "map", User: "u", Start: core.Some(core.Second / 4)}, {ID: "o3", Type: "vanilla"},
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
		Time: core.Second, Pool: core.Unknown, Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown, PendingJobs: -1,
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
	core.ProcessChanged, core.TreeConfigured, core.PoolConfigured, core.PoolConfigured, core.PoolConfigured, core.NodeChanged, core.DemandChanged, core.DemandChanged,
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
	case core.ProcessChanged:
		e.Process = rapid.SampledFrom([]string{"scheduler_started", "master_disconnected", "master_connected"}).Draw(h.T, "process")
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
			e.Finish = core.Some(e.Time + core.Second)
		}
		if e.Kind == core.JobReported {
			e.Usage, e.Uses = h.amounts(3), true
		}
		if e.Kind == core.JobPreempted && rapid.Bool().Draw(h.T, "for someone") {
			e.Preemptor = h.operation()
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
	if e.Step == core.StepStarted {
		e.Role = core.Role(h.upTo(int(core.RoleUnknown), int(core.RoleOffloading), "role"))
		e.Spec = &core.OperationSpec{}
		e.Spec.Trees.Eligibility.SampleJobs = core.Some(int64(h.upTo(1, 3, "sample")))
	}
	if e.Step == core.StepParamsChanged || e.Step == core.StepStarted && rapid.Bool().Draw(h.T, "with settings") {
		p := core.OperationParams{OperationSettings: pooltree.OperationSettings{Weight: core.Some(float64(h.upTo(1, 3, "weight")))}}
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
