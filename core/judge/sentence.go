package judge

import (
	"fmt"
	"strings"
)

// Sentence tells a ruling to a person: what should hold, what was found, and
// what speaks for leniency.
func (r *Ruling) Sentence() string {
	text := fmt.Sprintf("%v %v: %s", r.Invariant, r.Verdict, r.Invariant.Statement())
	if found := r.found(); found != "" && r.Verdict != Undecidable {
		text += "; " + found
	}
	switch {
	case r.Missing != NothingMissing:
		text += "; the log does not record " + r.Missing.Words()
	case r.Verdict == Excused:
		text += "; excused: " + r.Excuse.Words()
	case r.Verdict == Suspect:
		text += "; the rule holds in another state that the log allows"
	}
	return text
}

// found tells the two sides of a ruling; empty where nothing is measured.
func (r *Ruling) found() string {
	if r.Left == 0 && r.Right == 0 {
		return ""
	}
	u, text := r.Unit(), founds[r.Invariant]
	if r.Summed {
		text = "the fair shares below it come to {1}, and {2} is the most"
	}
	asked := u.show(r.Right-r.Granted, r.Resource)
	if r.Granted > 0 {
		asked += fmt.Sprintf(" (%s of slack granted)", u.show(r.Granted, r.Resource))
	}
	return strings.NewReplacer("{1}", u.show(r.Left, r.Resource), "{2}", asked, "{3}", strings.ReplaceAll(r.Resource.String(), "_", " ")).Replace(text)
}

// founds say what the two sides of a rule are, {1} what was and {2} what the rule asks
// for, of the resource {3} where they are of one. Rules that measure nothing have none, and LST-03, whose records count jobs and
// whose preemptions compare shares.
var founds = [Invariants]string{
	HB01:   "the node would use {1}, and has {2}",
	HB04:   "the operation would use {1}, and demands {2}",
	HB05:   "the satisfaction of the operation was {1}, that of the operation due first {2}",
	HB06:   "the operation used {1} of the tree's {3}, and it may start below {2}",
	HB07:   "with the job the total is {1}, and the most is {2}",
	LIM01:  "usage would be {1}, and the limit is {2}",
	LIM03:  "usage was {1}, and the limit is {2}",
	LIM04:  "it was exceeded for {1}, and the next chance comes within {2}",
	LIM05:  "usage was {1}, and the limit is {2}",
	LIM06:  "usage was {1} by then, and the limit is {2}",
	FIFO03: "the operation is {1} in the order of its pool, the other one {2}",
	TREE01: "{1} trees claim it",
	TREE02: "{1} trees claim it",
	TREE06: "it took {1}, and may take {2}",
	TREE10: "it kept {1} trees",
	POOL05: "it had had none for {1}, and may for {2}",
	PEND01: "there was room for {1}, and a scan comes within {2}",
	PEND05: "jobs that it has: {1}",
	PEND07: "operations of a pool of the chain: {1}, at most {2}",
	CNT01:  "operations of a pool: {1}, at most {2}",
	CNT02:  "running operations of a pool: {1}, at most {2}",
	CNT03:  "it counts {1}, and they are {2}",
	CNT04:  "there were {1}, and the limit is {2}",
	CNT05:  "there were {1}, and the limit is {2}",
	CNT06:  "operations of the fullest pool: {1}, at most {2}",
	CNT08:  "{1} were alive, and {2} may be",
	LW01:   "{1} are counted, and there are {2}",
	LW02:   "{1} are counted, and there are {2}",
	LW03:   "operations of a pool: {1}, at most {2}",
	LW04:   "running operations of a pool: {1}, at most {2}",
	LW05:   "running and lightweight are {1} together, and all are {2}",
	LW07:   "{1} are others",
	SEG03:  "the other segment had had too little for {1}, and its timeout is {2}",
	STV01:  "it had been below its share for {1}, and its timeout is {2}",
	STV02:  "it had been below its share for {1}, and its timeout is {2}",
	STV03:  "it had had its share for {1}, and ceases to starve within {2}",
	STV04:  "it had been below its share for {1}, and the aggressive timeout is {2}",
	STV06:  "it is {1}",
	STV08:  "it is {1}, and was {2}",
	STV11:  "by starving_since it had been below for {1}, by its shares for {2}",
	STV12:  "it had lacked it for {1}, and the timeout is {2}",
	LST01:  "{1} are reported, and the cut gives {2}",
	LST04:  "{1} jobs are protected, and {2} may be",
	LST05:  "it used {1}, and its threshold is {2}",
	PRE01:  "the node used {1} before, and has {2}",
	PRE02:  "with the beneficiary's job the node uses {1}, and has {2}",
	PRE03:  "the beneficiary's priority was {1}, that of the stage {2}",
	PRE04:  "it was below for {1}, and the timeout is {2}",
	PRE05:  "its own priority was {1}, that of the stage {2}",
	PRE06:  "the victim was {1}, and the stage takes what is {2} or less protected",
	PRE08:  "one of them was {1}",
	PRE09:  "the satisfaction was {1}, and has to be above {2}",
	PRE11:  "the victim is {1} in preemption order; the {2} was left running",
	PRE12:  "when it was the victim's turn the node used {1}, and it has {2}",
	PRE13:  "{1} were started",
	PRE14:  "{1} had passed, and the backoff is {2}",
	PRE15:  "its usage was {1} of the tree's {3}, and the threshold is {2}",
	PRE16:  "its usage was {1} of the tree's {3}, and the threshold is {2}",
	PRE17:  "the victim was {1}",
	PRE18:  "the victim was {1}",
	PRE20:  "the victim was {1}, and the stage takes what is {2} or less protected",
	PRE21:  "it took {1}, and may take {2}",
	PRE22:  "it was aborted after {1}, and had {2}",
	PRE23:  "it did not run for {1}, and has to within {2}",
	PRE24:  "with the job and no victim gone the node would use {1}, and has {2}",
	GRC01:  "the job was {1}",
	GRC02:  "it was aborted after {1}, and had {2}",
	OVC01:  "it had been overfull for {1}, and may be for {2}",
	OVC02:  "with those that are better protected the job uses {1}, and the node has {2}",
	GUA01:  "the fair share is {1}, and {2} is owed",
	GUA02:  "it had been below its share for {1}, and its timeout is {2}",
	GUA04:  "the fair share is {1}, and {2} is owed",
	GUA05:  "it has {1}, and {2} is due",
	GUA06:  "the volume is {1} s of the tree, and should be {2} s",
	GUA07:  "{1} of the tree's {3} is left, and {2} is guaranteed and demanded",
	GUA09:  "the fair share is {1}, and {2} is the most",
	GUA10:  "{1} s of the tree were granted, and {2} s were owed",
	LIM07:  "the fair share is {1}, and the limit {2}",
	LIM09:  "{1} are reported, and {2} are the limit",
	FIFO01: "one is {1} in the order, and the next is {2}",
	FIFO02: "a later one was given {1}",
	FIFO04: "its fair share is {1}",
	LOG01:  "{1} are reported, and {2} are used",
}

