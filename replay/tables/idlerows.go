package tables

import (
	"poolproof/core"
	"poolproof/core/resource"
)

// An IdleNode is a span in which the heartbeats of a node started nothing although an operation
// could have had a job there. The replay checks the 4th heartbeat that started nothing, and
// whenever there are twice as many. The span goes from the first check to the last that all found
// an operation.
type IdleNode struct {
	Node       core.NodeID      `col:"node" doc:"the node"`
	Operation  core.OperationID `col:"operation" doc:"operation that could have started a job at the end of the span: the one that goes first"`
	Pool       core.PoolID      `col:"pool" doc:"pool of that operation"`
	First      core.OperationID `col:"first_operation" doc:"the same at the beginning of the span"`
	FromTime   core.Time        `col:"from_time" unit:"time" doc:"heartbeat of the first check that found an operation"`
	ToTime     core.Time        `col:"to_time" unit:"time" doc:"heartbeat of the last"`
	Heartbeats int64            `col:"heartbeat_count" unit:"heartbeats" doc:"recorded heartbeats after the first check up to the last; skipped ones and those while a job waits do not count"`
	Looks      int64            `col:"look_count" unit:"looks" doc:"checks in the span; each found an operation"`
	Smallest   resource.Vector  `col:"smallest" doc:"smallest job of the operation"`
	Free       resource.Vector  `col:"free" doc:"what was free on the node at the last check"`
	Verdict    string           `col:"verdict" words:"verdict" doc:"suspect, since no log records that controllers declined; or excused"`
	Excuse     string           `col:"excuse" doc:"why a correct scheduler may have started nothing; empty if nothing excuses it"`
}
