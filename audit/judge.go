package audit

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/core/judge"
)

// A result holds the rows of an audit's queries.
type result struct {
	findings []Finding
	seen     map[string]seenRow // by tree
	tested   []testedSpan
	err      error
}

// A seenRow says how much an audit judged in a tree. The reason says why it is
// nothing, or what else could not be judged.
type seenRow struct {
	count  int64
	unit   string
	reason string
	idle   bool // nothing happened that could be judged, as far as a whole log would tell
}

// runAudit runs the queries of an audit, but those that its source has answered.
func (r *runner) runAudit(ctx context.Context, db *sql.DB, a *Audit, trees []string, told sourced) (found result) {
	params := r.values[a]
	var answered bool
	if found.findings, answered = told.findings[a]; !answered {
		found.findings, found.err = queryFindings(ctx, db, a, params)
	}
	if found.seen, answered = told.seen[a]; !answered && found.err == nil {
		found.seen, found.err = querySeen(ctx, db, a, params)
	}
	if found.err == nil && a.Tested != "" && r.grades() {
		found.tested, found.err = queryTested(ctx, db, a, params)
	}
	for i := range found.findings {
		if tree := found.findings[i].Tree; found.err == nil && !slices.Contains(trees, tree) {
			found.err = fmt.Errorf("a finding is in tree %q, which the run does not have", tree)
		}
	}
	if found.err != nil {
		found.findings = nil // partial answers are discarded
	}
	return found
}

// A findingRow receives one row of a findings query.
type findingRow struct {
	Finding
	from, to                sql.NullTime
	magnitude               sql.NullFloat64
	aspect, reason, subject sql.NullString
	invariant, excuse       sql.NullString
	evidence                sql.NullString
}

// invariantColumn names the rule that a finding is about, and excuseColumn in words what
// excuses it; null where nothing does. An audit of a single rule may leave out the former,
// one that excuses nothing the latter.
const (
	invariantColumn = "invariant"
	excuseColumn    = "excuse"
)

// findingColumns are the columns that every findings query returns, in any
// order.
var findingColumns = map[string]func(*findingRow) any{
	"tree":         func(r *findingRow) any { return &r.Tree },
	"aspect":       func(r *findingRow) any { return &r.aspect },
	"verdict":      func(r *findingRow) any { return (*string)(&r.Verdict) },
	"subject_kind": func(r *findingRow) any { return &r.SubjectKind },
	"subject":      func(r *findingRow) any { return &r.subject },
	"from_time":    func(r *findingRow) any { return &r.from },
	"to_time":      func(r *findingRow) any { return &r.to },
	"magnitude":    func(r *findingRow) any { return &r.magnitude },
	"unit":         func(r *findingRow) any { return &r.Unit },
	"reason":       func(r *findingRow) any { return &r.reason },
	"judged":       func(r *findingRow) any { return &r.Judged },
	"evidence":     func(r *findingRow) any { return &r.evidence },

	invariantColumn: func(r *findingRow) any { return &r.invariant },
	excuseColumn:    func(r *findingRow) any { return &r.excuse },
}

func queryFindings(ctx context.Context, db *sql.DB, a *Audit, params values) ([]Finding, error) {
	var c collection
	err := eachFinding(ctx, db, params.fill(a.Findings), a.checkColumns, func(row *findingRow) error { return c.add(a, row) })
	return c.findings, err
}

