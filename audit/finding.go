package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

// A Judgement is the verdict on a case, a tree or an audit.
type Judgement string

// The judgements (core/spec/invariants.md §1). A single finding is never ok, not applicable or
// failed: without findings there is no row, and only a whole audit can have nothing to judge or
// fail to run.
const (
	Violated    Judgement = "violated"    // wrong under every reading of the log
	Suspect     Judgement = "suspect"     // wrong under some reading
	Damaged     Judgement = "damaged"     // the log lost rows or contradicts itself, which says nothing of the scheduler
	Excused     Judgement = "excused"     // wrong, with an excuse that the rules list
	Undecidable Judgement = "undecidable" // an input is missing
	Noted       Judgement = "noted"       // legal, and worth attention: a case of severity info
	OK          Judgement = "ok"
	Idle        Judgement = "not applicable" // nothing happened that it is about; neither kept nor left out
	Failed      Judgement = "failed"
)

// worstFirst is the order in which judgements are summed up; Gravity is that in which
// they are shown.
var worstFirst = []Judgement{Failed, Violated, Suspect, Damaged, Noted, Undecidable, Excused, OK, Idle}

// Rank is the place of a judgement among all, the worst first.
func (j Judgement) Rank() int { return slices.Index(worstFirst, j) }

// A Status says whether a finding is there for the first time.
type Status string

// The statuses; there is none without a baseline.
const (
	New        Status = "new"
	Persisting Status = "persisting" // the baseline held as bad a one of the same fingerprint
	Fixed      Status = "fixed"      // of the baseline, and gone
)

// A Finding is one case that an audit found.
type Finding struct {
	ID          string          `json:"finding_id"`  // the same in every run that finds the case: rule, subject and span
	Fingerprint string          `json:"fingerprint"` // the same in every night that has the trouble: rule and lasting subject
	Status      Status          `json:"status"`      // empty without a baseline
	Incident    string          `json:"incident_id"` // the Incident that it is part of; empty if it alleges nothing
	Audit       string          `json:"audit"`
	Invariant   string          `json:"invariant"` // id of the rule, of core/spec/invariants.md
	Tree        string          `json:"tree"`
	Verdict     Judgement       `json:"verdict"`
	Severity    Severity        `json:"severity"`
	Suppressed  *Suppression    `json:"suppressed"`   // the policy's suppression that covers it; nil if none
	SubjectKind string          `json:"subject_kind"` // pool, operation, job, node, ...
	Subject     string          `json:"subject"`
	Aspect      string          `json:"aspect"` // which of several limits or resources; may be empty
	From        *time.Time      `json:"from_time"`
	To          *time.Time      `json:"to_time"` // nil where the log knows no end
	Magnitude   *float64        `json:"magnitude"`
	Unit        string          `json:"unit"`
	Reason      string          `json:"reason"`   // what happened, as sentences
	Judged      string          `json:"judged"`   // recorded, recomputed or possible
	Evidence    json.RawMessage `json:"evidence"` // an object; its keys are the audit's
	Lacking     string          `json:"-"`        // what the trace lost, so that it is undecidable; empty if nothing
	Excuse      string          `json:"-"`        // what excuses it or the first of its cases that is excused, in words
}

// Counts reports whether the finding counts against the run: violated and not
// suppressed.
func (f *Finding) Counts() bool { return f.Verdict == Violated && f.Suppressed == nil }

// Alleges reports whether the finding says that something was wrong, for certain or
// under some reading of the log, or that the log is damaged.
func (f *Finding) Alleges() bool {
	return f.Verdict == Violated || f.Verdict == Suspect || f.Verdict == Damaged
}

// Totals are the magnitudes of findings, summed per unit in the order in which units come. A decision
// that breaks several rules counts once.
func Totals(findings []*Finding) (sums []Amount) {
	for _, f := range findings {
		if f.Magnitude == nil {
			continue
		}
		i := slices.IndexFunc(sums, func(a Amount) bool { return a.Unit == f.Unit })
		if i < 0 {
			i = len(sums)
			sums = append(sums, Amount{Unit: f.Unit})
		}
		sums[i].Magnitude = saturate(sums[i].Magnitude + *f.Magnitude - f.repeated(findings))
	}
	return sums
}

// repeated returns how many of the decisions that a finding counts are also counted by findings of
// earlier rules. Its evidence names the rules that these decisions break.
func (f *Finding) repeated(among []*Finding) (n float64) {
	var evidence struct {
		Shared []struct {
			Rules     []string
			Decisions float64
		}
	}
	if json.Unmarshal(f.Evidence, &evidence) != nil {
		return 0
	}
	for _, s := range evidence.Shared {
		before := s.Rules[:max(0, slices.Index(s.Rules, f.Invariant))]
		if slices.ContainsFunc(among, func(o *Finding) bool {
			return o.Tree == f.Tree && o.Subject == f.Subject && o.Verdict == f.Verdict && slices.Contains(before, o.Invariant)
		}) {
			n += s.Decisions
		}
	}
	return n
}

// identify sets the finding's id and fingerprint: hashes of what it is about,
// not of how bad it is or of what the audit says about it.
func (f *Finding) identify() {
	f.ID = digestOfParts(f.Audit, f.Tree, f.SubjectKind, f.Subject, f.Aspect, timeText(f.From), timeText(f.To))
	f.Fingerprint = digestOfParts(append([]string{f.Audit, f.Tree}, f.lasting()...)...)
}

// lasting returns the parts of a finding's subject that exist in the next night, too. An operation
// or a job does not, nor the aspect that may name another one; its pool does, if the evidence names
// one.
func (f *Finding) lasting() []string {
	if f.SubjectKind == "operation" || f.SubjectKind == "job" {
		if pool := f.pool(); pool != "" {
			return []string{f.SubjectKind + "s of pool", pool}
		}
	}
	return []string{f.SubjectKind, f.Subject, f.Aspect}
}

// digestOfParts is a short hash of texts and their borders.
func digestOfParts(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// timeText is a time as all outputs show it; empty if there is none.
func timeText(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999Z")
}
