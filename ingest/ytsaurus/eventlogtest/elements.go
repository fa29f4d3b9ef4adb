package eventlogtest

import (
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// An element is what records of pools and of operations have in common.
type element struct {
	*trace.SnapShares
	weight        float64
	maxShareRatio core.Optional[float64]
	strong        trace.Resources // guaranteed, as specified
	limit         trace.PartialResources
	tolerance     core.Optional[float64] // specified for itself
	timeoutMS     core.Optional[int64]
	aggressive    core.Optional[bool] // whether its own jobs may be preempted aggressively
	schedulable   bool
	isPool        bool
	volume        float64 // accumulated, share-seconds
	effective
}

// effective are the settings that an element inherits.
type effective struct {
	tolerance           float64
	timeoutMS           int64
	minShareTimeoutMS   int64
	aggressiveStarving  bool
	aggressivelyTakable bool
	threshold           trace.PartialResources
}

// record replaces the settings that a snapshot records.
func (e *effective) record(s *trace.SnapSettings) {
	e.tolerance = s.StarvationTolerance.Or(e.tolerance)
	e.timeoutMS = s.StarvationTimeoutMS.Or(e.timeoutMS)
	e.aggressiveStarving = s.AggressiveStarvation.Or(e.aggressiveStarving)
	if s.ThresholdRecorded.Value {
		e.threshold = s.NonPreemptible
	}
}

// Settings where no configuration names any (ingest/trace/FORMAT.md §1.4).
const (
	defaultTolerance = 0.8
	defaultTimeoutMS = 30000
)

// effectiveOf returns what the snapshot records as in force for a pool, which includes what its presets
// say, else what the configuration gives it.
func (s *snapshot) effectiveOf(pool core.PoolID) effective {
	e := s.writer.effectiveOf(s.tree, pool)
	if i := slices.IndexFunc(s.pools, func(p trace.SnapPool) bool { return p.Pool == pool }); i >= 0 {
		e.record(&s.pools[i].SnapSettings)
	}
	return e
}

// effectiveOf returns what holds for a pool: what it or the nearest pool above it
// specifies, else what its tree does.
func (w *writer) effectiveOf(tree int, pool core.PoolID) effective {
	t := w.treeConfig[tree]
	e := effective{
		tolerance: t.FairShareStarvationTolerance.Or(defaultTolerance), timeoutMS: t.FairShareStarvationTimeoutMS.Or(defaultTimeoutMS),
		aggressiveStarving: t.EnableAggressiveStarvation.Or(false), aggressivelyTakable: true, threshold: t.NonPreemptible,
	}
	e.minShareTimeoutMS = t.MinSharePreemptionTimeoutMS.Or(e.timeoutMS)
	if pool < 0 {
		return e
	}
	for _, p := range w.path(pool) {
		c := w.configOf(p)
		e.tolerance = c.FairShareStarvationTolerance.Or(e.tolerance)
		e.timeoutMS = c.FairShareStarvationTimeoutMS.Or(e.timeoutMS)
		e.minShareTimeoutMS = c.MinSharePreemptionTimeoutMS.Or(e.minShareTimeoutMS)
		e.aggressiveStarving = c.EnableAggressiveStarvation.Or(e.aggressiveStarving)
		e.aggressivelyTakable = c.AllowAggressivePreemption.Or(e.aggressivelyTakable)
		if c.NonPreemptible != (trace.PartialResources{}) {
			e.threshold = c.NonPreemptible
		}
	}
	return e
}

func (e *element) below() bool {
	return dominant(e.usageShare()) < e.effective.tolerance*dominant(e.fairTotal())-1e-9
}

// Shares that a trace does not record are none.
func (e *element) usageShare() trace.Shares  { return e.UsageShare.Or(trace.Shares{}) }
func (e *element) demandShare() trace.Shares { return e.DemandShare.Or(trace.Shares{}) }
func (e *element) strongShare() trace.Shares { return e.StrongShare.Or(trace.Shares{}) }
func (e *element) fairTotal() trace.Shares   { return e.FairTotal.Or(trace.Shares{}) }

// putElement adds the fields that pools and operations share.
func (s *snapshot) putElement(v *Value, e *element) {
	if s.Age.old() {
		s.putOldElement(v, e)
		return
	}
	total := s.base.Limits
	res := s.Age.resources
	s.putBeginning(v, e, orNull(e.maxShareRatio, realOf))
	v.put("fair_share_starvation_tolerance", orNull(e.tolerance, realOf))
	v.put("starvation_status", textOf(e.StarvationStatus))
	v.put("fair_share_starvation_timeout", orNull(e.timeoutMS, intOf))
	v.put("effective_fair_share_starvation_tolerance", realOf(e.effective.tolerance))
	v.put("effective_fair_share_starvation_timeout", intOf(e.effective.timeoutMS))
	v.put("effective_non_preemptible_resource_usage_threshold", partial(e.effective.threshold))
	v.put("effective_aggressive_starvation_enabled", boolOf(e.aggressiveStarving))
	v.put("usage_share", shares(e.usageShare()))
	v.put("dominant_usage_share", realOf(dominant(e.usageShare())))
	v.put("demand_share", shares(e.demandShare()))
	v.put("dominant_demand_share", realOf(dominant(e.demandShare())))
	v.put("limits_share", shares(shareOf(e.Limits.Or(total), total)))
	v.put("scheduling_tag_filter_resource_limits", res(total))
	v.put("min_share", shares(e.strongShare()))
	v.put("strong_guarantee_share", shares(e.strongShare()))
	v.put("strong_guarantee_resources", res(e.strong))
	v.put("effective_min_share_resources", res(e.strong))
	v.put("effective_strong_guarantee_resources", res(e.strong))
	s.putFairShare(v, e)
	promised := trace.Shares{}
	if e.isPool {
		promised = e.strongShare()
	}
	v.put("promised_fair_share", shares(promised))
	v.put("promised_dominant_fair_share", realOf(dominant(promised)))
	v.put("promised_fair_share_resources", res(part(promised, total)))
	v.put("estimated_guarantee_share", shares(promised))
	v.put("dominant_estimated_guarantee_share", realOf(dominant(promised)))
	v.put("proposed_integral_share", shares(e.FairIntegral.Or(trace.Shares{})))
	v.put("best_allocation_share", shares(trace.Shares{UserSlots: 1, CPU: 1, GPU: 1, Memory: 1, Network: 1}))
	v.put("local_satisfaction_ratio", orNull(e.LocalSatisfaction, realOf))
	v.put("schedulable", boolOf(e.schedulable))
	v.put("aggressive_preemption_allowed", orNull(e.aggressive, boolOf))
	v.put("effective_aggressive_preemption_allowed", boolOf(e.aggressivelyTakable))
	if s.Age.newest() {
		s.putNewest(v, e, promised)
	}
}

// putBeginning adds what the ages agree on.
func (s *snapshot) putBeginning(v *Value, e *element, maxShareRatio Value) {
	status := "normal"
	if e.below() {
		status = "below_fair_share"
	}
	res := s.Age.resources
	v.put("scheduling_status", textOf(status))
	v.put("weight", realOf(e.weight))
	v.put("max_share_ratio", maxShareRatio)
	v.put("dominant_resource", textOf(e.Dominant))
	v.put("resource_usage", res(e.Usage))
	v.put("resource_demand", res(e.Demand))
	v.put("resource_limits", res(e.Limits.Or(s.base.Limits)))
	v.put("usage_ratio", realOf(dominant(e.usageShare())))
	v.put("demand_ratio", realOf(dominant(e.demandShare())))
	v.put("fair_share_ratio", realOf(dominant(e.fairTotal())))
	v.put("min_share_ratio", realOf(dominant(e.strongShare())))
	v.put("min_share_resources", res(e.strong))
	v.put("satisfaction_ratio", orNull(e.Satisfaction, realOf))
}

func (s *snapshot) putFairShare(v *Value, e *element) {
	parts := []struct {
		key   string
		share trace.Shares
	}{
		{"strong_guarantee", e.FairStrong.Or(trace.Shares{})}, {"integral_guarantee", e.FairIntegral.Or(trace.Shares{})},
		{"weight_proportional", e.FairWeight.Or(trace.Shares{})}, {"total", e.fairTotal()},
	}
	detailed, dominants := newMap(4), newMap(4)
	for _, p := range parts {
		detailed.put(p.key, shares(p.share))
		dominants.put(p.key, realOf(dominant(p.share)))
	}
	v.put("detailed_fair_share", detailed)
	v.put("detailed_dominant_fair_share", dominants)
}

func (s *snapshot) putNewest(v *Value, e *element, promised trace.Shares) {
	total := s.base.Limits
	limited := least(e.Demand, e.Limits.Or(total))
	res := s.Age.resources
	v.put("specified_resource_limits", partial(e.limit))
	v.put("limited_resource_demand", res(limited))
	v.put("limited_demand_share", shares(shareOf(limited, total)))
	v.put("dominant_limited_demand_share", realOf(dominant(shareOf(limited, total))))
	v.put("fair_resources", res(part(e.fairTotal(), total)))
	v.put("estimated_guarantee_resources", res(part(promised, total)))
	v.put("inferred_strong_guarantee_resources", res(e.strong))
	v.put("specified_resource_limits_overcommit_tolerance", newMap(0))
}

// putOldElement adds the fields of 2020: scalars only, and whether it starves, but not
// how (ingest/trace/FORMAT.md §1.9).
func (s *snapshot) putOldElement(v *Value, e *element) {
	s.putBeginning(v, e, realOf(e.maxShareRatio.Or(1)))
	fair := dominant(e.fairTotal())
	v.put("fair_share_starvation_tolerance", orNull(e.tolerance, realOf))
	v.put("starving", boolOf(e.StarvationStatus != "non_starving"))
	v.put("fair_share_preemption_timeout", orNull(e.timeoutMS, intOf))
	v.put("min_share_preemption_timeout", Value{})
	v.put("adjusted_fair_share_starvation_tolerance", realOf(e.effective.tolerance))
	v.put("adjusted_min_share_preemption_timeout", intOf(e.minShareTimeoutMS))
	v.put("adjusted_fair_share_preemption_timeout", intOf(e.effective.timeoutMS))
	v.put("unlimited_demand_fair_share_ratio", realOf(fair))
	v.put("unlimited_demand_fair_share_resources", s.Age.resources(part(everywhere(fair, s.base.Limits), s.base.Limits)))
	v.put("possible_usage_ratio", realOf(dominant(e.demandShare())))
	detailed := newMap(3)
	detailed.put("min_share_guarantee_ratio", realOf(dominant(e.FairStrong.Or(trace.Shares{}))))
	detailed.put("integral_guarantee_ratio", realOf(dominant(e.FairIntegral.Or(trace.Shares{}))))
	detailed.put("weight_proportional_ratio", realOf(dominant(e.FairWeight.Or(trace.Shares{}))))
	v.put("detailed_fair_share", detailed)
	v.put("best_allocation_ratio", realOf(1))
	v.put("integral_resource_volume", realOf(e.volume))
}
