package judge

import "poolproof/core/spec"

// A rule says how an invariant is judged; core/spec/rules.txt says what it states.
type rule struct {
	invariant Invariant
	id        string
	unit      Unit // of the two sides of its rulings
	inputs    Inputs
	windows   windows
	fact      uint8 // number of the condition of a fair preemption that it states
	about     Subject
	attribute Attribute

	preemption preemptionCheck // of one victim of a batch
	start      startCheck

	policy string // what the policy would have done, for decisions

	// found describes the two sides: {1} the actual value, {2} the required one, {3} the resource,
	// if any. It is empty for rules that measure nothing and for LST-03, whose records count jobs
	// and whose preemptions compare shares.
	found string
}

// Inputs is a set of inputs of rules beyond the record of the decision itself. Doubt about an input
// means doubt about the rule.
type Inputs uint8

// The inputs of rules.
const (
	OnState         Inputs = 1 << iota // running jobs, starvation and its clocks, lists and shares
	OnConfiguration                    // configuration of the tree and its pools, and the operations in them
	OnDemand                           // demand of operations, and so starvation and fair shares
	OnVersions                         // replayed versions are those in force: a pool concerned changed just now
	OnShares                           // demand of any operation of the tree, and so all fair shares, and lists and orders by them
	OnJobs                             // live jobs: some may have left a node, or so many have left the tree that shares differ
	OnOperations                       // live operations: start or end of some is not recorded

	onBounds   = OnState | OnVersions | OnJobs
	onSettings = OnConfiguration | OnVersions
	onTimes    = OnState | OnConfiguration | OnVersions
	onTree     = onTimes | OnJobs // default for rules that are not known to need less
	onCounts   = onTree | OnOperations
	onLists    = onTree | OnShares
	onDemand   = onLists | OnDemand
)

// windows says when global excuse windows excuse a breach of a rule, if they do at all
// (spec.Rule.HasWindows). While the scheduler cannot read its configuration, limits and guarantees
// are those of the last accepted version: if that is the replayed one, or is broken too, nothing is
// excused.
type windows uint8

const (
	excuseAll      windows = iota // always
	excuseAccepted                // while a configuration is refused, only if another may have been in force
	excuseTried                   // likewise for rules that try each version that may have been in force
)

// A Subject is the kind of object that a rule of starts concerns.
type Subject uint8

// The subjects.
const (
	AboutOperation   Subject = iota
	AboutNode                // judged even if the operation is not in the tree
	AboutCompetitors         // another operation had to go first
	AboutTrees               // the trees in which jobs may run
)

// An Attribute is a property of a node that rules use and whose changes the log may record late.
type Attribute uint8

// The attributes.
const (
	NoAttribute Attribute = iota
	Presence
	Tags
	Segment
)

