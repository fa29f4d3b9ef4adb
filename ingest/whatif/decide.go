package whatif

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"sync"

	"poolproof/core"
	"poolproof/core/simulate"
	"poolproof/ingest"
)

// Options of a simulation.
type Options struct {
	// Trees are those that are wanted; nil for all. Those that have nothing to do with them are not
	// decided: they stand as the trace records them.
	Trees []string
	Trace *ingest.Trace // of the plan; needed with Trees

	// Control is the plan that was edited, if any, and Decided waits for its log. What the edits do
	// not touch is taken from that.
	Control *simulate.Plan
	Decided func(context.Context) (*Log, error)
	Edits   *Edits // by which the control became this plan

	// Take waits for a worker, which each component has while it is decided. Without it one is
	// decided at a time.
	Take func(context.Context) (back func(), err error)

	// Progress, if set, is called now and then, by several goroutines.
	Progress func(now core.Time)
}

// Simulate lets the core decide a plan: components of trees apart, the largest first. Its log is the
// same for any number of workers, with a control and without one.
func Simulate(ctx context.Context, p *simulate.Plan, o Options) (*Log, error) {
	d := decision{ctx: ctx, Options: o, log: &Log{Plan: p, trees: make([]*treeLog, len(p.Trees))}}
	components := simulate.Components(p)
	touched := d.touched(components)
	var own, shared [][]int
	for _, c := range components {
		switch {
		case !d.wants(c):
		case touched[c[0]]:
			own = append(own, c)
		default:
			shared = append(shared, c)
		}
	}
	if err := d.decide(own); err != nil {
		return nil, err
	}
	if together, err := d.share(shared); err != nil {
		return nil, err
	} else if together && len(own) > 0 {
		return d.together()
	}
	recorded, err := d.stand()
	if err != nil {
		return nil, err
	}
	if len(d.log.components) > 1 || len(recorded) > 0 {
		crowds := []simulate.Crowd{recorded}
		for _, c := range d.log.components {
			crowds = append(crowds, c.crowd)
		}
		if simulate.Crowded(p, crowds...) {
			return d.together()
		}
	}
	return d.log, nil
}

// A decision is a simulation under way.
type decision struct {
	Options
	ctx context.Context
	log *Log
}

// wants reports whether one of the trees of a component is wanted.
func (d *decision) wants(trees []int) bool {
	return d.Trees == nil || slices.ContainsFunc(trees, func(i int) bool { return slices.Contains(d.Trees, d.log.Plan.Trees[i].Name) })
}

// share takes components from the control, where each may be part of a larger one. It reports
// whether all trees had to be decided together there.
func (d *decision) share(components [][]int) (together bool, err error) {
	if len(components) == 0 {
		return false, nil
	}
	control, err := d.Decided(d.ctx)
	if err != nil {
		return false, err
	}
	for _, i := range slices.Concat(components...) {
		t := control.trees[i]
		d.log.trees[i] = t
		if !slices.Contains(d.log.components, t.component) {
			d.log.components = append(d.log.components, t.component)
		}
		together = len(t.component.trees) == len(d.log.trees)
	}
	return together, nil
}

// Shares reports whether two logs have the same of a tree.
func (l *Log) Shares(with *Log, tree int) bool { return l.trees[tree] == with.trees[tree] }

// Borrows reports whether the log has any tree of its control.
func (l *Log) Borrows() bool {
	return slices.ContainsFunc(l.trees, func(t *treeLog) bool { return t.component != nil && t.component.plan != l.Plan })
}

// Renew decides trees anew whose events are drained: with all that they have to do with.
func (l *Log) Renew(ctx context.Context, take func(context.Context) (back func(), err error), trees []int) error {
	var own [][]int
	for _, t := range trees {
		c := l.trees[t].component
		if !slices.ContainsFunc(own, func(x []int) bool { return slices.Contains(x, t) }) {
			own = append(own, c.trees)
		}
	}
	d := decision{Options: Options{Take: take}, ctx: ctx, log: l}
	return d.decide(own)
}

// decide decides components, the largest first.
func (d *decision) decide(components [][]int) error {
	sizes := Sizes(d.log.Plan)
	size := func(trees []int) (n int) {
		for _, i := range trees {
			n += sizes[i]
		}
		return n
	}
	slices.SortStableFunc(components, func(a, b []int) int { return cmp.Compare(size(b), size(a)) })
	errs, logs := make([]error, len(components)), make([][]*treeLog, len(components))
	var all sync.WaitGroup
	for i, trees := range components {
		if d.Take == nil {
			logs[i], errs[i] = simulated(d.ctx, d.log.Plan, trees, d.Progress)
			continue
		}
		back, err := d.Take(d.ctx)
		if err != nil {
			errs[i] = err
			break
		}
		all.Go(func() {
			defer back()
			logs[i], errs[i] = simulated(d.ctx, d.log.Plan, trees, d.Progress)
		})
	}
	all.Wait()
	if err := cmp.Or(errs...); err != nil { // in the order of the components, not of their coming
		return err
	}
	for _, own := range logs {
		d.log.components = append(d.log.components, own[0].component)
		for _, t := range own {
			d.log.trees[t.tree] = t
		}
	}
	return nil
}

