package tables

import (
	"poolproof/core"
	"poolproof/core/resource"
)

// A Snapshot holds the columns that the snapshot tables of pools and operations share: the values that
// the scheduler recorded, and those that the replay computes for the same instant. A row stands for all
// successive records that are equal to its first, shares within the resolution.
type Snapshot struct {
	FromTime core.Time `col:"from_time" unit:"time" doc:"first record of the row"`
	ToTime   core.Time `col:"to_time" unit:"time" doc:"first record that says something else, or the last of all"`
	Records  int64     `col:"record_count" unit:"records" doc:"records that the row stands for"`
	ID       string    `col:"snapshot_id" doc:"id of the first record's snapshot in the source"`

	Usage              resource.Vector                `col:"recorded_usage" doc:"resource_usage, recorded"`
	UsageExpected      resource.Vector                `col:"recomputed_usage" doc:"resource_usage, recomputed"`
	Demand             resource.Vector                `col:"recorded_demand" doc:"resource_demand, recorded"`
	DemandExpected     resource.Vector                `col:"recomputed_demand" doc:"resource_demand, recomputed"`
	Limits             core.Optional[resource.Vector] `col:"recorded_limits" doc:"resource_limits, recorded; null if not"`
	LimitsExpected     resource.Vector                `col:"recomputed_limits" doc:"resource_limits, recomputed"`
	UsageShare         resource.Share                 `col:"recorded_usage_share" unit:"share" doc:"usage share, recorded; that of recorded_usage where it is not"`
	DemandShare        resource.Share                 `col:"recorded_demand_share" unit:"share" doc:"demand share, recorded; that of recorded_demand where it is not"`
	Fair               core.Optional[resource.Share]  `col:"recorded_fair_share" unit:"share" doc:"fair share, recorded; null where the log does not record it of every resource"`
	FairRatio          core.Optional[float64]         `col:"recorded_fair_share_ratio" unit:"ratio" doc:"its greatest component, recorded; null if not"`
	FairExpected       resource.Share                 `col:"recomputed_fair_share" unit:"share" doc:"fair share, recomputed"`
	Strong             core.Optional[resource.Share]  `col:"recorded_strong_guarantee_share" unit:"share" doc:"strong guarantee share, recorded; null where the log does not record it of every resource"`
	StrongRatio        core.Optional[float64]         `col:"recorded_strong_guarantee_ratio" unit:"ratio" doc:"its greatest component, recorded; null if not"`
	StrongExpected     resource.Share                 `col:"recomputed_strong_guarantee_share" unit:"share" doc:"strong guarantee share, recomputed"`
	Satisfaction       core.Optional[float64]         `col:"recorded_satisfaction_ratio" unit:"ratio" doc:"local satisfaction ratio, or the satisfaction ratio where only that is recorded; null if neither is"`
	SatisfactionRecomp float64                        `col:"recomputed_satisfaction_ratio" unit:"ratio" doc:"the same, recomputed"`
	Status             string                         `col:"recorded_starvation_status" doc:"starvation_status, recorded"`
	StatusExpected     string                         `col:"recomputed_starvation_status" doc:"starvation_status, recomputed"`
}

// A SnapshotPool holds recorded values of a pool, beside the recomputed ones.
type SnapshotPool struct {
	Pool core.PoolID `col:"pool" doc:"name of the pool; <Root> is the tree itself"`
	Snapshot
	Running             core.Optional[int64]          `col:"recorded_running_operation_count" unit:"operations" doc:"running_operation_count, recorded; null if not"`
	RunningExpected     int64                         `col:"recomputed_running_operation_count" unit:"operations" doc:"running_operation_count, recomputed"`
	Operations          core.Optional[int64]          `col:"recorded_operation_count" unit:"operations" doc:"operation_count, recorded; null if not"`
	OperationsExpected  int64                         `col:"recomputed_operation_count" unit:"operations" doc:"operation_count, recomputed"`
	Lightweight         core.Optional[int64]          `col:"recorded_lightweight_operation_count" unit:"operations" doc:"lightweight_running_operation_count, recorded; null if not"`
	LightweightExpected int64                         `col:"recomputed_lightweight_operation_count" unit:"operations" doc:"lightweight_running_operation_count, recomputed"`
	Integral            core.Optional[resource.Share] `col:"recorded_integral_fair_share" unit:"share" doc:"part of the fair share from the integral guarantee, recorded; null if not"`
	IntegralExpected    resource.Share                `col:"recomputed_integral_fair_share" unit:"share" doc:"the same part, recomputed"`
	RatioVolume         core.Optional[float64]        `col:"recorded_accumulated_resource_ratio_volume" unit:"s" doc:"accumulated_resource_ratio_volume in the first record, in seconds of the whole tree; null if not recorded"`
	VolumeExpected      core.Optional[float64]        `col:"recomputed_accumulated_resource_ratio_volume" unit:"s" doc:"the same, recomputed; null without an integral guarantee"`
}

