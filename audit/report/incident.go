package report

import (
	"slices"
	"strings"

	"poolproof/audit"
)

// An incident is one trouble with its findings, the worst first.
type incident struct {
	audit.Incident
	findings []audit.Finding
}

// incidentsOf joins the incidents with their findings. A finding that is part of
// none is one of its own.
func incidentsOf(v *audit.Verdict) []incident {
	var all []incident
	byID := map[string]int{}
	for _, i := range v.Incidents {
		byID[i.ID] = len(all)
		all = append(all, incident{Incident: i})
	}
	for _, f := range v.Findings {
		n, ok := byID[f.Incident]
		if !ok {
			n = len(all)
			all = append(all, incident{Incident: audit.Incident{ID: f.ID, Title: f.Reason, Audit: f.Audit, Tree: f.Tree,
				CauseKind: f.SubjectKind, Cause: f.Subject,
				From: f.From, To: f.To, Verdict: f.Verdict, Severity: f.Severity, Suppressed: f.Suppressed != nil, Status: f.Status, Findings: 1,
				Totals: amounts([]audit.Finding{f}), FindingIDs: []string{f.ID}}})
		}
		all[n].findings = append(all[n].findings, f)
	}
	all = slices.DeleteFunc(all, func(i incident) bool { return len(i.findings) == 0 })
	slices.SortStableFunc(all, func(a, b incident) int { return audit.CompareIncidents(a.Incident, b.Incident) })
	return all
}

// Word returns the word for the incident's verdict.
func (i incident) Word() string { return verdictWord(i.Verdict, i.Suppressed) }

// First is the worst of its findings.
func (i incident) First() audit.Finding { return i.findings[0] }

// text says what the worst of its findings is, and how many more it has.
func (i incident) text() string { return strings.TrimSpace(i.First().Reason + " " + i.MoreOfIt()) }

// mark says ", new" of an incident that the baseline did not have.
func (i incident) mark() string {
	if i.Status == "" {
		return ""
	}
	return ", " + string(i.Status)
}

// worst returns the incidents to be spelled out, at most that many, violated and
// suspect ones with every promise among them, and how many findings of each
// verdict are left over.
func (s *summary) worst(most int) (shown []incident, rest map[audit.Judgement]int) {
	taken := map[string]int{}
	picked := make([]bool, len(s.incidents))
	// At most a few of one promise, so that a flood of one hides no other.
	for _, each := range []int{3, most} {
		for n, i := range s.incidents {
			counts := (i.Verdict == audit.Violated || i.Verdict == audit.Suspect) && !i.Suppressed
			if counts && !picked[n] && total(taken) < most && taken[i.Audit] < each {
				picked[n] = true
				taken[i.Audit]++
			}
		}
	}
	rest = map[audit.Judgement]int{}
	for n, i := range s.incidents {
		if picked[n] {
			shown = append(shown, i)
			continue
		}
		for _, f := range i.findings {
			if f.Verdict != audit.Noted && !i.isDamage() { // which are reported apart
				rest[f.Verdict]++
			}
		}
	}
	return shown, rest
}
