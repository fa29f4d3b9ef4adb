package audit

import (
	"fmt"
	"regexp"
	"strings"
)

// A header's @from names where an audit's queries come from: NAME stands for the macros
// internal.NAME_findings and internal.NAME_seen of views/, or NAME(arguments) for their call
// with these. Without arguments NAME_findings is called with the rules of @invariant, and
// NAME_seen with a list of such sets of rules, so that one query can ask for several audits. A query that the file holds itself replaces that of the source.

// fromPattern is a source: a name and, in brackets, the arguments of its macros.
var fromPattern = regexp.MustCompile(`^([a-z][a-z0-9_]*)(?:\((.+)\))?$`)

// fill writes the queries that the file left to its source.
func (a *Audit) fill() error {
	if a.From == "" {
		return nil
	}
	if !fromPattern.MatchString(a.From) {
		return fmt.Errorf("@from: invalid source %q (want a name, with arguments in brackets)", a.From)
	}
	if a.Findings != "" && a.Seen != "" {
		return fmt.Errorf("@from: both queries stand in the file, so that nothing comes from %s", a.From)
	}
	if a.Findings == "" {
		a.Findings = a.findingsFrom()
	}
	if a.Seen == "" {
		a.Seen = a.seenFrom()
	}
	return nil
}

// findingsFrom is the query for findings of the source. Only an audit of several rules
// needs to say which one a finding is about.
func (a *Audit) findingsFrom() string {
	rule := ""
	if len(a.Invariants) > 1 {
		rule = invariantColumn + ", "
	}
	return fmt.Sprintf(`SELECT tree, %saspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, excuse
FROM %s
ORDER BY tree, from_time, subject_kind, subject, aspect`, rule, a.call("findings"))
}

// seenFrom is the query of the source for how much was judged.
func (a *Audit) seenFrom() string {
	return fmt.Sprintf("SELECT tree, seen, unit, reason, idle\nFROM %s\nORDER BY tree", a.call("seen"))
}

// rules are the ids of rules as a list of SQL.
func rules(ids []string) string { return "['" + strings.Join(ids, "', '") + "']" }

// call calls a macro of the source.
func (a *Audit) call(suffix string) string {
	m := fromPattern.FindStringSubmatch(a.From)
	arguments := m[2]
	if arguments == "" {
		if arguments = rules(a.Invariants); suffix == "seen" {
			arguments = "[" + arguments + "]"
		}
	}
	return fmt.Sprintf("%s.%s_%s(%s)", internalSchema, m[1], suffix, arguments)
}

// givesRules reports whether the audit has a source to which it gives its rules.
func (a *Audit) givesRules() bool {
	m := fromPattern.FindStringSubmatch(a.From)
	return m != nil && m[2] == ""
}

// isOwn reports whether the file holds a query itself.
func (a *Audit) isOwn(query string, from func() string) bool {
	return a.From == "" || !fromPattern.MatchString(a.From) || query != from()
}
