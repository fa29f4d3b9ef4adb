package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// shareOptions are the tree's settings that its fair shares depend on.
func (t *Tree) shareOptions() fairshare.Options {
	c := &t.config
	profile := fairshare.Baseline
	if t.profile == Documented {
		profile = fairshare.Documented
	}
	return fairshare.Options{
		Profile:                      profile,
		MainResource:                 c.MainResource.Or(resource.CPU),
		SmoothPeriod:                 micros(c.Integral.SmoothPeriod),
		PoolCapacitySaturationPeriod: micros(c.Integral.SaturationPeriod),
		InferWeightMultiplier:        c.InferWeightMultiplier.Value,
		TruncateFIFO:                 c.FIFOTruncation.Value,
		StepFunctionForGangs:         c.StepFunctionForGangs.Value,
		RelaxedShareMultiplierLimit:  c.Integral.RelaxedLimit.Value,
		DistributeFreeVolume:         c.DistributeFreeVolume.Value,
		UsePoolSatisfaction:          c.PoolSatisfaction.Value,
		MaxSchedulableInFIFOPool:     int(c.MaxSchedulableInFIFOPool.Value),
		ScheduleFIFOPoolsInFIFOOrder: c.FIFOOrder.Or(t.profile.FIFOOrder()) == OrderFIFO,
		Name:                         t.elementName,
	}
}

// sharePool are the settings of a pool that its fair share depends on.
func (t *Tree) sharePool(own *Pool) fairshare.Pool {
	c := own.Config
	p := fairshare.Pool{
		Settings: fairshare.Settings{
			Weight:          fairshare.Optional(c.Weight),
			MaxShareRatio:   fairshare.Optional(c.MaxShareRatio),
			ResourceLimits:  c.ResourceLimits,
			TagLimits:       t.tagLimits(own.filter),
			StrongGuarantee: c.StrongGuarantee,
		},
		Integral: fairshare.Integral{
			Type:                        fairshare.GuaranteeType(c.Integral.Type),
			ResourceFlow:                c.Integral.Flow,
			BurstGuarantee:              c.Integral.Burst,
			RelaxedShareMultiplierLimit: fairshare.Optional(c.Integral.RelaxedLimit),
			RefuseFreeVolume:            !c.Integral.AcceptFreeVolume.Or(true),
			DistributeFreeVolume:        switchOf(c.Integral.DistributeFreeVolume),
		},
	}
	p.ComputePromisedGuarantee = c.PromisedGuarantee
	p.StepFunctionForGangs = switchOf(c.StepFunctionForGangs)
	p.PriorityGuarantee, p.GuaranteeDonor = c.PriorityGuarantee.Value, c.GuaranteeDonor.Value
	p.InferWeightsFromHistory = c.InferFromHistory
	p.HistoryAlpha = fairshare.Optional(c.HistoryAlpha)
	p.UsePoolSatisfaction = switchOf(c.PoolSatisfaction)
	if c.Mode.Value == FIFO {
		p.Mode = fairshare.FIFO
	}
	for i, key := range c.FIFOSort[:min(len(c.FIFOSort), len(p.FIFOSort))] {
		p.FIFOSort[i] = fairshare.ByWeight + fairshare.FIFOKey(key)
	}
	p.TruncateFIFO = switchOf(c.FIFOTruncation)
	if c.FIFOOrder.Set {
		p.ScheduleInFIFOOrder = fairshare.SwitchOf(c.FIFOOrder.Value == OrderFIFO)
	}
	return p
}

// ShareOptions returns the tree's settings that its fair shares depend on.
func (t *Tree) ShareOptions() fairshare.Options { return t.shareOptions() }

// PoolShareSettings returns the settings of a pool that its fair share depends on.
func (t *Tree) PoolShareSettings(slot int32) fairshare.Pool { return t.sharePool(&t.pools[slot]) }

// OperationShareSettings returns the settings of an operation that its fair share
// depends on.
func (t *Tree) OperationShareSettings(slot int32) fairshare.Operation {
	return t.shareOperation(&t.operations[slot])
}

// ShareChildren returns the elements of the enabled children of a pool in child order. The slice
// is the Tree's own, and good until the next event.
func (t *Tree) ShareChildren(pool int32) []fairshare.Element {
	return t.shares.Children(t.pools[pool].Element)
}

// micros is a duration in the microseconds of Time, 0 if it is not set.
func micros(d Optional[pooltree.Milliseconds]) int64 { return int64(d.Value) * 1000 }

func switchOf(o Optional[bool]) fairshare.Switch {
	if !o.Set {
		return fairshare.Inherit
	}
	return fairshare.SwitchOf(o.Value)
}

// isGangLike reports whether fair shares treat an operation as a gang (core/spec/fair-share.md §7.2).
func (t *Tree) isGangLike(o *Operation) bool {
	if o.Params.Gang.Value {
		return true
	}
	info := &t.dims.Operations[o.ID]
	return t.profile == Current && t.config.SingleJobGangs.Or(true) && info.Type == vanilla && info.Jobs == Some[int64](1)
}

// shareOperation are the settings of an operation that its fair share depends on.
func (t *Tree) shareOperation(o *Operation) fairshare.Operation {
	var pending int64
	if t.sortsByPending(o.Pool) { // elsewhere every start would change it in vain
		pending = o.wanted()[resource.UserSlots]
	}
	return fairshare.Operation{
		Settings: fairshare.Settings{
			Weight:          fairshare.Optional(o.Params.Weight),
			MaxShareRatio:   fairshare.Optional(o.Params.MaxShareRatio),
			ResourceLimits:  o.Params.ResourceLimits.Value,
			TagLimits:       t.tagLimits(o.filter),
			StrongGuarantee: o.Params.StrongGuarantee.Value,
		},
		Gang:        t.isGangLike(o),
		StartTime:   int64(o.Start),
		ID:          int64(o.ID),
		PendingJobs: pending,

		BestAllocationShare: o.best.share,
		HasBestAllocation:   o.best.limits,
		Place:               o.place,

		Unschedulable: o.unschedulable() != scheduling.NoObstacle,
	}
}

// elementName names an element of the fair share in errors.
func (t *Tree) elementName(e fairshare.Element) string {
	pool, operation := t.owner(e)
	switch {
	case operation != none:
		return "operation " + t.dims.Operations[t.operations[operation].ID].ID
	case pool > 0:
		return "pool " + t.dims.Pools[t.pools[pool].ID].Name
	}
	return "the root pool"
}