// declared lists all rules in the order of judging.
var declared = [...]rule{
	{invariant: HB01, id: "HB-01", unit: Amounts, inputs: onBounds, about: AboutNode, found: "the node would use {1}, and has {2}",
		policy: "start nothing: the node had no room",
		start:  startCheck{doubts: onUsage, applies: (*Start).knowsNode, holds: (*Start).fitsNode}},
	{invariant: HB02, id: "HB-02", inputs: onBounds, about: AboutNode, attribute: Presence, policy: "start nothing: the node was not offered",
		start: startCheck{applies: (*Start).knowsPresence, holds: (*Start).isOffered}},
	{invariant: HB03, id: "HB-03", inputs: onBounds, about: AboutNode, policy: "pass the operation over",
		start: startCheck{holds: (*Start).isSchedulable}},
	{invariant: HB04, id: "HB-04", unit: Amounts, inputs: onBounds, found: "the operation would use {1}, and demands {2}",
		policy: "pass the operation over: its demand was met",
		start:  startCheck{doubts: onUsage, holds: (*Start).isDemanded}},
	{invariant: HB05, id: "HB-05", unit: Satisfactions, inputs: onTree, about: AboutCompetitors,
		found:  "the satisfaction of the operation was {1}, that of the operation due first {2}",
		policy: "start a job of the other operation, which was less satisfied",
		start:  startCheck{needs: needLists, applies: (*Start).goesBySatisfaction, holds: (*Start).isLeastSatisfied}},
	{invariant: HB06, id: "HB-06", unit: PartShares, inputs: onDemand, found: "the operation used {1} of the tree's {3}, and it may start below {2}",
		policy: "pass the operation over: it had its fair share",
		start:  startCheck{needs: needShares, applies: (*Start).isGraceful, holds: (*Start).isBelow}},
	{invariant: HB07, id: "HB-07", unit: Amounts, inputs: onTree, about: AboutNode, found: "with the job the total is {1}, and the most is {2}",
		policy: "end the stage before this job",
		start:  startCheck{needs: needConfiguration, applies: (*Start).isCounted, holds: (*Start).leavesSpare}},
	{invariant: HB08, id: "HB-08", inputs: onSettings, attribute: Tags, policy: "pass the operation over on this node",
		start: startCheck{needs: needConfiguration, applies: (*Start).isOnSSDNode, holds: (*Start).mayUseSSDNode}},
	{invariant: HB09, id: "HB-09", inputs: onTree, about: AboutCompetitors, policy: "start a job of the other operation, whose guarantee was not met",
		start: startCheck{needs: needLists, applies: (*Start).hasGuaranteeStage, holds: (*Start).hadPriority}},
	{invariant: GUA08, id: "GUA-08", inputs: onTree, windows: excuseAccepted, about: AboutCompetitors,
		policy: "start a job of the other operation, whose guarantee was not met",
		start:  startCheck{needs: needLists, applies: (*Start).hasGuaranteeStage, holds: (*Start).hadPriority}},
	{invariant: PRE01, id: "PRE-01", unit: Amounts, inputs: onBounds, fact: 1, found: "the node used {1} before, and has {2}",
		policy:     "leave the job: nobody profited",
		preemption: preemptionCheck{kinds: byStage, needs: needPreemptor, doubts: onUsage | onAsked, holds: (*Batch).serves, excuse: (*Batch).preemptorGone}},
	{invariant: PRE02, id: "PRE-02", unit: Amounts, inputs: onBounds, fact: 1, found: "with the beneficiary's job the node uses {1}, and has {2}",
		policy:     "leave the job: the beneficiary's job did not fit",
		preemption: preemptionCheck{kinds: byStage, needs: needPreemptor | needNode, doubts: onUsage, applies: (*Batch).hasPreemptor, holds: (*Batch).fitsFreed}},
	{invariant: PRE03, id: "PRE-03", unit: Priorities, inputs: onDemand, fact: 2, found: "the beneficiary's priority was {1}, that of the stage {2}",
		policy:     "serve an operation of the stage's priority",
		preemption: preemptionCheck{kinds: byStage, needs: needLists | needServed | needReason, helps: needClock, doubts: onClock, applies: (*Batch).hasPreemptor, holds: (*Batch).hasPriority}},
	{invariant: PRE04, id: "PRE-04", unit: Times, inputs: onDemand, fact: 2, found: "it was below for {1}, and the timeout is {2}",
		policy:     "leave the job: nobody had starved long enough",
		preemption: preemptionCheck{kinds: byStage, needs: needLists | needServed, helps: needClock, doubts: onClock, applies: (*Batch).hasPreemptor, holds: (*Batch).wasStarving, excuse: (*Batch).timeoutRaised}},
	{invariant: PRE05, id: "PRE-05", unit: Priorities, inputs: onDemand, found: "its own priority was {1}, that of the stage {2}",
		policy:     "allowed: a pool above the beneficiary starved",
		preemption: preemptionCheck{kinds: byStage, needs: needLists | needServed, helps: needClock, doubts: onClock, applies: (*Batch).hasPreemptor, holds: (*Batch).isProper}},
	{invariant: PRE06, id: "PRE-06", unit: Levels, inputs: onDemand, fact: 3,
		found: "the victim was {1}, and the stage takes what is {2} or less protected", policy: "leave the job: its list is protected from the stage",
		preemption: preemptionCheck{kinds: byStage | byLimits, needs: needLists | needStage, doubts: onMine | onUsage | onOthers, holds: (*Batch).hasLevel}},
	{invariant: PRE07, id: "PRE-07", inputs: onTimes, fact: 5, policy: "ask the job to finish gracefully",
		preemption: preemptionCheck{kinds: byStage | byLimits, needs: needConfiguration, holds: (*Batch).isNotGraceful}},
	{invariant: PRE08, id: "PRE-08", unit: Statuses, inputs: onDemand, fact: 4, found: "one of them was {1}",
		policy:     "leave the job: its operation or a pool above it starved",
		preemption: preemptionCheck{kinds: byStage | byLimits, needs: needLists, helps: needServed | needPlace | needOwnClock, doubts: onClock, holds: (*Batch).isNotStarving, excuse: (*Batch).starvationUnchecked}},
	{invariant: PRE09, id: "PRE-09", unit: Satisfactions, inputs: onDemand, fact: 4, found: "the satisfaction was {1}, and has to be above {2}",
		policy:     "leave the job: its operation or a pool above it had no more than its share",
		preemption: preemptionCheck{kinds: byStage | byLimits, needs: needLists | needStage, helps: needServed | needPlace, doubts: onMine | onUsage | onOthers | onLag, applies: (*Batch).checksSatisfaction, holds: (*Batch).isSatisfied, excuse: (*Batch).satisfactionUnchecked}},
	{invariant: PRE10, id: "PRE-10", inputs: onDemand, fact: 4, policy: "leave the job to beneficiaries inside the pool that protects it",
		preemption: preemptionCheck{kinds: byStage, needs: needLists | needStage, helps: needServed | needPlace | needOwnClock, doubts: onClock | onMine | onUsage | onOthers, applies: (*Batch).mayBeConditional, holds: (*Batch).isInsideBlocker}},
	{invariant: PRE11, id: "PRE-11", unit: Positions, inputs: onLists, fact: 6,
		found: "the victim is {1} in preemption order; the {2} was left running", policy: "take the better victim first",
		preemption: preemptionCheck{kinds: byStage, needs: needLists | needStage | needNode, doubts: onClock | onMine | onTheirs | onUsage | onOthers, holds: (*Batch).isFirst}},
	{invariant: PRE12, id: "PRE-12", unit: Amounts, inputs: onBounds, fact: 7,
		found: "when it was the victim's turn the node used {1}, and it has {2}", policy: "stop before this job: the node fitted without it",
		preemption: preemptionCheck{kinds: byStage, needs: needNode, helps: needPreemptor | needPlace, doubts: onMine | onTheirs | onUsage | onAsked | onOthers, holds: (*Batch).isNeeded, excuse: (*Batch).diskQuota}},
	{invariant: PRE13, id: "PRE-13", unit: Counts, inputs: OnVersions | OnJobs, about: AboutNode, found: "{1} were started",
		policy:     "start one job with preemption",
		preemption: preemptionCheck{kinds: byStage, needs: needPreemptor, holds: (*Batch).startsOne},
		start:      startCheck{applies: (*Start).isInPlace, holds: (*Start).isOnlyInPlace}},
	{invariant: PRE14, id: "PRE-14", unit: Times, inputs: onTimes, fact: 8, found: "{1} had passed, and the backoff is {2}",
		policy:     "wait until the node's backoff has passed",
		preemption: preemptionCheck{kinds: byStage, needs: needConfiguration | needNode, helps: needTimes, doubts: onClock, holds: (*Batch).waited}},
	{invariant: PRE15, id: "PRE-15", unit: PartShares, inputs: onDemand, found: "its usage was {1} of the tree's {3}, and the threshold is {2}",
		policy:     "leave the job: aggressive preemption ends at its threshold",
		preemption: preemptionCheck{kinds: byStage, needs: needLists | needStage, doubts: onMine | onUsage | onOthers, applies: (*Batch).isAggressive, holds: (*Batch).leavesAggressiveThreshold}},
	{invariant: PRE16, id: "PRE-16", unit: PartShares, inputs: onDemand, found: "its usage was {1} of the tree's {3}, and the threshold is {2}",
		policy:     "leave the job: preemption ends at its threshold",
		preemption: preemptionCheck{kinds: byStage, needs: needLists | needStage, doubts: onMine | onUsage | onOthers, applies: (*Batch).isNormal, holds: (*Batch).leavesThreshold}},
	{invariant: PRE17, id: "PRE-17", unit: Lists, inputs: onLists, found: "the victim was {1}",
		policy:     "leave the job: its pool forbids aggressive preemption",
		preemption: preemptionCheck{kinds: byStage, needs: needLists | needStage, doubts: onMine | onUsage | onOthers, applies: (*Batch).forbidsAggressive, holds: (*Batch).isPreemptible}},
	{invariant: PRE18, id: "PRE-18", unit: Lists, inputs: onLists, found: "the victim was {1}",
		policy:     "leave the job: gang operations are protected",
		preemption: preemptionCheck{kinds: byStage, needs: needLists | needStage, doubts: onMine | onUsage | onOthers, applies: (*Batch).isProtectedGang, holds: (*Batch).isPreemptible}},
	{invariant: PRE19, id: "PRE-19", inputs: onTree, attribute: Tags, policy: "run no stage for SSD here",
		preemption: preemptionCheck{kinds: byStage, needs: needConfiguration | needStage | needServed | needNode, applies: (*Batch).isSSDStage, holds: (*Batch).servesSSD}},
	{invariant: PRE20, id: "PRE-20", unit: Levels, inputs: onLists, attribute: Tags,
		found: "the victim was {1}, and the stage takes what is {2} or less protected", policy: "leave the job: it holds SSD",
		preemption: preemptionCheck{kinds: byStage, needs: needLists | needStage | needNode, doubts: onMine | onUsage | onOthers, applies: (*Batch).holdsSSD, holds: (*Batch).isSSDAggressive}},
	{invariant: PRE21, id: "PRE-21", unit: Times, inputs: onTree, found: "it took {1}, and may take {2}",
		policy: "have the node abort the job at its deadline"},
	{invariant: PRE22, id: "PRE-22", unit: Times, inputs: onTree, found: "it was aborted after {1}, and had {2}",
		policy: "let the job run up to its deadline"},
	{invariant: PRE23, id: "PRE-23", unit: Times, inputs: onTree, found: "it did not run for {1}, and has to within {2}",
		policy: "let the job run as soon as its room was free"},
	{invariant: PRE24, id: "PRE-24", unit: Amounts, inputs: onTree, found: "with the job and no victim gone the node would use {1}, and has {2}",
		policy:     "start the job in the free room",
		preemption: preemptionCheck{kinds: byStage, needs: needPreemptor | needNode, helps: needSpare, doubts: onUsage | onAsked, applies: (*Batch).hasPreemptor, holds: (*Batch).hadNoRoom, excuse: (*Batch).spareRule}},
	{invariant: PRE25, id: "PRE-25", inputs: OnVersions | OnJobs, policy: "name a job that exists",
		preemption: preemptionCheck{kinds: byStage, applies: (*Batch).isFound, holds: (*Batch).namesKnownJob}},
	{invariant: PRE26, id: "PRE-26", inputs: onSettings, fact: 4, policy: "leave the job: its pool forbids normal preemption",
		preemption: preemptionCheck{kinds: byStage, needs: needConfiguration | needStage, applies: (*Batch).isNormal, holds: (*Batch).isNormalAllowed}},
	{invariant: FIFO03, id: "FIFO-03", unit: Positions, inputs: onTree, about: AboutCompetitors,
		found:  "the operation is {1} in the order of its pool, the other one {2}",
		policy: "start a job of the other operation, which comes first in its pool",
		start:  startCheck{applies: (*Start).goesInOrder, holds: (*Start).isInOrder}},
	{invariant: LST01, id: "LST-01", unit: Counts, inputs: onTree, found: "{1} are reported, and the cut gives {2}"},
	{invariant: LST03, id: "LST-03", unit: Shares, inputs: onLists, policy: "leave the job: its operation gets all it demands",
		preemption: preemptionCheck{kinds: byStage, needs: needLists | needStage, applies: (*Batch).isNormal, holds: (*Batch).isNotEntitled}},
	{invariant: LST04, id: "LST-04", unit: Counts, inputs: onTree, found: "{1} jobs are protected, and {2} may be"},
	{invariant: LST05, id: "LST-05", unit: Amounts, inputs: onTree, found: "it used {1}, and its threshold is {2}",
		policy:     "leave the job: its operation is below its non-preemptible threshold",
		preemption: preemptionCheck{kinds: byStage | byLimits, needs: needConfiguration | needStage, doubts: onMine | onUsage, applies: (*Batch).hasThreshold, holds: (*Batch).reachesThreshold}},
	{invariant: GUA07, id: "GUA-07", unit: PartShares, inputs: onDemand, windows: excuseAccepted,
		found: "{1} of the tree's {3} is left, and {2} is guaranteed and demanded", policy: "leave the job: it stands for a strong guarantee",
		preemption: preemptionCheck{kinds: byStage, needs: needLists | needStage, helps: needServed | needPlace, doubts: onMine | onUsage | onOthers, applies: (*Batch).hasGuarantee, holds: (*Batch).leavesGuarantee, excuse: (*Batch).thresholdExcuse}},
	{invariant: LIM01, id: "LIM-01", unit: Amounts, inputs: OnState, windows: excuseTried, found: "usage would be {1}, and the limit is {2}",
		policy: "pass the operation over: a limit was full",
		start:  startCheck{doubts: onUsage, holds: (*Start).fitsLimits}},
	{invariant: LIM03, id: "LIM-03", unit: Amounts, inputs: OnState, windows: excuseTried, found: "usage was {1}, and the limit is {2}",
		policy: "pass the operation over: a limit was exceeded",
		start:  startCheck{doubts: onUsage, holds: (*Start).isUnderNoViolation}},
	{invariant: LIM04, id: "LIM-04", unit: Times, inputs: onTree, windows: excuseAccepted,
		found: "it was exceeded for {1}, and the next chance comes within {2}"},
	{invariant: LIM05, id: "LIM-05", unit: Amounts, inputs: onTree, windows: excuseAccepted, found: "usage was {1}, and the limit is {2}",
		policy:     "leave the job: no limit was exceeded",
		preemption: preemptionCheck{kinds: byLimits, needs: needConfiguration, doubts: onMine | onUsage | onLag, holds: (*Batch).violatedLimits}},
	{invariant: LIM06, id: "LIM-06", unit: Amounts, inputs: onTree, windows: excuseAccepted, found: "usage was {1} by then, and the limit is {2}",
		policy:     "stop before this job: the limit was kept again",
		preemption: preemptionCheck{kinds: byLimits, needs: needConfiguration, doubts: onMine | onUsage | onLag, holds: (*Batch).stillViolatedLimits}},
	{invariant: GRC01, id: "GRC-01", unit: Lists, inputs: onLists, found: "the job was {1}", policy: "leave the job",
		preemption: preemptionCheck{kinds: byGrace, needs: needLists, doubts: onMine | onUsage | onOthers, holds: (*Batch).isGracefulOnce}},
	{invariant: GRC02, id: "GRC-02", unit: Times, inputs: onTree, found: "it was aborted after {1}, and had {2}",
		policy: "let the job run up to its deadline"},
	{invariant: OVC01, id: "OVC-01", unit: Times, inputs: onTree, found: "it had been overfull for {1}, and may be for {2}",
		policy:     "wait: the node was not overfull for long enough",
		preemption: preemptionCheck{kinds: byOvercommit, needs: needConfiguration | needNode, doubts: onClock | onUsage, holds: (*Batch).wasOvercommitted}},
	{invariant: OVC02, id: "OVC-02", unit: Amounts, inputs: onLists,
		found: "with those that are better protected the job uses {1}, and the node has {2}", policy: "keep this job",
		preemption: preemptionCheck{kinds: byOvercommit, needs: needLists | needNode, doubts: onMine | onTheirs | onUsage | onAsked, holds: (*Batch).isNotKept}},
	{invariant: PEND01, id: "PEND-01", unit: Times, inputs: onTree, found: "there was room for {1}, and a scan comes within {2}"},
	{invariant: PEND02, id: "PEND-02", unit: Times, inputs: onTree},
	{invariant: PEND03, id: "PEND-03", unit: Times, inputs: onTree},
	{invariant: PEND05, id: "PEND-05", unit: Counts, inputs: onTree, about: AboutTrees, found: "jobs that it has: {1}",
		start: startCheck{holds: (*Start).isNotPending}},
	{invariant: PEND06, id: "PEND-06", inputs: onTree},
	{invariant: PEND07, id: "PEND-07", unit: Counts, inputs: onCounts, found: "operations of a pool of the chain: {1}, at most {2}"},
	{invariant: TREE01, id: "TREE-01", unit: Counts, inputs: onTree, found: "{1} trees claim it"},
	{invariant: TREE02, id: "TREE-02", unit: Counts, inputs: onTree, found: "{1} trees claim it"},
	{invariant: TREE03, id: "TREE-03", inputs: onTree, about: AboutTrees,
		start: startCheck{applies: (*Start).knowsNode, holds: (*Start).isOnOwnNode}},
	{invariant: TREE05, id: "TREE-05", inputs: onTree, about: AboutTrees,
		start: startCheck{holds: (*Start).isInTree}},
	{invariant: TREE06, id: "TREE-06", unit: Times, inputs: onTree, found: "it took {1}, and may take {2}"},
	{invariant: TREE07, id: "TREE-07", inputs: onTree},
	{invariant: TREE09, id: "TREE-09", inputs: onTree},
	{invariant: TREE10, id: "TREE-10", unit: Counts, inputs: onTree, found: "it kept {1} trees"},
	{invariant: TREE11, id: "TREE-11", inputs: onTree, about: AboutTrees,
		start: startCheck{applies: (*Start).knowsNode, holds: (*Start).matchesTags}},
	{invariant: SEG01, id: "SEG-01", inputs: onTree, attribute: Segment, policy: "pass the operation over on this node: segments differ",
		start: startCheck{needs: needConfiguration, applies: (*Start).hasSegments, holds: (*Start).isInSegment}},
	{invariant: SEG02, id: "SEG-02", inputs: onTree, attribute: Segment, policy: "start the job where the operation's others run",
		start: startCheck{needs: needConfiguration, applies: (*Start).runsAlready, holds: (*Start).staysInSegment}},
	{invariant: SEG03, id: "SEG-03", unit: Times, inputs: onTree, found: "the other segment had had too little for {1}, and its timeout is {2}",
		policy: "leave the node in its segment"},
	{invariant: POOL01, id: "POOL-01", inputs: onTree},
	{invariant: POOL02, id: "POOL-02", inputs: onTree},
	{invariant: POOL03, id: "POOL-03", inputs: onCounts},
	{invariant: POOL04, id: "POOL-04", inputs: onTree},
	{invariant: POOL05, id: "POOL-05", unit: Times, inputs: onCounts, found: "it had had none for {1}, and may for {2}"},
	{invariant: POOL06, id: "POOL-06", inputs: onTree},
	{invariant: POOL07, id: "POOL-07", inputs: onTree},
	{invariant: POOL08, id: "POOL-08", inputs: onTree},
	{invariant: CNT01, id: "CNT-01", unit: Counts, inputs: onCounts, windows: excuseAccepted, found: "operations of a pool: {1}, at most {2}"},
	{invariant: CNT02, id: "CNT-02", unit: Counts, inputs: onCounts, windows: excuseAccepted, found: "running operations of a pool: {1}, at most {2}"},
	{invariant: CNT03, id: "CNT-03", unit: Counts, inputs: onCounts, found: "it counts {1}, and they are {2}"},
	{invariant: CNT04, id: "CNT-04", unit: Counts, inputs: onTree, found: "there were {1}, and the limit is {2}"},
	{invariant: CNT05, id: "CNT-05", unit: Counts, inputs: onTree, found: "there were {1}, and the limit is {2}"},
	{invariant: CNT06, id: "CNT-06", unit: Counts, inputs: onCounts, windows: excuseAccepted,
		found: "operations of the fullest pool: {1}, at most {2}"},
	{invariant: CNT08, id: "CNT-08", unit: Counts, inputs: onCounts, found: "{1} were alive, and {2} may be"},
	{invariant: LW01, id: "LW-01", unit: Counts, inputs: onTree, found: "{1} are counted, and there are {2}"},
	{invariant: LW02, id: "LW-02", unit: Counts, inputs: onTree, windows: excuseAccepted, found: "{1} are counted, and there are {2}"},
	{invariant: LW03, id: "LW-03", unit: Counts, inputs: onCounts, windows: excuseAccepted, found: "operations of a pool: {1}, at most {2}"},
	{invariant: LW04, id: "LW-04", unit: Counts, inputs: onCounts, windows: excuseAccepted, found: "running operations of a pool: {1}, at most {2}"},
	{invariant: LW05, id: "LW-05", unit: Counts, inputs: onTree, found: "running and lightweight are {1} together, and all are {2}"},
	{invariant: LW07, id: "LW-07", unit: Counts, inputs: onTree, found: "{1} are others"},
	{invariant: STV01, id: "STV-01", unit: Times, inputs: onTree, found: "it had been below its share for {1}, and its timeout is {2}"},
	{invariant: STV02, id: "STV-02", unit: Times, inputs: onTree, found: "it had been below its share for {1}, and its timeout is {2}"},
	{invariant: STV03, id: "STV-03", unit: Times, inputs: onTree, found: "it had had its share for {1}, and ceases to starve within {2}"},
	{invariant: STV04, id: "STV-04", unit: Times, inputs: onTree, found: "it had been below its share for {1}, and the aggressive timeout is {2}"},
	{invariant: STV05, id: "STV-05", unit: Times, inputs: onSettings, found: "a timeout of {1} is recorded, and it is {2}"},
	{invariant: STV06, id: "STV-06", unit: Statuses, inputs: onTree, found: "it is {1}"},
	{invariant: STV08, id: "STV-08", unit: Statuses, inputs: onTree, found: "it is {1}, and was {2}"},
	{invariant: STV11, id: "STV-11", unit: Times, inputs: onTree, found: "by starving_since it had been below for {1}, by its shares for {2}"},
	{invariant: STV12, id: "STV-12", unit: Times, inputs: onTree, found: "it had lacked it for {1}, and the timeout is {2}"},
	{invariant: GUA01, id: "GUA-01", unit: Shares, inputs: onTree, windows: excuseAccepted, found: "the fair share is {1}, and {2} is owed"},
	{invariant: GUA02, id: "GUA-02", unit: Times, inputs: onTree, windows: excuseAccepted,
		found: "it had been below its share for {1}, and its timeout is {2}"},
	{invariant: GUA04, id: "GUA-04", unit: Shares, inputs: onTree, windows: excuseAccepted, found: "the fair share is {1}, and {2} is owed"},
	{invariant: GUA05, id: "GUA-05", unit: Shares, inputs: onTree, windows: excuseAccepted, found: "it has {1}, and {2} is due"},
	{invariant: GUA06, id: "GUA-06", unit: Volumes, inputs: onTree, windows: excuseAccepted,
		found: "the volume is {1} s of the tree, and should be {2} s"},
	{invariant: GUA09, id: "GUA-09", unit: Shares, inputs: onTree, windows: excuseAccepted, found: "the fair share is {1}, and {2} is the most"},
	{invariant: GUA10, id: "GUA-10", unit: Volumes, inputs: onTree, windows: excuseAccepted,
		found: "{1} s of the tree were granted, and {2} s were owed"},
	{invariant: GUA11, id: "GUA-11", unit: Shares, inputs: onTree, windows: excuseAccepted, found: "the fair share is {1}, and {2} follows"},
	{invariant: LIM07, id: "LIM-07", unit: Shares, inputs: onTree, windows: excuseAccepted, found: "the fair share is {1}, and the limit {2}"},
	{invariant: LIM09, id: "LIM-09", unit: Amounts, inputs: onTree, windows: excuseAccepted, found: "{1} are reported, and {2} are the limit"},
	{invariant: FIFO01, id: "FIFO-01", unit: Positions, inputs: onTree, found: "one is {1} in the order, and the next is {2}"},
	{invariant: FIFO02, id: "FIFO-02", unit: Shares, inputs: onTree, found: "a later one was given {1}"},
	{invariant: FIFO04, id: "FIFO-04", unit: Shares, inputs: onTree, found: "its fair share is {1}"},
	{invariant: LOG01, id: "LOG-01", unit: Amounts, inputs: onBounds, found: "{1} are reported, and {2} are used"},
	{invariant: ACC01, id: "ACC-01", unit: Volumes, inputs: onBounds, found: "a volume of {3} is {1} s of the tree, and its bound is {2} s"},
	{invariant: ACC02, id: "ACC-02", unit: Volumes, inputs: onBounds, found: "that of {3} is {1} s of the tree, and {2} s follow"},
	{invariant: ACC03, id: "ACC-03", unit: Volumes, inputs: onBounds, found: "that of {3} is {1} s of the tree, and {2} s follow"},
}

