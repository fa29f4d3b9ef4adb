package judge

import (
	"fmt"
	"strings"

	"poolproof/core/resource"
)

// Sentence tells a ruling to a person: what should hold, what was found, and
// what speaks for leniency. Amounts are in units.
func (r *Ruling) Sentence(units *resource.Units) string {
	text := fmt.Sprintf("%v %v: %s", r.Invariant, r.Verdict, r.Invariant.Statement())
	if found := r.found(units); found != "" && r.Verdict != Undecidable {
		text += "; " + found
	}
	if r.Cause != "" {
		text += "; " + r.Cause
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
func (r *Ruling) found(units *resource.Units) string {
	if r.Left == 0 && r.Right == 0 {
		return ""
	}
	u, text := r.Unit(), rules[r.Invariant].found
	if r.Summed {
		text = "the fair shares below it come to {1}, and {2} is the most"
	}
	asked := u.show(r.Right-r.Granted, r.Resource, units)
	if r.Granted > 0 {
		asked += fmt.Sprintf(" (%s of slack granted)", u.show(r.Granted, r.Resource, units))
	}
	return strings.NewReplacer("{1}", u.show(r.Left, r.Resource, units), "{2}", asked, "{3}", strings.ReplaceAll(r.Resource.String(), "_", " ")).Replace(text)
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
	PreemptorGone:       "the beneficiary ended at once",
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

// wordsOf returns the words of a code for users, by default the code itself.
func wordsOf[Code ~string](code Code, words map[Code]string) string {
	if text, known := words[code]; known {
		return text
	}
	return strings.ReplaceAll(string(code), "_", " ")
}

var inputWords = map[Input]string{
	PreemptedFor:      "for whom the job was preempted",
	ReasonCode:        "why the job was preempted",
	NodeName:          "the node",
	FairShares:        "what fair shares are made of: demand, usage, or what was accumulated before the log began",
	Configuration:     "the configuration, and what only a default states is no promise",
	Segments:          "the segment of the node, or what decides that of the operation",
	Media:             "which disk media the operation asks for",
	StarvationSince:   "since when it has been below its share",
	OperationRows:     "the records of all operations of the snapshot",
	LastPreemptive:    "when preemption was tried before",
	OperationState:    "which operations run and which wait",
	OperationDemand:   "what the operation waits for",
	OperationPool:     "in which pools operations are",
	PoolParent:        "below which pool it stood",
	NodeTags:          "the tags of the node",
	TreeTotal:         "what all nodes of the tree have",
	Competitors:       "what else could have started",
	User:              "the user of the operation",
	Spec:              "the operation's spec",
	ErrorCode:         "why the start was refused",
	PreemptMode:       "whether the job could be interrupted",
	PreemptTime:       "when the job was preempted",
	JobStates:         "when jobs began to run",
	JobEnds:           "when jobs left",
	JobRows:           "the rows of all jobs",
	Controllers:       "whether the controller of the other operation declined",
	QueueScans:        "when the queues were scanned",
	QueueMoves:        "in which queue the other operation stood",
	Movers:            "whether people moved the node",
	ShareRecords:      "shares as often as they change",
	ShareInputs:       "all inputs of the fair share: weights, guarantees, limits and tree settings in force, FIFO positions, best allocations, historic usage",
	UpdatePeriod:      "how often the scheduler updates shares (fair_share_update_period)",
	ChildOrder:        "in which order the pools and operations stand that were there before",
	SettingChanges:    "whether these settings were changed",
	UnmodelledOptions: "what an option of the tree or of a pool does that is not modelled",
	VolumeReports:     "all that the operation accumulated since the report before",
	Allocations:       "whether the job continues an allocation",
}
