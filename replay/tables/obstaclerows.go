package tables

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// An ObstacleSpan is a span in which an operation waited for jobs and no node would have started
// one of it, whatever the node had free. Another one begins when a share has moved by a thousandth
// of the tree.
type ObstacleSpan struct {
	Operation   core.OperationID             `col:"operation" doc:"id of the operation"`
	Pool        core.PoolID                  `col:"pool" doc:"pool of the operation"`
	Obstacle    scheduling.Obstacle          `col:"obstacle" doc:"the first reason that the rules name: suspended, throttled, fifo_limit, fair_share_exceeded or saturated_in_tentative_tree"`
	Resource    core.Optional[resource.Kind] `col:"resource" doc:"of fair_share_exceeded, the resource of which most is used for the shares that follow; else null, as they are"`
	Usage       core.Optional[float64]       `col:"usage_share" unit:"share" doc:"share that the last update saw in use, at the beginning of the span"`
	StartsBelow core.Optional[float64]       `col:"starts_below_share" unit:"share" doc:"likewise, the share below which a graceful operation starts jobs: its fair share with its tolerance"`
	FairShare   core.Optional[float64]       `col:"fair_share" unit:"share" doc:"likewise, its fair share"`
	FromTime    core.Time                    `col:"from_time" unit:"time" doc:"since when it could have no job"`
	ToTime      core.Time                    `col:"to_time" unit:"time" doc:"when the operation changed so that this was over, exclusive"`
	ClippedFrom bool                         `col:"clipped_from" doc:"whether the span began before the window"`
	ClippedTo   bool                         `col:"clipped_to" doc:"whether the span goes on after the window"`
}