// A SnapshotOperation holds recorded values of an operation, beside the recomputed ones.
type SnapshotOperation struct {
	Operation core.OperationID `col:"operation" doc:"id of the operation"`
	Pool      core.PoolID      `col:"pool" doc:"pool of the operation, as recorded"`
	Snapshot
	Preemptible           core.Optional[int64] `col:"recorded_preemptible_job_count" unit:"jobs" doc:"preemptible_job_count, recorded; null if not"`
	PreemptibleExpected   int64                `col:"recomputed_preemptible_job_count" unit:"jobs" doc:"preemptible_job_count, recomputed"`
	Aggressive            core.Optional[int64] `col:"recorded_aggressively_preemptible_job_count" unit:"jobs" doc:"aggressively_preemptible_job_count, recorded; null if not"`
	AggressiveExpected    int64                `col:"recomputed_aggressively_preemptible_job_count" unit:"jobs" doc:"aggressively_preemptible_job_count, recomputed"`
	FIFOIndex             core.Optional[int32] `col:"recorded_fifo_index" unit:"position" doc:"fifo_index, recorded; null if not"`
	FIFOExpected          core.Optional[int32] `col:"recomputed_fifo_index" unit:"position" doc:"fifo_index, recomputed; null outside of FIFO pools"`
	Unschedulable         string               `col:"recorded_unschedulable_reason" doc:"unschedulable_reason, recorded; empty if none"`
	UnschedulableExpected string               `col:"recomputed_unschedulable_reason" doc:"unschedulable_reason, recomputed; empty if none"`
}

// A SnapshotError is a span of successive records in which one recorded value
// was not the recomputed one, beyond the tolerance of core/spec/invariants.md §1. A fair share is
// compared twice: with that of the replay, and to 1e-6 with that which the recorded inputs
// give.
type SnapshotError struct {
	Element        ElementKind                     `col:"element_kind" doc:"pool or operation"`
	Pool           core.PoolID                     `col:"pool" doc:"the pool, or the operation's pool"`
	Operation      core.Optional[core.OperationID] `col:"operation" doc:"the operation, if it is one"`
	Field          string                          `col:"field" doc:"which value"`
	Resource       core.Optional[resource.Kind]    `col:"resource" doc:"resource of the greatest error; null if the value has none"`
	FromTime       core.Time                       `col:"from_time" unit:"time" doc:"first record of the span"`
	ToTime         core.Time                       `col:"to_time" unit:"time" doc:"first record in which the values agreed again, or the last of all"`
	Records        int64                           `col:"record_count" unit:"records" doc:"records in the span"`
	WorstTime      core.Time                       `col:"worst_time" unit:"time" doc:"first record of the greatest error"`
	Error          float64                         `col:"error" unit:"share" doc:"greatest difference: of shares as they are, of amounts as shares of the tree, of the total as a share of the recorded one, of counts and weights in numbers, of words 1"`
	Recorded       float64                         `col:"recorded" unit:"share" doc:"recorded value of the greatest error, in the same unit; 0 of words"`
	Recomputed     float64                         `col:"recomputed" unit:"share" doc:"recomputed value of the greatest error, likewise"`
	RecordedText   string                          `col:"recorded_text" doc:"recorded word; empty of numbers"`
	RecomputedText string                          `col:"recomputed_text" doc:"recomputed word; empty of numbers"`
}

// A ShareAgreement counts records by how far the recorded fair share is from the one that
// follows from the inputs which the same snapshot records.
type ShareAgreement struct {
	Element   ElementKind                     `col:"element_kind" doc:"pool or operation"`
	Inputs    string                          `col:"inputs" doc:"complete, or which input of the fair shares is missing: configuration (the log does not hold it), configuration_change (another took effect so shortly before that either may have been in force), records (some element or total is not recorded, or usage and demand do not add up), share_update (the recorded inputs give no shares)"`
	Decade    int32                           `col:"decade" unit:"exponent" doc:"the difference is at most ten to this power, and more than to the one below; -15 holds all that is less, 0 all that is more"`
	Records   int64                           `col:"record_count" unit:"records" doc:"records so far apart"`
	Worst     float64                         `col:"worst_error" unit:"share" doc:"greatest difference among them"`
	WorstTime core.Time                       `col:"worst_time" unit:"time" doc:"first record of the greatest difference"`
	Pool      core.PoolID                     `col:"worst_pool" doc:"the pool of that record, or its operation's"`
	Operation core.Optional[core.OperationID] `col:"worst_operation" doc:"the operation of that record, if it is of one"`
}

