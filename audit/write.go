package audit

import (
	"context"
	"database/sql"
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

// createTables are the tables of the verdict in run.duckdb.
const createTables = `
CREATE OR REPLACE TABLE audits (
	audit VARCHAR, title VARCHAR, promise VARCHAR, invariants VARCHAR, severity VARCHAR, tree VARCHAR,
	verdict VARCHAR, seen BIGINT, seen_unit VARCHAR, findings BIGINT, reason VARCHAR);
CREATE OR REPLACE TABLE findings (
	finding_id VARCHAR, fingerprint VARCHAR, status VARCHAR, incident_id VARCHAR, audit VARCHAR, invariant VARCHAR, tree VARCHAR, verdict VARCHAR, severity VARCHAR,
	subject_kind VARCHAR, subject VARCHAR, aspect VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP,
	magnitude DOUBLE, unit VARCHAR, reason VARCHAR, judged VARCHAR, evidence VARCHAR,
	suppressed_by VARCHAR, suppressed_until VARCHAR, suppressed_reason VARCHAR);
CREATE OR REPLACE TABLE fixed_findings AS FROM findings;
CREATE OR REPLACE TABLE incidents (
	incident_id VARCHAR, title VARCHAR, audit VARCHAR, tree VARCHAR, cause_kind VARCHAR, cause VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP,
	verdict VARCHAR, severity VARCHAR, suppressed BOOLEAN, status VARCHAR, findings BIGINT, totals VARCHAR);
CREATE OR REPLACE TABLE promises (
	promise_id VARCHAR, tree VARCHAR, kind VARCHAR, subject_kind VARCHAR, subject VARCHAR, path VARCHAR, statement VARCHAR,
	from_time TIMESTAMP, to_time TIMESTAMP, grade VARCHAR, reason VARCHAR, missing VARCHAR, findings BIGINT);
CREATE OR REPLACE TABLE scorecard (
	tree VARCHAR, subject_kind VARCHAR, subject VARCHAR, path VARCHAR, promise VARCHAR, grade VARCHAR, tested_s DOUBLE, kept_s DOUBLE, kept_part DOUBLE,
	shortfall VARCHAR, magnitude DOUBLE, unit VARCHAR, finding_id VARCHAR, trend VARCHAR, baseline_grade VARCHAR, baseline_kept_part DOUBLE);
CREATE OR REPLACE TABLE tree_coverage (
	tree VARCHAR, seconds DOUBLE, judged_seconds DOUBLE, checks BIGINT, judged_checks BIGINT, reason VARCHAR);
COMMENT ON TABLE promises IS 'one row per promise of the configuration and time in which it was in force';
COMMENT ON COLUMN promises.grade IS 'broken, impossible, unverifiable, excused, vacuous or kept';
COMMENT ON COLUMN promises.missing IS 'what the log lacks, or leaves open; empty unless it is unverifiable';
COMMENT ON COLUMN promises.findings IS 'how many findings are about it, whatever their verdict';
COMMENT ON TABLE scorecard IS 'one row per pool or tree and kind of promise that it has, all versions of the setting together';
COMMENT ON COLUMN scorecard.tested_s IS 'for how long something tested the promise, seconds; 0 where no time is known';
COMMENT ON COLUMN scorecard.kept_part IS 'part of tested_s that no finding is about, excused and suspect ones included, 0 to 1; null where nothing tested it';
COMMENT ON COLUMN scorecard.shortfall IS 'where the promise was missed most, as a sentence; magnitude, unit and finding_id are of that; empty unless it is broken';
COMMENT ON COLUMN scorecard.trend IS 'against the baseline: better, worse, same or new; empty without one';
COMMENT ON TABLE tree_coverage IS 'one row per tree: how much of its time could be judged, and how many of its checks were settled';
COMMENT ON COLUMN tree_coverage.checks IS 'one rule about one recorded start or preemption, and recorded steps of admission';
COMMENT ON TABLE fixed_findings IS 'one row per finding of the baseline that is gone';
COMMENT ON TABLE incidents IS 'one row per group of violated, suspect and noted findings with the same cause; findings.incident_id names it';
COMMENT ON COLUMN incidents.totals IS 'JSON: the magnitudes of its findings, summed per unit';
COMMENT ON TABLE audits IS 'one row per audit and tree';
COMMENT ON COLUMN audits.verdict IS 'the worst of its findings: failed, violated, suspect, noted (legal, and worth attention), undecidable or excused; ok without any, not applicable where nothing happened that it is about';
COMMENT ON COLUMN findings.verdict IS 'violated (wrong under every reading of the log), suspect (under some), excused, undecidable or noted (legal, and worth attention)';
COMMENT ON COLUMN audits.seen IS 'how much was judged; nothing is undecidable, never a pass';
COMMENT ON COLUMN audits.reason IS 'what could not be judged and why, or why the audit failed';
COMMENT ON TABLE findings IS 'one row per case that an audit found';
COMMENT ON COLUMN findings.finding_id IS 'the same in every run that finds the case';
COMMENT ON COLUMN findings.fingerprint IS 'the same in every night that has the trouble';
COMMENT ON COLUMN findings.status IS 'new or persisting against the baseline; empty without one';
COMMENT ON COLUMN findings.magnitude IS 'how bad it is, in the unit of the column unit';
COMMENT ON COLUMN findings.judged IS 'recorded, recomputed or possible';
COMMENT ON COLUMN findings.evidence IS 'JSON';
COMMENT ON COLUMN findings.suppressed_by IS 'owner of the suppression that covers the finding; null if none does';
`

// writeTables replaces the tables of the verdict, all or none, and calls committed once
// they are.
func writeTables(ctx context.Context, db *sql.DB, v *Verdict, committed func()) error {
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
		promises[i] = []any{p.ID, p.Tree, p.Kind, p.SubjectKind, p.Subject, p.Path, p.Statement, nullTime(p.From), nullTime(p.To), string(p.Grade), p.Reason, p.Missing, int64(len(p.FindingIDs))}
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
	if _, err := conn.ExecContext(ctx, createTables); err != nil {
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
	return []any{s.Tree, s.SubjectKind, s.Subject, s.Path, s.Kind, string(s.Grade), s.Tested, s.Kept, nullFloat(s.Part),
		short.Text, nullFloat(short.Magnitude), short.Unit, short.FindingID, string(s.Trend), string(s.BaseGrade), nullFloat(s.BasePart)}
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
