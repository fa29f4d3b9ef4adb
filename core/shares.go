package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
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
		SmoothPeriod:                 int64(c.SmoothPeriod.Value),
		PoolCapacitySaturationPeriod: int64(c.SaturationPeriod.Value),
		InferWeightMultiplier:        c.InferWeightMultiplier.Value,
		TruncateFIFO:                 c.FIFOTruncation.Value,
		ScheduleFIFOPoolsInFIFOOrder: c.FIFOOrder.Or(t.profile.defaultFIFOOrder()) == OrderFIFO,
		Name:                         t.elementName,
	}
}

// sharePool are the settings of a pool that its fair share depends on.
func sharePool(c *PoolConfig) fairshare.Pool {
	p := fairshare.Pool{
		Settings: fairshare.Settings{
			Weight:          fairshare.Optional(c.Weight),
			MaxShareRatio:   fairshare.Optional(c.MaxShareRatio),
			ResourceLimits:  c.ResourceLimits,
			StrongGuarantee: c.StrongGuarantee,
		},
		Integral: fairshare.Integral{
			Type:                        fairshare.GuaranteeType(c.Integral),
			ResourceFlow:                c.ResourceFlow,
			BurstGuarantee:              c.BurstGuarantee,
			RelaxedShareMultiplierLimit: fairshare.Optional(c.RelaxedLimit),
		},
	}
	if c.Mode == FIFO {
		p.Mode = fairshare.FIFO
	}
	for i, key := range c.FIFOSort[:min(len(c.FIFOSort), len(p.FIFOSort))] {
		p.FIFOSort[i] = fairshare.ByWeight + fairshare.FIFOKey(key)
	}
	if c.FIFOTruncation.Set {
		p.TruncateFIFO = fairshare.SwitchOf(c.FIFOTruncation.Value)
	}
	if c.FIFOOrder.Set {
		p.ScheduleInFIFOOrder = fairshare.SwitchOf(c.FIFOOrder.Value == OrderFIFO)
	}
	return p
}

// shareOperation are the settings of an operation that its fair share depends on.
func (t *Tree) shareOperation(o *Operation) fairshare.Operation {
	return fairshare.Operation{
		Settings: fairshare.Settings{
			Weight:          fairshare.Optional(o.Params.Weight),
			MaxShareRatio:   fairshare.Optional(o.Params.MaxShareRatio),
			ResourceLimits:  o.Params.ResourceLimits.Value,
			StrongGuarantee: o.Params.StrongGuarantee.Value,
		},
		Gang:        o.Params.Gang.Value,
		StartTime:   int64(o.ShareStart()),
		ID:          int64(o.ID),
		PendingJobs: o.Needed[resource.UserSlots],
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

// MainResource returns the resource that guarantees are inferred from.
func (t *Tree) MainResource() resource.Kind { return t.config.MainResource.Or(resource.CPU) }
