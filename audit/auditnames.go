package audit

import (
	"fmt"
	"slices"
	"strings"

	"poolproof/core/spelling"
)

// auditNames are the words by which a user may name audits: their names, then the ids of the
// rules that they judge, each once.
func auditNames(audits []*Audit) (names []string) {
	for _, a := range audits {
		names = append(names, a.ID)
	}
	for _, a := range audits {
		for _, rule := range a.Invariants {
			if !slices.Contains(names, rule) {
				names = append(names, rule)
			}
		}
	}
	return names
}

// auditsOf returns the audits that a word names: the one of that name, or those that judge the
// rule of that id.
func auditsOf(audits []*Audit, name string) (named []*Audit) {
	for _, a := range audits {
		if a.ID == name || slices.Contains(a.Invariants, name) {
			named = append(named, a)
		}
	}
	return named
}

// Select returns the audits whose names, or ids of rules, a pattern matches, all without one. A
// pattern that none matches is an error.
func Select(audits []*Audit, patterns []string) ([]*Audit, error) {
	if len(patterns) == 0 {
		return audits, nil
	}
	wanted := map[string]bool{}
	names := auditNames(audits)
	for _, text := range patterns {
		pattern, found := newGlob(text), false
		for _, name := range names {
			if !pattern.matches(name) {
				continue
			}
			found = true
			for _, a := range auditsOf(audits, name) {
				wanted[a.ID] = true
			}
		}
		if !found {
			return nil, unknownAudit(text, names)
		}
	}
	return slices.DeleteFunc(slices.Clone(audits), func(a *Audit) bool { return !wanted[a.ID] }), nil
}

// unknownAudit says that no audit and no rule matches a pattern.
func unknownAudit(text string, names []string) error {
	return fmt.Errorf("no audit matches %q; %s", text, spelling.MeantOr(text, names, "poolproof audit --list shows them"))
}

// paramsOf are the names of the thresholds of audits, each once.
func paramsOf(audits []*Audit) (names []string) {
	for _, a := range audits {
		for _, p := range a.Params {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// hasParam reports whether the audit has a threshold.
func (a *Audit) hasParam(name string) bool {
	return slices.ContainsFunc(a.Params, func(p Param) bool { return p.Name == name })
}

// ThresholdsNamed are the thresholds that AUDIT.NAME stands for, where the audit may be the id of a
// rule: those of that name of all audits that judge it. What no audit has stands for itself.
func ThresholdsNamed(audits []*Audit, name string) (names []string) {
	of, param, _ := strings.Cut(name, ".")
	for _, a := range auditsOf(audits, of) {
		if a.hasParam(param) {
			names = append(names, a.ID+"."+param)
		}
	}
	if names == nil {
		return []string{name}
	}
	return names
}