// rules are those that are declared, and stated what they state, by their invariants.
var rules, stated = func() (all [Invariants]rule, stated [Invariants]spec.Rule) {
	for i := range declared {
		all[declared[i].invariant], stated[declared[i].invariant] = declared[i], spec.Of(declared[i].id)
	}
	return all, stated
}()

// String returns the id, for example "PRE-06".
func (i Invariant) String() string { return rules[i].id }

// Severity says how much a violation matters.
func (i Invariant) Severity() spec.Severity { return stated[i].Severity }

// Statement says in a clause what holds where the invariant is kept.
func (i Invariant) Statement() string { return stated[i].Clause }

// Policy says what the policy would have done where a decision broke it, "" if nothing does.
func (i Invariant) Policy() string { return rules[i].policy }

// About says what the rule of a start is about.
func (i Invariant) About() Subject { return rules[i].about }

// Attribute says by which attribute of the node the rule goes, if by any.
func (i Invariant) Attribute() Attribute { return rules[i].attribute }

// Unit says what the two sides of its rulings are.
func (i Invariant) Unit() Unit { return rules[i].unit }

// isExcused reports whether the window that a decision fell in excuses a breach of a rule.
func (c *Context) isExcused(i Invariant, f *finding) bool {
	switch w := rules[i].windows; {
	case c.Excuse == NoExcuse || !stated[i].HasWindows():
		return false
	case c.Excuse != PoolsAlert || w == excuseAll:
		return true
	case w == excuseTried:
		return f.may
	}
	return c.Shaken&OnConfiguration != 0
}
