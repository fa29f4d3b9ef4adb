package audit

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// An sla is a promise to pools: bounds that replace thresholds, and the hours in which they hold.
// Outside of these hours the findings of the audits that it names are excused.
type sla struct {
	pool   poolGlob
	tree   glob
	hours  slaHours
	bounds map[string]float64 // "audit.param"
	audits []string           // that bounds names
	line   int
}

// readSLA reads one entry of slas.
func (r *policyReader) readSLA(n ast.Node) error {
	s := sla{tree: all, hours: always(), bounds: map[string]float64{}, line: lineOf(n)}
	var days, hours string
	bounds := r.thresholdKeys(func(name string, value float64) {
		s.bounds[name] = value
		if audit, _, _ := strings.Cut(name, "."); !slices.Contains(s.audits, audit) {
			s.audits = append(s.audits, audit)
		}
	})
	err := r.readMap(n, "an SLA", []policyKey{
		{"pool", r.poolGlob(&s.pool)}, {"tree", r.glob(&s.tree)},
		{"days", r.parsed(&days, "days", func() error { return s.hours.readDays(days) })},
		{"hours", r.parsed(&hours, "hours", func() error { return s.hours.readHours(hours) })},
		{"bounds", func(n ast.Node) error { return r.readMap(n, "bounds", bounds) }},
	})
	if err != nil {
		return err
	}
	if s.pool.text == "" {
		return r.errorf(n, "the SLA has no pool: give it a path or a pattern like prod/**")
	}
	if len(s.bounds) == 0 {
		return r.errorf(n, "the SLA has no bounds: it promises nothing; "+
			"write thresholds of audits, as strong_guarantee_unmet: {sla_s: 60}")
	}
	s.hours.describe(days, hours)
	r.policy.slas = append(r.policy.slas, s)
	return nil
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

// askEpisodesTime asks for the time in which queries count seconds of SLAs.
const askEpisodesTime = "SELECT min(from_time), max(to_time) FROM guarantee_episodes"

// createSLAs is the table that audits take the bounds of pools from. It has no
// rows where the policy has no SLA.
const createSLAs = `
CREATE OR REPLACE TABLE internal.sla_bounds (
	tree VARCHAR, pool VARCHAR, audit VARCHAR, param VARCHAR, value DOUBLE,
	hours VARCHAR, windows STRUCT(from_time TIMESTAMP, to_time TIMESTAMP)[]);
COMMENT ON TABLE internal.sla_bounds IS 'one row per pool and threshold that the policy''s SLAs replace';
COMMENT ON COLUMN internal.sla_bounds.hours IS 'the days and hours in which the bound holds, with their zone';
COMMENT ON COLUMN internal.sla_bounds.windows IS 'the same as times of the run (UTC), in order and apart; NULL for always';
`

// poolPaths are the paths of pools by tree and name.
type poolPaths map[string]map[string]string

// pathOf is the path of the pool that a finding is about: its subject, or the one
// that its evidence names; the name itself where the path is not known.
func (p poolPaths) pathOf(f *Finding) string {
	pool := f.pool()
	if path, ok := p[f.Tree][pool]; ok {
		return path
	}
	return pool
}

// pool is the name of the pool that a finding is about; empty if about none.
func (f *Finding) pool() string {
	if f.SubjectKind == "pool" {
		return f.Subject
	}
	var home struct {
		Pool string `json:"pool"`
	}
	if json.Unmarshal(f.Evidence, &home) != nil {
		return ""
	}
	return home.Pool
}

const askPoolPaths = "SELECT tree, pool, any_value(path) FROM pools GROUP BY tree, pool ORDER BY tree, pool"

func readPoolPaths(ctx context.Context, db *sql.DB) (poolPaths, error) {
	rows, err := db.QueryContext(ctx, askPoolPaths)
	if err != nil {
		return nil, fmt.Errorf("read the pools: %w", err)
	}
	defer rows.Close()
	paths := poolPaths{}
	for rows.Next() {
		var tree, pool string
		var path sql.NullString
		if err := rows.Scan(&tree, &pool, &path); err != nil {
			return nil, fmt.Errorf("read the pools: %w", err)
		}
		if paths[tree] == nil {
			paths[tree] = map[string]string{}
		}
		paths[tree][pool] = path.String
	}
	return paths, rows.Err()
}

// slaOf is the first SLA that matches a pool; nil if there is none.
func (p *Policy) slaOf(tree, path string) *sla {
	for i := range p.slas {
		if p.slas[i].tree.matches(tree) && p.slas[i].pool.matchesPool(tree, path) {
			return &p.slas[i]
		}
	}
	return nil
}

// writeSLAs makes the table sla_bounds and returns what is to be said of SLAs
// that match no pool.
// Hours become times here: DuckDB knows no zones without an extension.
func (p *Policy) writeSLAs(ctx context.Context, db *sql.DB, paths poolPaths) (notices []string, err error) {
	var rows [][]any
	used := map[*sla]bool{}
	windows := map[*sla]any{}
	if len(p.slas) > 0 {
		var from, to sql.NullTime
		if err := db.QueryRowContext(ctx, askEpisodesTime).Scan(&from, &to); err != nil {
			return nil, fmt.Errorf("write the SLAs: %w", err)
		}
		for i := range p.slas {
			windows[&p.slas[i]] = p.slas[i].hours.rows(stretch{from.Time, to.Time})
		}
	}
	for _, tree := range slices.Sorted(maps.Keys(paths)) {
		for _, pool := range slices.Sorted(maps.Keys(paths[tree])) {
			s := p.slaOf(tree, paths[tree][pool])
			if s == nil {
				continue
			}
			used[s] = true
			for _, name := range slices.Sorted(maps.Keys(s.bounds)) {
				audit, param, _ := strings.Cut(name, ".")
				rows = append(rows, []any{tree, pool, audit, param, s.bounds[name], s.hours.text, windows[s]})
			}
		}
	}
	for i := range p.slas {
		if s := &p.slas[i]; !used[s] {
			notices = append(notices, fmt.Sprintf("The SLA on line %d (%s) applies to no pool: none matches it, or an earlier one matches first.", s.line, s.pool.text))
		}
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, createSLAs); err != nil {
		return nil, fmt.Errorf("write the SLAs: %w", err)
	}
	return notices, appendRows(conn, internalSchema, "sla_bounds", rows)
}

// excuse excuses what an SLA's audits found outside of its days and hours.
func (p *Policy) excuse(findings []Finding, paths poolPaths) {
	for i := range findings {
		f := &findings[i]
		if !f.Alleges() && f.Verdict != Noted || f.pool() == "" || f.From == nil {
			continue
		}
		s := p.slaOf(f.Tree, paths.pathOf(f))
		if s == nil || !slices.Contains(s.audits, f.Audit) || s.overlaps(*f.From, f.To) {
			continue
		}
		f.Verdict, f.Excuse = Excused, fmt.Sprintf("it lies outside the hours of the SLA, %s", s.hours.text)
		f.Reason += fmt.Sprintf(" Excused: %s.", f.Excuse)
	}
}

// overlaps reports whether a span, or an instant, has some of the SLA's time.
// A span without an end has.
func (s *sla) overlaps(from time.Time, to *time.Time) bool {
	if to == nil {
		return true
	}
	return slices.ContainsFunc(s.hours.windows(from, *to), func(w stretch) bool {
		return to.After(w.from) || from.Equal(*to) && to.Equal(w.from)
	})
}

// within are the parts of a stretch that lie in the SLA's time; all of it without one.
func (s *sla) within(of stretch) (parts []stretch) {
	if s == nil {
		return []stretch{of}
	}
	for _, part := range s.hours.windows(of.from, of.to) {
		if part.to.After(of.to) {
			part.to = of.to
		}
		if part.to.After(part.from) {
			parts = append(parts, part)
		}
	}
	return parts
}

// heldHours returns the SLA of a pool whose hours an audit goes by; nil where it goes by
// none.
type heldHours func(tree, pool, audit string) *sla

// heldHours are those of the policy.
func (p *Policy) heldHours(paths poolPaths) heldHours {
	return func(tree, pool, audit string) *sla {
		path, ok := paths[tree][pool]
		if !ok {
			path = pool
		}
		if s := p.slaOf(tree, path); s != nil && slices.Contains(s.audits, audit) {
			return s
		}
		return nil
	}
}
