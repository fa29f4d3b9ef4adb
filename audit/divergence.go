package audit

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/replay/tables"
)

// A Divergence is the first moment at which two runs hold other decisions of the scheduler in
// a tree, and what differed before.
type Divergence struct {
	Time time.Time
	Tree string

	Before, After []Decision // of that moment, that only the one or the other run has
	Causes        []Cause    // what differed in the state that they were made in, the least derived first
}

// A Decision is an admission, a refusal, a preemption or a start of a job.
type Decision struct {
	Kind                  string
	Operation, Pool, Node string
	Since                 string // of a lost job, when it had started
	Detail                string // what the job takes, or whom a preempted one makes room for
}

// A Cause is a value that differs before a decision.
type Cause struct {
	Kind          string // configuration, node, operation or state
	Of            string // what has it, as pool prod
	Name          string // of the value
	Before, After string // "" where there is none
}

// decisionsQuery lists the decisions of a span of the window without the ids of jobs, which differ
// after the first difference. An order of all columns makes equal lists equal.
const decisionsQuery = `
SELECT * FROM (
  SELECT o.tree, running_time AS time, 1 AS rank, 'runs' AS decision, coalesce(operation, '') AS operation, coalesce(pool, '') AS pool, '' AS node, '' AS since, '' AS detail
  FROM operations AS o JOIN trees AS t USING (tree) WHERE running_time >= t.from_time
  UNION ALL
  SELECT o.tree, start_time, 1, 'is refused', coalesce(operation, ''), coalesce(pool, ''), '', '', ''
  FROM operations AS o JOIN trees AS t USING (tree) WHERE final_state = 'rejected' AND start_time >= t.from_time
  UNION ALL
  SELECT p.tree, p.time, 2, 'loses a job', coalesce(operation, ''), coalesce(pool, ''), coalesce(node, ''),
    internal.time_text(start_time), 'for ' || coalesce('operation ' || beneficiary, 'nobody')
  FROM preemptions AS p JOIN trees AS t USING (tree) WHERE p.time >= t.from_time
  UNION ALL
  SELECT j.tree, start_time, 3, 'gets a job', coalesce(operation, ''), coalesce(pool, ''), coalesce(node, ''), '',
    concat_ws(', ', internal.amount_text('user_slots', resources_user_slots), CASE WHEN resources_cpu > 0 THEN internal.amount_text('cpu', resources_cpu) END,
      CASE WHEN resources_gpu > 0 THEN internal.amount_text('gpu', resources_gpu) END, CASE WHEN resources_memory > 0 THEN internal.amount_text('memory', resources_memory) END,
      CASE WHEN resources_network > 0 THEN internal.amount_text('network', resources_network) END)
  FROM jobs AS j JOIN trees AS t USING (tree) WHERE start_time >= t.from_time
)
WHERE time >= make_timestamp($1) AND time < make_timestamp($2)
ORDER BY time, tree, rank, node, operation, pool, since, detail, decision`

type timedDecision struct {
	Decision
	tree string
	time time.Time
}

// A decisionReader reads the decisions of a run one after the other.
type decisionReader struct {
	rows *sql.Rows
	now  *timedDecision // nil after the last
}

func (r *decisionReader) next() error {
	r.now = nil
	if !r.rows.Next() {
		return r.rows.Err()
	}
	var d timedDecision
	var rank int
	err := r.rows.Scan(&d.tree, &d.time, &rank, &d.Kind, &d.Operation, &d.Pool, &d.Node, &d.Since, &d.Detail)
	r.now = &d
	return err
}

// isAt reports whether the reader stands in a tree at a time.
func (r *decisionReader) isAt(tree string, at time.Time) bool {
	return r.now != nil && r.now.tree == tree && r.now.time.Equal(at)
}

