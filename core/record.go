package core

import (
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A PreemptionRecord holds the recorded facts of a preemption (the preemption group of jobs,
// ingest/trace/FORMAT.md §3.4). Strings are the source's, "" if not recorded.
type PreemptionRecord struct {
	Reason            string // preempt_reason
	Mode              string // abort, interrupt or graceful
	TargetPriority    string // of the stage
	PreemptorPriority string // of the preemptor itself
	Level             string // job_preemption_level
	ProperlyStarving  Optional[bool]
	Conditional       Optional[bool]
	Forced            Optional[bool]
	LostTime          Optional[Time] // progress lost
	Explanation       string         // the source's sentence

	// End and EndReason say how and why the job ended; the event's Finish says when.
	End       EndKind
	EndReason string
}

// PreemptionReason returns the reason code of a JobPreempted event, NoReason if it is missing or
// unknown.
func (e *Event) PreemptionReason() scheduling.Reason {
	if e.Preemption == nil {
		return scheduling.NoReason
	}
	return e.Preemption.ReasonCode()
}

// isOfStage reports whether a preemptive stage took the job: its reason is one of stages, or
// unknown with a preemptor, which only stages record (core/spec/scheduling.md §10.5).
func (e *Event) isOfStage() bool {
	reason := e.PreemptionReason()
	return reason.IsOfStage() || reason == scheduling.NoReason && (e.Preemptor != Unknown || e.PreemptorJob != "")
}

// stays reports whether a preempted job keeps running: its end is recorded later, or it was running
// when the log ended (ingest/trace/FORMAT.md §4.2).
func (e *Event) stays() bool {
	return e.Finish.Set && e.Finish.Value > e.Time || !e.Finish.Set && e.Preemption != nil && e.Preemption.End == EndRunning
}

// ReasonCode returns the recorded reason or the one that the mode implies: only one reason has mode
// graceful (core/spec/scheduling.md §10.6). Mode abort implies nothing (§10.9).
func (p *PreemptionRecord) ReasonCode() scheduling.Reason {
	if p.Reason == "" && p.Mode == "graceful" {
		return scheduling.ForGracefulPreemption
	}
	return scheduling.ParseReason(p.Reason)
}

// A TreeRecord is a row of snap_tree (ingest/trace/FORMAT.md §3.5).
type TreeRecord struct {
	Snapshot  string
	Total     resource.Vector
	NodeCount Optional[int64]
	Settings  RecordedSettings // of the root
}

// A Detail says which components of a share are recorded.
type Detail uint8

// The details.
const (
	PerResource  Detail = iota
	DominantOnly        // the greatest component, at the dominant resource; the others are 0
	Unrecorded          // none: all are 0
)

// A RecordedState holds the columns common to snap_pools and snap_ops.
type RecordedState struct {
	Snapshot          string
	Usage, Demand     resource.Vector
	Limits            Optional[resource.Vector]
	UsageShare        resource.Share
	DemandShare       resource.Share
	StrongShare       resource.Share
	FairShare         resource.Share
	UsageDetail       Detail // PerResource, or Unrecorded: see Usage
	DemandDetail      Detail // likewise, see Demand
	StrongDetail      Detail
	FairDetail        Detail
	FairStrong        Optional[resource.Share] // the part of FairShare within the strong guarantee
	FairIntegral      Optional[resource.Share] // within the integral guarantee
	FairWeight        Optional[resource.Share] // what competition by weight adds
	Dominant          string
	Satisfaction      Optional[float64]
	LocalSatisfaction Optional[float64]
	Status            string // starvation_status
}

// A PoolRecord is a row of snap_pools.
type PoolRecord struct {
	RecordedState
	Pool        PoolID
	Parent      PoolID // RootPool under the root; Unknown for the root and if not recorded
	Mode        string
	Weight      float64
	RatioVolume Optional[float64] // accumulated_ratio_volume
	Running     Optional[int64]   // running_operations
	Operations  Optional[int64]
	Lightweight Optional[int64] // lightweight_running
	Settings    RecordedSettings
	Own         Optional[int64] // own_operations
}

// An OperationRecord is a row of snap_ops.
type OperationRecord struct {
	RecordedState
	Operation         OperationID
	Pool              PoolID
	Weight            Optional[float64]
	Preemptible       Optional[int64] // preemptible_jobs
	AggressivePreempt Optional[int64] // aggressively_preemptible_jobs
	StarvingSince     Optional[Time]
	Unschedulable     string // unschedulable_reason
	FIFOIndex         Optional[int32]
	SchedulingIndex   Optional[int32]
	Declines          Optional[int64] // how often its controller had declined to start a job
	Timeouts          PreemptionTimeouts
	BestAllocation    Optional[resource.Share] // best_allocation_share
	Settings          RecordedSettings
}

// A VolumeRecord is a row of accumulated that holds a distribution: volumes since the report before.
type VolumeRecord struct {
	Operation            OperationID
	Pool                 PoolID
	Since                Optional[Time] // when the report before was
	Fair, Usage, Deficit resource.Volume
}
