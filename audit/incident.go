package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// An Incident is one trouble: the violated, suspect, damaged and noted findings of an audit that
// have the same cause and follow each other closely.
type Incident struct {
	ID         string     `json:"incident_id"` // of audit, tree, cause and start
	Title      string     `json:"title"`       // one sentence
	Audit      string     `json:"audit"`
	Tree       string     `json:"tree"`
	CauseKind  string     `json:"cause_kind"` // what Cause is: pool, operation, node, ...
	Cause      string     `json:"cause"`
	From       *time.Time `json:"from_time"`
	To         *time.Time `json:"to_time"`    // nil where one of its findings has no known end
	Verdict    Judgement  `json:"verdict"`    // the worst of its findings
	Severity   Severity   `json:"severity"`   // the worst of its findings
	Suppressed bool       `json:"suppressed"` // whether all its findings are
	Status     Status     `json:"status"`     // new if one of its findings is
	Findings   int        `json:"findings"`
	Totals     []Amount   `json:"totals"`      // the findings' magnitudes, summed per unit; a decision under several rules counts once
	FindingIDs []string   `json:"finding_ids"` // the worst first
}

// An Amount is a magnitude with its unit.
type Amount struct {
	Magnitude float64 `json:"magnitude"`
	Unit      string  `json:"unit"`
}

// A causeKey is the key by which findings form an incident.
type causeKey struct{ audit, tree, kind, cause string }

// cause returns the cause of a finding: cause_kind and cause_subject of its evidence, else the pool
// of an operation or a job, else its subject.
func (f *Finding) cause() causeKey {
	var named struct {
		Kind    string `json:"cause_kind"`
		Subject string `json:"cause_subject"`
	}
	if json.Unmarshal(f.Evidence, &named) == nil && named.Subject != "" {
		return causeKey{f.Audit, f.Tree, named.Kind, named.Subject}
	}
	if f.SubjectKind == "operation" || f.SubjectKind == "job" {
		if pool := f.pool(); pool != "" {
			return causeKey{f.Audit, f.Tree, "pool", pool}
		}
	}
	return causeKey{f.Audit, f.Tree, f.SubjectKind, f.Subject}
}

// group makes incidents of the violated, suspect, damaged and noted findings: those of one
// cause, while each begins at most gap seconds after all before it have ended. A
// finding without an end goes on for ever; one without a start is by itself.
func (v *Verdict) group(gap float64) {
	byCause := map[causeKey][]*Finding{}
	var causes []causeKey // in the findings' order
	for i := range v.Findings {
		f := &v.Findings[i]
		if !f.Alleges() && f.Verdict != Noted {
			continue
		}
		key := f.cause()
		if byCause[key] == nil {
			causes = append(causes, key)
		}
		byCause[key] = append(byCause[key], f)
	}
	titles := map[string]string{}
	for _, a := range v.Audits {
		titles[a.ID] = a.Title
	}
	for _, key := range causes {
		for _, findings := range closeTogether(byCause[key], time.Duration(gap*float64(time.Second))) {
			v.Incidents = append(v.Incidents, newIncident(key, titles[key.audit], findings))
		}
	}
	slices.SortStableFunc(v.Incidents, CompareIncidents)
}

// closeTogether parts findings where nothing was wrong for longer than gap; the
// worst stays first within a part.
func closeTogether(findings []*Finding, gap time.Duration) [][]*Finding {
	place := map[*Finding]int{}
	for i, f := range findings {
		place[f] = i
	}
	byStart := slices.Clone(findings)
	slices.SortStableFunc(byStart, func(a, b *Finding) int { return cmp.Compare(timeText(a.From), timeText(b.From)) })
	var parts [][]*Finding
	var end time.Time // up to which the last part goes
	open := false     // the last part has no end
	for _, f := range byStart {
		joins := len(parts) > 0 && f.From != nil && (open || !end.IsZero() && !f.From.After(end.Add(gap)))
		if !joins {
			parts, end, open = append(parts, nil), time.Time{}, false
		}
		last := &parts[len(parts)-1]
		*last = append(*last, f)
		switch {
		case f.From == nil:
		case f.To == nil:
			open = true
		case f.To.After(end):
			end = *f.To
		}
	}
	for _, p := range parts {
		slices.SortFunc(p, func(a, b *Finding) int { return cmp.Compare(place[a], place[b]) })
	}
	return parts
}

// newIncident sums up its findings, the worst first, and marks them.
func newIncident(key causeKey, title string, findings []*Finding) Incident {
	worst := findings[0]
	in := Incident{
		Title: fmt.Sprintf("%s: %s %s.", title, key.kind, key.cause), Audit: key.audit, Tree: key.tree, CauseKind: key.kind, Cause: key.cause,
		From: worst.From, To: worst.To, Verdict: worst.Verdict, Severity: worst.Severity, Suppressed: true, Findings: len(findings),
	}
	if len(findings) > 1 {
		in.Title = fmt.Sprintf("%s: %s %s, %d findings.", title, key.kind, key.cause, len(findings))
	}
	for _, f := range findings {
		if f.From != nil && (in.From == nil || f.From.Before(*in.From)) {
			in.From = f.From
		}
		if f.To == nil || in.To != nil && f.To.After(*in.To) {
			in.To = f.To
		}
		in.Suppressed = in.Suppressed && f.Suppressed != nil
		if in.Status != New {
			in.Status = f.Status
		}
		in.FindingIDs = append(in.FindingIDs, f.ID)
	}
	in.Totals = Totals(findings)
	in.ID = digestOfParts(key.audit, key.tree, key.kind, key.cause, timeText(in.From))
	for _, f := range findings {
		f.Incident = in.ID
	}
	return in
}
