package report

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/audit"
	"poolproof/core/quantity"
	"poolproof/core/spec"
	"poolproof/core/spelling"
)

// An Explanation holds the inputs for explaining a finding.
type Explanation struct {
	Verdict *audit.Verdict
	Finding *audit.Finding
	Audit   *audit.Audit // as the queries declare it
	DB      *sql.DB      // run.duckdb
	RunPath string       // as the user gave it
	From    *time.Time   // the time to be told of, and
	To      *time.Time   // its end; nil for that around the finding
	Outline bool         // no more than what it is about and when, as WriteTracks needs it
}

// Explain tells of one finding: of a guarantee or of starvation what was lacking, why and who had
// it, what was promised, what happened, the numbers, of a
// preemption its proof, the time around it, what would excuse it, how to ask what the
// policy would have decided, and where the rows are.
func Explain(ctx context.Context, e Explanation) (*Document, error) {
	d := e.heading()
	if e.Outline {
		return d, nil
	}
	ledger, err := e.account(ctx)
	if err != nil {
		return nil, err
	}
	if err := d.accounts(ctx, ledger); err != nil {
		return nil, err
	}
	e.promises(d)
	d.add("reason", "What happened").Prose = []string{e.Finding.Reason}
	e.numbers(d)
	e.proofs(d)
	if err := e.timeline(ctx, d); err != nil {
		return nil, err
	}
	if err := e.records(ctx, d); err != nil {
		return nil, err
	}
	e.excuses(d)
	if err := e.ask(ctx, d); err != nil {
		return nil, err
	}
	if ledger != nil && ledger.level != "" {
		ledger.next(d, e.RunPath)
	}
	return d, e.rows(ctx, d)
}

// records tells where recorded fair shares of the subject are not the recomputed ones.
func (e *Explanation) records(ctx context.Context, d *Document) error {
	f := e.Finding
	if f.From == nil || f.SubjectKind != "pool" && f.SubjectKind != "operation" {
		return nil
	}
	to := *f.From
	if f.To != nil {
		to = *f.To
	}
	return d.recordsBeside(ctx, e.DB, f.Tree, f.SubjectKind, f.Subject, *f.From, to)
}

// heading begins the document: which finding it is and where it stands.
func (e *Explanation) heading() *Document {
	f := e.Finding
	d := &Document{Kind: "finding", Name: f.ID, Tree: f.Tree, From: f.From, To: f.To, Finding: f}
	line := "Finding " + f.ID
	for _, i := range e.Verdict.Incidents {
		if i.ID == f.Incident && i.Findings > 1 {
			line += fmt.Sprintf(", one of %s of incident %s", count(i.Findings, "finding", "findings"), i.ID)
		}
	}
	switch f.Status {
	case audit.New:
		line += "; new, the baseline did not have it"
	case audit.Persisting:
		line += "; the baseline had it, too"
	}
	d.Heading = []string{
		fmt.Sprintf("%s (%s, %s): %s", verdictOf(*f), f.Severity, f.Invariant, e.Audit.Title),
		fmt.Sprintf("%s %s in tree %s, %s", f.SubjectKind, f.Subject, f.Tree, span(f.From, f.To)),
		line + ".",
	}
	if s := f.Suppressed; s != nil {
		d.Heading = append(d.Heading, fmt.Sprintf("Suppressed by %s until %s: %s", s.Owner, s.Until, s.Reason))
	}
	return d
}

// promises adds the rule of the audit, and the promises of the configuration that the finding
// concerns.
func (e *Explanation) promises(d *Document) {
	p := d.add("promises", "What was promised")
	p.Prose = []string{e.Audit.Promise}
	for _, of := range e.Verdict.Promises {
		if slices.Contains(of.FindingIDs, e.Finding.ID) {
			p.Prose = append(p.Prose, fmt.Sprintf("By the configuration: %s (%s)", of.Statement, of.Grade))
		}
	}
}

// judgedMeans maps levels of evidence to their meaning.
var judgedMeans = map[string]string{
	"recorded":   "the log states it",
	"recomputed": "the replay recomputed it from the log",
	"possible":   "the log allows other readings, so that nothing is called violated",
}

// numbers are the magnitude and the evidence, both sides of the comparison.
func (e *Explanation) numbers(d *Document) {
	f := e.Finding
	p := d.add("numbers", "The numbers")
	if f.Magnitude != nil {
		p.Facts = append(p.Facts, fact{"magnitude", quantity.Of(*f.Magnitude, f.Unit)})
	}
	p.Facts = append(p.Facts, fact{"judged", fmt.Sprintf("%s: %s", f.Judged, judgedMeans[f.Judged])})
	for _, q := range e.Audit.Params {
		if value, ok := e.Verdict.Params[e.Audit.ID+"."+q.Name]; ok {
			p.Facts = append(p.Facts, fact{"threshold " + q.Name, fmt.Sprintf("%g %s: %s", value, q.Unit, q.Sentence)})
		}
	}
	for _, m := range members(f.Evidence) {
		if !isInternal(m.key) {
			p.Facts = append(p.Facts, evidenceOf(m)...)
		}
	}
}

