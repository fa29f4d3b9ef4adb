package openb

import (
	"maps"

	"poolproof/ingest/joblog"
)

// explanations say what the codes of problems mean that an import finds.
var explanations = map[string]string{
	codeTimeOrder:    "an end lies before a start, or a start before the creation. The line is left out.",
	codeDuplicate:    "the node is there already. The line is left out.",
	codeDuplicatePod: "another pod has the name. This one is named name#2 and so on.",
	codeUnknownPhase: "a phase of no known meaning. How the pod ended is taken as unknown.",
}

// Explanations returns what the codes of an import's problems mean, by code.
func Explanations() map[string]string {
	all := joblog.TableExplanations()
	maps.Copy(all, explanations)
	return all
}
