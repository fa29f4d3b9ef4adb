package trace

import "poolproof/core"

// SnapSettings are the columns of snap_tree and snap_pools that hold the settings of starvation and preemption
// in force: of the tree those of its root, of a pool those that it has or inherits. No other table records
// when settings of a tree change.
type SnapSettings struct {
	StarvationTolerance  core.Optional[float64] `col:"effective_starvation_tolerance" doc:"fair_share_starvation_tolerance in force"`
	StarvationTimeoutMS  core.Optional[int64]   `col:"effective_starvation_timeout_ms" enc:"dict" doc:"fair_share_starvation_timeout in force, milliseconds"`
	AggressiveStarvation core.Optional[bool]    `col:"effective_aggressive_starvation" doc:"whether aggressive starvation is enabled"`
	ThresholdRecorded    core.Optional[bool]    `col:"effective_non_preemptible_recorded" doc:"whether the next columns are recorded: null amounts are then no threshold"`
	NonPreemptible       PartialResources       `col:"effective_non_preemptible" doc:"non_preemptible_resource_usage_threshold in force"`
}
