package audit

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	wholefile "poolproof/ingest/atomicdir"
)

// FindingsName is the file of a run that holds the findings for programs.
const FindingsName = "findings.json"

// largestFindings is the most bytes that are read of it: some million findings.
const largestFindings = 2 << 30

// writeJSON writes findings.json, which appears whole or not at all.
func (v *Verdict) writeJSON(dir string) error {
	b, err := v.JSON()
	if err != nil {
		return fmt.Errorf("write %s: %w", FindingsName, err)
	}
	return wholefile.WriteFile(filepath.Join(dir, FindingsName), b, 0o644)
}

//go:embed verdict.sql
var verdictSQL string

// How the tables of the verdict are made: with nothing in them, or where they are not there yet.
const (
	afresh   = "CREATE OR REPLACE TABLE"
	ifAbsent = "CREATE TABLE IF NOT EXISTS"
)

// verdictTables returns the statements that make the tables of the verdict in run.duckdb.
func verdictTables(how string) string {
	return strings.ReplaceAll(wordsOf.Replace(verdictSQL), "{create}", how)
}

// wordsOf puts the words of an enum in for its name, the worst first, which is how the
// column is sorted.
var wordsOf = strings.NewReplacer(
	"ENUM({severities}", "ENUM("+enum(Severities), "{severities}", plainWords(Severities),
	"ENUM({verdicts}", "ENUM("+enum(worstFirst),
	"ENUM({statuses}", "ENUM("+enum([]Status{New, Persisting, Fixed, ""}),
	"ENUM({judged}", "ENUM("+enum(evidenceLevels), "{judged}", plainWords(evidenceLevels),
	"ENUM({grades}", "ENUM("+enum(Grades),
	"ENUM({trends}", "ENUM("+enum([]Trend{Worse, Same, Better, Added, ""}),
)

// enum lists words as SQL does.
func enum[T ~string](words []T) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteText(string(w))
	}
	return strings.Join(quoted, ", ")
}

// plainWords lists words in a sentence.
func plainWords[T ~string](words []T) string {
	plain := make([]string, len(words))
	for i, w := range words {
		plain[i] = string(w)
	}
	last := len(plain) - 1
	return strings.Join(plain[:last], ", ") + " or " + plain[last]
}

// VerdictTables are the tables of the verdict.
func VerdictTables() []Object {
	objects, err := parseObjects(verdictTables(afresh))
	if err != nil {
		panic("verdict.sql: " + err.Error())
	}
	return objects
}

// writeTables replaces the tables of the verdict, described or not, all or none, and calls committed once
// they are.
func writeTables(ctx context.Context, db *sql.DB, v *Verdict, described bool, committed func()) error {
	audits := make([][]any, len(v.Outcomes))
	for i, o := range v.Outcomes {
		a := o.Audit
		audits[i] = []any{a.ID, a.Title, a.Promise, strings.Join(a.Invariants, ", "), string(a.Severity), o.Tree,
			string(o.Verdict), o.Seen, o.SeenUnit, int64(o.Findings), o.Reason}
	}
	incidents := make([][]any, len(v.Incidents))
	for i, in := range v.Incidents {
		totals, err := json.Marshal(list(in.Totals))
		if err != nil {
			return err
		}
		incidents[i] = []any{in.ID, in.Title, in.Audit, in.Tree, in.CauseKind, in.Cause, nullTime(in.From), nullTime(in.To),
			string(in.Verdict), string(in.Severity), in.Suppressed, string(in.Status), int64(in.Findings), string(totals)}
	}
	promises := make([][]any, len(v.Promises))
	for i, p := range v.Promises {
		promises[i] = append([]any{p.ID, p.Tree, p.Kind, p.SubjectKind, p.Subject, p.Path, p.Statement,
			nullTime(p.From), nullTime(p.To), string(p.Grade), p.Reason, p.Missing,
			int64(len(p.FindingIDs)), p.Tested, p.Kept}, p.Delivery.row()...)
	}
	judged := make([][]any, len(v.TreeCoverage))
	for i, c := range v.TreeCoverage {
		judged[i] = []any{c.Tree, c.Seconds, c.JudgedSeconds, c.Checks, c.JudgedChecks, c.Reason}
	}
	var scores [][]any
	for _, s := range v.Scorecard() {
		scores = append(scores, s.row())
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // without effect after COMMIT
	made := verdictTables(afresh)
	if described {
		made += describeObjects(VerdictTables())
	}
	if _, err := conn.ExecContext(ctx, made); err != nil {
		return fmt.Errorf("write the findings: %w", err)
	}
	for _, t := range []struct {
		name string
		rows [][]any
	}{{"audits", audits}, {"findings", findingRows(v.Findings)}, {"fixed_findings", findingRows(v.Fixed)}, {"incidents", incidents}, {"promises", promises}, {"scorecard", scores}, {"tree_coverage", judged}} {
		if err := appendRows(conn, mainSchema, t.name, t.rows); err != nil {
			return fmt.Errorf("write table %s: %w", t.name, err)
		}
	}
	if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("write the findings: %w", err)
	}
	committed()
	_, err = conn.ExecContext(ctx, "CHECKPOINT "+catalog)
	return err
}

func findingRows(findings []Finding) [][]any {
	rows := make([][]any, len(findings))
	for i := range findings {
		rows[i] = findings[i].row()
	}
	return rows
}

// row is the finding as a row of the table findings.
func (f *Finding) row() []any {
	row := []any{f.ID, f.Fingerprint, string(f.Status), f.Incident, f.Audit, f.Invariant, f.Tree, string(f.Verdict), string(f.Severity),
		f.SubjectKind, f.Subject, f.Aspect, nullTime(f.From), nullTime(f.To), nullFloat(f.Magnitude), f.Unit, f.Reason, f.Judged, string(f.Evidence)}
	if f.Suppressed == nil {
		return append(row, nil, nil, nil)
	}
	return append(row, f.Suppressed.Owner, f.Suppressed.Until, f.Suppressed.Reason)
}

// row is the score as a row of the table scorecard.
func (s *Score) row() []any {
	short := s.Shortfall
	if short == nil {
		short = &Shortfall{}
	}
	return append([]any{s.Tree, s.SubjectKind, s.Subject, s.Path, s.Kind, string(s.Grade), s.Tested, s.Kept, nullFloat(s.Part),
		short.Text, nullFloat(short.Magnitude), short.Unit, short.FindingID, string(s.Trend), string(s.BaseGrade), nullFloat(s.BasePart)}, s.Delivery.row()...)
}

// row is the delivery in the columns of the tables promises and scorecard; all null without one.
func (d *Delivery) row() []any {
	if d == nil {
		return make([]any, 11)
	}
	return []any{d.Below, int64(d.Episodes), d.Longest, nullFloat(d.Allowed), d.Share, nullFloat(d.Lacked), d.Unit,
		nullFloat(d.Most), d.MostUnit, d.Excused, d.Excuse}
}

func nullTime(t *time.Time) any {
	if t == nil {
		return nil
	}
	return *t
}

func nullFloat(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}
