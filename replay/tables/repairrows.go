package tables

import (
	"poolproof/core"
	"poolproof/core/resource"
)

// A MissedRepair is a span in which a limit was exceeded and the heartbeats of a
// node took nothing away for it, although they could have.
type MissedRepair struct {
	Element   ElementKind                     `col:"element_kind" doc:"pool or operation"`
	Pool      core.PoolID                     `col:"pool" doc:"the pool, or the operation's pool"`
	Operation core.Optional[core.OperationID] `col:"operation" doc:"the operation, if it is one"`
	Resource  resource.Kind                   `col:"resource" doc:"a resource whose specified limit was exceeded"`
	Node      core.NodeID                     `col:"node" doc:"the node"`
	FromTime  core.Time                       `col:"from_time" unit:"time" doc:"first heartbeat that could have taken a job, in the window or before it"`
	ToTime    core.Time                       `col:"to_time" unit:"time" doc:"last heartbeat that could have, until one did, none could any more, or the limit was kept again"`
	Allowed   int64                           `col:"allowed_us" unit:"µs" doc:"how long a repair may take on one node"`
	Looked    int64                           `col:"heartbeat_count" unit:"heartbeats" doc:"heartbeats that were looked at"`
	Jobs      int64                           `col:"candidate_count" unit:"jobs" doc:"most jobs that one of them could have taken"`
	Job       string                          `col:"job" doc:"id of a job that the first could have taken"`
	Verdict   string                          `col:"verdict" words:"verdict" doc:"violated, suspect or excused"`
	Excuse    string                          `col:"excuse" doc:"why a correct scheduler may have waited; empty if nothing excuses it"`
}
