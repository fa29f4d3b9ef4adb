package trace

import "poolproof/core"

// An Operation is a row of dim/operations. Rows stand in the order of Op,
// which counts from 0.
type Operation struct {
	Op              core.OperationID         `col:"op_ix" enc:"delta" doc:"number of the operation in this trace, from 0"`
	ID              string                   `col:"operation_id" enc:"plain" bloom:"yes" private:"id" doc:"id of the operation in the source"`
	Type            string                   `col:"operation_type" doc:"type of the operation, in the source's words"`
	User            string                   `col:"user" private:"user" doc:"user who started it"`
	Title           core.Optional[string]    `col:"title" private:"text" doc:"title in its spec"`
	Alias           core.Optional[string]    `col:"alias" private:"text" doc:"alias in its spec"`
	StartTime       core.Optional[core.Time] `col:"start_time" doc:"when it was started"`
	MaterializeTime core.Optional[core.Time] `col:"materialize_time" doc:"when it could first get jobs"`
	FinishTime      core.Optional[core.Time] `col:"finish_time" doc:"when it ended; null if alive at the log's end"`
	FinalState      core.Optional[string]    `col:"final_state" doc:"how it ended: completed, failed, aborted"`
	ErrorCode       core.Optional[int32]     `col:"error_code" doc:"code of the error it ended with"`
	ErrorMessage    core.Optional[string]    `col:"error_message" enc:"plain" private:"text" doc:"message of that error"`
	IsGang          core.Optional[bool]      `col:"is_gang" doc:"whether all its jobs must run together"`
	JobCount        core.Optional[int64]     `col:"job_count" doc:"jobs that its spec asks for"`
	AnnotationsJSON core.Optional[string]    `col:"annotations_json" enc:"plain" private:"text" doc:"annotations of its spec, JSON"`
	SpecJSON        core.Optional[string]    `col:"spec_json" enc:"plain" private:"options" doc:"its spec, JSON"`
}

// A Pool is a row of dim/pools. Rows stand in the order of Pool, which counts
// from 0 over all trees.
type Pool struct {
	Pool      core.PoolID `col:"pool_ix" enc:"delta" doc:"number of the pool in this trace, from 0"`
	Tree      string      `col:"tree" private:"tree" doc:"tree of the pool"`
	Name      string      `col:"pool" private:"pool" doc:"name of the pool, unique in its tree"`
	FirstSeen core.Time   `col:"first_seen" doc:"first time at which the source records it"`
	LastSeen  core.Time   `col:"last_seen" doc:"last time at which the source records it"`
	Ephemeral bool        `col:"is_ephemeral" doc:"whether it existed only while it had operations"`
}

// A Node is a row of dim/nodes. Rows stand in the order of Node, which counts
// from 0.
type Node struct {
	Node      core.NodeID `col:"node_ix" enc:"delta" doc:"number of the node in this trace, from 0"`
	Address   string      `col:"address" enc:"plain" private:"node" doc:"address of the node"`
	FirstSeen core.Time   `col:"first_seen" doc:"first time at which the source records it"`
	LastSeen  core.Time   `col:"last_seen" doc:"last time at which the source records it"`
}
