package eventlogtest

import (
	"strings"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// Limits of counts where no configuration names any (ingest/trace/FORMAT.md §1.4, §1.9).
const (
	defaultOperations                 = 50
	defaultRootOperations             = 50000
	defaultRootRunning                = 2000
	defaultRootRunningOld             = 200
	defaultSaturationMS               = 86400000
	satisfactionOfTheRoot             = 1e9
	millisecond                       = 1e-3
	noPool                core.PoolID = -1
)

// poolRows returns the records of all pools of the snapshot, and of the root, which
// the trace does not have.
func (s *snapshot) poolRows() Value {
	v := newMap(len(s.pools) + 1)
	for i := range s.pools {
		v.put(s.poolsByID(s.pools[i].Pool), s.pool(&s.pools[i]))
	}
	v.put(rootName, s.root())
	return v
}

func (s *snapshot) poolsByID(p core.PoolID) string { return s.poolName(p) }

func (s *snapshot) pool(p *trace.SnapPool) Value {
	c := s.configOf(p.Pool)
	t := s.treeConfig[s.tree]
	v := newMap(80)
	v.put("mode", textOf(p.Mode))
	v.put("is_ephemeral", boolOf(s.writer.pools[p.Pool].Ephemeral))
	integral := p.IntegralType.Or(c.IntegralType)
	if integral == "" {
		integral = "none"
	}
	v.put("integral_guarantee_type", textOf(integral))
	parent := rootName
	if p.Parent.Set {
		parent = s.poolsByID(p.Parent.Value)
	}
	v.put("parent", textOf(parent))
	v.put("running_operation_count", orNull(p.RunningOperations, intOf))
	v.put("operation_count", orNull(p.Operations, intOf))
	v.put("max_running_operation_count", intOf(c.MaxRunningOperationCount.Or(t.MaxRunningOperationCountPerPool.Or(defaultOperations))))
	v.put("max_operation_count", intOf(c.MaxOperationCount.Or(t.MaxOperationCountPerPool.Or(defaultOperations))))
	v.put("forbid_immediate_operations", boolOf(c.ForbidImmediateOperations))
	if s.Age.old() {
		v.put("aggressive_starvation_enabled", boolOf(c.EnableAggressiveStarvation.Or(false)))
	} else {
		v.put("aggressive_starvation_enabled", orNull(c.EnableAggressiveStarvation, boolOf))
	}
	if p.Mode == "fifo" {
		v.put("fifo_sort_parameters", words(c.FIFOSortParameters.Or("weight,start_time")))
	}
	flow, burst := shareOf(whole(c.Flow), s.base.Limits), shareOf(whole(c.Burst), s.base.Limits)
	s.putPlace(&v, p, c, dominant(flow), dominant(burst))
	e := element{
		SnapShares: &p.SnapShares, weight: p.Weight, maxShareRatio: c.MaxShareRatio, strong: whole(c.Strong), limit: c.Limit,
		tolerance: c.FairShareStarvationTolerance, timeoutMS: c.FairShareStarvationTimeoutMS, aggressive: c.AllowAggressivePreemption,
		schedulable: p.Schedulable.Or(true), isPool: true, volume: p.AccumulatedRatioVolume.Or(0), effective: s.effectiveOf(p.Pool),
	}
	s.putElement(&v, &e)
	return v
}

// putPlace adds the fields of pools that follow, which differ between the ages.
func (s *snapshot) putPlace(v *Value, p *trace.SnapPool, c *trace.PoolConfig, flow, burst float64) {
	if s.Age.old() {
		v.put("resource_flow_ratio", realOf(flow))
		v.put("burst_ratio", realOf(burst))
		return
	}
	var path strings.Builder
	for _, on := range s.path(p.Pool) {
		path.WriteString("/" + s.poolsByID(on))
	}
	v.put("abc", orNull(c.ABC, textOf))
	v.put("full_path", textOf(path.String()))
	v.put("child_pool_count", intOf(s.children[p.Pool]))
	v.put("pool_operation_count", intOf(s.inPool[p.Pool]))
	v.put("total_resource_flow_ratio", realOf(flow))
	v.put("total_burst_ratio", realOf(burst))
	if kind := p.IntegralType.Or(c.IntegralType); kind == "burst" || kind == "relaxed" {
		s.putIntegral(v, p, flow, burst)
	}
	if !s.Age.newest() {
		v.put("effective_fifo_pool_scheduling_order", textOf(c.FIFOPoolSchedulingOrder.Or("satisfaction")))
		v.put("effective_use_pool_satisfaction_for_scheduling", boolOf(false))
		return
	}
	v.put("lightweight_running_operation_count", intOf(p.LightweightRunning.Or(0)))
	v.put("lightweight_operations_enabled", boolOf(c.EnableLightweightOperations.Or(false)))
	v.put("effective_lightweight_operations_enabled", boolOf(c.EnableLightweightOperations.Or(false) && p.Mode == "fifo"))
	v.put("schedulable_operation_count", intOf(s.schedulableIn(p.Pool)))
	v.put("gang_operations_allowed", boolOf(p.Mode == "fifo"))
	v.put("redirect_to_cluster", Value{})
}

func (s *snapshot) schedulableIn(pool core.PoolID) (n int64) {
	for i := range s.operations {
		if o := &s.operations[i]; o.Pool == pool && !o.UnschedulableReason.Set {
			n++
		}
	}
	return n
}

func (s *snapshot) putIntegral(v *Value, p *trace.SnapPool, flow, burst float64) {
	total := s.base.Limits
	flowShare := everywhere(flow, total)
	saturation := float64(s.treeConfig[s.tree].SaturationPeriodMS.Or(defaultSaturationMS)) * millisecond
	v.put("integral_pool_capacity", volume(during(part(flowShare, total), core.Time(saturation*float64(core.Second)))))
	v.put("specified_burst_ratio", realOf(burst))
	v.put("specified_burst_guarantee_resources", s.Age.resources(part(everywhere(burst, total), total)))
	v.put("specified_resource_flow_ratio", realOf(flow))
	v.put("specified_resource_flow", s.Age.resources(part(flowShare, total)))
	ratio := p.AccumulatedRatioVolume.Or(0)
	v.put("accumulated_resource_ratio_volume", realOf(ratio))
	v.put("accumulated_resource_volume", volume(p.AccumulatedVolume.Or(trace.Volume{})))
	if burst > flow {
		v.put("estimated_burst_usage_duration_seconds", realOf(ratio/(burst-flow)))
	}
}

// root returns the record of the root: sums over the pools right below it.
func (s *snapshot) root() Value {
	t := s.treeConfig[s.tree]
	sum := s.sum()
	running, all := int64(0), int64(0)
	for i := range s.pools {
		if p := &s.pools[i]; !p.Parent.Set {
			running += p.RunningOperations.Or(0)
			all += p.Operations.Or(0)
		}
	}
	runningLimit := int64(defaultRootRunning)
	if s.Age.old() {
		runningLimit = defaultRootRunningOld
	}
	v := newMap(70)
	v.put("running_operation_count", intOf(running))
	v.put("operation_count", intOf(all))
	v.put("max_running_operation_count", intOf(t.MaxRunningOperationCount.Or(runningLimit)))
	v.put("max_operation_count", intOf(t.MaxOperationCount.Or(defaultRootOperations)))
	v.put("forbid_immediate_operations", boolOf(t.ForbidImmediateInRoot.Or(true)))
	v.put("aggressive_starvation_enabled", boolOf(t.EnableAggressiveStarvation.Or(false)))
	if s.Age.old() {
		v.put("mode", textOf("fair_share"))
		v.put("is_ephemeral", boolOf(false))
		v.put("integral_guarantee_type", textOf("none"))
		v.put("resource_flow_ratio", realOf(0))
		v.put("burst_ratio", realOf(0))
	} else {
		v.put("pool_operation_count", intOf(s.inPool[noPool]))
		v.put("total_resource_flow_ratio", realOf(0))
		v.put("total_burst_ratio", realOf(0))
	}
	e := element{
		SnapShares: &sum, weight: 1, strong: s.base.Limits, schedulable: true, isPool: true, effective: s.writer.effectiveOf(s.tree, noPool),
	}
	e.effective.record(&s.base.SnapSettings)
	s.putElement(&v, &e)
	return v
}

func (s *snapshot) sum() trace.SnapShares {
	var guaranteed, fair, strong, integral, weight trace.Shares
	r := trace.SnapShares{Limits: core.Some(s.base.Limits), Dominant: "cpu", StarvationStatus: "non_starving"}
	for i := range s.pools {
		p := &s.pools[i]
		if p.Parent.Set {
			continue
		}
		r.Usage, r.Demand = plus(r.Usage, p.Usage), plus(r.Demand, p.Demand)
		guaranteed = plusShares(guaranteed, p.StrongShare.Or(trace.Shares{}))
		fair = plusShares(fair, p.FairTotal.Or(trace.Shares{}))
		strong = plusShares(strong, p.FairStrong.Or(trace.Shares{}))
		integral = plusShares(integral, p.FairIntegral.Or(trace.Shares{}))
		weight = plusShares(weight, p.FairWeight.Or(trace.Shares{}))
	}
	r.Usage = s.base.Usage.Or(r.Usage)
	usage := shareOf(r.Usage, s.base.Limits)
	r.UsageShare, r.DemandShare = core.Some(usage), core.Some(shareOf(r.Demand, s.base.Limits))
	r.StrongShare, r.FairTotal = core.Some(guaranteed), core.Some(fair)
	r.FairStrong, r.FairIntegral, r.FairWeight = core.Some(strong), core.Some(integral), core.Some(weight)
	r.Satisfaction, r.LocalSatisfaction = core.Some(float64(satisfactionOfTheRoot)), core.Some(float64(satisfactionOfTheRoot))
	r.Dominant = dominantName(usage)
	return r
}

func dominantName(s trace.Shares) string {
	switch dominant(s) {
	case s.CPU:
		return "cpu"
	case s.UserSlots:
		return "user_slots"
	case s.GPU:
		return "gpu"
	case s.Memory:
		return "memory"
	}
	return "network"
}
