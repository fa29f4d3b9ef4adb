package configuration

import (
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// addPools writes the rows of all pools, by their ids.
func (c *Configuration) addPools() {
	for id := range c.Dims.Pools {
		slot, ok := c.Core.PoolOf(core.PoolID(id))
		if !ok || slot < 0 {
			continue
		}
		row := c.poolRow(slot)
		c.pools.Add(&row)
	}
}

// poolRow returns the current settings of a pool, or the last ones of a removed pool.
func (c *Configuration) poolRow(slot int32) tables.Pool {
	p := c.Core.Pool(slot)
	set := core.PoolSettings{Config: p.Config, Configured: p.Configured, Ephemeral: p.Ephemeral, MaxRunning: p.MaxRunning, MaxOperations: p.MaxOperations}
	if p.Removed.Set && p.Last.Config != nil {
		set = p.Last
	}
	o := set.Config
	return tables.Pool{
		Pool: p.ID, Path: c.path(slot), Parent: c.Core.Pool(p.Parent).ID, Depth: p.Depth,
		Mode: o.Mode.Value, Ephemeral: set.Ephemeral, Configured: set.Configured,
		FirstSeen: p.FirstSeen, LastSeen: p.Removed,
		Weight: o.Weight, MaxShareRatio: o.MaxShareRatio,
		StrongGuarantee: partial(o.StrongGuarantee), ResourceLimits: partial(o.ResourceLimits),
		MaxRunning: set.MaxRunning, MaxOperations: set.MaxOperations,
		OwnRunning: o.MaxRunningOperationCount, OwnOperations: o.MaxOperationCount,
		IntegralType: o.Integral.Type, Flow: partial(o.Integral.Flow), Burst: partial(o.Integral.Burst),
		StarvationTimeout: milliseconds(o.FairShareStarvationTimeout), MinShareTimeout: milliseconds(o.MinSharePreemptionTimeout),
		StarvationTolerance: o.FairShareStarvationTolerance,
		Aggressively:        o.AllowAggressivePreemption, Normally: o.AllowNormalPreemption, RegularOnSSD: o.AllowRegularJobsOnSSD,
		NonPreemptible: o.NonPreemptibleThreshold, TagFilter: o.TagFilter.String(),
		ForbidImmediate: o.ForbidImmediate, Lightweight: o.LightweightOps,
	}
}

func milliseconds(t core.Optional[pooltree.Milliseconds]) core.Optional[int64] {
	return core.Optional[int64]{Value: int64(t.Value), Set: t.Set}
}

func partial(p resource.Partial) core.Optional[resource.Partial] {
	return core.Optional[resource.Partial]{Value: p, Set: !p.IsEmpty()}
}

func (c *Configuration) path(slot int32) string {
	var names []string
	for ; slot > 0; slot = c.Core.Pool(slot).Parent {
		names = append(names, c.Dims.Pools[c.Core.Pool(slot).ID].Name)
	}
	for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
		names[i], names[j] = names[j], names[i]
	}
	return strings.Join(names, "/")
}
