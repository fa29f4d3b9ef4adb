package audit

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// An sla is what pools were promised: bounds in place of thresholds, and when
// they hold. Outside of that time the audits that it names excuse what they find.
type sla struct {
	pool     poolGlob
	tree     glob
	days     [7]bool            // from Monday on
	from, to int                // seconds of the day; to is beyond 86,400 if the hours go over midnight
	hours    string             // as the file has it, for sentences; empty for always
	bounds   map[string]float64 // "audit.param"
	audits   []string           // that bounds names
	line     int
}

const daySeconds = 86400

// weekdays are the names of the days, from Monday on.
var weekdays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// readSLA reads one entry of slas.
func (r *policyReader) readSLA(n ast.Node) error {
	s := sla{tree: all, to: daySeconds, days: [7]bool{true, true, true, true, true, true, true}, bounds: map[string]float64{}, line: lineOf(n)}
	var days, hours string
	bounds := r.thresholdKeys(func(name string, value float64) {
		s.bounds[name] = value
		if audit, _, _ := strings.Cut(name, "."); !slices.Contains(s.audits, audit) {
			s.audits = append(s.audits, audit)
		}
	})
	err := r.readMap(n, "an SLA", []policyKey{
		{"pool", r.poolGlob(&s.pool)}, {"tree", r.glob(&s.tree)},
		{"days", r.parsed(&days, "days", func() (err error) { s.days, err = parseDays(days); return err })},
		{"hours", r.parsed(&hours, "hours", func() (err error) { s.from, s.to, err = parseHours(hours); return err })},
		{"bounds", func(n ast.Node) error { return r.readMap(n, "bounds", bounds) }},
	})
	if err != nil {
		return err
	}
	if s.pool.text == "" {
		return r.errorf(n, "the SLA has no pool: give it a path or a pattern like prod/**")
	}
	if len(s.bounds) == 0 {
		return r.errorf(n, "the SLA has no bounds: it promises nothing; there are %s", strings.Join(keyNames(bounds), ", "))
	}
	s.hours = strings.TrimSpace(days + " " + hours)
	r.policy.slas = append(r.policy.slas, s)
	return nil
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

// parseDays reads days and ranges of them: mon-fri, or sat,sun.
func parseDays(text string) (days [7]bool, err error) {
	for _, part := range strings.Split(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		a, b := slices.Index(weekdays, first), slices.Index(weekdays, last)
		if !isRange {
			b = a
		}
		if a < 0 || b < 0 {
			return days, fmt.Errorf("%q is no day and no range of days: write mon-fri or sat,sun", part)
		}
		for d := a; ; d = (d + 1) % 7 {
			days[d] = true
			if d == b {
				break
			}
		}
	}
	return days, nil
}

// parseHours reads the span of a day, like 08:00-20:00. One that ends before it
// begins goes on into the next day.
func parseHours(text string) (from, to int, err error) {
	first, last, ok := strings.Cut(text, "-")
	from, err1 := parseClock(first)
	to, err2 := parseClock(last)
	if !ok || err1 != nil || err2 != nil || from == daySeconds || from == to {
		return 0, 0, fmt.Errorf("%q is no span of a day: write 08:00-20:00, or 22:00-06:00 over midnight", text)
	}
	if to < from {
		to += daySeconds
	}
	return from, to, nil
}

// parseClock reads a time of day as seconds; 24:00 is its end.
func parseClock(text string) (int, error) {
	var h, m int
	if n, err := fmt.Sscanf(strings.TrimSpace(text), "%d:%d", &h, &m); n != 2 || err != nil || h < 0 || m < 0 || m > 59 || h*60+m > 24*60 {
		return 0, fmt.Errorf("%q is no time of day", text)
	}
	return h*3600 + m*60, nil
}

// createSLAs is the table that audits take the bounds of pools from. It has no
// rows where the policy has no SLA.
const createSLAs = `
CREATE OR REPLACE TABLE internal.sla_bounds (
	tree VARCHAR, pool VARCHAR, audit VARCHAR, param VARCHAR, value DOUBLE,
	hours VARCHAR, days BOOLEAN[], from_s BIGINT, to_s BIGINT);
COMMENT ON TABLE internal.sla_bounds IS 'one row per pool and threshold that the policy''s SLAs replace';
COMMENT ON COLUMN internal.sla_bounds.days IS 'whether the bound holds on the day, from Monday on';
COMMENT ON COLUMN internal.sla_bounds.from_s IS 'second of the day (UTC) from which it holds';
COMMENT ON COLUMN internal.sla_bounds.to_s IS 'second of the day up to which it holds; beyond 86400 it goes on into the next day';
`

// poolPaths are the paths of pools by tree and name.
type poolPaths map[string]map[string]string

// of is the path of the pool that a finding is about: its subject, or the one
// that its evidence names; the name itself where the path is not known.
func (p poolPaths) of(f *Finding) string {
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
func (p *Policy) writeSLAs(ctx context.Context, db *sql.DB, paths poolPaths) (notices []string, err error) {
	var rows [][]any
	used := map[int]bool{}
	for _, tree := range slices.Sorted(maps.Keys(paths)) {
		for _, pool := range slices.Sorted(maps.Keys(paths[tree])) {
			s := p.slaOf(tree, paths[tree][pool])
			if s == nil {
				continue
			}
			used[s.line] = true
			for _, name := range slices.Sorted(maps.Keys(s.bounds)) {
				audit, param, _ := strings.Cut(name, ".")
				rows = append(rows, []any{tree, pool, audit, param, s.bounds[name], s.hours, s.days[:], int64(s.from), int64(s.to)})
			}
		}
	}
	for _, s := range p.slas {
		if !used[s.line] {
			notices = append(notices, fmt.Sprintf("The SLA of line %d (%s) is no pool's: none matches it, or an earlier one matches first.", s.line, s.pool.text))
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
		s := p.slaOf(f.Tree, paths.of(f))
		if s == nil || !slices.Contains(s.audits, f.Audit) || s.overlaps(*f.From, f.To) {
			continue
		}
		f.Verdict, f.Excuse = Excused, fmt.Sprintf("it lies outside the hours of the SLA, %s UTC", s.hours)
		f.Reason += fmt.Sprintf(" Excused: %s.", f.Excuse)
	}
}

// overlaps reports whether a span, or an instant, has some of the SLA's time.
// A span without an end has.
func (s *sla) overlaps(from time.Time, to *time.Time) bool {
	if to == nil {
		return true
	}
	for begin, end := range s.windows(from, *to) {
		ends := to.After(begin) || from.Equal(*to) && to.Equal(begin)
		if from.Before(end) && ends {
			return true
		}
	}
	return false
}

// within are the parts of a stretch that lie in the SLA's time; all of it without one.
func (s *sla) within(of stretch) (parts []stretch) {
	if s == nil {
		return []stretch{of}
	}
	for begin, end := range s.windows(of.from, of.to) {
		part := of
		if part.from.Before(begin) {
			part.from = begin
		}
		if part.to.After(end) {
			part.to = end
		}
		if part.to.After(part.from) {
			parts = append(parts, part)
		}
	}
	return parts
}

// windows are the SLA's times from a day before a span, whose hours may go over
// midnight, to its end.
func (s *sla) windows(from, to time.Time) iter.Seq2[time.Time, time.Time] {
	return func(yield func(begin, end time.Time) bool) {
		for day := from.UTC().Truncate(daySeconds*time.Second).AddDate(0, 0, -1); !day.After(to); day = day.AddDate(0, 0, 1) {
			begin, end := day.Add(time.Duration(s.from)*time.Second), day.Add(time.Duration(s.to)*time.Second)
			if s.days[(int(day.Weekday())+6)%7] && !yield(begin, end) {
				return
			}
		}
	}
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
