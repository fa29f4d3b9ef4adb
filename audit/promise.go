package audit

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Grade says what became of a promise.
type Grade string

// The grades, the worst first.
const (
	Broken       Grade = "broken"       // a violated finding says so
	Impossible   Grade = "impossible"   // the configuration could not keep it, whatever the scheduler did
	Unverifiable Grade = "unverifiable" // the log or the audits cannot tell whether it was broken; Missing says what would
	InPart       Grade = "excused"      // not kept for a time that the rules excuse, and not broken
	Vacuous      Grade = "vacuous"      // nothing ever tested it: no demand, no jobs, no operations
	Kept         Grade = "kept"         // tested, judged and not broken
)

// Grades are all grades, the worst first.
var Grades = []Grade{Broken, Impossible, Unverifiable, InPart, Vacuous, Kept}

// A Promise is one checkable statement of the configuration, for the time in which it was in force:
// if the setting was changed there is one for each version. A default is not a promise.
type Promise struct {
	ID          string     `json:"promise_id"` // of tree, kind, subject and, of a later version, its number: the same every night
	Tree        string     `json:"tree"`
	Kind        string     `json:"promise"`      // strong_guarantee, max_running_operation_count, ...
	SubjectKind string     `json:"subject_kind"` // pool, operation or tree
	Subject     string     `json:"subject"`
	Path        string     `json:"path"`      // of the pool; empty for others
	Statement   string     `json:"statement"` // what is promised, as a sentence
	From        *time.Time `json:"from_time"` // since when it was in force, or the window's start
	To          *time.Time `json:"to_time"`   // until when, exclusive
	Grade       Grade      `json:"grade"`
	Reason      string     `json:"reason"`      // why this grade
	Missing     string     `json:"missing"`     // what would make it verifiable; empty unless unverifiable
	FindingIDs  []string   `json:"finding_ids"` // of the findings about it, the worst first
	Tested      float64    `json:"tested_s"`    // for how long something tested it; 0 where no time is known
	Kept        float64    `json:"kept_s"`      // for how much of that it was delivered: usage was not below a guarantee, and no finding is about it
	Shortfall   *Shortfall `json:"shortfall"`   // where it was missed most; nil unless broken
	Delivery    *Delivery  `json:"delivery"`    // what was lacking of a guarantee; nil of other kinds, and where nothing is known of it
}

// A promiseTerm is a row of the view promise_spans: a promise before it is graded.
type promiseTerm struct {
	Promise
	impossible, missing, untested sql.NullString
	void, force                   sql.NullString // of impossible: for which part of the time; when it was in force, if not all the time

	shortfalls []shortfall // of a guarantee, in the order of time
	allowed    *float64    // seconds for which a guarantee may be unmet; nil of other promises, and where no audit judges it
}

const askPromises = `
SELECT tree, kind, subject_kind, subject, path, statement, from_time, to_time, impossible, missing, untested, void_text, force_text,
	row_number() OVER (PARTITION BY tree, kind, subject_kind, subject ORDER BY from_time, statement) AS version
FROM internal.promise_spans
ORDER BY tree, path, kind, subject, version`

func readPromises(ctx context.Context, db *sql.DB, bounds tolerances) ([]promiseTerm, error) {
	rows, err := db.QueryContext(ctx, askPromises)
	if err != nil {
		return nil, fmt.Errorf("read the promises: %w", err)
	}
	defer rows.Close()
	var terms []promiseTerm
	for rows.Next() {
		var t promiseTerm
		var version int
		if err := rows.Scan(&t.Tree, &t.Kind, &t.SubjectKind, &t.Subject, &t.Path, &t.Statement, &t.From, &t.To,
			&t.impossible, &t.missing, &t.untested, &t.void, &t.force, &version); err != nil {
			return nil, fmt.Errorf("read the promises: %w", err)
		}
		t.Statement, t.allowed = bounds.fill(&t)
		t.ID = digestOfParts(t.Tree, t.Kind, t.SubjectKind, t.Subject)
		if version > 1 {
			t.ID = digestOfParts(t.Tree, t.Kind, t.SubjectKind, t.Subject, strconv.Itoa(version))
		}
		terms = append(terms, t)
	}
	return terms, rows.Err()
}

// unmetAudits are the audits whose threshold sla_s is the tolerance of a guarantee.
var unmetAudits = map[string]string{
	"strong_guarantee": "strong_guarantee_unmet", "burst_guarantee": "integral_guarantee_unmet", "relaxed_guarantee": "integral_guarantee_unmet",
}

// tolerances are the thresholds for the delay of a guarantee.
type tolerances struct {
	params map[string]float64 // "audit.param", of all pools without an SLA of their own
	policy *Policy
}

// fill puts into a statement what stands in it for the tolerance: that of the pool's SLA
// with its hours, else that of the policy. It returns that tolerance, too.
func (b tolerances) fill(t *promiseTerm) (statement string, allowed *float64) {
	name := unmetAudits[t.Kind] + ".sla_s"
	bound, known := b.params[name]
	hours := ""
	if s := b.policy.slaOf(t.Tree, t.Path); s != nil {
		if own, ok := s.bounds[name]; ok {
			bound, known = own, true
			if s.hours.text != "" {
				hours = " (" + s.hours.text + ")"
			}
		}
	}
	if !known { // no audit judges it
		return strings.Replace(t.Statement, "within {sla} of demanding", "when it demands", 1), nil
	}
	text := strings.Replace(t.Statement, "{sla}", roundSpan(bound), 1)
	return strings.TrimSuffix(text, ".") + hours + ".", &bound
}

// roundSpan is a number of seconds as the configuration would say it: 90 s, 5 minutes.
func roundSpan(s float64) string {
	if m := s / 60; m >= 1 && m == math.Trunc(m) {
		return countText(int(m), "minute", "minutes")
	}
	return fmt.Sprintf("%g s", s)
}

// A promiseScope names the pools in which a promise counts that a pool makes, beside
// that pool itself, or the tree, whose subject is empty.
type promiseScope struct{ tree, kind, subject string }

const askScopes = "SELECT tree, kind, subject, pool FROM internal.promise_scopes WHERE pool <> subject ORDER BY ALL"

func readScopes(ctx context.Context, db *sql.DB) (map[promiseScope][]string, error) {
	rows, err := db.QueryContext(ctx, askScopes)
	if err != nil {
		return nil, fmt.Errorf("read where promises count: %w", err)
	}
	defer rows.Close()
	scopes := map[promiseScope][]string{}
	for rows.Next() {
		var s promiseScope
		var pool string
		if err := rows.Scan(&s.tree, &s.kind, &s.subject, &pool); err != nil {
			return nil, fmt.Errorf("read where promises count: %w", err)
		}
		scopes[s] = append(scopes[s], pool)
	}
	return scopes, rows.Err()
}
