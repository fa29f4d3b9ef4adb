package audit

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
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
	Unverifiable Grade = "unverifiable" // the log or the audits cannot tell; Missing says what would
	Vacuous      Grade = "vacuous"      // nothing ever tested it: no demand, no jobs, no operations
	Kept         Grade = "kept"         // tested, judged and not broken
)

// Grades are all grades, the worst first.
var Grades = []Grade{Broken, Impossible, Unverifiable, Vacuous, Kept}

// A Promise is one checkable statement of the configuration, for the time in which it
// was in force: where the setting was changed there is one for each version. A
// default is none.
type Promise struct {
	ID          string     `json:"promise_id"` // of tree, kind, subject and, of a later version, its number: the same every night
	Tree        string     `json:"tree"`
	Kind        string     `json:"kind"`         // strong_guarantee, max_running_operation_count, ...
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
}

// A promiseTerm is a row of the view promise_spans: a promise before it is graded.
type promiseTerm struct {
	Promise
	impossible, missing, untested sql.NullString
	void, force                   sql.NullString // of impossible: for which part of the time; when it was in force, if not all the time
}

func readPromises(ctx context.Context, db *sql.DB) ([]promiseTerm, error) {
	rows, err := db.QueryContext(ctx, `SELECT tree, kind, subject_kind, subject, path, statement, from_time, to_time, impossible, missing, untested, void_text, force_text,
			row_number() OVER (PARTITION BY tree, kind, subject_kind, subject ORDER BY from_time, statement) AS version
		FROM promise_spans ORDER BY tree, path, kind, subject, version`)
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
		t.ID = digestOfParts(t.Tree, t.Kind, t.SubjectKind, t.Subject)
		if version > 1 {
			t.ID = digestOfParts(t.Tree, t.Kind, t.SubjectKind, t.Subject, strconv.Itoa(version))
		}
		terms = append(terms, t)
	}
	return terms, rows.Err()
}

// A promiseScope names the pools in which a promise of a pool counts, beside that
// pool itself.
type promiseScope struct{ tree, kind, subject string }

