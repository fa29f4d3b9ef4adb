package whatif

import (
	"fmt"
	"maps"
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// changeNodes takes nodes away, resizes them and adds others.
func (a *application) changeNodes() error {
	was := slices.Clone(a.plan.Dimensions.Nodes)
	for _, name := range slices.Sorted(maps.Keys(a.nodes)) {
		e := a.nodes[name]
		if (e.Like != "") == (e.Remove || e.Resources != nil) || e.Like == "" && e.Count != nil || e.Remove && e.Resources != nil {
			return a.errorf("nodes", "node %s: say remove: true, resource_limits, or like: NODE with a count", name)
		}
		if e.Like != "" {
			if slices.Contains(was, name) {
				return a.errorf("nodes", "the trace has a node %s already: give those that are added another name", name)
			}
			if err := a.addNodes(name, e); err != nil {
				return err
			}
			continue
		}
		ids, err := a.matching(name)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if e.Remove {
				a.removeNode(id)
			} else if err := a.resizeNode(id, e.Resources); err != nil {
				return err
			}
		}
	}
	return nil
}

// state is the last fact about a node by the time of the edits, and its tree; -1 if there is none.
func (a *application) state(id core.NodeID) (tree int, last core.Event) {
	tree = -1
	for t := range a.plan.Trees {
		for _, f := range a.plan.Trees[t].Facts {
			// It may come to another tree in the instant in which it leaves the first.
			if f.Kind == core.NodeChanged && f.Node == id && f.Time <= a.at && (tree < 0 || f.Time > last.Time || f.Time == last.Time && f.Online) {
				tree, last = t, f
			}
		}
	}
	return tree, last
}

// removeNode has a node be gone from the time of the edits on.
func (a *application) removeNode(id core.NodeID) {
	tree, last := a.state(id)
	for t := range a.plan.Trees {
		facts := &a.plan.Trees[t].Facts
		*facts = slices.DeleteFunc(*facts, func(f core.Event) bool { return f.Kind == core.NodeChanged && f.Node == id && f.Time >= a.at })
	}
	if tree >= 0 && last.Online && last.Time < a.at {
		last.Time, last.Seq, last.Online = a.at, 0, false
		a.add(tree, last)
	}
}

// resizeNode gives a node other resources from the time of the edits on.
func (a *application) resizeNode(id core.NodeID, limits map[string]any) error {
	size, err := a.sizeOf(limits)
	if err != nil {
		return err
	}
	tree, last := a.state(id)
	for t := range a.plan.Trees {
		for i := range a.plan.Trees[t].Facts {
			if f := &a.plan.Trees[t].Facts[i]; f.Kind == core.NodeChanged && f.Node == id && f.Time >= a.at {
				f.Limits = size.Or(f.Limits)
			}
		}
	}
	if tree >= 0 && last.Time < a.at {
		last.Time, last.Seq, last.Limits = a.at, 0, size.Or(last.Limits)
		a.add(tree, last)
	}
	return nil
}

// sizeOf reads resource_limits as pools have them: cpu in cores, memory in bytes.
func (a *application) sizeOf(limits map[string]any) (resource.Partial, error) {
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		if _, ok := resource.ParseKind(name); !ok {
			return resource.Partial{}, a.errorf("nodes", "resource_limits has no resource %q", name)
		}
	}
	c, errs := pooltree.ParsePool(a.plan.Profile, pooltree.Attributes{"resource_limits": limits})
	if len(errs) > 0 {
		return c.ResourceLimits, a.errorf("nodes", "%v", errs[0])
	}
	return c.ResourceLimits, nil
}

// addNodes adds nodes NAME-0, NAME-1, ... that are like one of the trace is then.
func (a *application) addNodes(name string, e nodeEdit) error {
	ids, err := a.matching(e.Like)
	if err != nil {
		return err
	}
	tree, last := a.state(ids[0])
	if tree < 0 || !last.Online {
		return a.errorf("nodes", "node %s is not online at %s: nothing can be like it", e.Like, timeText(a.at))
	}
	count := 1
	if e.Count != nil {
		count = *e.Count
	}
	if count < 0 || count > mostNodes {
		return a.errorf("nodes", "count must be from 0 to %d", mostNodes)
	}
	p := a.plan
	p.Dimensions.Nodes, p.Phases = slices.Clone(p.Dimensions.Nodes), slices.Clone(p.Phases)
	taken := map[core.Time]bool{}
	for _, phase := range p.Phases {
		taken[phase] = true
	}
	for i := range count {
		phase := core.Time(int64(i)*int64(p.HeartbeatPeriod)/int64(count)) + 1
		for taken[phase] { // no two nodes of a tree report at once
			phase++
		}
		taken[phase] = true
		last.Time, last.Seq, last.Node = a.at, 0, core.NodeID(len(p.Dimensions.Nodes))
		p.Dimensions.Nodes, p.Phases = append(p.Dimensions.Nodes, fmt.Sprintf("%s-%d", name, i)), append(p.Phases, phase)
		a.add(tree, last)
	}
	return nil
}

// mostNodes is the maximum number of nodes that an edit adds.
const mostNodes = 100_000