// A member is one key of an object with its value, in the order of the text.
type member struct {
	key   string
	value json.RawMessage
}

// members returns the members of an object, nil if the value is not an object.
func members(object json.RawMessage) (all []member) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var m member
		m.key, _ = key.(string)
		if d.Decode(&m.value) != nil {
			return nil
		}
		all = append(all, m)
	}
	return all
}

// listed bounds the number of elements of a list of evidence.
const listed = 8

// evidenceOf is one key of the evidence in words; a list has a fact per element.
func evidenceOf(m member) (facts []fact) {
	var list []json.RawMessage
	if json.Unmarshal(m.value, &list) != nil || len(list) == 0 {
		if name, text := worded(m); text != "" {
			facts = []fact{{name, text}}
		}
		return facts
	}
	name := wordsOf(m.key)
	for i, element := range list {
		if i == listed {
			return append(facts, fact{"", fmt.Sprintf("and %d more", len(list)-i)})
		}
		_, text := worded(member{value: element})
		if inner := members(element); inner != nil {
			var parts []string
			for _, n := range inner {
				if name, value := worded(n); value != "" {
					parts = append(parts, name+" "+value)
				}
			}
			text = strings.Join(parts, ", ")
		}
		if text == "" {
			continue
		}
		facts = append(facts, fact{name, text})
		name = ""
	}
	return facts
}

// plainJSON is a list or an object for a person; empty for one without content.
func plainJSON(value json.RawMessage) string {
	switch text := string(value); text {
	case "[]", "{}":
		return ""
	default:
		return spelling.OneName(text)
	}
}

// timeline tells what the subject, or its pool, had before, during and after.
func (e *Explanation) timeline(ctx context.Context, d *Document) error {
	f := e.Finding
	type subject struct{ table, kind, name, side string }
	subjects := []subject{{"pool_intervals", "pool", poolOf(*f), ""}}
	if f.SubjectKind == "operation" {
		subjects = append(subjects, subject{"operation_intervals", "operation", f.Subject, ""})
	}
	if proofs := proofsOf(f); len(proofs) > 0 {
		p := &proofs[0]
		for i := range subjects {
			subjects[i].side = ", the victim's"
		}
		if p.ForPool != p.Pool {
			subjects = append(subjects, subject{"pool_intervals", "pool", p.ForPool, ", the beneficiary's"})
		}
		if p.For != f.Subject {
			subjects = append(subjects, subject{"operation_intervals", "operation", p.For, ", the beneficiary's"})
		}
	}
	from, to, err := toldWindow(e.Verdict, e.From, e.To)
	if err != nil || f.From == nil {
		return err
	}
	begin, end := from, to
	if e.From == nil && e.To == nil {
		begin, end = around(*f.From, f.To, from, to)
	}
	for _, s := range subjects {
		if s.name == "" {
			continue
		}
		fr := newFrame(f.Tree, s.name, begin, end, timelineRows)
		series, err := readSeries(ctx, e.DB, s.table, []frame{fr})
		if err != nil {
			return err
		}
		happened, err := readHappenings(ctx, e.DB, s.kind, fr)
		if err != nil {
			return err
		}
		d.timeline(fmt.Sprintf("The time around it: %s %s%s", s.kind, s.name, s.side), "> is within the finding", fr,
			series[0], happened, func(start, stop time.Time) bool {
				return f.From.Before(stop) && (f.To == nil || f.To.After(start) || f.To.Equal(*f.From) && !f.From.Before(start))
			})
	}
	return nil
}

// account returns the deficits of the subject in the time of the finding, for guarantees and
// starvation.
func (e *Explanation) account(ctx context.Context) (*account, error) {
	f := e.Finding
	wanted := slices.ContainsFunc(e.Audit.Invariants, func(id string) bool { return strings.HasPrefix(id, "GUA-") || strings.HasPrefix(id, "STV-") })
	if !wanted || f.To == nil || !f.From.Before(*f.To) || f.SubjectKind != "pool" && f.SubjectKind != "operation" {
		return nil, nil
	}
	return readAccount(ctx, e.DB, f.Tree, f.SubjectKind, f.Subject, *f.From, *f.To)
}

