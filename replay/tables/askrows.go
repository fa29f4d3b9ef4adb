package tables

import (
	"poolproof/core"
	"poolproof/core/resource"
)

// A Consideration is the row of a stage, an operation or a job that a heartbeat of a node would have
// considered at a given instant (poolproof replay --ask). It follows the policy and not the recorded
// scheduler: it is based on the state before the decisions of that instant, and assumes that every
// controller offers the smallest job that its operation waits for.
type Consideration struct {
	Time      core.Time                       `col:"time" unit:"time" doc:"the instant that was asked about"`
	Node      core.NodeID                     `col:"node" doc:"the node whose heartbeat was asked about"`
	Position  int64                           `col:"position" unit:"position" doc:"order of the rows of an answer, from 0: the stages in turn, each followed by the operations in the order it came to them, then by the node's jobs; last the operations and jobs that no stage came to"`
	Kind      string                          `col:"kind" doc:"what the row is about: stage, operation or job"`
	Stage     string                          `col:"stage" doc:"stage of the heartbeat; empty for an operation that none came to"`
	Verdict   string                          `col:"verdict" doc:"of a stage ran or left_out; of an operation started, passed_over, not_reached or unschedulable; of a job taken, candidate, conditional (only for a beneficiary inside the blocker) or stays"`
	Reason    string                          `col:"reason" doc:"why, in the scheduler's words: what left the stage or the operation out, for what reason a job would be taken; empty where nothing is to be said"`
	Operation core.Optional[core.OperationID] `col:"operation" doc:"the operation, or that of the job; null for a stage"`
	Pool      core.Optional[core.PoolID]      `col:"pool" doc:"pool of that operation; null for a stage"`
	Job       string                          `col:"job" doc:"id of the job; empty unless the row is about one"`

	Satisfaction float64                      `col:"satisfaction" unit:"ratio" doc:"local satisfaction of an operation when the stage came to it, by which it was chosen; 0 elsewhere"`
	LimitPool    core.Optional[core.PoolID]   `col:"limit_pool" doc:"pool whose limits are in the way; null if none is"`
	LimitOwn     bool                         `col:"limit_of_operation" doc:"whether the operation's own limits are in the way"`
	Resource     core.Optional[resource.Kind] `col:"resource" doc:"resource that is in the way: the first that the node, the limits or the demand does not hold; null if none is"`
	Needed       int64                        `col:"needed" unit:"see resource" doc:"what the operation's smallest job takes of it; 0 without resource"`
	Available    int64                        `col:"available" unit:"see resource" doc:"what there is of it for the operation: on the node with what the stage may take counted as gone, under the limits, or in its demand; below 0 if too much is used already"`

	List         string                     `col:"list" words:"list" doc:"of a job: non_preemptible, aggressively_preemptible or preemptible"`
	Level        string                     `col:"level" words:"level" doc:"of a job: how easily it may be taken, given its list, its operation's settings and SSD"`
	BlockerPool  core.Optional[core.PoolID] `col:"blocker_pool" doc:"pool that protects the job, if only against those outside it; null if none does"`
	BlockedByOwn bool                       `col:"blocked_by_operation" doc:"whether the job's own operation protects it"`
	Rank         core.Optional[int64]       `col:"rank" unit:"position" doc:"place of the job among those that the stage may take, in the order they are taken in, from 0; null if it is none of them"`
	Before       float64                    `col:"satisfaction_before" unit:"ratio" doc:"local satisfaction of the job's operation as the stage finds it; 1e9 without fair share"`
	After        float64                    `col:"satisfaction_after" unit:"ratio" doc:"likewise without this job"`
	UsageBefore  float64                    `col:"usage_ratio_before" unit:"share" doc:"dominant usage share of the job's operation as the stage finds it"`
	UsageAfter   float64                    `col:"usage_ratio_after" unit:"share" doc:"likewise without this job"`
	Fact         string                     `col:"fact" doc:"first condition of a fair preemption that taking the job would break: F3 its level, F4 a blocker, F5 its operation ends its jobs itself, F6 a better candidate that stays, F7 nothing more has to go; empty if it is taken"`
	Sentence     string                     `col:"sentence" doc:"the row for a person"`
}
