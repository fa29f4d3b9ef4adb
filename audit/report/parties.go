package report

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"poolproof/audit"
)

// A relation says how a finding concerns an element.
type relation string

const (
	asSubject   relation = "subject"   // it is the subject, the subject's pool, or the tree of either
	asPreemptor relation = "preemptor" // jobs were preempted for it, or for an operation in it
	asParty     relation = "party"     // the finding names it otherwise: the job, the node, the operation passed over
)

// text continues a sentence about a rule that was broken.
func (r relation) text() string {
	switch r {
	case asPreemptor:
		return " in its favour"
	case asParty:
		return " in a decision that concerns it"
	}
	return ""
}

// inList is text for a list, whose sentences name the parties themselves.
func (r relation) inList() string {
	if r == asPreemptor {
		return r.text()
	}
	return ""
}

// A concern is a finding and how it concerns the element that was asked about.
type concern struct {
	audit.Finding
	Relation relation
}

// A party is an element that a finding names besides its subject.
type party struct {
	kind, name string
	relation   relation
}

// partyKeys are the keys of evidence whose texts name elements. Values of other keys are not names,
// even if a pool has that name.
var partyKeys = map[string]party{
	"operation":        {"operation", "", asParty},
	"other_operation":  {"operation", "", asParty},
	"victim_operation": {"operation", "", asParty},
	"overtaken":        {"operation", "", asParty},
	"first_operation":  {"operation", "", asParty},
	"beneficiary":      {"operation", "", asPreemptor},
	"pool":             {"pool", "", asParty},
	"limit_pool":       {"pool", "", asParty},
	"full_pool":        {"pool", "", asParty},
	"blocking_pool":    {"pool", "", asParty},
	"blocker_pool":     {"pool", "", asParty},
	"starving_pool":    {"pool", "", asParty},
	"victim_pool":      {"pool", "", asParty},
	"beneficiary_pool": {"pool", "", asPreemptor},
	"job":              {"job", "", asParty},
	"victim":           {"job", "", asParty},
	"better_victim":    {"job", "", asParty},
	"younger":          {"job", "", asParty},
	"cause_job":        {"job", "", asParty},
	"jobs":             {"job", "", asParty},
	"jobs_at_peak":     {"job", "", asParty},
	"beneficiary_job":  {"job", "", asPreemptor},
	"node":             {"node", "", asParty},
	"nodes":            {"node", "", asParty},
}

// partiesOf are the elements that the evidence of a finding names. It has no more than its first
// cases: decisionParties knows the rest.
func partiesOf(f *audit.Finding) (all []party) {
	var evidence any
	if json.Unmarshal(f.Evidence, &evidence) != nil {
		return nil
	}
	var walk func(key string, value any)
	walk = func(key string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for k, inner := range v {
				walk(k, inner)
			}
		case []any:
			for _, inner := range v {
				walk(key, inner)
			}
		case string:
			if p, ok := partyKeys[key]; ok && v != "" {
				p.name = v
				all = append(all, p)
			}
		}
	}
	walk("", evidence)
	return all
}

// relationTo returns how a finding concerns an element, by the finding itself; empty if it does
// not.
func relationTo(f *audit.Finding, kind, name string) (r relation) {
	if f.SubjectKind == kind && f.Subject == name || kind == "tree" && f.Tree == name || kind == "pool" && poolOf(*f) == name {
		return asSubject
	}
	for _, p := range partiesOf(f) {
		if p.kind == kind && p.name == name && r != asPreemptor {
			r = p.relation
		}
	}
	return r
}

// decisionPartiesQuery has the rules and the operations of the decisions that concern the $2 $3
// of the tree $1: the findings about decisions are by rule and operation.
const decisionPartiesQuery = `
SELECT d.invariant, d.operation, bool_or(d.decision = 'preemption' AND
  CASE $2 WHEN 'operation' THEN d.other_operation WHEN 'pool' THEN p.beneficiary_pool WHEN 'job' THEN p.beneficiary_job END IS NOT DISTINCT FROM $3)
FROM decisions AS d LEFT JOIN preemptions AS p ON p.tree = d.tree AND p.time = d.time AND p.job = d.job
WHERE d.tree = $1 AND d.operation IS NOT NULL AND d.verdict <> 'undecidable' AND CASE $2
  WHEN 'operation' THEN d.other_operation = $3
  WHEN 'pool' THEN $3 IN (p.beneficiary_pool, d.limit_pool)
  WHEN 'job' THEN $3 IN (d.job, p.beneficiary_job)
  WHEN 'node' THEN d.node = $3
END
GROUP BY d.invariant, d.operation`

// decisionParties returns how the findings about decisions concern the subject, by their rule and
// operation.
func (s *Subject) decisionParties(ctx context.Context) (map[[2]string]relation, error) {
	if s.DB == nil || s.Kind == "tree" {
		return nil, nil
	}
	rows, err := s.DB.QueryContext(ctx, decisionPartiesQuery, s.Tree, s.Kind, s.Name)
	if err != nil {
		return nil, fmt.Errorf("look for decisions that concern %s %s: %w", s.Kind, s.Name, err)
	}
	defer rows.Close()
	all := map[[2]string]relation{}
	for rows.Next() {
		var invariant, operation string
		var preemptor bool
		if err := rows.Scan(&invariant, &operation, &preemptor); err != nil {
			return nil, err
		}
		all[[2]string{invariant, operation}] = asParty
		if preemptor {
			all[[2]string{invariant, operation}] = asPreemptor
		}
	}
	return all, rows.Err()
}

// found are the findings that concern the subject, in its tree and the part that is described, in
// the order of the verdict.
func (s *Subject) found(ctx context.Context) (all []concern, err error) {
	decided, err := s.decisionParties(ctx)
	if err != nil {
		return nil, err
	}
	for i := range s.Verdict.Findings {
		f := &s.Verdict.Findings[i]
		if f.Tree != s.Tree || !s.touches(f) {
			continue
		}
		r := relationTo(f, s.Kind, s.Name)
		if of := decided[[2]string{f.Invariant, f.Subject}]; f.SubjectKind == "operation" && r != asSubject && r != asPreemptor && of != "" {
			r = of
		}
		if r != "" {
			all = append(all, concern{*f, r})
		}
	}
	return all, nil
}

// poolsOf are the pools whose timelines a finding marks: that which it is about and those of the
// preemptors.
func poolsOf(f *audit.Finding) []string {
	pools := []string{poolOf(*f)}
	for _, p := range partiesOf(f) {
		if p.kind == "pool" && p.relation == asPreemptor && !slices.Contains(pools, p.name) {
			pools = append(pools, p.name)
		}
	}
	return pools
}