// excuses tells what would excuse the finding, by the one rule that it breaks.
func (e *Explanation) excuses(d *Document) {
	id := e.Finding.Invariant
	d.add("excuses", "What would excuse it").Facts = []fact{{id, spec.Of(id).Excuses()}}
	if e.Audit.Why != "" {
		d.add("judged_by", fmt.Sprintf("How the audit %s judges", e.Audit.ID)).Prose = []string{e.Audit.Why}
	}
}

// rows are the queries that show the rows behind the finding.
func (e *Explanation) rows(ctx context.Context, d *Document) error {
	p := d.add("rows", "The rows")
	for _, table := range e.Audit.Reads {
		query, err := e.query(ctx, table)
		if err != nil {
			return err
		}
		if query == "" {
			continue
		}
		var n int64
		if err := e.DB.QueryRowContext(ctx, "SELECT count(*) FROM ("+query+")").Scan(&n); err != nil {
			return fmt.Errorf("count the rows of %s: %w", table, err)
		}
		if n > 0 {
			p.show(askSQL(e.RunPath, query), count(int(n), "row", "rows"))
		}
	}
	p.show(askSQL(e.RunPath, "SELECT * FROM findings WHERE finding_id = "+sqlText(e.Finding.ID)), "")
	return nil
}

// query selects the rows of a table that are about the finding's subject and
// time; empty if the table has no column for the subject.
func (e *Explanation) query(ctx context.Context, table string) (string, error) {
	rows, err := e.DB.QueryContext(ctx, "SELECT column_name FROM duckdb_columns() WHERE $1 IN (table_name, schema_name || '.' || table_name) AND NOT internal ORDER BY column_index", table)
	if err != nil {
		return "", fmt.Errorf("look at the table %s: %w", table, err)
	}
	defer rows.Close()
	var columns []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", err
		}
		columns = append(columns, name)
	}
	if err := rows.Err(); err != nil {
		return "", err
	}
	f := e.Finding
	var where, order []string
	side := f.SubjectKind
	if table == "preemptions" && f.Invariant == "PRE-23" { // about who got a job in vain
		side = "beneficiary"
	}
	for _, s := range []struct{ column, value string }{{side, f.Subject}, {"pool", poolOf(*f)}} {
		if len(where) == 0 && s.value != "" && slices.Contains(columns, s.column) {
			where = append(where, s.column+" = "+sqlText(s.value))
		}
	}
	if len(where) == 0 || !slices.Contains(columns, "tree") {
		return "", nil
	}
	where = append([]string{"tree = " + sqlText(f.Tree)}, where...)
	if table == "decisions" {
		where = append(where, "invariant = "+sqlText(f.Invariant))
	}
	for _, s := range [][2]string{{"from_time", "to_time"}, {"time", "until"}, {"time", "time"}, {"start_time", "end_time"}, {"start_time", "finish_time"}} {
		if f.From == nil || !slices.Contains(columns, s[0]) || !slices.Contains(columns, s[1]) {
			continue
		}
		where = append(where, fmt.Sprintf("(%s IS NULL OR %s >= %s)", s[1], s[1], sqlText(sqlTime(*f.From))))
		if f.To != nil {
			where = append(where, fmt.Sprintf("%s <= %s", s[0], sqlText(sqlTime(*f.To))))
		}
		order = append(order, s[0])
		break
	}
	query := "SELECT * FROM " + table + " WHERE " + strings.Join(where, " AND ")
	if len(order) > 0 {
		query += " ORDER BY " + strings.Join(order, ", ")
	}
	return query, nil
}

func sqlTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.999999") }

// sqlText is a text as SQL has it, without characters that would steer a terminal.
func sqlText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\'':
			b.WriteString("''")
		case spelling.Hidden(r):
			fmt.Fprintf(&b, "' || chr(%d) || '", r)
		default:
			b.WriteRune(r)
		}
	}
	return "'" + b.String() + "'"
}

// askSQL is the line that puts a question to a run.
func askSQL(runPath, query string) string {
	return spelling.Command("query", []string{runPath, query})
}

// NearIDs are the ids of findings that begin as text does, at most that many; if
// there are none, those with more than half of its letters in the same place, the most
// alike first.
func NearIDs(v *audit.Verdict, text string, most int) (near []audit.Finding, exact bool) {
	for _, f := range v.Findings {
		if strings.HasPrefix(f.ID, text) {
			near = append(near, f)
		}
	}
	if exact = len(near) > 0; !exact {
		alike := func(f audit.Finding) (n int) {
			for i := range min(len(text), len(f.ID)) {
				if text[i] == f.ID[i] {
					n++
				}
			}
			return n
		}
		for _, f := range v.Findings {
			if 2*alike(f) > len(text) {
				near = append(near, f)
			}
		}
		slices.SortStableFunc(near, func(a, b audit.Finding) int { return cmp.Compare(alike(b), alike(a)) })
	}
	return near[:min(len(near), most)], exact
}
