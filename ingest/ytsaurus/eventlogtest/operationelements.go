package eventlogtest

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// operationRows returns the records of all operations of the snapshot.
func (s *snapshot) operationRows() Value {
	v := newMap(len(s.operations))
	for i := range s.operations {
		o := &s.operations[i]
		v.put(s.operationID(o.Op), s.operationRecord(o))
	}
	return v
}

func (s *snapshot) operationRecord(o *trace.SnapOp) Value {
	var p params
	if t := s.of(o.Op, s.tree); t != nil {
		p = t.params
	}
	v := newMap(80)
	v.put("pool", textOf(s.poolsByID(o.Pool)))
	v.put("slot_index", orNull(o.SlotIndex, intOf))
	v.put("start_time", timeOf(s.startOf(o.Op)))
	v.put("tentative", boolOf(p.tentative))
	v.put("starving_since", orNull(o.StarvingSince, timeOf))
	v.put("deactivation_reasons", newMap(0))
	if s.Age.old() {
		v.put("preemptable_job_count", intOf(o.PreemptibleJobs.Or(0)))
		v.put("aggressively_preemptable_job_count", intOf(o.AggressivePreemptible.Or(0)))
		v.put("fifo_index", intOf(o.FIFOIndex.Or(-1)))
	} else {
		v.put("preemptible_job_count", intOf(o.PreemptibleJobs.Or(0)))
		v.put("aggressively_preemptible_job_count", intOf(o.AggressivePreemptible.Or(0)))
		s.putNeeds(&v, o, &p)
	}
	e := element{
		SnapShares: &o.SnapShares, weight: o.Weight.Or(p.weight.Or(1)), maxShareRatio: p.maxShareRatio, strong: whole(p.strong), limit: p.limit,
		tolerance: p.tolerance, timeoutMS: p.timeoutMS, schedulable: !o.UnschedulableReason.Set, effective: s.effectiveOf(o.Pool),
	}
	e.effective.tolerance = p.tolerance.Or(e.effective.tolerance)
	e.effective.timeoutMS = p.timeoutMS.Or(e.effective.timeoutMS)
	e.aggressiveStarving = p.aggressive.Or(e.aggressiveStarving)
	s.putElement(&v, &e)
	if s.Age == Age2023 {
		v.put("aggressive_starvation_enabled", orNull(p.aggressive, boolOf))
	}
	return v
}

// putNeeds adds what newer logs say of an operation's demand and of why it gets no
// jobs.
func (s *snapshot) putNeeds(v *Value, o *trace.SnapOp, p *params) {
	needed := listOf()
	if o.MinNeeded.Set {
		one := s.Age.resources(o.MinNeeded.Value)
		putDisk(&one)
		needed.items = append(needed.items, one)
	}
	v.put("detailed_min_needed_job_resources", needed)
	v.put("aggregated_min_needed_job_resources", s.Age.resources(o.MinNeeded.Or(trace.Resources{})))
	v.put("probing", boolOf(p.probing))
	v.put("offloading", boolOf(p.offloading))
	v.put("disk_request_media", listOf())
	v.put("unschedulable_reason", orNull(o.UnschedulableReason, textOf))
	v.put("scheduling_index", intOf(o.SchedulingIndex.Or(-1)))
	v.put("min_needed_resources_unsatisfied_count", newMap(0))
	quota := newMap(2)
	putDisk(&quota)
	v.put("disk_quota_usage", quota)
	v.put("are_regular_jobs_on_ssd_nodes_allowed", boolOf(true))
	v.put("scheduling_segment", Value{})
	v.put("scheduling_segment_module", Value{})
	put(v, "fifo_index", o.FIFOIndex, intOf)
	if s.Age.newest() {
		s.putSelf(v, o.Op)
	}
}

func putDisk(v *Value) {
	v.put("disk_space_per_medium", newMap(0))
	v.put("disk_space_without_medium", intOf(0))
}

// Timeouts of preemption where no configuration names any
// (ingest/trace/FORMAT.md §1.4).
const (
	defaultPreemptionMS         = 10000
	defaultGracefulPreemptionMS = 60000
)

func (s *snapshot) putSelf(v *Value, op core.OperationID) {
	o, t := &s.writer.operations[op], s.treeConfig[s.tree]
	v.put("lightweight", boolOf(false))
	v.put("is_gang", boolOf(o.IsGang.Or(false)))
	v.put("user", textOf(o.User))
	v.put("type", textOf(o.Type))
	v.put("title", orNull(o.Title, textOf))
	v.put("allocation_preemption_timeout", intOf(t.PreemptTimeoutMS.Or(defaultPreemptionMS)))
	v.put("allocation_graceful_preemption_timeout", intOf(t.GracefulPreemptTimeoutMS.Or(defaultGracefulPreemptionMS)))
}
