package audit

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// FindingsName is the file of a run that holds the findings for programs.
const FindingsName = "findings.json"

// FindingsVersion is the version of that file's format.
const FindingsVersion = 1

// A findingsFile is the content of findings.json.
type findingsFile struct {
	FormatVersion int                `json:"format_version"`
	Profile       string             `json:"profile"`
	From          string             `json:"from"`
	To            string             `json:"to"`
	Coverage      float64            `json:"coverage"` // share of the pairs of audit and tree that were judged
	Params        map[string]float64 `json:"params"`
	Audits        []outcomeJSON      `json:"audits"`
	Findings      []Finding          `json:"findings"`
}

type outcomeJSON struct {
	Audit    string    `json:"audit"`
	Title    string    `json:"title"`
	Tree     string    `json:"tree"`
	Severity Severity  `json:"severity"`
	Verdict  Judgement `json:"verdict"`
	Seen     int64     `json:"seen"`
	SeenUnit string    `json:"seen_unit"`
	Findings int       `json:"findings"`
	Reason   string    `json:"reason"`
}

// JSON is the verdict as findings.json holds it.
func (v *Verdict) JSON() ([]byte, error) {
	f := findingsFile{FindingsVersion, v.Profile, v.From, v.To, v.Coverage(), v.Params, []outcomeJSON{}, v.Findings}
	for _, o := range v.Outcomes {
		f.Audits = append(f.Audits, outcomeJSON{o.Audit.ID, o.Audit.Title, o.Tree, o.Audit.Severity, o.Verdict, o.Seen, o.SeenUnit, o.Findings, o.Reason})
	}
	if f.Findings == nil {
		f.Findings = []Finding{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // <Root> is a pool, and this is no web page
	e.SetIndent("", "  ")
	err := e.Encode(f)
	return b.Bytes(), err
}

// writeJSON writes findings.json, which appears whole or not at all.
func (v *Verdict) writeJSON(dir string) error {
	b, err := v.JSON()
	if err != nil {
		return fmt.Errorf("write %s: %w", FindingsName, err)
	}
	f, err := os.CreateTemp(dir, "."+FindingsName+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", FindingsName, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	for _, step := range []func() error{f.Sync, func() error { return f.Chmod(0o644) }, f.Close} {
		if e := step(); err == nil {
			err = e
		}
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, FindingsName))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", FindingsName, err)
	}
	return nil
}

// createTables are the tables of the verdict in run.duckdb.
const createTables = `
CREATE OR REPLACE TABLE audits (
	audit VARCHAR, title VARCHAR, promise VARCHAR, invariant VARCHAR, severity VARCHAR, tree VARCHAR,
	verdict VARCHAR, seen BIGINT, seen_unit VARCHAR, findings BIGINT, reason VARCHAR);
CREATE OR REPLACE TABLE findings (
	finding_id VARCHAR, audit VARCHAR, invariant VARCHAR, tree VARCHAR, verdict VARCHAR, severity VARCHAR,
	subject_kind VARCHAR, subject VARCHAR, aspect VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP,
	magnitude DOUBLE, unit VARCHAR, reason VARCHAR, judged VARCHAR, evidence VARCHAR);
COMMENT ON TABLE audits IS 'one row per audit and tree';
COMMENT ON COLUMN audits.seen IS 'how much was judged; nothing is undecidable, never a pass';
COMMENT ON COLUMN audits.reason IS 'what could not be judged and why, or why the audit failed';
COMMENT ON TABLE findings IS 'one row per case that an audit found';
COMMENT ON COLUMN findings.finding_id IS 'the same in every run that finds the case';
COMMENT ON COLUMN findings.evidence IS 'JSON';
`

// writeTables replaces the tables audits and findings, both or none.
func writeTables(ctx context.Context, db *sql.DB, v *Verdict) error {
	audits := make([][]any, len(v.Outcomes))
	for i, o := range v.Outcomes {
		a := o.Audit
		audits[i] = []any{a.ID, a.Title, a.Promise, strings.Join(a.Invariants, ", "), string(a.Severity), o.Tree,
			string(o.Verdict), o.Seen, o.SeenUnit, int64(o.Findings), o.Reason}
	}
	findings := make([][]any, len(v.Findings))
	for i, f := range v.Findings {
		findings[i] = []any{f.ID, f.Audit, f.Invariant, f.Tree, string(f.Verdict), string(f.Severity),
			f.SubjectKind, f.Subject, f.Aspect, nullTime(f.From), nullTime(f.To), nullFloat(f.Magnitude), f.Unit, f.Reason, f.Judged, string(f.Evidence)}
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
	for table, rows := range map[string][][]any{"audits": audits, "findings": findings} {
		if err := appendRows(conn, table, rows); err != nil {
			return fmt.Errorf("write table %s: %w", table, err)
		}
	}
	if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("write the findings: %w", err)
	}
	_, err = conn.ExecContext(ctx, "CHECKPOINT "+catalog)
	return err
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
