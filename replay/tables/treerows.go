package tables

import (
	"poolproof/core"
	"poolproof/core/resource"
)

// A MisplacedJob is the row of one rule of trees and tags that the start of a job
// breaks.
type MisplacedJob struct {
	Time      core.Time                  `col:"time" unit:"time" doc:"when the job started"`
	Job       string                     `col:"job" doc:"id of the job in the source"`
	JobIx     core.JobID                 `col:"job_ix" unit:"number" doc:"number of the job in the trace"`
	Operation core.OperationID           `col:"operation" doc:"operation the job works for"`
	Pool      core.PoolID                `col:"pool" doc:"pool of the operation"`
	Filter    core.PoolID                `col:"filter_pool" doc:"of TREE-11, the lowest pool whose scheduling_tag_filter does not match the node; null if only the operation's own does not, and of other rules"`
	Node      core.Optional[core.NodeID] `col:"node" doc:"node the job started on; null if the source does not say"`
	Verdict   string                     `col:"verdict" words:"verdict" doc:"excused, suspect or violated"`
	Invariant string                     `col:"invariant" doc:"id of the rule"`
	Since     core.Optional[core.Time]   `col:"since" unit:"time" doc:"when what forbids the start came about: a change of tags, filters or pools, or the operation's loss of the tree; for TREE-03 and TREE-11 after the start if the log records the change that allows it only then; null if it was so from the start"`
	Tags      string                     `col:"tags" doc:"tags of the node, joined by commas"`
	Excuse    string                     `col:"excuse" doc:"why a correct scheduler may have broken the rule; empty if nothing excuses it"`
	JudgedBy  string                     `col:"judged" words:"judged" doc:"recorded, recomputed or possible: how well the state is known that the start was judged in"`
}

// A SharedNode is the row of one span in which several trees had a node online, or
// its tags matched their nodes_filter. Every one of them has the row.
type SharedNode struct {
	Node        core.NodeID `col:"node" doc:"address of the node"`
	By          string      `col:"shared_by" doc:"presence where the trees had it online at once, tags where their filters matched"`
	FromTime    core.Time   `col:"from_time" unit:"time" doc:"start of the span"`
	ToTime      core.Time   `col:"to_time" unit:"time" doc:"end of the span, exclusive"`
	ClippedFrom bool        `col:"clipped_from" doc:"whether the span began before the window"`
	ClippedTo   bool        `col:"clipped_to" doc:"whether the span goes on after the window"`
	Others      string      `col:"other_trees" doc:"the other trees that had or claimed the node, joined by commas"`
	Online      bool        `col:"online" doc:"whether a tree had the node online"`
	Tags        string      `col:"tags" doc:"tags of the node, joined by commas"`
}

// A TotalEpisode is the row of one span in which the total of a resource that the
// scheduler recorded was more than 1 % off that of the tree's online nodes.
type TotalEpisode struct {
	Resource   resource.Kind `col:"resource" doc:"the resource"`
	FromTime   core.Time     `col:"from_time" unit:"time" doc:"first record that was off"`
	LastTime   core.Time     `col:"last_time" unit:"time" doc:"last record that was"`
	ToTime     core.Time     `col:"to_time" unit:"time" doc:"first record that was not, exclusive"`
	ClippedTo  bool          `col:"clipped_to" doc:"whether no such record came before the window's end"`
	Records    int64         `col:"record_count" unit:"records" doc:"records that were off"`
	Recorded   int64         `col:"recorded_amount" unit:"amount" doc:"total of the first of them, in the resource's unit (cpu: hundredths of a core)"`
	Recomputed int64         `col:"recomputed_amount" unit:"amount" doc:"total of the online nodes then, in the same unit"`
}