// A DeficitAgreement counts reports of what operations accumulated by how far the reported deficit
// is from the one that recorded fair shares and the usage of jobs give.
type DeficitAgreement struct {
	Inputs    string           `col:"inputs" doc:"complete, or which input of the deficits is missing: fair_shares, tree_total, operation_state (the operation waited), records_of_operations, frequent_records or volume_reports (the report is not of the time since the one before)"`
	Decade    int32            `col:"decade" unit:"exponent" doc:"the difference, as a part of the fair volume, is at most ten to this power, and more than to the one below; -15 holds all that is less"`
	Reports   int64            `col:"report_count" unit:"records" doc:"reports so far apart, of one operation and time each"`
	Worst     float64          `col:"worst_error" unit:"ratio" doc:"greatest difference among them"`
	WorstTime core.Time        `col:"worst_time" unit:"time" doc:"first report of the greatest difference"`
	Operation core.OperationID `col:"worst_operation" doc:"the operation of that report"`
}

// A SnapshotCheck is a span of successive records in which one rule did not
// hold for one element, or could not be judged for want of an input.
type SnapshotCheck struct {
	Invariant string                          `col:"invariant" doc:"id of the rule in core/spec/invariants.md"`
	Verdict   string                          `col:"verdict" words:"verdict" doc:"worst verdict of the span: violated, suspect or excused"`
	Element   ElementKind                     `col:"element_kind" doc:"pool or operation"`
	Pool      core.PoolID                     `col:"pool" doc:"the pool, or the operation's pool"`
	Operation core.Optional[core.OperationID] `col:"operation" doc:"the operation, if it is one"`
	Aspect    string                          `col:"aspect" doc:"which of several things the rule is about, for example a count; empty if there is one only"`
	FromTime  core.Time                       `col:"from_time" unit:"time" doc:"first record of the span"`
	ToTime    core.Time                       `col:"to_time" unit:"time" doc:"first record in which the rule held again, or the last of all"`
	Records   int64                           `col:"record_count" unit:"records" doc:"records in the span"`
	Violated  int64                           `col:"violated_count" unit:"records" doc:"those of them that break the rule under every reading"`
	WorstTime core.Time                       `col:"worst_time" unit:"time" doc:"record of the numbers: the first of the worst verdict that is furthest off"`
	Unit      string                          `col:"side_unit" doc:"unit of the two numbers: amount (of resource: hundredths of a core, devices, bytes of memory, slots or units), share, ratio, µs, number, position, priority, level, list, status or s; empty if nothing is measured"`
	Resource  resource.Kind                   `col:"resource" doc:"resource of the two numbers, where they are shares or amounts"`
	Found     float64                         `col:"found_value" unit:"number" doc:"what was found at the worst time, in that unit"`
	Allowed   float64                         `col:"allowed_value" unit:"number" doc:"what the rule allows or asks for"`
	Judged    string                          `col:"judged" words:"judged" doc:"recorded, recomputed or possible: how well the numbers are known"`
	Excuse    string                          `col:"excuse" doc:"why a correct scheduler may break the rule; empty if nothing excuses it"`
	Sentence  string                          `col:"sentence" doc:"the check and its outcome, as a sentence"`
}

// A SnapshotTally counts what was judged of the scheduler's records of a pool, or of
// the operations in it, while one version of its settings was in force.
type SnapshotTally struct {
	Invariant   string      `col:"invariant" doc:"id of the rule in core/spec/invariants.md"`
	Element     ElementKind `col:"element_kind" doc:"pool or operation"`
	Pool        core.PoolID `col:"pool" doc:"the pool, or that of the operations"`
	FromTime    core.Time   `col:"from_time" unit:"time" doc:"the first record that is counted"`
	ToTime      core.Time   `col:"to_time" unit:"time" doc:"until when: settings of the pool or of one above it changed, or the window ended"`
	OK          int64       `col:"ok_count" unit:"records" doc:"records in which the rule held"`
	Undecidable int64       `col:"undecidable_count" unit:"records" doc:"records in which an input was missing"`
	Excused     int64       `col:"excused_count" unit:"records" doc:"records in which it did not hold and that is excused"`
	Suspect     int64       `col:"suspect_count" unit:"records" doc:"records in which it did not hold under some reading"`
	Violated    int64       `col:"violated_count" unit:"records" doc:"records in which it did not hold under any reading"`
	Missing     string      `col:"missing" doc:"the input that was missing first; empty if none was"`
}
