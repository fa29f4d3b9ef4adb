package report

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"poolproof/audit"
)

// An Explanation is what Explain needs to tell of a finding.
type Explanation struct {
	Verdict *audit.Verdict
	Finding *audit.Finding
	Audit   *audit.Audit // as the queries declare it
	DB      *sql.DB      // run.duckdb
	RunPath string       // as the user gave it
}

// Explain tells a person of one finding: what was promised, what happened, the
// numbers, of a preemption its proof, the time around it, what would excuse it, how to ask what the policy
// would have decided, and where the rows are.
func Explain(ctx context.Context, w io.Writer, e Explanation) error {
	var b bytes.Buffer
	e.heading(&b)
	e.promises(&b)
	fmt.Fprintf(&b, "\nWhat happened\n  %s\n", wrapped(e.Finding.Reason, "  "))
	e.numbers(&b)
	e.proofs(&b)
	if err := e.timeline(ctx, &b); err != nil {
		return err
	}
	if err := e.records(ctx, &b); err != nil {
		return err
	}
	e.excuses(&b)
	if err := e.ask(ctx, &b); err != nil {
		return err
	}
	if err := e.rows(ctx, &b); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// records writes where recorded fair shares of the subject are not the recomputed ones.
func (e *Explanation) records(ctx context.Context, b *bytes.Buffer) error {
	f := e.Finding
	if f.From == nil || f.SubjectKind != "pool" && f.SubjectKind != "operation" {
		return nil
	}
	to := *f.From
	if f.To != nil {
		to = *f.To
	}
	return recordsBeside(ctx, b, e.DB, f.Tree, f.SubjectKind, f.Subject, *f.From, to)
}

// heading says which finding it is and where it stands.
func (e *Explanation) heading(b *bytes.Buffer) {
	f := e.Finding
	fmt.Fprintf(b, "%s (%s, %s): %s\n", verdictOf(*f), f.Severity, f.Invariant, e.Audit.Title)
	fmt.Fprintf(b, "%s %s in tree %s, %s\n", f.SubjectKind, OneLine(f.Subject), OneLine(f.Tree), span(f.From, f.To))
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
	fmt.Fprintf(b, "%s.\n", line)
	if s := f.Suppressed; s != nil {
		fmt.Fprintf(b, "Suppressed by %s until %s: %s\n", OneLine(s.Owner), s.Until, OneLine(s.Reason))
	}
}

// promises are what the audit holds the scheduler to, and the promises of the
// configuration that the finding is about.
func (e *Explanation) promises(b *bytes.Buffer) {
	fmt.Fprintf(b, "\nWhat was promised\n  %s\n", wrapped(e.Audit.Promise, "  "))
	for _, p := range e.Verdict.Promises {
		if slices.Contains(p.FindingIDs, e.Finding.ID) {
			fmt.Fprintf(b, "  %s\n", wrapped(fmt.Sprintf("By the configuration: %s (%s)", p.Statement, p.Grade), "  "))
		}
	}
}

// judgedMeans is what the levels of evidence mean.
var judgedMeans = map[string]string{
	"recorded":   "the log states it",
	"recomputed": "the replay worked it out from the log",
	"possible":   "the log allows other readings, so that nobody is accused",
}

// numbers are the magnitude and the evidence, both sides of the comparison.
func (e *Explanation) numbers(b *bytes.Buffer) {
	f := e.Finding
	b.WriteString("\nThe numbers\n")
	if f.Magnitude != nil {
		fmt.Fprintf(b, "  %-24s %s\n", "magnitude", magnitude(*f.Magnitude, f.Unit))
	}
	fmt.Fprintf(b, "  %-24s %s: %s\n", "judged", f.Judged, judgedMeans[f.Judged])
	for _, p := range e.Audit.Params {
		if value, ok := e.Verdict.Params[e.Audit.ID+"."+p.Name]; ok {
			fmt.Fprintf(b, "  %-24s %g %s: %s\n", "threshold "+p.Name, value, p.Unit, p.Sentence)
		}
	}
	for _, m := range members(f.Evidence) {
		if m.key != proofsKey { // told below
			writeEvidence(b, m)
		}
	}
}

// A member is one key of an object with its value, in the order of the text.
type member struct {
	key   string
	value json.RawMessage
}

// members are those of an object; none if it is no object.
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

// listed is how many elements of a list of evidence are written.
const listed = 8

// writeEvidence writes one key of the evidence; a list has a line per element.
func writeEvidence(b *bytes.Buffer, m member) {
	var list []json.RawMessage
	if json.Unmarshal(m.value, &list) != nil || len(list) == 0 {
		if text := plainJSON(m.value); text != "" {
			fmt.Fprintf(b, "  %-24s %s\n", m.key, text)
		}
		return
	}
	name := m.key
	for i, element := range list {
		if i == listed {
			fmt.Fprintf(b, "  %-24s and %d more\n", "", len(list)-i)
			break
		}
		text := plainJSON(element)
		if inner := members(element); inner != nil {
			var parts []string
			for _, n := range inner {
				if value := plainJSON(n.value); value != "" {
					parts = append(parts, n.key+" "+value)
				}
			}
			text = strings.Join(parts, ", ")
		}
		fmt.Fprintf(b, "  %-24s %s\n", name, text)
		name = ""
	}
}

// plainJSON is a value for a person; empty for null, an empty list or text.
func plainJSON(value json.RawMessage) string {
	var text string
	var x float64
	switch {
	case json.Unmarshal(value, &text) == nil:
		return OneLine(text)
	case json.Unmarshal(value, &x) == nil && string(value) != "null":
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	switch text = string(value); text {
	case "null", "[]", "{}":
		return ""
	}
	return OneLine(text)
}

// timelineRows are the rows of a timeline in text.
const timelineRows = 16

// timeline writes what the subject, or its pool, had before, during and after.
func (e *Explanation) timeline(ctx context.Context, b *bytes.Buffer) error {
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
	from, errFrom := time.Parse(time.RFC3339Nano, e.Verdict.From)
	to, errTo := time.Parse(time.RFC3339Nano, e.Verdict.To)
	if errFrom != nil || errTo != nil || f.From == nil {
		return nil
	}
	begin, end := around(*f.From, f.To, from, to)
	for _, s := range subjects {
		if s.name == "" {
			continue
		}
		fr := newFrame(f.Tree, s.name, begin, end, timelineRows)
		series, err := readSeries(ctx, e.DB, s.table, []frame{fr})
		if err != nil {
			return err
		}
		writeTimeline(b, fmt.Sprintf("The time around it: %s %s%s", s.kind, OneLine(s.name), s.side), "> is within the finding", fr, series[0], func(start, stop time.Time) bool {
			return f.From.Before(stop) && (f.To == nil || f.To.After(start) || f.To.Equal(*f.From) && !f.From.Before(start))
		})
	}
	return e.holders(ctx, b)
}

// writeTimeline writes a row per bucket of a frame; those that are meant have the
// mark that the note explains.
func writeTimeline(b *bytes.Buffer, title, note string, fr frame, points []*point, meant func(start, stop time.Time) bool) {
	if merge(points) == nil {
		return
	}
	fmt.Fprintf(b, "\n%s, shares of the tree, means from the time on; %s\n", title, note)
	fmt.Fprintf(b, "    %-19s %9s %9s %11s %10s %9s\n", "from, UTC", "usage", "at most", "fair share", "guarantee", "demand")
	for i, p := range points {
		start := time.UnixMicro(fr.From + int64(i)*fr.Step).UTC()
		stop := start.Add(time.Duration(fr.Step) * time.Microsecond)
		mark := " "
		if meant(start, stop) {
			mark = ">"
		}
		if p == nil {
			fmt.Fprintf(b, "  %s %-19s not there\n", mark, start.Format("2006-01-02 15:04:05"))
			continue
		}
		fmt.Fprintf(b, "  %s %-19s %9s %9s %11s %10s %9s\n", mark, start.Format("2006-01-02 15:04:05"), percent(p.Usage), percent(p.Peak), percent(p.FairShare), percent(p.Guarantee), percent(p.Demand))
	}
}

// shownHolders is how many pools above their fair share are listed.
const shownHolders = 5

// holders writes which pools outside the finding's own had more than their fair
// share meanwhile, where that matters: for guarantees and starvation.
func (e *Explanation) holders(ctx context.Context, b *bytes.Buffer) error {
	f := e.Finding
	wanted := slices.ContainsFunc(e.Audit.Invariants, func(id string) bool { return strings.HasPrefix(id, "GUA-") || strings.HasPrefix(id, "STV-") })
	if pool := poolOf(*f); !wanted || pool == "" || f.To == nil || !f.From.Before(*f.To) {
		return nil
	}
	rows, err := e.DB.QueryContext(ctx, `
WITH own AS (SELECT coalesce(any_value(path), $2) || '/' AS path FROM pools WHERE tree = $1 AND pool = $2)
SELECT i.pool, sum(greatest(usage_ratio_seconds - fair_share_ratio_seconds, 0)::HUGEINT
  * (least(epoch_us(i.to_time), $4) - greatest(epoch_us(i.from_time), $3)) // (epoch_us(i.to_time) - epoch_us(i.from_time)))::BIGINT / 1e9 AS above
FROM pool_intervals AS i JOIN pools AS p ON p.tree = i.tree AND p.pool = i.pool CROSS JOIN own
WHERE i.tree = $1 AND i.pool <> '<Root>' AND epoch_us(i.from_time) < $4 AND epoch_us(i.to_time) > $3
  AND NOT starts_with(own.path, p.path || '/') AND NOT starts_with(p.path || '/', own.path)
GROUP BY i.pool
HAVING above > 0
ORDER BY above DESC, i.pool
LIMIT `+fmt.Sprint(shownHolders), f.Tree, poolOf(*f), f.From.UnixMicro(), f.To.UnixMicro())
	if err != nil {
		return fmt.Errorf("find who had more than its fair share: %w", err)
	}
	defer rows.Close()
	first := true
	for rows.Next() {
		var pool string
		var above float64
		if err := rows.Scan(&pool, &above); err != nil {
			return err
		}
		if first {
			fmt.Fprintf(b, "\nWho had more than its fair share meanwhile; a pool has what the pools below it have\n")
		}
		first = false
		fmt.Fprintf(b, "  %-24s %s above it\n", OneLine(pool), magnitude(above, "share·s"))
	}
	return rows.Err()
}

// excuses writes what would excuse the finding, by the one rule that it breaks.
func (e *Explanation) excuses(b *bytes.Buffer) {
	b.WriteString("\nWhat would excuse it\n")
	id := e.Finding.Invariant
	fmt.Fprintf(b, "  %-10s %s\n", id, wrapped(ExcuseOf(id), "             "))
	if e.Audit.Why != "" {
		fmt.Fprintf(b, "\nHow the audit %s judges\n  %s\n", e.Audit.ID, wrapped(e.Audit.Why, "  "))
	}
}

// rows writes the queries that show the rows behind the finding.
func (e *Explanation) rows(ctx context.Context, b *bytes.Buffer) error {
	b.WriteString("\nThe rows\n")
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
			fmt.Fprintf(b, "  poolproof query %s %s\n    %s\n", quoted(e.RunPath), shellText(query), count(int(n), "row", "rows"))
		}
	}
	fmt.Fprintf(b, "  poolproof query %s %s\n", quoted(e.RunPath), shellText("SELECT * FROM findings WHERE finding_id = "+sqlText(e.Finding.ID)))
	return nil
}

// query selects the rows of a table that are about the finding's subject and
// time; empty if the table has no column for the subject.
func (e *Explanation) query(ctx context.Context, table string) (string, error) {
	rows, err := e.DB.QueryContext(ctx, "SELECT column_name FROM duckdb_columns() WHERE table_name = $1 AND NOT internal ORDER BY column_index", table)
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
		case OneLine(string(r)) != string(r):
			fmt.Fprintf(&b, "' || chr(%d) || '", r)
		default:
			b.WriteRune(r)
		}
	}
	return "'" + b.String() + "'"
}

// shellText is a text as a shell takes it for one word, in double quotes where
// nothing in it means more to the shell.
func shellText(text string) string {
	if strings.ContainsAny(text, "\"$`\\!") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return `"` + text + `"`
}

// NearIDs are the ids of findings that begin as text does, at most that many; if
// there are none, those of which more than half of its letters are in the same place,
// the most alike first.
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
