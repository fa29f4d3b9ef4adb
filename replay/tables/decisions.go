package tables

import (
	"poolproof/core"
	"poolproof/core/resource"
)

// A Decision is the row of one rule that a recorded start or preemption did not
// simply pass. Of what lacks an input there is a row for an operation, the rule, the
// input and a span of time: what the log as a whole leaves out (configuration,
// fair_shares) makes one span of an operation's life; otherwise a minute without such
// a decision ends the span.
type Decision struct {
	Time      core.Time                       `col:"time" unit:"time" doc:"when the decision was made; of undecidable ones, the first of the span"`
	Kind      string                          `col:"decision" doc:"start or preemption"`
	Invariant string                          `col:"invariant" doc:"id of the rule, for example PRE-06"`
	Severity  string                          `col:"severity" words:"severity" doc:"how much a violation of the rule matters: critical, major, minor or info"`
	Verdict   string                          `col:"verdict" words:"verdict" doc:"violated, suspect, excused or undecidable; see decision_counts for all"`
	Judged    string                          `col:"judged" words:"judged" doc:"how the evidence was come by: recorded, recomputed or possible; empty if undecidable"`
	Job       string                          `col:"job" doc:"id of the job that was started or taken away; of undecidable decisions the first"`
	JobIx     core.JobID                      `col:"job_ix" unit:"number" doc:"number of the job in the trace"`
	Operation core.OperationID                `col:"operation" doc:"operation of the job"`
	Pool      core.PoolID                     `col:"pool" doc:"pool of that operation"`
	Node      core.Optional[core.NodeID]      `col:"node" doc:"node of the job; null if the source does not say"`
	Found     float64                         `col:"found" unit:"see measure" doc:"what was, in the unit of measure; 0 where nothing is measured"`
	Bound     float64                         `col:"bound" unit:"see measure" doc:"what the rule asks for, likewise"`
	Measure   string                          `col:"measure" doc:"unit of found and bound: amount (of resource: hundredths of a core, devices, bytes of memory, slots or units), share, ratio, µs, number, position, priority, level, list or status; empty where nothing is measured"`
	Resource  core.Optional[resource.Kind]    `col:"resource" doc:"resource of amounts, and of shares of one; null elsewhere"`
	Excuse    string                          `col:"excuse" doc:"what excuses the decision; empty unless excused"`
	Missing   string                          `col:"missing" doc:"input that the check lacks, of a suspect one for certainty; empty of others, and where the doubt is which state the scheduler was in"`
	Until     core.Time                       `col:"until" unit:"time" doc:"when the last decision of the row was made: that of time, but for undecidable ones"`
	Decisions int64                           `col:"decisions" unit:"decisions" doc:"decisions that the row stands for: 1, but for undecidable ones"`
	Other     core.Optional[core.OperationID] `col:"other_operation" doc:"the other side: the operation that goes first by the rules, or the beneficiary of a preemption; null if there is none"`
	LimitPool core.Optional[core.PoolID]      `col:"limit_pool" doc:"of a start over a specified limit, or a preemption below a strong guarantee: the pool whose limit or guarantee it is; null if it is the operation's own, or the rule is about neither"`
	Policy    string                          `col:"policy" doc:"what the policy would have done instead, as far as the log allows to say"`
	Sentence  string                          `col:"sentence" doc:"the check and its outcome, as a sentence"`
}

// A DecisionCount is the row of one minute, rule and verdict.
type DecisionCount struct {
	Minute    core.Time `col:"minute" unit:"time" doc:"start of the minute of log time in which the decisions were made"`
	Invariant string    `col:"invariant" doc:"id of the rule, for example PRE-06"`
	Verdict   string    `col:"verdict" words:"verdict" doc:"ok, undecidable, excused, suspect or violated"`
	Note      string    `col:"note" doc:"the excuse, or the input that is missing; empty for other verdicts"`
	Decisions int64     `col:"decisions" unit:"decisions" doc:"starts or preemptions judged so"`
}

