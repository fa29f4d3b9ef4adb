package audit

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// An element is a tree, a pool or an operation, with what the view metrics says of it.
type element struct {
	tree, kind, name string
	numbers          []metricValue // by the names of their metrics, violations first
}

// A metricValue is one metric of an element.
type metricValue struct {
	*metric
	value sql.NullFloat64
}

type metric struct{ name, unit, better, against string }

// violations of a verdict, which the view does not have.
var violations = &metric{"violations", "findings", "less", ""}

// measured is the number; nil where there was nothing to measure.
func (n *metricValue) measured() *float64 {
	if !n.value.Valid {
		return nil
	}
	return &n.value.Float64
}

// measure reads the numbers of the run, unless that was done when it was judged.
func (j *Judged) measure(ctx context.Context) (err error) {
	if j.elements == nil {
		if j.elements, err = elementsOf(ctx, j.DB); err == nil {
			j.Verdict.countIn(j.elements)
		}
	}
	return orStore(DatabaseName, err)
}

// Metrics are the numbers of a run, as changes from nothing.
func (j *Judged) Metrics(ctx context.Context) ([]Change, error) {
	if err := j.measure(ctx); err != nil {
		return nil, err
	}
	var all []Change
	for i := range j.elements {
		e := &j.elements[i]
		for k := range e.numbers {
			all = append(all, e.changed(&e.numbers[k]))
			all[len(all)-1].After = e.numbers[k].measured()
		}
	}
	return all, nil
}

// changed is the change of a number, without its values.
func (e *element) changed(n *metricValue) Change {
	return Change{Tree: e.tree, Kind: e.kind, Element: e.name, Metric: n.name, Unit: n.unit, Better: n.better, Against: n.against}
}

// AskedByMetrics is the query of Metrics.
func AskedByMetrics() []string { return []string{askMetrics} }

// askMetrics asks for the numbers in any order: to sort the elements takes less than to sort the
// numbers of all of them.
const askMetrics = `SELECT tree, element_kind, element, metric, unit, better, against, value FROM metrics`

// elementsOf are the elements of the view.
func elementsOf(ctx context.Context, db *sql.DB) ([]element, error) {
	rows, err := db.QueryContext(ctx, askMetrics)
	if err != nil {
		return nil, fmt.Errorf("ask the metrics: %w; audit the run again", err)
	}
	defer rows.Close()
	type key struct{ tree, kind, name string }
	all, at, metrics := []element{}, map[key]int{}, map[metric]*metric{}
	var of, last key
	var m metric
	var value sql.NullFloat64
	place := -1
	for rows.Next() {
		if err := rows.Scan(&of.tree, &of.kind, &of.name, &m.name, &m.unit, &m.better, &m.against, &value); err != nil {
			return nil, err
		}
		if of != last || place < 0 { // those of one come one after the other, as a rule
			known := false
			if place, known = at[of]; !known {
				place = len(all)
				all = append(all, element{of.tree, of.kind, of.name, make([]metricValue, 0, 1+len(metrics))})
				at[of] = place
			}
			last = of
		}
		shared := metrics[m]
		if shared == nil {
			own := m
			shared = &own
			metrics[m] = shared
		}
		e := &all[place]
		e.numbers = append(e.numbers, metricValue{shared, value})
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for i := range all {
		slices.SortFunc(all[i].numbers, func(a, b metricValue) int { return strings.Compare(a.name, b.name) })
	}
	slices.SortFunc(all, func(a, b element) int { return a.compare(&b) })
	return all, nil
}

// countIn puts how many violations there are of each element before its numbers; nothing where
// nothing was judged.
func (v *Verdict) countIn(elements []element) {
	if v == nil {
		return
	}
	found := v.violations()
	for i := range elements {
		e := &elements[i]
		n := found[subject{e.kind, e.tree, e.name}]
		e.numbers = slices.Insert(e.numbers, 0, metricValue{violations, sql.NullFloat64{Float64: n, Valid: true}})
	}
}

// compare orders elements by tree, kind and name.
func (e *element) compare(other *element) int {
	return cmp.Or(strings.Compare(e.tree, other.tree), strings.Compare(e.kind, other.kind), strings.Compare(e.name, other.name))
}

// A subject is the object of findings.
type subject struct{ kind, tree, name string }

// violations counts the violated findings of each subject and each tree.
func (v *Verdict) violations() map[subject]float64 {
	found := map[subject]float64{}
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Counts() {
			found[subject{f.SubjectKind, f.Tree, f.Subject}]++
			found[subject{"tree", f.Tree, f.Tree}]++
		}
	}
	return found
}
