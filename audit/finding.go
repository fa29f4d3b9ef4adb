package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

// A Judgement is the verdict on a case, a tree or an audit.
type Judgement string

// The judgements (spec/invariants.md §1). Ok and failed are no verdicts of a
// single finding: where nothing is found there is no row, and only a whole audit
// can fail to run.
const (
	Violated    Judgement = "violated"    // wrong under every reading of the log
	Suspect     Judgement = "suspect"     // wrong under some reading
	Excused     Judgement = "excused"     // wrong, with an excuse that the rules list
	Undecidable Judgement = "undecidable" // an input is missing
	OK          Judgement = "ok"
	Failed      Judgement = "failed"
)

// worstFirst is the order in which judgements are shown and summed up.
var worstFirst = []Judgement{Failed, Violated, Suspect, Undecidable, Excused, OK}

// Rank is the place of a judgement among all, the worst first.
func (j Judgement) Rank() int { return slices.Index(worstFirst, j) }

// A Finding is one case that an audit found.
type Finding struct {
	ID          string          `json:"finding_id"` // the same in every run that finds the case
	Audit       string          `json:"audit"`
	Invariant   string          `json:"invariant"`
	Tree        string          `json:"tree"`
	Verdict     Judgement       `json:"verdict"`
	Severity    Severity        `json:"severity"`
	SubjectKind string          `json:"subject_kind"`
	Subject     string          `json:"subject"`
	Aspect      string          `json:"aspect"` // which of several limits or resources; may be empty
	From        *time.Time      `json:"from_time"`
	To          *time.Time      `json:"to_time"` // nil where the log knows no end
	Magnitude   *float64        `json:"magnitude"`
	Unit        string          `json:"unit"`
	Reason      string          `json:"reason"`
	Judged      string          `json:"judged"` // recorded, recomputed or possible
	Evidence    json.RawMessage `json:"evidence"`
}

// identify sets the finding's id: a hash of what it is about, not of how bad
// it is or of what the audit says about it.
func (f *Finding) identify() {
	h := sha256.New()
	for _, part := range []string{f.Audit, f.Tree, f.SubjectKind, f.Subject, f.Aspect, timeText(f.From), timeText(f.To)} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	f.ID = hex.EncodeToString(h.Sum(nil))[:12]
}

// timeText is a time as all outputs show it; empty if there is none.
func timeText(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999Z")
}

// An Outcome is what an audit says of one tree.
type Outcome struct {
	Audit    *Audit
	Tree     string
	Verdict  Judgement
	Seen     int64  // how much was judged
	SeenUnit string // of what
	Findings int    // that count for the verdict and those that do not
	Reason   string // what could not be judged and why, or why the audit failed
}

// A Verdict is what all audits say of a run.
type Verdict struct {
	Profile  string
	From, To string
	Trees    []string
	Params   map[string]float64 // "audit.param" to the value that judged
	Audits   []*Audit
	Outcomes []Outcome // in the order (audit, tree)
	Findings []Finding // worst first
}

// Exit codes of a verdict (the rest are the command's).
const (
	exitKept     = 0
	exitViolated = 1
	exitFailed   = 2
	exitCoverage = 3
)

// ExitCode is 2 if an audit failed to run, else 1 if a promise was violated
// (findings of severity info never count), else 3 if less than minCoverage was
// judged, else 0.
func (v *Verdict) ExitCode(minCoverage float64) int {
	switch {
	case slices.ContainsFunc(v.Outcomes, func(o Outcome) bool { return o.Verdict == Failed }):
		return exitFailed
	case slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Verdict == Violated && f.Severity != Info }):
		return exitViolated
	case v.Coverage() < minCoverage:
		return exitCoverage
	}
	return exitKept
}

// Coverage is the share of the pairs of audit and tree that could be judged.
func (v *Verdict) Coverage() float64 {
	judged := 0
	for _, o := range v.Outcomes {
		if o.Seen > 0 && o.Verdict != Failed {
			judged++
		}
	}
	if len(v.Outcomes) == 0 {
		return 0
	}
	return float64(judged) / float64(len(v.Outcomes))
}

// sortFindings puts the worst first, in an order that is total.
func sortFindings(findings []Finding) {
	size := func(f Finding) float64 {
		if f.Magnitude == nil {
			return 0
		}
		return *f.Magnitude
	}
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Verdict.Rank(), b.Verdict.Rank()),
			cmp.Compare(slices.Index(Severities, a.Severity), slices.Index(Severities, b.Severity)),
			cmp.Compare(a.Audit, b.Audit), cmp.Compare(a.Unit, b.Unit), cmp.Compare(size(b), size(a)),
			cmp.Compare(a.Tree, b.Tree), cmp.Compare(timeText(a.From), timeText(b.From)),
			cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Aspect, b.Aspect), cmp.Compare(a.ID, b.ID))
	})
}
