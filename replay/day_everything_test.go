package replay_test

import (
	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// everything turns every feature of the day's tree on at once, where a drawn day has
// some of them.
func (d *day) everything() {
	on := core.Some(true)
	c := &d.config
	c.EnableAggressiveStarvation, c.EnablePoolStarvation = on, on
	c.CheckStarvation, c.CheckSatisfaction, c.ConditionalPreemption = on, on, on
	c.AggressivePreemptionForGangs, c.GuaranteePriority, c.PoolSatisfaction = on, on, on
	c.JobCountCoefficient, c.InferWeightMultiplier = core.Some(4.0), core.Some(2.0)
	c.NonPreemptibleThreshold.Set[resource.UserSlots], c.NonPreemptibleThreshold.Amounts[resource.UserSlots] = true, 2
	c.FIFOTruncation, c.MaxSchedulableInFIFOPool = on, core.Some[int64](2)
	c.DistributeFreeVolume = on
	c.MaxRunningOperationCount = core.Some[int64](20)
	c.BestAllocationPeriod = core.Some(pooltree.Milliseconds(7000))
	c.Batch.Size = 6
	c.SSD = pooltree.SSDPreemption{Enable: true, Filter: formula("ssd"), Media: []string{"ssd_blobs", "nvme"}}
	c.Segments.Enable, c.Segments.ResetIdle = true, true
	c.Packing = d.packing()
	for _, p := range d.pools {
		p.PromisedGuarantee = !p.StrongGuarantee.IsEmpty()
	}
	d.mostStarts = 4
}
