package report

import (
	"fmt"
	"slices"
	"strings"

	"poolproof/audit"
)

// alikeDecisions groups decisions of one moment that differ in nodes and the starts of lost jobs
// alone, or, if they are about no job, in the operation; in the order of the first of each.
func alikeDecisions(all []audit.Decision) (groups [][]audit.Decision) {
	place := map[audit.Decision]int{}
	for _, d := range all {
		key := d
		key.Node, key.Since = "", ""
		if d.Node == "" {
			key.Operation = ""
		}
		i, known := place[key]
		if !known {
			i = len(groups)
			place[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], d)
	}
	return groups
}

// decisionVerbs maps the verb of a kind of decision to its plural.
var decisionVerbs = map[string]string{"runs": "run", "is refused": "are refused", "gets a job": "gets %d jobs", "loses a job": "loses %d jobs"}

// decisionsText is a group of like decisions in a sentence.
func decisionsText(alike []audit.Decision) string {
	first, of := alike[0], ""
	if first.Pool != "" {
		of = " of pool " + first.Pool
	}
	several := func(of func(audit.Decision) string) (names []string) {
		for _, d := range alike {
			names = append(names, of(d))
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
	nodes := several(func(d audit.Decision) string { return d.Node })
	if nodes[0] == "" {
		operations := several(func(d audit.Decision) string { return d.Operation })
		if len(operations) == 1 {
			return fmt.Sprintf("operation %s%s %s", operations[0], of, first.Kind)
		}
		return fmt.Sprintf("%d operations%s %s: %s", len(operations), of, decisionVerbs[first.Kind], fewOf(operations))
	}
	what := first.Kind
	if len(alike) > 1 {
		what = fmt.Sprintf(decisionVerbs[first.Kind], len(alike))
	}
	text := fmt.Sprintf("operation %s%s %s on %s", first.Operation, of, what, fewOf(nodes))
	since := several(func(d audit.Decision) string { return d.Since })
	switch {
	case since[0] != "" && len(since) > 1:
		return fmt.Sprintf("%s: which had started from %s to %s, %s", text, since[0], since[len(since)-1], first.Detail)
	case since[0] != "":
		return fmt.Sprintf("%s: which had started at %s, %s", text, since[0], first.Detail)
	case first.Detail != "" && len(alike) > 1:
		return text + ": " + first.Detail + " each"
	case first.Detail != "":
		return text + ": " + first.Detail
	}
	return text
}

// namedAtMost bounds the number of names of a list.
const namedAtMost = 4

// fewOf is a list of names, of a long one the first.
func fewOf(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	if len(names) > namedAtMost {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:namedAtMost-1], ", "), len(names)-namedAtMost+1)
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
