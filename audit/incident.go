package audit

import "time"

// An Incident is one trouble: the findings of an audit that have the same cause
// and lie close together in time.
type Incident struct {
	ID         string     `json:"incident_id"` // of its first finding's cause and start
	Title      string     `json:"title"`       // one sentence
	Audit      string     `json:"audit"`
	Tree       string     `json:"tree"`
	CauseKind  string     `json:"cause_kind"` // what Cause is: pool, operation, node, job, ...
	Cause      string     `json:"cause"`      // the subject that its findings share
	From       *time.Time `json:"from_time"`
	To         *time.Time `json:"to_time"`    // nil where one of its findings has no known end
	Verdict    Judgement  `json:"verdict"`    // the worst of its findings
	Severity   Severity   `json:"severity"`   // the worst of its findings
	Suppressed bool       `json:"suppressed"` // whether all its findings are
	Status     Status     `json:"status"`     // new if one of its findings is
	Findings   int        `json:"findings"`
	Totals     []Amount   `json:"totals"`      // the findings' magnitudes, summed per unit
	FindingIDs []string   `json:"finding_ids"` // the worst first
}

// An Amount is a magnitude with its unit.
type Amount struct {
	Magnitude float64 `json:"magnitude"`
	Unit      string  `json:"unit"`
}
