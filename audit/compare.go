package audit

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// A Comparison is what differs between two runs. The first is what the second is compared
// with.
type Comparison struct {
	Before, After *Verdict // After has the statuses of its findings, and those that are fixed
	Metrics       []Change // all that both or one of them measured, of trees, then pools, then operations
	First         *Divergence
}

// A Change is a number of the view metrics in both runs.
type Change struct {
	Tree, Kind, Element string
	Metric, Unit        string
	Better              string   // less or more; "" if neither is
	Before, After       *float64 // nil if there was nothing to measure
}

// Delta is by how much it changed; 0 where one of the runs has nothing.
func (c *Change) Delta() float64 {
	if c.Before == nil || c.After == nil {
		return 0
	}
	return *c.After - *c.Before
}

// Judged says whether a change is better, worse, same, or other where neither is better or one
// of the runs has nothing.
func (c *Change) Judged() string {
	switch d := c.Delta(); {
	case c.Before == nil && c.After == nil, c.Before != nil && c.After != nil && d == 0:
		return "same"
	case c.Before == nil || c.After == nil || c.Better == "":
		return "other"
	case (d < 0) == (c.Better == "less"):
		return "better"
	}
	return "worse"
}

// Compare compares the audited runs in two directories.
func Compare(ctx context.Context, before, after string) (*Comparison, error) {
	var runs [2]Judged
	for i, dir := range []string{before, after} {
		var err error
		if runs[i].Verdict, err = ReadVerdict(dir); err != nil {
			return nil, err
		}
	}
	for i, dir := range []string{before, after} {
		db, err := OpenDatabase(dir)
		if err != nil {
			return nil, err
		}
		defer db.Close()
		runs[i].DB = db.DB
	}
	return runs[1].Compare(ctx, &runs[0])
}

// Compare compares a run with another one.
func (j *Judged) Compare(ctx context.Context, before *Judged) (*Comparison, error) {
	c := &Comparison{Before: before.Verdict, After: j.Verdict}
	c.After.Fixed = nil
	c.After.compare(c.Before)
	var err error
	if c.Metrics, err = changes(ctx, before, j); err != nil {
		return nil, err
	}
	c.First, err = diverge(ctx, before.DB, j.DB)
	return c, orStore(DatabaseName, err)
}

// AskedByCompare are the queries of Compare.
func AskedByCompare() []string {
	asked := []string{askMetrics, windowQuery, decisionsQuery}
	for _, q := range (&Divergence{}).stateQueries() {
		asked = append(asked, q.query)
	}
	return asked
}

type metricKey struct{ kind, tree, element, metric string }

// changes are the metrics of two runs side by side.
func changes(ctx context.Context, before, after *Judged) ([]Change, error) {
	var all []Change
	at := map[metricKey]int{}
	for i, run := range []*Judged{before, after} {
		found, err := run.Metrics(ctx)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			k := metricKey{m.Kind, m.Tree, m.Element, m.Metric}
			place, known := at[k]
			if !known {
				place = len(all)
				at[k] = place
				all = append(all, Change{Tree: m.Tree, Kind: m.Kind, Element: m.Element, Metric: m.Metric, Unit: m.Unit, Better: m.Better})
			}
			if value := m.After; i == 0 {
				all[place].Before = value
			} else {
				all[place].After = value
			}
		}
	}
	kinds := []string{"tree", "pool", "operation"}
	slices.SortStableFunc(all, func(a, b Change) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(a.Tree, b.Tree), cmp.Compare(a.Element, b.Element))
	})
	return all, nil
}

// Metrics are the numbers of a run, as changes from nothing.
func (j *Judged) Metrics(ctx context.Context) ([]Change, error) {
	all, err := metricsOf(ctx, j.DB, j.Verdict)
	return all, orStore(DatabaseName, err)
}

// AskedByMetrics is the query of Metrics.
func AskedByMetrics() []string { return []string{askMetrics} }

const askMetrics = `SELECT tree, element_kind, element, metric, unit, better, value FROM metrics ORDER BY tree, element_kind, element, metric`

// metricsOf are the numbers of the view, and how many violations a verdict has, if there is one.
func metricsOf(ctx context.Context, db *sql.DB, v *Verdict) ([]Change, error) {
	rows, err := db.QueryContext(ctx, askMetrics)
	if err != nil {
		return nil, fmt.Errorf("ask the metrics: %w; audit the run again", err)
	}
	defer rows.Close()
	violations := v.violations()
	var all []Change
	for rows.Next() {
		var c Change
		if err := rows.Scan(&c.Tree, &c.Kind, &c.Element, &c.Metric, &c.Unit, &c.Better, &c.After); err != nil {
			return nil, err
		}
		if n := len(all); v != nil && (n == 0 || all[n-1].Kind != c.Kind || all[n-1].Tree != c.Tree || all[n-1].Element != c.Element) {
			found := violations[metricKey{c.Kind, c.Tree, c.Element, ""}]
			all = append(all, Change{Tree: c.Tree, Kind: c.Kind, Element: c.Element, Metric: "violations", Unit: "findings", Better: "less", After: &found})
		}
		all = append(all, c)
	}
	return all, rows.Err()
}

// violations counts the violated findings of each subject and each tree.
func (v *Verdict) violations() map[metricKey]float64 {
	if v == nil {
		return nil
	}
	found := map[metricKey]float64{}
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Counts() {
			found[metricKey{f.SubjectKind, f.Tree, f.Subject, ""}]++
			found[metricKey{"tree", f.Tree, f.Tree, ""}]++
		}
	}
	return found
}

// Named returns what a name means among the numbers of runs: the name of a tree or a pool, the
// pool after its tree and a slash, or the id of an operation; where none has it, the beginning
// of such ids.
func Named(all []Change, name string) func(*Change) bool {
	exact := func(c *Change) bool { return name == c.Element || name == c.Tree+"/"+c.Element }
	for i := range all {
		if exact(&all[i]) {
			return exact
		}
	}
	return func(c *Change) bool { return c.Kind == "operation" && name != "" && strings.HasPrefix(c.Element, name) }
}

// Has reports whether a name means something in one of the runs; names are those of trees
// and pools.
func (c *Comparison) Has(name string) (names []string, known bool) {
	is := Named(c.Metrics, name)
	for i := range c.Metrics {
		m := &c.Metrics[i]
		known = known || is(m)
		if m.Kind != "operation" {
			names = append(names, m.Element)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), known
}
