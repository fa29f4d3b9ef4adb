package eventlogtest

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// params are what an operation asks of a tree, as its events said last. Later events
// name only what changed (ingest/trace/FORMAT.md §3.4).
type params struct {
	weight, maxShareRatio, tolerance               core.Optional[float64]
	timeoutMS, minShareTimeoutMS, maxUnpreemptible core.Optional[int64]
	tagFilter, preemptionMode                      core.Optional[string]
	aggressive, limitsToDemand                     core.Optional[bool]
	tentative, probing, offloading                 bool
	limit, strong                                  trace.PartialResources
}

// merge takes over what an event names.
func (p *params) merge(e *trace.OpEvent) {
	update(&p.weight, e.Weight)
	update(&p.maxShareRatio, e.MaxShareRatio)
	update(&p.tolerance, e.FairShareStarvationTolerance)
	update(&p.timeoutMS, e.FairShareStarvationTimeoutMS)
	update(&p.minShareTimeoutMS, e.MinSharePreemptionTimeoutMS)
	update(&p.maxUnpreemptible, e.MaxUnpreemptibleJobs)
	update(&p.tagFilter, e.SchedulingTagFilter)
	update(&p.preemptionMode, e.PreemptionMode)
	update(&p.aggressive, e.EnableAggressiveStarvation)
	update(&p.limitsToDemand, e.ApplyLimitsToDemand)
	p.tentative = e.Tentative.Or(p.tentative)
	p.probing = e.Probing.Or(p.probing)
	p.offloading = e.Offloading.Or(p.offloading)
	if e.Limit != (trace.PartialResources{}) {
		p.limit = e.Limit
	}
	if e.Strong != (trace.PartialResources{}) {
		p.strong = e.Strong
	}
}

func update[T any](to *core.Optional[T], from core.Optional[T]) {
	if from.Set {
		*to = from
	}
}

// options writes the parameters by the names of a spec (ingest/trace/FORMAT.md §1.5).
// Those of pool and limits, which stand elsewhere too, are left to the caller.
func (p *params) options() Value {
	v := newMap(4)
	put(&v, "weight", p.weight, realOf)
	put(&v, "max_share_ratio", p.maxShareRatio, realOf)
	put(&v, "scheduling_tag_filter", p.tagFilter, textOf)
	if p.limit != (trace.PartialResources{}) {
		v.put("resource_limits", partial(p.limit))
	}
	if p.strong != (trace.PartialResources{}) {
		v.put("strong_guarantee_resources", partial(p.strong))
	}
	put(&v, "fair_share_starvation_tolerance", p.tolerance, realOf)
	put(&v, "fair_share_starvation_timeout", p.timeoutMS, intOf)
	put(&v, "min_share_preemption_timeout", p.minShareTimeoutMS, intOf)
	put(&v, "enable_aggressive_starvation", p.aggressive, boolOf)
	put(&v, "preemption_mode", p.preemptionMode, textOf)
	put(&v, "max_unpreemptible_job_count", p.maxUnpreemptible, intOf)
	put(&v, "apply_specified_resource_limits_to_demand", p.limitsToDemand, boolOf)
	return v
}

// put adds a key if there is a value.
func put[T any](v *Value, key string, o core.Optional[T], as func(T) Value) {
	if o.Set {
		v.put(key, as(o.Value))
	}
}

// orNull is a value, or an entity if there is none.
func orNull[T any](o core.Optional[T], as func(T) Value) Value {
	if !o.Set {
		return Value{}
	}
	return as(o.Value)
}
