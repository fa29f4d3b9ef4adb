package whatif

import (
	"maps"
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/spelling"
)

// setOptions edits options of an operation's spec.
func (a *application) setOptions(key string, id core.OperationID, options map[string]any) error {
	var changes core.OperationParams
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if known := pooltree.SpecOptions(); !slices.Contains(known, name) {
			return a.errorf(key, "an operation has no option %q; %s", name, spelling.MeantOr(name, known, "remove, delay and the options of its spec are what is edited"))
		}
		c, errs := pooltree.ParseOperation(a.plan.Profile, pooltree.Attributes{name: options[name]}, "")
		if len(errs) > 0 {
			return a.errorf(key, "%v", errs[0])
		}
		if c.Pool != "" {
			if err := a.moveOperation(key, id, c.Pool); err != nil {
				return err
			}
			continue
		}
		own := paramsOf(name, &c)
		if own == (core.OperationParams{}) {
			return a.errorf(key, "%s of an operation is not edited, or sets nothing", name)
		}
		changes.Patch(&own)
	}
	if changes != (core.OperationParams{}) {
		a.setParams(id, &changes)
	}
	return nil
}

// paramsOf returns the parameters that an option changes.
func paramsOf(name string, c *pooltree.OperationConfig) core.OperationParams {
	p := core.OperationParams{OperationSettings: c.OperationSettings}
	if !c.ResourceLimits.IsEmpty() {
		p.ResourceLimits = core.Some(c.ResourceLimits)
	}
	if !c.StrongGuarantee.IsEmpty() {
		p.StrongGuarantee = core.Some(c.StrongGuarantee)
	}
	switch name {
	case "scheduling_tag_filter", "scheduling_tag":
		p.TagFilter = &c.TagFilter
	case "preemption_mode":
		p.Graceful = core.Some(c.Graceful)
	case "apply_specified_resource_limits_to_demand":
		p.ApplyLimitsToDemand = core.Some(c.ApplyLimitsToDemand)
	case "scheduling_segment_modules":
		p.Modules = &c.Modules
	}
	return p
}

// setParams changes options of an operation, also over what people set later.
func (a *application) setParams(id core.OperationID, changes *core.OperationParams) {
	o := &a.plan.Operations[id]
	over := func(p *core.OperationParams) *core.OperationParams {
		own := core.OperationParams{}
		if p != nil {
			own = *p
		}
		own.Patch(changes)
		return &own
	}
	if o.Submit < a.at {
		a.step(id, core.StepParamsChanged, over(nil), len(o.Requests))
	} else {
		o.Requests = slices.Clone(o.Requests)
		for i := range o.Requests {
			o.Requests[i].Started.Params = over(o.Requests[i].Started.Params)
		}
	}
	for t := range a.plan.Trees {
		for i := range a.plan.Trees[t].Facts {
			if f := &a.plan.Trees[t].Facts[i]; f.Kind == core.OperationChanged && f.Operation == id && f.Time >= a.at && f.Params != nil {
				f.Params = over(f.Params)
			}
		}
	}
}

// moveOperation puts an operation into another pool, in the trees that have it, and there it stays.
func (a *application) moveOperation(key string, id core.OperationID, name string) error {
	o := &a.plan.Operations[id]
	var pools []string
	found := false
	o.Requests = slices.Clone(o.Requests)
	for i := range o.Requests {
		r := &o.Requests[i]
		tree := &a.plan.Trees[r.Tree]
		pool := core.PoolID(slices.IndexFunc(a.plan.Dimensions.Pools, func(p core.PoolInfo) bool { return p.Tree == tree.Name && p.Name == name }))
		if pool == core.Unknown {
			for _, p := range a.plan.Dimensions.Pools {
				if p.Tree == tree.Name {
					pools = append(pools, p.Name)
				}
			}
			continue
		}
		found = true
		tree.Facts = slices.DeleteFunc(tree.Facts, func(f core.Event) bool {
			return f.Kind == core.OperationChanged && f.Operation == id && f.Step == core.StepPoolChanged && f.Time >= a.at
		})
		if o.Submit >= a.at {
			r.Pool = name
			continue
		}
		e := operationStep(a.at, id, core.StepPoolChanged)
		e.Pool = pool
		a.add(r.Tree, e)
	}
	if !found {
		return a.errorf(key, "no tree of the operation has a pool %q; %s", name, spelling.MeantName(name, pools))
	}
	return nil
}

// operationStep is a step of an operation at a time.
func operationStep(at core.Time, id core.OperationID, step core.Step) core.Event {
	return core.Event{
		Time: at, Kind: core.OperationChanged, Operation: id, Step: step,
		Pool: core.Unknown, Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown,
	}
}
