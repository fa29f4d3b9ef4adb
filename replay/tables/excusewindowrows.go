package tables

import "poolproof/core"

// An ExcuseWindow is a global excuse window: a span in which rules marked † in
// core/spec/invariants.md allege nothing (§1). Those of a tree do not overlap.
type ExcuseWindow struct {
	Cause       string    `col:"cause" doc:"why: scheduler_reconnecting, until 60 s after the scheduler was connected again; update_pools_alert, while it could not take over its configuration, by an alert or because it refuses the set of trees; or trees_updating, until a change of the set of trees is in force and seen"`
	FromTime    core.Time `col:"from_time" unit:"time" doc:"start of the span"`
	ToTime      core.Time `col:"to_time" unit:"time" doc:"end of the span, exclusive"`
	ClippedFrom bool      `col:"clipped_from" doc:"whether the span began before the window"`
	ClippedTo   bool      `col:"clipped_to" doc:"whether the span goes on after the window"`
}
