package ingest

import (
	"maps"
)

// explanations say what the codes of reading a trace mean, and what to do.
var explanations = map[string]string{
	nullValue:          "a column that every row must fill is null. The row is left out; mend the recorder.",
	outOfOrder:         "the row stands before a row of its table that it follows in time, in a file whose writer promises the order. It is left out. Files of other writers are sorted while they are read.",
	duplicateSeq:       "two rows of a table have the same time and seq. The second is left out: seq must be unique in a tree.",
	timeOutOfRange:     "a time that stands for \"none\", such as 1970, far from the rest of the log. Write null instead.",
	idOutOfRange:       "a number that the dimension tables do not have. The trace is incomplete, or written by mistake.",
	duplicateID:        "a number of a dimension that another row has taken. The second row is left out.",
	duplicateJob:       "a job starts whose number a live job has. The second start is left out.",
	poolOfOtherTree:    "the row names a pool that dim/pools gives to another tree.",
	negativeResource:   "an amount below zero. The row is left out.",
	badNumber:          "a number that its column cannot mean, such as NaN, a negative weight, a weight that the profile does not allow, a share above 1e9 or an amount above 2^56. A setting counts as absent; a row of the log is left out.",
	unknownEnum:        "a word that is not one of those that the column may hold.",
	finishBeforeStart:  "a job ends before it starts. The row is left out: neither time can be trusted.",
	missingFinish:      "a job is said to have ended, and no time is given. Its end counts as unknown.",
	contradictoryEnd:   "a job is said to be running, and a finish time is given.",
	preemptBeforeStart: "a job is preempted before it starts. The row is left out.",
	preemptAfterFinish: "a job is preempted after it ended. It ends at its end.",
	endBeforeBegin:     "valid_to of a configuration lies before its time. The version holds until the next one.",
	badConfig:          "config_json is not JSON, or an option in it has a wrong value by the rules of the profile, or stands beside one of its other names. That option counts as absent.",
	badFilter:          "a filter of nodes that is no formula of tags. The filter counts as absent.",
	badSpec:            "spec_json of an operation is not JSON, so that its options are unknown; or an option in it has a wrong value by the rules of the profile that the manifest names. That option counts as absent.",
	missingRows:        "the files of the table have fewer rows than the manifest counts. What rests on them is undecidable at all times; copy the trace again, all of it, or import the log again.",
	badText:            "bytes that are not UTF-8 stand in a text. They are read as U+FFFD.",
}

// Explanations returns what the codes of a trace's problems mean, by code.
func Explanations() map[string]string { return maps.Clone(explanations) }
