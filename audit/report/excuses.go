package report

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed excuses.txt
var excusesText string

// excuses are the sentences of excuses.txt by the id of the rule.
var excuses = func() map[string]string {
	all := map[string]string{}
	for _, line := range strings.Split(excusesText, "\n") {
		if id, text, ok := strings.Cut(line, " "); ok && id != "#" {
			all[id] = text
		}
	}
	return all
}()

// windows are the times in which no rule of these families is violated
// (core/spec/invariants.md §1).
const windows = "the minute after a scheduler's disconnection, a change of the set of trees, and the time in which the pools' configuration is refused"

var familiesWithWindows = []string{"TREE", "POOL", "CNT", "PEND", "LW", "STV", "LIM", "GUA"}

// ExcuseOf says what would excuse a breach of a rule.
func ExcuseOf(id string) string {
	family, _, _ := strings.Cut(id, "-")
	own, has := excuses[id]
	switch general := slices.Contains(familiesWithWindows, family); {
	case has && general:
		return own + "; also " + windows
	case has:
		return own
	case general:
		return "nothing of its own; " + windows
	}
	return "nothing"
}
