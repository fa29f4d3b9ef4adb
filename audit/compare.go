package audit

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// A Comparison lists the differences of the second run from the first.
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
	Against             string   // the metric that it is measured against; "" for none
	Before, After       *float64 // nil if there was nothing to measure
	Differs             bool     // what it is measured against is not the same in both runs
	Noise               *float64 // by how much it changes where nothing that matters does; nil if that is not known
}

// Delta returns the change; 0 if one of the runs has no value.
func (c *Change) Delta() float64 {
	if c.Before == nil || c.After == nil {
		return 0
	}
	return *c.After - *c.Before
}

// Judged says whether a change is better, worse, same, unclear where it is no more than noise, or
// other where neither is better, the runs are measured against different amounts, or one of them has
// nothing.
func (c *Change) Judged() string {
	switch d := c.Delta(); {
	case c.Before == nil && c.After == nil, c.Before != nil && c.After != nil && d == 0:
		return "same"
	case c.Before == nil || c.After == nil || c.Better == "" || c.Differs:
		return "other"
	case c.Noise != nil && math.Abs(d) <= *c.Noise:
		return "unclear"
	case (d < 0) == (c.Better == "less"):
		return "better"
	}
	return "worse"
}

// Compare compares the audited runs in two directories.
func Compare(ctx context.Context, before, after string, memory Memory) (*Comparison, error) {
	var runs [2]Judged
	for i, dir := range []string{before, after} {
		var err error
		if runs[i].Verdict, err = ReadVerdict(dir); err != nil {
			return nil, err
		}
	}
	for i, dir := range []string{before, after} {
		db, err := OpenDatabase(dir, memory)
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

// changes are the metrics of two runs side by side.
func changes(ctx context.Context, before, after *Judged) ([]Change, error) {
	g, whole := errgroup.WithContext(ctx)
	for _, run := range []*Judged{before, after} {
		g.Go(func() error { return run.measure(whole) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	pairs, numbers := paired(before.elements, after.elements)
	kinds := []string{"tree", "pool", "operation"}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return slices.Index(kinds, a.element().kind) - slices.Index(kinds, b.element().kind)
	})
	all := make([]Change, 0, numbers)
	for i := range pairs {
		all = pairs[i].addTo(all)
	}
	return all, nil
}

// A pair is an element in both runs; it is nil in one that does not have it.
type pair [2]*element

// element is that of the first run that has it.
func (p *pair) element() *element { return cmp.Or(p[0], p[1]) }

// paired are the elements of two runs in their order, and about how many numbers they have.
func paired(before, after []element) (pairs []pair, numbers int) {
	for len(before)+len(after) > 0 {
		first := len(after) - len(before)
		if len(before) > 0 && len(after) > 0 {
			first = before[0].compare(&after[0])
		}
		var p pair
		if first <= 0 {
			p[0], before = &before[0], before[1:]
		}
		if first >= 0 {
			p[1], after = &after[0], after[1:]
		}
		pairs, numbers = append(pairs, p), numbers+len(p.element().numbers)
	}
	return pairs, numbers
}

// addTo adds the numbers of a pair, side by side. Both runs have the same metrics, as a rule.
func (p *pair) addTo(all []Change) []Change {
	from := len(all)
	for run, e := range p {
		if e == nil {
			continue
		}
		for k := range e.numbers {
			n := &e.numbers[k]
			at := from + k
			if at >= len(all) || all[at].Metric != n.name {
				at = from + slices.IndexFunc(all[from:], func(c Change) bool { return c.Metric == n.name })
			}
			if at < from {
				at, all = len(all), append(all, e.changed(n))
			}
			if run == 0 {
				all[at].Before = n.measured()
			} else {
				all[at].After = n.measured()
			}
		}
	}
	for i := range all[from:] {
		c := &all[from+i]
		c.Differs = slices.ContainsFunc(all[from:], func(m Change) bool { return m.Metric == c.Against && !m.isEqual() })
	}
	return all
}

// isEqual reports whether two numbers are equal up to rounding.
func (c *Change) isEqual() bool {
	if c.Before == nil || c.After == nil {
		return c.Before == c.After
	}
	const rounding = 2e-3 // of a sum over spans that the runs divide differently
	return math.Abs(c.Delta()) <= rounding
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
