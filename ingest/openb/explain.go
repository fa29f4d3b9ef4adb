package openb

import "maps"

// explanations say what the codes of problems mean that an import finds.
var explanations = map[string]string{
	codeBadCSV:       "the line is no line of comma-separated values. It is left out.",
	codeFieldCount:   "there are not as many values as columns. The line is left out.",
	codeBadNumber:    "a value is no number, or negative. The line is left out.",
	codeOutOfRange:   "a number that no cluster has. The line is left out.",
	codeMissing:      "a value is empty that must be there. The line is left out.",
	codeTimeOrder:    "an end lies before a start, or a start before the creation. The line is left out.",
	codeDuplicate:    "the node is there already. The line is left out.",
	codeDuplicatePod: "another pod has the name. This one is named name#2 and so on.",
	codeUnknownPhase: "a phase of no known meaning. How the pod ended is taken as unknown.",
}

// Explanations returns what the codes of an import's problems mean, by code.
func Explanations() map[string]string { return maps.Clone(explanations) }
