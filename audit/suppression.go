package audit

import (
	"fmt"
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// A Suppression is a rule of the policy that takes findings out of the verdict:
// they are still listed, with who answers for it, why and until when.
type Suppression struct {
	Owner  string `json:"owner"`
	Reason string `json:"reason"`
	Until  string `json:"until"` // last day on which it applies, YYYY-MM-DD, in the log's time
}

// A suppressionRule says which findings a suppression covers.
type suppressionRule struct {
	Suppression
	audit, tree glob // audit is of the audit's name or the rule's id
	pool        poolGlob
	subject     poolGlob // for other subjects than pools the name
	finding     string   // an id or a fingerprint; empty for any
	line        int
	expires     time.Time // the first instant at which it no longer applies
}

// readSuppression reads one entry of suppressions.
func (r *policyReader) readSuppression(n ast.Node) error {
	s := suppressionRule{audit: all, tree: all, pool: allPools, subject: allPools, line: lineOf(n)}
	selectors := 0
	selector := func(read func(ast.Node) error) func(ast.Node) error {
		return func(n ast.Node) error { selectors++; return read(n) }
	}
	err := r.readMap(n, "a suppression", []policyKey{
		{"audit", selector(r.auditGlob(&s.audit))},
		{"tree", selector(r.glob(&s.tree))},
		{"pool", selector(r.poolGlob(&s.pool))},
		{"subject", selector(r.poolGlob(&s.subject))},
		{"finding", selector(r.text(&s.finding))},
		{"owner", r.text(&s.Owner)},
		{"reason", r.text(&s.Reason)},
		{"until", r.text(&s.Until)},
	})
	if err != nil {
		return err
	}
	for _, f := range []struct{ name, value, why string }{
		{"owner", s.Owner, "who answers for it"}, {"reason", s.Reason, "why it is right"}, {"until", s.Until, "the last day on which it applies"},
	} {
		if f.value == "" {
			return r.errorf(n, "the suppression has no %s: say %s", f.name, f.why)
		}
	}
	if selectors == 0 {
		return r.errorf(n, "the suppression would cover all findings: give it an audit, tree, pool, subject or finding")
	}
	day, err := time.Parse(time.DateOnly, s.Until)
	if err != nil {
		return r.errorf(n, "until: invalid day %q (want one like 2026-06-30)", s.Until)
	}
	s.expires = day.AddDate(0, 0, 1)
	r.policy.suppressions = append(r.policy.suppressions, s)
	return nil
}

// auditGlob reads a pattern that some audit or rule matches.
func (r *policyReader) auditGlob(to *glob) func(ast.Node) error {
	return func(n ast.Node) error {
		if err := r.glob(to)(n); err != nil {
			return err
		}
		if names := auditNames(r.audits); !slices.ContainsFunc(names, to.matches) {
			return r.errorf(n, "%v", unknownAudit(to.text, names))
		}
		return nil
	}
}

// covers reports whether a finding, with the path of its pool, is the rule's.
func (s *suppressionRule) covers(f *Finding, path string) bool {
	about := s.subject.matches(f.Subject) || f.SubjectKind == "pool" && s.subject.matchesPool(f.Tree, path)
	named := s.audit.matches(f.Audit) || s.audit.matches(f.Invariant)
	return about && named && s.tree.matches(f.Tree) && s.pool.matchesPool(f.Tree, path) &&
		(s.finding == "" || s.finding == f.ID || s.finding == f.Fingerprint)
}

// suppress marks the findings that the policy's suppressions cover, the first
// that does, and says which have expired and which cover nothing. A suppression
// applies to a window that ends by the end of its last day: the night decides,
// not the day on which it is audited. A tree's outcome takes what is suppressed
// for excused.
func (v *Verdict) suppress(rules []suppressionRule, end time.Time, paths poolPaths) {
	for i := range rules {
		rule := &rules[i]
		covered, marked, counting := 0, 0, 0
		expired := end.After(rule.expires)
		for j := range v.Findings {
			f := &v.Findings[j]
			if !rule.covers(f, paths.pathOf(f)) {
				continue
			}
			covered++
			if v.Fails(*f) {
				counting++
			}
			if !expired && f.Suppressed == nil {
				f.Suppressed = &rule.Suppression
				marked++
			}
		}
		name, fault := fmt.Sprintf("The suppression of line %d (%s: %s)", rule.line, rule.Owner, rule.Reason), ""
		switch {
		case expired && covered > 0:
			fault = fmt.Sprintf("%s expired on %s: of its %s %d fail the run again.", name, rule.Until, countText(covered, "finding", "findings"), counting)
		case expired:
			fault = fmt.Sprintf("%s expired on %s and would cover nothing: take it out.", name, rule.Until)
		case covered == 0:
			fault = name + " covers nothing: take it out, or mend its patterns."
		case marked == 0:
			fault = name + " covers only what an earlier one covers: take one out."
		}
		if fault != "" {
			v.Notices, v.PolicyFaults = append(v.Notices, fault), append(v.PolicyFaults, fault)
		}
	}
	v.updateOutcomes()
}

// updateOutcomes finds the verdict of the outcomes anew, where findings are suppressed.
func (v *Verdict) updateOutcomes() {
	for i := range v.Outcomes {
		o := &v.Outcomes[i]
		if !slices.Contains([]Judgement{Violated, Suspect, Damaged, Noted}, o.Verdict) {
			continue
		}
		o.Verdict = OK
		for _, f := range v.Findings {
			verdict := f.Verdict
			if f.Suppressed != nil {
				verdict = Excused
			}
			if f.Audit == o.Audit.ID && f.Tree == o.Tree && verdict.Rank() < o.Verdict.Rank() {
				o.Verdict = verdict
			}
		}
	}
}

// countText is a number with the word that goes with it.
func countText(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