// A Preemption is the row of one job that was taken away or asked to finish,
// with what proves it fair or unfair by the best estimate of the scheduler's
// state.
type Preemption struct {
	Time       core.Time                  `col:"time" unit:"time" doc:"when the job was taken away"`
	Job        string                     `col:"job" doc:"id of the job in the source"`
	JobIx      core.JobID                 `col:"job_ix" unit:"number" doc:"number of the job in the trace"`
	StartTime  core.Time                  `col:"start_time" unit:"time" doc:"when the job had started"`
	Operation  core.OperationID           `col:"operation" doc:"operation that lost the job"`
	Pool       core.PoolID                `col:"pool" doc:"pool of that operation"`
	Node       core.Optional[core.NodeID] `col:"node" doc:"node of the job; null if the source does not say"`
	Reason     string                     `col:"reason" doc:"why: a reason code of the scheduler; where the log gives none, that of the stage that served the beneficiary's priority"`
	ReasonFrom string                     `col:"reason_judged" words:"judged" doc:"how the reason is known: recorded, recomputed, or possible where neither reason nor beneficiary is recorded"`
	Mode       string                     `col:"mode" doc:"abort, interrupt or graceful, in the source's words; empty if it gives none"`
	Judged     string                     `col:"judged" words:"judged" doc:"how the evidence was come by: recorded, recomputed or possible"`

	For           core.Optional[core.OperationID] `col:"beneficiary" doc:"operation that the job made room for; null if none is known"`
	ForPool       core.Optional[core.PoolID]      `col:"beneficiary_pool" doc:"pool of the beneficiary; null if none is known"`
	ForJob        string                          `col:"beneficiary_job" doc:"id of the job that was started instead; empty if none is known"`
	Inferred      bool                            `col:"beneficiary_job_inferred" doc:"whether the log does not name that job: it is the one that the heartbeat started for the beneficiary"`
	Target        string                          `col:"stage_priority" words:"priority" doc:"priority that the stage served"`
	Priority      string                          `col:"beneficiary_priority" words:"priority" doc:"priority of the beneficiary on the node in the configured scope"`
	OwnPriority   string                          `col:"own_priority" words:"priority" doc:"priority of the beneficiary by itself, without its pools"`
	Proper        core.Optional[bool]             `col:"properly_starving" doc:"whether the beneficiary had the stage's priority by itself; null without one"`
	StarvingPool  core.Optional[core.PoolID]      `col:"starving_pool" doc:"pool by whose starvation the beneficiary was entitled; null if by its own or none"`
	StarvingFor   string                          `col:"starving_for" words:"starving_for" doc:"share that it was below: min_share or fair_share; empty if none"`
	StarvingSince core.Optional[core.Time]        `col:"starving_since" unit:"time" doc:"since when it had been below that share; null if it was not"`
	StarvingLimit int64                           `col:"starving_timeout_us" unit:"µs" doc:"after what time below it counts as starving"`
	List          string                          `col:"list" words:"list" doc:"list of the victim: non_preemptible, aggressively_preemptible or preemptible"`
	Level         string                          `col:"level" words:"level" doc:"how easily the victim may be taken: its list, given its operation's settings and SSD"`
	LevelRecorded string                          `col:"recorded_level" doc:"the same as the log says; empty if it does not"`
	Contradicts   string                          `col:"contradicts" doc:"columns of the log that contradict the scheduler's own sentence of the preemption, joined by commas; empty if none does, or the log holds no sentence"`
	Explained     bool                            `col:"explained" doc:"whether the log holds such a sentence"`
	Explanation   string                          `col:"explanation" doc:"that sentence where it contradicts the codes; empty elsewhere"`
	Before        float64                         `col:"satisfaction_before" unit:"ratio" doc:"local satisfaction of the victim's operation when it was the victim's turn; 1e9 without fair share"`
	After         float64                         `col:"satisfaction_after" unit:"ratio" doc:"likewise once the victim was gone"`
	UsageBefore   float64                         `col:"usage_ratio_before" unit:"share" doc:"dominant usage share of the victim's operation when it was the victim's turn"`
	UsageAfter    float64                         `col:"usage_ratio_after" unit:"share" doc:"likewise once the victim was gone"`
	FairRatio     float64                         `col:"fair_share_ratio" unit:"share" doc:"dominant fair share of the victim's operation"`
	BlockerPool   core.Optional[core.PoolID]      `col:"blocker_pool" doc:"pool that protects the victim, if only against those outside it; null if none does"`
	BlockedByOwn  bool                            `col:"blocked_by_operation" doc:"whether the victim's own operation protects it"`
	Candidates    int64                           `col:"candidates" unit:"jobs" doc:"jobs of the node that the stage could take for the beneficiary"`
	Rank          core.Optional[int64]            `col:"rank" unit:"position" doc:"place of the victim among them in the order they are taken in, from 0; null if it is none of them"`
	Better        string                          `col:"better_victim" doc:"id of the first candidate that stayed on the node and goes before the victim; empty if there is none"`
	Younger       string                          `col:"younger_elsewhere" doc:"id of a later job of the victim's operation on another node that could have made the room; looked for if the victim had run for five minutes, empty if there is none"`
	YoungerStart  core.Optional[core.Time]        `col:"younger_elsewhere_start" unit:"time" doc:"when that job had started; null if there is none"`
	HadRoom       bool                            `col:"had_room" doc:"whether the beneficiary's job fitted the node with no victim"`
	Resources     resource.Vector                 `col:"resources" doc:"resources of the victim"`
	Lost          core.Optional[int64]            `col:"lost_us" unit:"µs" doc:"work lost: the progress lost that the log records; else 0 of a victim that completed all the same, and how long one had run that did not; null if the log does not show how it ended"`
	StopTime      core.Optional[core.Time]        `col:"stop_time" unit:"time" doc:"when the victim was seen to have stopped; null if the log does not record it"`
	Verdict       string                          `col:"verdict" words:"verdict" doc:"the worst verdict of a rule that counts; undecidable if that is ok and the log does not settle one of the conditions F1 to F8, or no rule could be judged"`
	Violated      string                          `col:"violated" doc:"ids of the rules broken in every admissible state, joined by commas; those of severity info included"`
	Suspect       string                          `col:"suspect" doc:"ids of the rules broken in some admissible states"`
	Excused       string                          `col:"excused" doc:"ids of the rules broken with an excuse"`
	Undecidable   string                          `col:"undecidable" doc:"ids of the rules that lack an input"`
	Held          string                          `col:"held" doc:"ids of the rules that were kept"`
	Facts         string                          `col:"facts" doc:"verdicts on the eight conditions of a fair preemption, F1 to F8, joined by commas"`
}
