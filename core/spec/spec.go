// Package spec declares the rules that decisions, configurations and logs are judged by.
//
// rules.txt declares each rule once. Rulings and audits take severity and words from it, and the tables of
// invariants.md and queries/RULES.md are made of it.
package spec

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// A Rule is one paragraph of rules.txt, which explains the fields.
type Rule struct {
	ID        string // for example "PRE-06"
	Severity  Severity
	OfLog     bool   // a breach is damage of the log
	Section   string // of invariants.md
	Statement string
	Clause    string
	Inputs    string
	Slack     string
	Excuse    string
	Exception string
	Judged    string
}

// A Severity says how much a violation matters (invariants.md §1).
type Severity string

// The severities. Violations of severity Info do not count against the scheduler.
const (
	Critical Severity = "critical"
	Major    Severity = "major"
	Minor    Severity = "minor"
	Info     Severity = "info"
)

//go:embed rules.txt
var text string

var rules = parse(text)

// Rules returns all rules, in the order of invariants.md.
func Rules() []Rule { return slices.Clone(rules) }

// Of returns the rule of an id, whose ID is empty if there is none.
func Of(id string) Rule {
	if i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id }); i >= 0 {
		return rules[i]
	}
	return Rule{}
}

// parse reads rules.txt. A line that it cannot read is a fault of this package.
func parse(text string) (all []Rule) {
	var section string
	var field *string
	for n, line := range strings.Split(text, "\n") {
		key, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		switch {
		case line == "" || strings.HasPrefix(line, "# ") || line == "#":
		case key == "##":
			section = rest
		case key == "":
			*field += " " + rest
		case strings.Contains(key, "-"):
			severity, log, _ := strings.Cut(rest, " ")
			all = append(all, Rule{ID: key, Severity: Severity(severity), OfLog: log == "log", Section: section})
		default:
			if field = all[len(all)-1].field(key); field == nil || *field != "" || rest == "" {
				panic(fmt.Sprintf("rules.txt:%d: unknown, repeated or empty field %q", n+1, key))
			}
			*field = rest
		}
	}
	return all
}

// field returns the field of a name, or nil.
func (r *Rule) field(name string) *string {
	return map[string]*string{
		"statement": &r.Statement, "clause": &r.Clause, "inputs": &r.Inputs, "slack": &r.Slack,
		"excuse": &r.Excuse, "exception": &r.Exception, "judged": &r.Judged,
	}[name]
}

// HasWindows reports whether global excuse windows excuse a breach (invariants.md §1).
func (r Rule) HasWindows() bool { return strings.HasSuffix(r.Section, " †") }

const windows = "the minute after a scheduler's disconnection, a change of the set of trees, and the time in which the pools' configuration is refused"

// Excuses says what would excuse a breach.
func (r Rule) Excuses() string {
	switch {
	case r.Excuse != "" && r.HasWindows():
		return r.Excuse + "; also " + windows
	case r.HasWindows():
		return "nothing of its own; " + windows
	case r.Excuse != "":
		return r.Excuse
	}
	return "nothing"
}
