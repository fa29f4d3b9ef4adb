package foreign

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
)

// The ages that event logs are read of (ingest/trace/FORMAT.md §1.9).
var ages = []string{"2020", "2023", "2025"}

// TestEventLogSamples imports and judges the sample of each age: the cluster kept its
// rules, so none is found violated, and the audits that judge something are those of
// the list.
func TestEventLogSamples(t *testing.T) {
	t.Parallel()
	states := map[string][]string{} // by audit, in the order of the ages
	var audits []string
	for i, age := range ages {
		_, v := runSample(t, age, exportOf(t, age))
		for i := range v.Findings {
			if f := &v.Findings[i]; f.Verdict == audit.Violated {
				t.Errorf("%s: %s of %s %s in tree %s from %s: %s", age, f.Invariant, f.SubjectKind, f.Subject, f.Tree, f.From, f.Reason)
			}
		}
		for _, o := range v.Outcomes {
			id := o.Audit.ID
			if states[id] == nil {
				audits, states[id] = append(audits, id), make([]string, len(ages))
			}
			states[id][i] = moreJudged(states[id][i], stateOf(&o))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-36s %s\n", "audit", strings.Join(ages, "     "))
	for _, id := range audits {
		fmt.Fprintf(&b, "%-36s %-8s %-8s %s\n", id, states[id][0], states[id][1], states[id][2])
	}
	commandtest.Golden(t, filepath.Join("testdata", "eventlog", "samples.txt"), b.String())
}

// stateOf says whether an audit judged anything of a tree.
func stateOf(o *audit.Outcome) string {
	switch {
	case o.Seen > 0:
		return "judged"
	case o.Verdict == audit.Undecidable:
		return "unknown"
	}
	return "idle"
}

// moreJudged is the state of an audit over several trees.
func moreJudged(a, b string) string {
	order := []string{"judged", "unknown", "idle", ""}
	return order[min(slices.Index(order, a), slices.Index(order, b))]
}
