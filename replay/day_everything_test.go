package replay_test

import (
	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// everything turns every feature of the day's tree on at once, where a drawn day has
// some of them.
func (d *day) everything() {
	d.wholeTree()
	for i, p := range d.pools {
		d.wholePool(i, p)
	}
	for o := range d.work {
		d.wholeOperation(o, &d.work[o].params)
	}
	d.mostStarts = 4
}

func (d *day) wholeTree() {
	on := core.Some(true)
	c := &d.config
	c.EnableAggressiveStarvation, c.EnablePoolStarvation = on, on
	c.CheckStarvation, c.CheckSatisfaction, c.ConditionalPreemption = on, on, on
	c.AggressivePreemptionForGangs, c.GuaranteePriority, c.PoolSatisfaction = on, on, on
	c.FairShareStarvationTolerance, c.PreemptionSatisfaction, c.AggressiveSatisfaction = core.Some(0.9), core.Some(0.9), core.Some(0.3)
	c.MinSharePreemptionTimeout = core.Some(pooltree.Milliseconds(3000))
	c.PreemptFromStarving = maybe(d, 100, true)
	c.PriorityScope = core.Some(pooltree.Scope(d.random.IntN(2)))
	c.PreemptiveBackoff = core.Some(pooltree.Milliseconds(2500))
	c.JobCountCoefficient, c.InferWeightMultiplier = core.Some(4.0), core.Some(2.0)
	c.NonPreemptibleThreshold = thresholdOf(2)
	c.MaxUnpreemptibleJobs, c.MinChildHeapSize = core.Some[int64](1), core.Some[int64](2)
	c.FIFOTruncation, c.MaxSchedulableInFIFOPool = on, core.Some[int64](2)
	c.FIFOOrder = core.Some(pooltree.FIFOOrder(d.random.IntN(2)))
	c.Integral = pooltree.TreeIntegral{SmoothPeriod: core.Some(pooltree.Milliseconds(30_000)), SaturationPeriod: core.Some(pooltree.Milliseconds(120_000)), RelaxedLimit: core.Some(2.0)}
	c.DistributeFreeVolume = on
	c.MainResource = core.Some(resource.CPU)
	c.MaxOperationCount, c.MaxRunningOperationCount = core.Some[int64](30), core.Some[int64](20)
	c.MaxEphemeralPoolsPerUser = core.Some[int64](4)
	c.ForbidOperationsInRoot, c.LimitingAncestorCheck, c.GangsInFIFOOnly = on, on, on
	c.BestAllocationPeriod = core.Some(pooltree.Milliseconds(7000))
	c.WaitingJobTimeout, c.JobInterruptTimeout, c.GracefulInterruptTimeout = core.Some(pooltree.Milliseconds(60_000)), core.Some(pooltree.Milliseconds(9000)), core.Some(pooltree.Milliseconds(20_000))
	c.EnableSchedulingTags = on
	c.TagTotalsDelay = core.Some(pooltree.Milliseconds(10_000))
	c.Batch = pooltree.Batch{Size: 6, MinSpare: resource.Partial{Amounts: resource.Vector{1, 50}, Set: [resource.Kinds]bool{true, true}}}
	c.SSD = pooltree.SSDPreemption{Enable: true, Filter: formula("ssd"), Media: []string{"ssd_blobs", "nvme"}}
	c.Segments = pooltree.Segments{
		Enable: true, ResetIdle: true, OnlyGangs: d.opportunity(50), LeastRest: true, ByInfiniband: true, Reserve: true,
		RebalanceTimeout: core.Some(pooltree.Milliseconds(20_000)), InitializationTimeout: core.Some(pooltree.Milliseconds(30_000)), ResetTimeout: core.Some(pooltree.Milliseconds(60_000)),
	}
	c.Packing = d.packing()
}

func (d *day) wholePool(i int, p *core.PoolConfig) {
	p.PromisedGuarantee = !p.StrongGuarantee.IsEmpty()
	p.MinSharePreemptionTimeout = maybe(d, 30, pooltree.Milliseconds(5000))
	p.NonPreemptibleThreshold = maybe(d, 100, thresholdOf(int64(d.random.IntN(4))))
	p.PoolSatisfaction = maybe(d, 50, d.opportunity(50))
	if p.Integral.Type != pooltree.NoIntegral {
		p.Integral.AcceptFreeVolume, p.Integral.DistributeFreeVolume = maybe(d, 50, d.opportunity(50)), maybe(d, 50, d.opportunity(50))
	}
	if p.Integral.Type == core.Relaxed {
		p.Integral.RelaxedLimit = maybe(d, 50, 1.5)
	}
	if i < 5 {
		p.ForbidImmediate = d.opportunity(50)
		return
	}
	p.AlwaysAllowGangs = d.opportunity(70)
	p.InferFromHistory = p.Mode.Value != core.FIFO && d.opportunity(50)
	p.HistoryAlpha = maybe(d, 80, 0.01)
	p.FIFOOrder = maybe(d, 40, pooltree.FIFOOrder(d.random.IntN(2)))
	if d.opportunity(50) {
		p.FIFOSort = []pooltree.FIFOKey{pooltree.ByPendingJobs, pooltree.ByWeight, pooltree.ByStartTime}[:1+d.random.IntN(3)]
	}
}

func (d *day) wholeOperation(o int, p *core.OperationParams) {
	if d.opportunity(15) {
		p.StrongGuarantee = core.Some(resource.Partial{Amounts: resource.Vector{1: 300}, Set: [resource.Kinds]bool{1: true}})
	}
	p.MaxShareRatio = maybe(d, 15, 0.2)
	p.NonPreemptibleThreshold = maybe(d, 15, thresholdOf(3))
	p.LimitingAncestorCheck = maybe(d, 15, d.opportunity(50))
	p.ApplyLimitsToDemand = maybe(d, 30, true)
	if d.opportunity(15) {
		big := formula("big")
		p.TagFilter = &big
	}
}

// thresholdOf is a threshold of so many jobs.
func thresholdOf(slots int64) resource.Partial {
	return resource.Partial{Amounts: resource.Vector{resource.UserSlots: slots}, Set: [resource.Kinds]bool{resource.UserSlots: true}}
}