// Words is the excuse for a person.
func (e Excuse) Words() string { return wordsOf(e, excuseWords) }

var excuseWords = map[Excuse]string{
	Reconnecting:        "the scheduler was away, or had just come back",
	TreesUpdating:       "the set of trees had just been changed",
	PoolsAlert:          "the scheduler could not load its configuration",
	CheckDisabled:       "the tree has switched this check off",
	SSDStage:            "the stage serves SSD, and the victim holds none",
	ThresholdBelowOne:   "preemption_satisfaction_threshold is below 1",
	AggressiveStage:     "the stage preempts aggressively",
	MinSpare:            "without preemption less would have been left than the spare amounts",
	DiskQuota:           "disk quotas take part in what fits",
	BeneficiaryGone:     "the beneficiary ended at once",
	Revival:             "operations were registered again after a restart, without checks",
	RoomUnannounced:     "room became free without a notification",
	Deactivated:         "controllers had declined",
	TimeoutRaised:       "the timeout had been raised",
	KindChanged:         "it had been below its min share for that timeout, which the same clock had waited for",
	StarvationFrozen:    "enable_pool_starvation is off",
	Unschedulable:       "the operation took no part in scheduling",
	QueueChanged:        "the operation that was passed over had changed its pool",
	ModuleReset:         "its demand had been unsatisfied for long, which resets the module",
	Packing:             "the regular stage leaves room alone that suits badly",
	ShareBelowGuarantee: "limits keep the fair share below the guarantee",
	OneHeartbeat:        "satisfaction is not recomputed between the victims of a heartbeat",
	PoolsUnprotected:    "in the profile current pools protect nothing",
	NodeLost:            "the node was lost",
	NodeOverfull:        "the node had no room for what it ran",
	OperationOver:       "the operation was over",
	WaitingTimeout:      "the job had waited for its room for too long",
	NothingLeft:         "limits, or an exhausted tree, leave no more",
}

// Words is the input for a person.
func (i Input) Words() string { return wordsOf(i, inputWords) }

// wordsOf is what a code means for a person: the code itself where it says so.
func wordsOf[Code ~string](code Code, words map[Code]string) string {
	if text, known := words[code]; known {
		return text
	}
	return strings.ReplaceAll(string(code), "_", " ")
}

var inputWords = map[Input]string{
	PreemptedFor:    "for whom the job was preempted",
	ReasonCode:      "why the job was preempted",
	NodeName:        "the node",
	FairShares:      "what fair shares are made of: demand, usage, or what was accumulated before the log began",
	Configuration:   "the configuration, and what only a default states is no promise",
	Segments:        "the segment of the node, or what decides that of the operation",
	Media:           "which disk media the operation asks for",
	StarvationSince: "since when it has been below its share",
	LastPreemptive:  "when preemption was tried before",
	OperationState:  "which operations run and which wait",
	OperationDemand: "what the operation waits for",
	OperationPool:   "in which pools operations are",
	PoolParent:      "below which pool it stood",
	NodeTags:        "the tags of the node",
	Competitors:     "what else could have started",
	User:            "the user of the operation",
	Spec:            "the operation's spec",
	ErrorCode:       "why the start was refused",
	PreemptMode:     "whether the job could be interrupted",
	PreemptTime:     "when the job was preempted",
	JobStates:       "when jobs began to run",
	JobEnds:         "when jobs left",
	Controllers:     "whether the controller of the other operation declined",
	QueueScans:      "when the queues were scanned",
	QueueMoves:      "in which queue the other operation stood",
	Movers:          "whether people moved the node",
}
