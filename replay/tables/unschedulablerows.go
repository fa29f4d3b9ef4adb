package tables

import (
	"poolproof/core"
	"poolproof/core/resource"
)

// An UnschedulableEpisode is a span in which even the smallest job that an operation waited for
// exceeds a specified limit, its own or that of a pool above it.
type UnschedulableEpisode struct {
	Operation   core.OperationID           `col:"operation" doc:"id of the operation"`
	Pool        core.PoolID                `col:"pool" doc:"pool of the operation"`
	LimitPool   core.Optional[core.PoolID] `col:"limit_pool" doc:"lowest pool whose limit is too small; null if it is the operation's own limit"`
	Resource    resource.Kind              `col:"resource" doc:"resource that the smallest job needs more of than the limit"`
	Needed      int64                      `col:"needed_value" unit:"resource's" doc:"what the smallest job needs of it, at the beginning"`
	Limit       int64                      `col:"limit_value" unit:"resource's" doc:"the limit, at the beginning"`
	FromTime    core.Time                  `col:"from_time" unit:"time" doc:"since when it could have no job"`
	ToTime      core.Time                  `col:"to_time" unit:"time" doc:"when the limit, the smallest job or the demand changed, exclusive"`
	ClippedFrom bool                       `col:"clipped_from" doc:"whether the span began before the window"`
	ClippedTo   bool                       `col:"clipped_to" doc:"whether the span goes on after the window"`
}