// diverge finds the first decision that differs; nil if none does. It looks through the window in
// spans that grow: as a rule the first minutes have it, and all decisions are many.
func diverge(ctx context.Context, before, after *sql.DB) (*Divergence, error) {
	var from, to time.Time
	for _, db := range []*sql.DB{before, after} {
		var first, last sql.NullTime // not there without a tree
		if err := db.QueryRowContext(ctx, windowQuery).Scan(&first, &last); err != nil {
			return nil, fmt.Errorf("ask the window: %w", err)
		}
		if first.Valid && (from.IsZero() || first.Time.Before(from)) {
			from = first.Time
		}
		if last.Valid && last.Time.After(to) {
			to = last.Time
		}
	}
	for span := time.Minute; !from.After(to); span *= 4 {
		end := from.Add(span)
		d, err := divergeWithin(ctx, before, after, from, end)
		if d == nil && err == nil {
			from = end
			continue
		}
		if err == nil {
			d.Causes, err = causes(ctx, before, after, d)
		}
		return d, err
	}
	return nil, nil
}

const windowQuery = `SELECT min(from_time), max(to_time) FROM trees`

// divergeWithin finds the first decision of a span that differs.
func divergeWithin(ctx context.Context, before, after *sql.DB, from, to time.Time) (*Divergence, error) {
	var readers [2]decisionReader
	for i, db := range []*sql.DB{before, after} {
		rows, err := db.QueryContext(ctx, decisionsQuery, from.UnixMicro(), to.UnixMicro())
		if err != nil {
			return nil, fmt.Errorf("ask the decisions: %w", err)
		}
		defer rows.Close()
		readers[i].rows = rows
		if err := readers[i].next(); err != nil {
			return nil, err
		}
	}
	d, err := firstDifference(&readers[0], &readers[1])
	if d == nil || err != nil {
		return nil, err
	}
	for i := range readers { // each database has one connection
		if err := readers[i].rows.Close(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// firstDifference reads both lists of decisions up to the first moment of a tree in which
// they differ.
func firstDifference(a, b *decisionReader) (*Divergence, error) {
	for a.now != nil || b.now != nil {
		first := a.now
		if first == nil || b.now != nil && cmp.Or(b.now.time.Compare(first.time), cmp.Compare(b.now.tree, first.tree)) < 0 {
			first = b.now
		}
		d := &Divergence{Time: first.time, Tree: first.tree}
		var lists [2][]Decision
		for i, r := range []*decisionReader{a, b} {
			for r.isAt(d.Tree, d.Time) {
				lists[i] = append(lists[i], r.now.Decision)
				if err := r.next(); err != nil {
					return nil, err
				}
			}
		}
		d.Before, d.After = lessThose(lists[0], lists[1]), lessThose(lists[1], lists[0])
		if len(d.Before)+len(d.After) > 0 {
			return d, nil
		}
	}
	return nil, nil
}

// lessThose are the decisions of a list beyond those of another.
func lessThose(all, others []Decision) (left []Decision) {
	count := map[Decision]int{}
	for _, d := range others {
		count[d]++
	}
	for _, d := range all {
		if count[d]--; count[d] < 0 {
			left = append(left, d)
		}
	}
	return left
}

// A stateQuery asks for a part of the state at a moment: a row per thing, named by
// the first column.
type stateQuery struct {
	kind, query string
	arguments   []any
}

// causes returns the differences before a decision. Derived values are listed only if no action of
// users or machines differs, and shares only of the operations and pools concerned.
func causes(ctx context.Context, before, after *sql.DB, d *Divergence) ([]Cause, error) {
	var found []Cause
	for _, q := range d.stateQueries() {
		a, err := stateOf(ctx, before, q)
		if err != nil {
			return nil, err
		}
		b, err := stateOf(ctx, after, q)
		if err != nil {
			return nil, err
		}
		found = append(found, differing(q.kind, a, b)...)
	}
	return found, nil
}

func (d *Divergence) stateQueries() []stateQuery {
	at := d.Time.UTC()
	operations := map[string]bool{}
	pools := map[string]bool{}
	for _, x := range slices.Concat(d.Before, d.After) {
		operations[x.Operation], pools[x.Pool] = true, true
	}
	return []stateQuery{
		{"configuration", `SELECT 'tree ' || tree, profile FROM trees WHERE tree = ?`, []any{d.Tree}},
		{"configuration", `SELECT 'tree ' || tree, ` + settingsOf("tree_versions", "tree") + ` FROM tree_versions
			WHERE tree = ? AND from_time <= ? AND to_time > ?`, []any{d.Tree, at, at}},
		{"configuration", `SELECT 'pool ' || pool, ` + settingsOf("pool_versions", "tree", "pool", "first_seen", "last_seen", "path", "depth") + ` FROM pool_versions
			WHERE tree = ? AND from_time <= ? AND to_time > ? ORDER BY pool`, []any{d.Tree, at, at}},
		{"node", `SELECT 'node ' || node, ` + settingsOf("nodes", "tree", "node") + ` FROM nodes
			WHERE tree = ? AND from_time <= ? AND to_time > ? ORDER BY node`, []any{d.Tree, at, at}},
		{"operation", `SELECT 'operation ' || operation, start_time, weight, CASE WHEN finish_time <= ? THEN final_state END AS ended FROM operations
			WHERE tree = ? AND start_time <= ? ORDER BY operation`, []any{at, d.Tree, at}},
		{"state", `SELECT 'pool ' || pool, round(usage_ratio, 6) AS usage_ratio, round(demand_ratio, 6) AS demand_ratio, round(fair_share_ratio, 6) AS fair_share_ratio,
			round(min_share_ratio, 6) AS min_share_ratio, starvation_status, running_operation_count, max_running_operation_count, operation_count, round(accumulated_resource_ratio_volume, 3) AS accumulated_resource_ratio_volume
			FROM pool_intervals WHERE tree = ? AND from_time < ? AND to_time >= ? AND list_contains(string_split(?, chr(10)), pool) ORDER BY pool`, []any{d.Tree, at, at, sortedLines(pools)}},
		{"state", `SELECT 'operation ' || operation, round(usage_ratio, 6) AS usage_ratio, round(demand_ratio, 6) AS demand_ratio, round(fair_share_ratio, 6) AS fair_share_ratio,
			starvation_status, running, job_count
			FROM operation_intervals WHERE tree = ? AND from_time < ? AND to_time >= ? AND list_contains(string_split(?, chr(10)), operation) ORDER BY operation`, []any{d.Tree, at, at, sortedLines(operations)}},
	}
}

// settingsOf lists the columns of a table without its spans and the named ones. A query that lists
// what it reads has it loaded.
func settingsOf(table string, but ...string) string {
	but = append(but, "from_time", "to_time", "clipped_from", "clipped_to")
	var names []string
	for _, t := range tables.All() {
		for _, c := range t.Columns {
			if t.Name == table && !slices.Contains(but, c.Name) {
				names = append(names, quoteName(c.Name))
			}
		}
	}
	return strings.Join(names, ", ")
}

func sortedLines(names map[string]bool) string {
	var all []string
	for name := range names {
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// A state maps objects to values, in the order of the query.
type state struct {
	columns []string
	names   []string
	of      map[string][]string
}

func stateOf(ctx context.Context, db *sql.DB, q stateQuery) (*state, error) {
	rows, err := db.QueryContext(ctx, q.query, q.arguments...)
	if err != nil {
		return nil, fmt.Errorf("ask the state before the decision: %w", err)
	}
	defer rows.Close()
	s := &state{of: map[string][]string{}}
	if s.columns, err = rows.Columns(); err != nil {
		return nil, err
	}
	values := make([]any, len(s.columns))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		cells := texts(values)
		if _, known := s.of[cells[0]]; !known {
			s.names = append(s.names, cells[0])
		}
		s.of[cells[0]] = cells
	}
	return s, rows.Err()
}

// differing are the values of two states that differ, and the things that one of them lacks.
func differing(kind string, a, b *state) (found []Cause) {
	for _, name := range a.names {
		was, is := a.of[name], b.of[name]
		if is == nil {
			found = append(found, Cause{Kind: kind, Of: name, Before: "there"})
			continue
		}
		for i := 1; i < len(was); i++ {
			if was[i] != is[i] {
				found = append(found, Cause{kind, name, a.columns[i], was[i], is[i]})
			}
		}
	}
	for _, name := range b.names {
		if a.of[name] == nil {
			found = append(found, Cause{Kind: kind, Of: name, After: "there"})
		}
	}
	return found
}
