package whatif

import (
	"cmp"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/simulate"
	"poolproof/core/spelling"
)

// Apply returns the plan with the edits. The plan stays as it is; what is not edited is the
// same in both. A plan is made by a profile, which edits cannot change any more.
func Apply(plan *simulate.Plan, e *Edits) (*simulate.Plan, error) {
	own := *plan
	dims := *plan.Dimensions
	own.Dimensions = &dims
	own.Operations = slices.Clone(plan.Operations)
	own.Trees = slices.Clone(plan.Trees)
	for i := range own.Trees {
		own.Trees[i].Facts = slices.Clone(own.Trees[i].Facts)
	}
	a := &application{Edits: e, plan: &own, at: max(e.At.Or(plan.Window.From), plan.Window.From)}
	switch {
	case a.at >= plan.Window.To:
		return nil, e.errorf("at", "edits from %s on are after the end of the window, %s", timeText(a.at), timeText(plan.Window.To))
	case e.Profile.Set && e.At.Set:
		return nil, e.errorf("profile", "a profile is that of the whole log: leave out the time from which the edits hold")
	case e.Profile.Set && e.Profile.Value != plan.Profile:
		return nil, errors.New("the plan was made by another profile than the edits ask for")
	}
	for _, step := range []func() error{a.configure, a.changeNodes, a.serveByFilters, a.changeOperations, a.forbidPreemptions} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	for i := range own.Trees {
		slices.SortStableFunc(own.Trees[i].Facts, func(a, b core.Event) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Kind, b.Kind)) })
	}
	return &own, nil
}

// An application is edits that are being put into a plan.
type application struct {
	*Edits
	plan *simulate.Plan
	at   core.Time
}

// changeOperations edits operations one by one, and those of users, or shifts all.
func (a *application) changeOperations() error {
	dims := a.plan.Dimensions
	dims.Operations = slices.Clone(dims.Operations)
	if a.shift > 0 {
		a.shiftOperations()
	}
	for _, name := range slices.Sorted(maps.Keys(a.operations)) {
		id, err := a.operation("operations", name)
		if err != nil {
			return err
		}
		if o, w := &a.plan.Operations[id], a.plan.Window; len(o.Requests) == 0 || o.Submit >= w.To {
			return a.errorf("operations", "operation %s is none of those that are decided: from %s to %s it is over, or has not come", name, timeText(w.From), timeText(w.To))
		}
		if err := a.changeOperation("operations", id, a.operations[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.users)) {
		found := false
		for id := range dims.Operations {
			if dims.Operations[id].User != name {
				continue
			}
			found = true
			if err := a.changeOperation("users", core.OperationID(id), a.users[name]); err != nil {
				return err
			}
		}
		if !found {
			return a.errorf("users", "no operation of the trace is of user %q; %s", name, spelling.MeantName(name, a.userNames()))
		}
	}
	return nil
}

func (a *application) userNames() []string {
	names := map[string]bool{}
	for i := range a.plan.Dimensions.Operations {
		names[a.plan.Dimensions.Operations[i].User] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// operation finds an operation by its id, or by a beginning of it that no other has.
func (a *application) operation(key, name string) (core.OperationID, error) {
	found := core.OperationID(core.Unknown)
	for id := range a.plan.Dimensions.Operations {
		switch own := a.plan.Dimensions.Operations[id].ID; {
		case own == name:
			return core.OperationID(id), nil
		case name == "" || !strings.HasPrefix(own, name):
		case found != core.Unknown:
			return found, a.errorf(key, "several operations begin with %q: give more of the id", name)
		default:
			found = core.OperationID(id)
		}
	}
	if found == core.Unknown {
		return found, a.errorf(key, "the trace has no operation %q", name)
	}
	return found, nil
}

func (a *application) changeOperation(key string, id core.OperationID, e operationEdit) error {
	o := &a.plan.Operations[id]
	was := o.Submit
	switch {
	case e.Remove && (e.Delay > 0 || len(e.options) > 0):
		return a.errorf(key, "an operation is removed or changed, not both")
	case e.Remove && was >= a.at:
		o.Submit = a.plan.Window.To
	case e.Remove:
		a.step(id, core.StepAborted, nil, 1)
	case e.Delay > 0 && was >= a.at:
		a.delay(id, core.Time(e.Delay))
	}
	return a.setOptions(key, id, e.options)
}

// step adds a step of an operation at the time of the edits, in its first trees.
func (a *application) step(id core.OperationID, step core.Step, params *core.OperationParams, trees int) {
	requests := a.plan.Operations[id].Requests
	for _, q := range requests[:min(trees, len(requests))] {
		e := operationStep(a.at, id, step)
		e.Params = params
		a.add(q.Tree, e)
	}
}

func (a *application) add(tree int, e core.Event) {
	t := &a.plan.Trees[tree]
	t.Facts = append(t.Facts, e)
}

// shiftOperations has all operations come later, with what people did to them.
func (a *application) shiftOperations() {
	for id := range a.plan.Operations {
		if o := &a.plan.Operations[id]; len(o.Requests) > 0 && o.Submit < a.plan.Window.To {
			o.Submit += a.shift
			a.plan.Dimensions.Operations[id].Start.Value += a.shift
		}
	}
	for t := range a.plan.Trees {
		for i := range a.plan.Trees[t].Facts {
			if f := &a.plan.Trees[t].Facts[i]; f.Kind == core.OperationChanged {
				f.Time += a.shift
			}
		}
	}
}

// delay puts an operation off, and what people did to it.
func (a *application) delay(id core.OperationID, by core.Time) {
	o, info := &a.plan.Operations[id], &a.plan.Dimensions.Operations[id]
	o.Submit += by
	info.Start.Value += by
	for t := range a.plan.Trees {
		for i := range a.plan.Trees[t].Facts {
			if f := &a.plan.Trees[t].Facts[i]; f.Kind == core.OperationChanged && f.Operation == id {
				f.Time += by
			}
		}
	}
}

// matching are the nodes whose names match a pattern as cpu-1*.
func (a *application) matching(pattern string) ([]core.NodeID, error) {
	var all []core.NodeID
	for id, name := range a.plan.Dimensions.Nodes {
		ok, err := path.Match(pattern, name)
		if err != nil {
			return nil, a.errorf("nodes", "%q is no pattern: %v", pattern, err)
		}
		if ok || name == pattern {
			all = append(all, core.NodeID(id))
		}
	}
	if len(all) == 0 {
		return nil, a.errorf("nodes", "the trace has no node %q; %s", pattern, spelling.MeantName(pattern, a.plan.Dimensions.Nodes))
	}
	return all, nil
}
