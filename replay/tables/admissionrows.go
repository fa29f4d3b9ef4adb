package tables

import "poolproof/core"

// An Admission is the row of one recorded step of an operation that the rules of
// admission have a say in, judged in the state before the step. A step that
// breaks several rules has a row for each.
type Admission struct {
	Time        core.Time                       `col:"time" unit:"time" doc:"when the step was recorded"`
	Operation   core.OperationID                `col:"operation" doc:"id of the operation"`
	Action      string                          `col:"action" doc:"the step: started, revived, materialized, running, pending, rejected or pool_changed; materialized only where it is the first sign of running"`
	Pool        core.PoolID                     `col:"pool" doc:"pool of the operation after the step; null if the log names none"`
	FromPool    core.Optional[core.PoolID]      `col:"from_pool" doc:"pool before a change of pool; null otherwise"`
	User        string                          `col:"user_name" doc:"user of the operation; empty if the log does not record it"`
	Lightweight bool                            `col:"lightweight" doc:"whether no limit of running operations concerns the operation there"`
	Verdict     string                          `col:"verdict" words:"verdict" doc:"ok, undecidable, excused, suspect or violated"`
	Invariant   string                          `col:"invariant" doc:"id of the rule that the verdict is about; empty if all that were judged hold"`
	Limit       string                          `col:"limit_name" doc:"option of the limit that was reached; empty if none was"`
	FullPool    core.Optional[core.PoolID]      `col:"full_pool" doc:"lowest pool of the chain that was full; null if none was"`
	Count       core.Optional[int64]            `col:"operation_count" unit:"operations" doc:"what stood against the limit before the step; null if no limit was reached"`
	LimitValue  core.Optional[int64]            `col:"limit_value" unit:"operations" doc:"the limit that was reached; null if none was"`
	Requested   core.Optional[string]           `col:"requested_pool" doc:"of a start or refusal, the pool that the operation asked for, its user's name if its spec names none; null if the log does not record it, and of other steps"`
	PlacedPool  string                          `col:"placed_pool" doc:"pool where the rules put the operation, if that is another one; else empty"`
	FIFOOnly    bool                            `col:"fifo_only" doc:"whether the tree lets the operation start in FIFO pools only: it is a gang (allow_gang_operations_only_in_fifo_pools)"`
	Overtook    core.Optional[core.OperationID] `col:"overtook_operation" doc:"older pending operation that could have run instead; null if there was none"`
	ErrorCode   core.Optional[int32]            `col:"error_code" unit:"number" doc:"error of a rejection; null if none is recorded"`
	Excuse      string                          `col:"excuse" doc:"why a correct scheduler may have broken the rule; empty if nothing excuses it"`
	Missing     string                          `col:"missing" doc:"what the log lacks to judge the step, of a suspect one for certainty; empty if nothing"`
	JudgedBy    string                          `col:"judged" words:"judged" doc:"recorded, recomputed or possible: how well the state is known that the step was judged in"`
	SinceConfig core.Optional[int64]            `col:"since_configuration_us" unit:"µs" doc:"time since a configuration replaced another that may still have been in force, by the slack cfg_s; negative if the replacing one came after the step and may already have been in force; null if neither is possible"`
}

// A PendingEpisode is a maximal span in which an operation waited in a queue of its tree for
// admission.
type PendingEpisode struct {
	Operation   core.OperationID           `col:"operation" doc:"id of the operation"`
	Pool        core.PoolID                `col:"pool" doc:"pool of the operation when the episode began"`
	FromTime    core.Time                  `col:"from_time" unit:"time" doc:"when it began to wait"`
	ToTime      core.Time                  `col:"to_time" unit:"time" doc:"when it no longer waited, exclusive"`
	ClippedFrom bool                       `col:"clipped_from" doc:"whether the span began before the window"`
	ClippedTo   bool                       `col:"clipped_to" doc:"whether the span goes on after the window"`
	Recorded    bool                       `col:"recorded" doc:"whether the log records that it waited and, while it was due, the pools of all operations; otherwise the wait follows from a full pool when the operation was ready"`
	Blocking    core.PoolID                `col:"blocking_pool" doc:"pool in whose queue it stood longest"`
	Held        int64                      `col:"held_us" unit:"µs" doc:"time during which the pool of its queue was full, or another that kept the first of the queue"`
	Due         int64                      `col:"due_us" unit:"µs" doc:"time during which it stood first in its queue and nothing kept it from running"`
	LongestDue  int64                      `col:"longest_due_us" unit:"µs" doc:"longest unbroken part of that time, with what of it lies before the window"`
	DueFrom     core.Optional[core.Time]   `col:"longest_due_from" unit:"time" doc:"when that part began; null if it was never due"`
	DuePool     core.Optional[core.PoolID] `col:"longest_due_pool" doc:"pool of the queue then; null if it was never due"`
	AfterLeave  int64                      `col:"due_after_leave_us" unit:"µs" doc:"longest unbroken time of being due in room that a leaving operation of the queue's pool made, with what of it lies before the window"`
	LeaveFrom   core.Optional[core.Time]   `col:"due_after_leave_from" unit:"time" doc:"when that time began; null if there was none"`
	DueUntil    core.Optional[core.Time]   `col:"due_until_time" unit:"time" doc:"until when it was due first, if that began with the row; null otherwise"`
	DueSince    core.Optional[core.Time]   `col:"due_since_time" unit:"time" doc:"since when it was due last, if it still is at the end of the row; null otherwise"`
	Requeued    int64                      `col:"requeued_count" unit:"times" doc:"how often it went to the end of another queue"`
	Jobs        int64                      `col:"job_count" unit:"jobs" doc:"live jobs when it began to wait, and one more if a job ended the wait"`
	Ended       string                     `col:"ended" doc:"how the wait ended: running, job_started, pool_changed, window, or how the operation ended"`
	Unordered   bool                       `col:"unordered" doc:"whether rows by different clocks, closer than the slack clock_s, may be out of order: all these jobs end just after the operation is recorded to wait, or the one that ends the wait starts just after that or just before the operation is recorded to run"`
	Excuse      string                     `col:"excuse" doc:"excuse in the longest part of the time in which it was due; empty if nothing"`
}
