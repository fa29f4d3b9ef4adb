package google2011

import (
	"maps"

	"poolproof/ingest/joblog"
)

// The codes of problems, beside those of any table.
const (
	// Quarantined.
	codeUnknownEvent  = "unknown_event"
	codeAfterEnd      = "after_end"
	codeDuplicateRow  = "duplicate_row"
	codeNoSubmit      = "no_submit"
	codeRepeatedEvent = "repeated_event"
	codeOver          = "event_after_end"
	codeDuplicateNode = "duplicate_node"
	// Noted.
	codeMissingSubmit = "missing_submit"
	codeResubmitted   = "resubmitted"
	codeUserChanged   = "user_changed"
	codeLateEvent     = "late_event"
	codeInferredEnd   = "inferred_end"
	codeNoCreation    = "no_creation"
	codeMissingInfo   = "unknown_missing_info"
)

// explanations say what the codes of problems mean that an import finds.
var explanations = map[string]string{
	codeUnknownEvent:  "the event type is none of 0 (SUBMIT) to 8 (UPDATE_RUNNING). The line is left out.",
	codeAfterEnd:      "the event happened after the log ended (time 2^63-1). The line is left out.",
	codeDuplicateRow:  "the same line again. It is left out.",
	codeNoSubmit:      "the job ends or changes, and no line submitted or scheduled it. The line is left out.",
	codeRepeatedEvent: "the job was submitted or scheduled already. The line is left out.",
	codeOver:          "the job was over. The line is left out.",
	codeDuplicateNode: "the machine is there already. The line is left out.",

	codeMissingSubmit: "the job is scheduled and no line submitted it. It is taken to be submitted then; how long it waited is not known.",
	codeResubmitted:   "the job is submitted again after its end. From there on it is an operation of its own, id#2 and so on.",
	codeUserChanged:   "the user is not the one who submitted the job. That one counts.",
	codeLateEvent:     "missing_info 0: the event was not seen; a later snapshot showed that it had happened. It was earlier than its time.",
	codeInferredEnd:   "missing_info 1: the end was not seen; the job was gone from later snapshots. Its time is the latest that it can have been.",
	codeNoCreation:    "missing_info 2: the creation of the job was not seen. Its submission and start may have been earlier.",
	codeMissingInfo:   "missing_info is none of 0, 1 and 2. It is ignored.",
}

// Explanations returns what the codes of an import's problems mean, by code.
func Explanations() map[string]string {
	all := joblog.TableExplanations()
	maps.Copy(all, explanations)
	return all
}