func readScopes(ctx context.Context, db *sql.DB) (map[promiseScope][]string, error) {
	rows, err := db.QueryContext(ctx, "SELECT tree, kind, subject, pool FROM promise_scopes WHERE pool <> subject ORDER BY ALL")
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

// A look is what an audit that judges promises of a kind saw of one of them.
type look struct {
	*Outcome
	spans []testedSpan // of the subjects in which the promise counts
}

// grade grades the promises by the findings and outcomes of the audits that
// judge their kinds, and by what these saw of each. Audits that only break kinds add
// findings.
func (v *Verdict) grade(terms []promiseTerm, scopes map[promiseScope][]string, tested map[string][]testedSpan, coverage map[string]map[string]string) {
	judges := map[string][]string{} // the audits of a kind
	audits := map[string]*Audit{}
	for _, a := range v.Audits {
		audits[a.ID] = a
		for _, kind := range a.Judges {
			judges[kind] = append(judges[kind], a.ID)
		}
	}
	type place struct{ tree, of string }
	about := map[place][]charge{} // by tree and subject
	for i := range v.Findings {
		f := &v.Findings[i]
		for _, c := range f.charges() {
			c.rank = i
			at := place{f.Tree, c.subject}
			about[at] = append(about[at], c)
		}
	}
	outcomes := map[place]*Outcome{} // by audit and tree
	for i := range v.Outcomes {
		o := &v.Outcomes[i]
		outcomes[place{o.Tree, o.Audit.ID}] = o
	}
	type sight struct{ audit, tree, subject string }
	seen := map[sight][]testedSpan{}
	for audit, spans := range tested {
		for _, s := range spans {
			at := sight{audit, s.tree, s.subject}
			seen[at] = append(seen[at], s)
		}
	}
	for _, t := range terms {
		subjects := append([]string{t.Subject}, scopes[promiseScope{t.Tree, t.Kind, t.Subject}]...)
		var charges []charge
		var looked []look
		for _, subject := range subjects {
			for _, c := range about[place{t.Tree, subject}] {
				if audits[c.Audit].breaks(t.Kind, c.Invariant) && t.concerns(&c) && t.meets(c.From, c.To) {
					charges = append(charges, c)
				}
			}
		}
		slices.SortStableFunc(charges, func(a, b charge) int { return cmp.Compare(a.rank, b.rank) })
		for _, id := range judges[t.Kind] {
			one := look{Outcome: outcomes[place{t.Tree, id}]}
			for _, subject := range subjects {
				one.spans = append(one.spans, seen[sight{id, t.Tree, subject}]...)
			}
			looked = append(looked, one)
		}
		t.settle(charges, looked, coverage[t.Tree])
		v.Promises = append(v.Promises, t.Promise)
	}
	slices.SortStableFunc(v.Promises, func(a, b Promise) int {
		return cmp.Compare(slices.Index(Grades, a.Grade), slices.Index(Grades, b.Grade))
	})
}

// A charge is a finding as it concerns one of those who promised something.
type charge struct {
	*Finding
	subject string    // the pool or the tree whose promise it is about
	verdict Judgement // of what concerns that one
	named   bool      // by the audit, and not only as the home of an operation
	rank    int       // of the finding among all, the worst first
}

// charges are whose promises a finding is about: those that its evidence names as
// promised, or else the pool that it is about or in, or else the tree.
func (f *Finding) charges() []charge {
	var evidence struct {
		Promised []struct {
			Pool    string    `json:"pool"`
			Verdict Judgement `json:"verdict"`
		} `json:"promised"`
	}
	if json.Unmarshal(f.Evidence, &evidence) != nil || evidence.Promised == nil {
		return []charge{{Finding: f, subject: cmp.Or(f.pool(), f.Tree), verdict: f.Verdict, named: f.SubjectKind != "operation"}}
	}
	var charges []charge
	for _, p := range evidence.Promised {
		if p.Verdict.Rank() < f.Verdict.Rank() {
			p.Verdict = f.Verdict // which may have been found milder since
		}
		charges = append(charges, charge{Finding: f, subject: p.Pool, verdict: p.Verdict, named: true})
	}
	return charges
}

// promisedToOperations are the kinds that a pool promises to its operations. What
// was done to an operation's own limit or guarantee breaks no other promise of its
// pool.
var promisedToOperations = []string{"fifo_order", "fair_share_starvation_timeout", "min_share_preemption_timeout"}

// concerns reports whether a charge can be about what was promised.
func (t *promiseTerm) concerns(c *charge) bool {
	return c.named || slices.Contains(promisedToOperations, t.Kind)
}

// meets reports whether a span lies in the time in which the promise was in force.
func (t *promiseTerm) meets(from, to *time.Time) bool {
	begins := from == nil || t.To == nil || from.Before(*t.To)
	return begins && (to == nil || t.From == nil || to.After(*t.From) || from != nil && !from.Before(*t.From))
}

// tested reports whether one of the audits judged anything of the promise; if none
// did, unjudged says why they could not judge what there was.
func (t *promiseTerm) tested(looked []look) (yes bool, unjudged []string) {
	for _, l := range looked {
		for _, s := range l.spans {
			switch {
			case l.Seen == 0 || !t.meets(s.from, s.to):
			case s.missing == "":
				return true, nil
			case !slices.Contains(unjudged, s.missing):
				unjudged = append(unjudged, s.missing)
			}
		}
	}
	return false, unjudged
}

// settle grades one promise: the charges are about it, the outcomes are of the
// audits that judge it.
func (t *promiseTerm) settle(charges []charge, looked []look, states map[string]string) {
	count := map[Judgement]int{}
	suppressed := 0
	t.FindingIDs = []string{}
	for _, c := range charges {
		t.FindingIDs = append(t.FindingIDs, c.ID)
		count[c.verdict]++
		if c.verdict == Violated && c.Suppressed != nil {
			suppressed++
		}
	}
	blind, seen := blindness(looked, states)
	tested, unjudged := t.tested(looked)
	switch {
	case count[Violated] > 0:
		t.Grade, t.Reason = Broken, "Violated in "+countText(count[Violated], "case", "cases")+"."
		if suppressed > 0 {
			t.Reason = fmt.Sprintf("Violated in %s, of which the policy suppresses %d.", countText(count[Violated], "case", "cases"), suppressed)
		}
	case t.impossible.Valid:
		t.Grade, t.Reason = Impossible, sentence(t.impossible.String)
	case t.missing.Valid:
		t.Grade, t.Reason, t.Missing = Unverifiable, "The log does not tell what it is about.", sentence("the log would have to tell "+t.missing.String)
	case blind != "":
		t.Grade, t.Reason, t.Missing = Unverifiable, "No audit could judge it.", blind
	case count[Suspect] > 0:
		t.Grade, t.Reason = Unverifiable, "Suspect in "+countText(count[Suspect], "case", "cases")+", since the log does not settle it."
		t.Missing = suspicions(charges)
	case t.untested.Valid:
		t.Grade, t.Reason = Vacuous, sentence("nothing tested it: "+t.untested.String)
	case !seen:
		t.Grade, t.Reason, t.Missing = Unverifiable, "No audit saw anything of it.", unseen(looked)
	case unjudged != nil:
		t.Grade, t.Reason, t.Missing = Unverifiable, "No audit could judge what there was of it.", notTrue(unjudged)
	case !tested:
		t.Grade, t.Reason = Vacuous, "Nothing tested it: its audits judged others in the tree, and had nothing of it to judge."
	case count[Excused] > 0:
		t.Grade, t.Reason = Kept, "Tested and not broken; "+countText(count[Excused], "case is", "cases are")+" excused."
	default:
		t.Grade, t.Reason = Kept, "Tested and not broken."
	}
	for _, more := range [...]sql.NullString{t.void, t.force} {
		if more.Valid {
			t.Reason += " " + more.String
		}
	}
}

// unseen says why the audits of a promise saw nothing, and so what a log would
// have to hold.
func unseen(looked []look) string {
	var reasons []string
	for _, o := range looked {
		if o.Reason != "" && !slices.Contains(reasons, o.Reason) {
			reasons = append(reasons, o.Reason)
		}
	}
	if len(reasons) == 0 {
		return "A log that tells more: see the outcomes of its audits."
	}
	return notTrue(reasons)
}

func notTrue(reasons []string) string {
	return sentence("a log of which this is not true: " + strings.Join(reasons, "; "))
}

// blindness says what would let the audits of a promise judge it, if none can;
// and whether one of them judged something.
func blindness(looked []look, states map[string]string) (missing string, seen bool) {
	if len(looked) == 0 {
		return "An audit that judges promises of its kind; there is none yet.", false
	}
	able := 0
	for _, o := range looked {
		seen = seen || o.Seen > 0
		switch lack := unmet(o.Audit, states); {
		case o.Verdict == Failed:
			missing = fmt.Sprintf("That audit %s runs: it failed.", o.Audit.ID)
		case lack != "":
			missing = sentence(lack)
		default:
			able++
		}
	}
	if able > 0 {
		return "", seen
	}
	return missing, seen
}

// suspicions names the first suspect finding, whose reason says what is open.
func suspicions(charges []charge) string {
	for _, c := range charges {
		if c.verdict == Suspect {
			return fmt.Sprintf("What finding %s says that the log does not tell.", c.ID)
		}
	}
	return ""
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
