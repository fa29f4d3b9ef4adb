package swf

import "maps"

// explanations say what the codes of problems mean that an import finds.
var explanations = map[string]string{
	codeFieldCount:    "the line has fewer than the 18 fields of the standard. It is left out.",
	codeLineTooLong:   "the line is far longer than any job. It is left out.",
	codeBadNumber:     "a field is no number. The line is left out.",
	codeOutOfRange:    "a number that no log can mean. The line is left out.",
	codeNegativeTime:  "a submit, wait or run time is negative and not -1, which alone means missing. The line is left out.",
	codeBadPlacement:  "the list of nodes is no list of numbers. The line is left out.",
	codeMissingNumber: "the job has no number. The line is left out.",
	codeMissingSubmit: "the job was never submitted. The line is left out.",
	codeNoProcessors:  "processors were neither allocated nor requested. The line is left out.",
	codeMismatch:      "there is not one node per allocated processor; which of the two is wrong cannot be known. The line is left out.",
	codeDuplicateRow:  "the same line again. It is left out.",
	codeUnplaced:      "an execution follows one that has no end. The line is left out.",
	codeOverlapping:   "an execution begins before the end of the one before. The line is left out.",

	codeNegativeValue:  "a negative number other than -1. It is taken as missing.",
	codeUnknownStatus:  "a status that the standard does not have. It is taken as missing.",
	codeBadText:        "bytes that are no UTF-8. They are replaced.",
	codeExtraFields:    "the line has more fields than the 18 of the standard, or the 21 with those of the extension. The further ones are left out. The first line with that number of fields stands for all.",
	codeUnknownWait:    "the wait time is not known. The job is taken to have started when it was submitted.",
	codeUnknownRunTime: "the run time is not known. When the job ended is not known either.",
	codeDuplicateJob:   "another job has the number. This one is named number#2 and so on.",
	codeBadHeader:      "a header's value is not what its key asks for. It is ignored.",
	codeUnknownSize:    "the node's cluster or size is not known. Its capacity cannot be judged.",
}

// Explanations returns what the codes of an import's problems mean, by code.
func Explanations() map[string]string { return maps.Clone(explanations) }
