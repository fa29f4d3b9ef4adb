package audit

import (
	"fmt"
	"strconv"
	"strings"

	"poolproof/core/judge"
)

// ReplaySlacks are the slacks of the policy that a replay judges by, by the names of
// judge.Settable. An audit comes too late for them.
func (p *Policy) ReplaySlacks() map[string]float64 {
	given := map[string]float64{}
	for _, k := range judge.Settable {
		if value, err := strconv.ParseFloat(p.Slacks[k.Name], 64); err == nil {
			given[k.Name] = value
		}
	}
	return given
}

// OtherSlacks says in sentences which slacks of the policy the replay of the run in
// dir did not judge by, and what to do; empty if there are none.
func OtherSlacks(dir string, p *Policy) (string, error) {
	m, err := readManifest(dir)
	if err != nil {
		return "", err
	}
	return m.otherSlacks(p), nil
}

func (m *manifest) otherSlacks(p *Policy) string {
	var others []string
	given := p.ReplaySlacks()
	for _, k := range judge.Settable {
		value, isGiven := given[k.Name]
		was, known := m.Slacks[k.Name]
		_, wasGiven := m.PolicySlacks[k.Name]
		switch {
		case isGiven && !known:
			others = append(others, fmt.Sprintf("%s is %v", k.Name, value))
		case isGiven && value != was:
			others = append(others, fmt.Sprintf("%s is %v and was %v", k.Name, value, was))
		case !isGiven && wasGiven:
			others = append(others, fmt.Sprintf("%s is not given and was %v", k.Name, was))
		}
	}
	if others == nil {
		return ""
	}
	return "The replay judged by other slacks than those of this policy: " + strings.Join(others, "; ") + ". " +
		"They change nothing of starts, preemptions, admissions and the scheduler's records, which the replay has judged; " +
		"to judge them anew: poolproof run TRACE --out RUN --replace, with this --policy."
}

// SlackList lists the slacks of the replay: a line for each with its default, unit
// and sentence.
func SlackList() string {
	var b strings.Builder
	usual := judge.DefaultSlacks()
	for _, k := range judge.Settable {
		fmt.Fprintf(&b, "  slacks.%s  %v %s: %s\n", k.Name, k.Value(&usual), k.Unit, k.Sentence)
	}
	return b.String()
}