// eachFinding reads the rows of a findings query, whose columns have to pass a check.
func eachFinding(ctx context.Context, db *sql.DB, query string, check func(columns []string) error, use func(*findingRow) error) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	if err := check(names); err != nil {
		return err
	}
	for rows.Next() {
		var row findingRow
		into := make([]any, len(names))
		for i, name := range names {
			into[i] = findingColumns[name](&row)
		}
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("read a finding: %w", err)
		}
		if err := use(&row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// A collection takes the findings of an audit.
type collection struct {
	findings []Finding
	ids      map[string]bool
}

func (c *collection) add(a *Audit, row *findingRow) error {
	f, err := row.finding(a)
	if err != nil {
		return fmt.Errorf("finding %d: %w", len(c.findings), err)
	}
	if c.ids[f.ID] {
		return fmt.Errorf("two findings have the subject %s %q, aspect %q and span %s to %s", f.SubjectKind, f.Subject, f.Aspect, timeText(f.From), timeText(f.To))
	}
	if c.ids == nil {
		c.ids = map[string]bool{}
	}
	c.ids[f.ID] = true
	c.findings = append(c.findings, f)
	return nil
}

func (a *Audit) checkColumns(names []string) error {
	want := len(findingColumns)
	for name := range findingColumns {
		switch has := slices.Contains(names, name); {
		case has:
		case name == invariantColumn && len(a.Invariants) == 1, name == excuseColumn:
			want--
		default:
			return fmt.Errorf("the query for findings does not return the column %s", name)
		}
	}
	if len(names) != want {
		return fmt.Errorf("the query for findings returns %d columns, not %d", len(names), want)
	}
	return nil
}

// finding completes and checks a row.
func (r *findingRow) finding(a *Audit) (Finding, error) {
	f := r.Finding
	f.Audit, f.Invariant, f.Severity = a.ID, a.Invariants[0], a.Severity
	if r.invariant.Valid {
		f.Invariant = r.invariant.String
	}
	f.Aspect, f.Reason, f.Subject, f.Excuse = r.aspect.String, r.reason.String, r.subject.String, r.excuse.String
	f.From, f.To = optionalTime(r.from), optionalTime(r.to)
	if r.magnitude.Valid {
		magnitude := saturate(r.magnitude.Float64)
		f.Magnitude = &magnitude
	}
	f.Evidence = json.RawMessage("{}")
	if r.evidence.Valid {
		f.Evidence = json.RawMessage(r.evidence.String)
	}
	f.identify()
	switch {
	case r.invariant.Valid && !slices.Contains(a.Invariants, f.Invariant):
		return f, fmt.Errorf("unknown invariant %q (want one of the audit's)", f.Invariant)
	case !slices.Contains([]Judgement{Violated, Suspect, Excused, Undecidable}, f.Verdict):
		return f, fmt.Errorf("unknown verdict %q", f.Verdict)
	case !slices.Contains(evidenceLevels, f.Judged):
		return f, fmt.Errorf("unknown level of evidence %q", f.Judged)
	case f.Verdict == Violated && f.Judged == "possible":
		return f, errors.New("what is only possible cannot be violated")
	case f.Reason == "" || f.Subject == "":
		return f, errors.New("a subject or a reason is missing")
	case !json.Valid(f.Evidence):
		return f, errors.New("the evidence is not JSON")
	}
	switch { // judged says how sure it is
	case !f.Alleges():
	case a.Concerns == concernsLog:
		f.callDamaged() // who writes the log is not the scheduler
	case a.Severity == Info:
		f.Verdict = Noted // legal behaviour is not a violation
	}
	return f, nil
}

// callDamaged makes what an audit of the log found damage, of which judged says how sure it is.
func (f *Finding) callDamaged() {
	if f.Verdict == Suspect {
		f.Judged = "possible"
	}
	f.Verdict = Damaged
}

func optionalTime(t sql.NullTime) *time.Time {
	if !t.Valid {
		return nil
	}
	utc := t.Time.UTC()
	return &utc
}

func querySeen(ctx context.Context, db *sql.DB, a *Audit, params values) (map[string]seenRow, error) {
	seen := map[string]seenRow{}
	return seen, eachSeen(ctx, db, params.fill(a.Seen), nil, func(tree string, row seenRow) error { return take(seen, tree, row) })
}

// take takes how much was seen of a tree.
func take(seen map[string]seenRow, tree string, row seenRow) error {
	if _, twice := seen[tree]; twice {
		return fmt.Errorf("how much was seen: tree %s has two rows", tree)
	}
	seen[tree] = row
	return nil
}

// eachSeen reads the rows of a query for how much was seen; first receives what columns it
// has before the usual ones.
func eachSeen(ctx context.Context, db *sql.DB, query string, first []any, use func(tree string, row seenRow) error) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("how much was seen: %w", err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return fmt.Errorf("how much was seen: %w", err)
	}
	for rows.Next() {
		var tree string
		var reason sql.NullString
		var idle sql.NullBool
		var row seenRow
		into := append(slices.Clone(first), &tree, &row.count, &row.unit, &reason, &idle)
		least := len(into) - 1 // idle may be left out
		if err := rows.Scan(into[:max(least, min(len(columns), len(into)))]...); err != nil {
			return fmt.Errorf("how much was seen: %w", err)
		}
		row.reason, row.idle = reason.String, idle.Bool && row.count == 0
		if err := use(tree, row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// sawNothing is said of an audit that saw nothing and does not say why.
const sawNothing = "the log holds nothing for it to judge"

// add takes the result of an audit into the verdict, tree by tree.
func (v *Verdict) add(a *Audit, r result, coverage map[string]map[string]string) {
	losses := lossesOf(v.LostRows)
	for _, tree := range v.Trees {
		o := Outcome{Audit: a, Tree: tree, Verdict: OK}
		if r.err != nil {
			o.Verdict, o.Reason = Failed, r.err.Error()
			v.Outcomes = append(v.Outcomes, o)
			continue
		}
		row := r.seen[tree]
		missing := unmet(a, coverage[tree])
		o.Seen, o.SeenUnit, o.Reason = row.count, row.unit, row.reason
		switch {
		case missing != "" && a.isForeignTo(coverage[tree]):
			o.Seen, o.Verdict, o.Reason = 0, Idle, missing
			v.Outcomes = append(v.Outcomes, o)
			continue
		case missing != "":
			o.Seen, o.Verdict, o.Reason = 0, Undecidable, missing
		case row.idle && !slices.ContainsFunc(r.findings, func(f Finding) bool { return f.Tree == tree }):
			o.Verdict = Idle
		case row.count == 0:
			o.Verdict = Undecidable
			if o.Reason == "" {
				o.Reason = sawNothing
			}
			missing = o.Reason
		}
		for _, f := range r.findings {
			if f.Tree != tree {
				continue
			}
			if missing != "" && f.Verdict != Undecidable {
				// Evidence that is only possible cannot support a violation.
				f.Verdict, f.Judged, f.Reason = Undecidable, "possible", f.Reason+" Undecidable: "+missing+"."
			}
			if f.Alleges() {
				if lacking := undermines(losses, a, &f); lacking != "" {
					f.withdraw(lacking)
				}
			}
			if f.Verdict.Rank() < o.Verdict.Rank() {
				o.Verdict = f.Verdict
			}
			o.Findings++
			v.Findings = append(v.Findings, f)
		}
		v.Outcomes = append(v.Outcomes, o)
	}
}

// isClassic reports whether the audit judges rules of the classic scheduling policy alone.
func (a *Audit) isClassic() bool {
	return len(a.Invariants) > 0 && !slices.ContainsFunc(a.Invariants, func(id string) bool { return !judge.IsClassic(id) })
}

// isForeignTo reports whether another scheduling policy than that of the audit's rules decides in a tree.
func (a *Audit) isForeignTo(states map[string]string) bool {
	return states[policyAspect] == "gpu" && a.isClassic()
}

// goesByShares reports whether the audit judges only rules that go by recomputed fair shares.
func (a *Audit) goesByShares() bool {
	return len(a.Invariants) > 0 && !slices.ContainsFunc(a.Invariants, func(id string) bool { return !judge.GoesByShares(id) })
}

// policyAspect is the aspect of coverage that names the scheduling policy. Runs of before do not have it, and know
// the classic one only.
const policyAspect = "scheduling_policy"

// unmet says what a tree's log lacks for an audit; empty if it lacks nothing.
func unmet(a *Audit, states map[string]string) string {
	if a.isForeignTo(states) {
		return "the GPU policy decides in this tree, and the rule is one of the classic scheduling policy"
	}
	var missing []string
	if states[policyAspect] == "unknown" && a.isClassic() {
		missing = append(missing, "the scheduling policy of the tree (policy_kind)")
	}
	if states["share_options"] == "unmodelled" && a.goesByShares() {
		return "an option of the tree or of a pool changes fair shares in a way that is not modelled (see the list of unmodelled options in scheduling.md §3.7)"
	}
	for _, n := range a.Needs {
		if state, ok := states[n.Aspect]; !ok {
			missing = append(missing, fmt.Sprintf("%s (the log does not record how it knows %s)", n.Sentence, n.Aspect))
		} else if !slices.Contains(n.States, state) {
			missing = append(missing, fmt.Sprintf("%s (%s: %s, not %s)", n.Sentence, n.Aspect, state, strings.Join(n.States, " or ")))
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return "the log lacks " + strings.Join(missing, "; ")
}

// evidenceLevels lists the levels of evidence, the most certain first.
var evidenceLevels = []string{"recorded", "recomputed", "possible"}