// together decides all trees at once, which the number of operations couples.
func (d *decision) together() (*Log, error) {
	all := make([]int, len(d.log.Plan.Trees))
	for i := range all {
		all[i] = i
	}
	d.log.components = nil
	err := d.decide([][]int{all})
	return d.log, err
}

// Sizes are about how much there is to decide in each tree: its heartbeats and jobs.
func Sizes(p *simulate.Plan) []int {
	sizes := make([]int, len(p.Trees))
	for i := range p.Trees {
		nodes := map[core.NodeID]bool{}
		for k := range p.Trees[i].Facts {
			if f := &p.Trees[i].Facts[k]; f.Kind == core.NodeChanged {
				nodes[f.Node] = true
			}
		}
		sizes[i] = len(nodes) * int((p.Window.To-p.Window.From)/p.HeartbeatPeriod)
	}
	for i := range p.Operations {
		for _, r := range p.Operations[i].Requests {
			for _, t := range p.Operations[i].Tasks {
				sizes[r.Tree] += t.Jobs
			}
		}
	}
	return sizes
}

// stand has the trees that are not decided stand as the trace records them: with the facts of the
// plan, and their operations. It returns when these come and go.
func (d *decision) stand() (crowd simulate.Crowd, err error) {
	p := d.log.Plan
	live := make([]bool, len(p.Operations))
	for i := range p.Trees {
		if d.log.trees[i] != nil {
			continue
		}
		t := &treeLog{tree: i}
		d.log.trees[i] = t
		var all []core.Event
		for _, f := range p.Trees[i].Facts {
			if f.Kind != core.OperationChanged {
				all = append(all, f)
			}
		}
		for e, err := range d.Trace.Events(p.Trees[i].Name, ingest.Options{Profile: p.Profile, Kinds: []core.Kind{core.OperationChanged}}) {
			if err := cmp.Or(err, d.ctx.Err()); err != nil {
				return nil, err
			}
			own := *e
			own.Params = nil // which the stream reuses
			all = append(all, own)
			switch is := &live[e.Operation]; e.Step {
			case core.StepStarted:
				if !*is {
					crowd.AddOperations(e.Time, 1, 1)
				}
				*is = true
			case core.StepRejected:
				crowd.AddOperations(e.Time, 1, 0)
			case core.StepCompleted, core.StepFailed, core.StepAborted:
				if *is {
					crowd.AddOperations(e.Time, 0, -1)
				}
				*is = false
			}
		}
		slices.SortStableFunc(all, func(a, b core.Event) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Kind, b.Kind)) })
		for _, e := range all {
			t.others.add(e)
		}
	}
	return crowd, nil
}

// touched are the trees that the edits may change, by themselves or through others that they had
// to do with before or have now; all without a control.
func (d *decision) touched(components [][]int) []bool {
	p, c := d.log.Plan, d.Control
	touched := make([]bool, len(p.Trees))
	for i := range touched {
		touched[i] = c == nil || d.differs(i)
	}
	if c == nil {
		return touched
	}
	together := slices.Concat(components, simulate.Components(c))
	for spread := true; spread; {
		spread = false
		for _, trees := range together {
			if slices.ContainsFunc(trees, func(i int) bool { return touched[i] }) {
				for _, i := range trees {
					spread = spread || !touched[i]
					touched[i] = true
				}
			}
		}
	}
	return touched
}

// differs reports whether the edits change what happens in a tree.
func (d *decision) differs(tree int) bool {
	was, is := d.Control, d.log.Plan
	if was.Profile != is.Profile || !reflect.DeepEqual(was.Trees[tree].Facts, is.Trees[tree].Facts) || d.Edits.forbids(is, tree) {
		return true
	}
	asks := func(o *simulate.Operation) bool {
		return slices.ContainsFunc(o.Requests, func(r simulate.Request) bool { return r.Tree == tree })
	}
	for id := range is.Operations {
		a, b := &was.Operations[id], &is.Operations[id]
		if (asks(a) || asks(b)) && !(reflect.DeepEqual(a, b) && reflect.DeepEqual(was.Dimensions.Operations[id], is.Dimensions.Operations[id])) {
			return true
		}
	}
	return false
}
