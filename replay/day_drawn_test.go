package replay_test

import (
	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

func maybe[T any](d *day, percent int, v T) core.Optional[T] {
	return core.Optional[T]{Value: v, Set: d.opportunity(percent)}
}

func formula(text string) pooltree.Formula {
	f, err := pooltree.ParseFormula(text)
	if err != nil {
		panic(err)
	}
	return f
}

// packing draws the options of packing that is on.
func (d *day) packing() pooltree.Packing {
	return pooltree.Packing{
		Enable: true, MinWindow: maybe(d, 50, int64(d.random.IntN(3))), MaxBetterPast: maybe(d, 50, int64(1+d.random.IntN(3))),
		WindowSize: maybe(d, 30, int64(d.random.IntN(5))), MaxAge: maybe(d, 30, pooltree.Milliseconds(10_000)),
		Metric: maybe(d, 50, pooltree.PackingAngle), AbsoluteTolerance: maybe(d, 50, 0.0), RelativeTolerance: maybe(d, 50, 1.0),
	}
}

// draw makes the settings, pools, nodes and operations of the day.
func (d *day) draw() {
	d.drawTree()
	for i := range dayPools {
		d.pools = append(d.pools, d.drawPool(i))
	}
	for i := range dayNodes {
		d.nodes = append(d.nodes, drawNode(i))
	}
	for i := range dayOperations {
		d.work = append(d.work, d.drawOperation(i))
	}
}

// drawTree draws the tree's settings.
func (d *day) drawTree() {
	c := &d.config
	c.MaxRunningOperationCountPerPool, c.MaxOperationCountPerPool = core.Some[int64](50), core.Some[int64](50)
	c.FairShareStarvationTimeout = core.Some(pooltree.Milliseconds(4000 + 1000*d.random.IntN(8)))
	c.MinSharePreemptionTimeout = maybe(d, 70, pooltree.Milliseconds(3000))
	c.AggressiveStarvationTimeout = core.Some(pooltree.Milliseconds(20000))
	c.EnableAggressiveStarvation = maybe(d, 70, true)
	c.EnablePoolStarvation = maybe(d, 20, false)
	c.CheckStarvation, c.CheckSatisfaction = maybe(d, 10, false), maybe(d, 10, false)
	c.ConditionalPreemption = maybe(d, 30, false)
	c.PreemptionSatisfaction = maybe(d, 20, 0.8)
	c.NonPreemptibleThreshold = resource.Partial{}
	if d.opportunity(40) {
		c.NonPreemptibleThreshold.Set[resource.UserSlots], c.NonPreemptibleThreshold.Amounts[resource.UserSlots] = true, 2
	}
	c.PreemptiveBackoff = maybe(d, 50, pooltree.Milliseconds(2500))
	c.GuaranteePriority = maybe(d, 100, true)
	c.JobCountCoefficient = maybe(d, 30, 4.0)
	if d.opportunity(30) {
		c.PriorityScope = core.Some(pooltree.OperationOnly)
	}
	c.AggressivePreemptionForGangs = maybe(d, 30, false)
	if d.opportunity(40) {
		c.Batch.Size = int64(1 + d.random.IntN(8))
		if d.opportunity(50) {
			c.Batch.MinSpare = resource.Partial{Amounts: resource.Vector{1, 50}, Set: [resource.Kinds]bool{true, true}}
		}
	}
	if d.opportunity(60) {
		c.SSD = pooltree.SSDPreemption{Enable: true, Filter: formula("ssd"), Media: []string{"ssd_blobs", "nvme"}}
	}
	c.Segments.Enable, c.Segments.OnlyGangs, c.Segments.LeastRest = d.opportunity(60), d.opportunity(30), d.opportunity(50)
	if d.opportunity(20) {
		c.Packing = d.packing()
	}
	c.FIFOTruncation = maybe(d, 40, true)
	c.MaxSchedulableInFIFOPool = maybe(d, 20, int64(1+d.random.IntN(2)))
	c.MaxRunningOperationCount = maybe(d, 20, int64(10+d.random.IntN(10)))
	c.BestAllocationPeriod = maybe(d, 50, pooltree.Milliseconds(7000))
}

// drawPool draws a pool's settings. The first five are at the first level and hold
// pools only.
func (d *day) drawPool(i int) *core.PoolConfig {
	p := &core.PoolConfig{Parent: core.RootPool}
	p.Weight = maybe(d, 50, 1+float64(d.random.IntN(4)))
	if i < 5 {
		d.drawGuarantees(p)
	} else {
		p.Parent = core.PoolID(d.random.IntN(5))
		d.drawMode(p)
	}
	if d.opportunity(20) {
		p.ResourceLimits.Set[resource.CPU], p.ResourceLimits.Amounts[resource.CPU] = true, int64(1000+100*d.random.IntN(30))
	}
	p.AllowAggressivePreemption, p.AllowNormalPreemption = maybe(d, 20, false), maybe(d, 10, false)
	p.EnableAggressiveStarvation = maybe(d, 20, d.opportunity(50))
	p.FairShareStarvationTimeout = maybe(d, 20, pooltree.Milliseconds(2000))
	p.FairShareStarvationTolerance = maybe(d, 20, 0.5)
	p.MaxShareRatio = maybe(d, 10, 0.4)
	p.AllowRegularJobsOnSSD = maybe(d, 30, false)
	p.MaxRunningOperationCount = maybe(d, 25, int64(1+d.random.IntN(3)))
	if i >= 5 && d.opportunity(10) {
		p.MaxOperationCount = core.Some(3 + int64(d.random.IntN(3)))
	}
	if d.opportunity(15) {
		p.TagFilter = formula("big")
	}
	return p
}

// drawGuarantees gives a pool a strong guarantee, an integral one, both or none.
func (d *day) drawGuarantees(p *core.PoolConfig) {
	if d.opportunity(50) {
		p.StrongGuarantee.Set[resource.CPU], p.StrongGuarantee.Amounts[resource.CPU] = true, int64(100*d.random.IntN(20))
	}
	if d.opportunity(60) {
		return
	}
	flow := int64(100 * (1 + d.random.IntN(6)))
	p.Integral.Type = core.Relaxed
	p.Integral.Flow = resource.Partial{Amounts: resource.Vector{resource.CPU: flow}, Set: [resource.Kinds]bool{resource.CPU: true}}
	if d.opportunity(50) {
		p.Integral.Type, p.Integral.Burst = core.Burst, p.Integral.Flow
		p.Integral.Burst.Amounts[resource.CPU] = flow * int64(1+d.random.IntN(4))
	}
}

// drawMode makes a pool a queue, for lightweight operations or not, or a hub.
func (d *day) drawMode(p *core.PoolConfig) {
	switch {
	case d.opportunity(30):
		p.Mode = core.Some(core.FIFO)
		p.LightweightOps = maybe(d, 40, true)
		p.FIFOTruncation = maybe(d, 20, d.opportunity(50))
	case d.opportunity(20):
		p.CreateSubpools = true
		if d.opportunity(50) {
			p.Subpools = core.Some(pooltree.Subpool{Mode: core.Some(core.FIFO), MaxRunningOperationCount: maybe(d, 50, int64(2))})
		}
	}
}

// drawNode makes every third node a big one, every fourth one with SSDs, and the
// rest with devices.
func drawNode(i int) dayNode {
	n := dayNode{limits: resource.Vector{12, 1200, 0, 48 << 30, 0}}
	if i%3 == 0 {
		n.tags, n.limits = pooltree.Tags{"big"}, n.limits.Times(2)
	}
	n.segment, n.module = "default", [...]string{"east", "west"}[i%2]
	if i%4 == 1 {
		n.tags = pooltree.NewTags(append(n.tags, "ssd")...)
	}
	if i%4 >= 2 {
		n.limits[resource.GPU] = 16
		if i%4 == 3 {
			n.segment = "large_gpu"
		}
	}
	return n
}

// drawOperation draws an operation and its jobs.
func (d *day) drawOperation(i int) dayWork {
	cores := int64(1 + d.random.IntN(4))
	w := dayWork{
		submit: core.Time(d.random.IntN(150)) * core.Second, pool: core.PoolID(5 + d.random.IntN(dayPools-5)),
		size: resource.Vector{1, 100 * cores, 0, int64(1+d.random.IntN(6)) << 30, 0},
		left: 5 + d.random.IntN(120), lasts: 15 + d.random.IntN(120),
	}
	if i < 3 {
		w.submit = 0
	}
	if d.opportunity(10) {
		w.size[resource.Memory] = 20 << 30 // two of them fill a node badly
	}
	p := &w.params
	p.Weight = maybe(d, 30, 1+float64(d.random.IntN(3)))
	p.Graceful, p.Gang = maybe(d, 10, true), maybe(d, 20, true)
	p.MaxUnpreemptibleJobs = maybe(d, 20, int64(d.random.IntN(3)))
	if d.opportunity(15) {
		p.ResourceLimits = core.Some(resource.Partial{Amounts: resource.Vector{1: 1500}, Set: [resource.Kinds]bool{1: true}})
	}
	p.FairShareStarvationTimeout = maybe(d, 15, pooltree.Milliseconds(1000+1000*d.random.IntN(10)))
	p.MinSharePreemptionTimeout = maybe(d, 15, pooltree.Milliseconds(1000))
	p.FairShareStarvationTolerance = maybe(d, 15, 0.6)
	p.EnableAggressiveStarvation = maybe(d, 15, d.opportunity(50))
	d.drawKinds(&w)
	return w
}

// drawKinds gives an operation devices, another kind of jobs and disk quotas, or
// none.
func (d *day) drawKinds(w *dayWork) {
	if d.opportunity(35) {
		w.size[resource.GPU] = [...]int64{1, 8, 8}[d.random.IntN(3)]
	}
	if d.opportunity(30) {
		w.small, w.smalls = resource.Vector{1, 50, 0, 1 << 30, 0}, d.random.IntN(40)
	}
	media := pooltree.Media{}
	if d.opportunity(40) {
		media.Some = []string{"ssd_blobs"}
		if w.smalls == 0 {
			media.Every = media.Some
		}
	}
	w.params.Media = &media
	if d.opportunity(10) {
		w.params.Segment = core.Some(pooltree.Segment(d.random.IntN(2)))
	}
	if d.opportunity(10) {
		w.params.Modules = &[]string{"west"}
	}
}
