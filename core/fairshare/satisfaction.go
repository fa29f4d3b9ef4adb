package fairshare

import "poolproof/core/resource"

// LocalSatisfaction returns the part of its fair share that an element uses, by the resource that
// matters: 1 is all of it, and InfiniteSatisfaction means that it has no fair share (§9.1).
func LocalSatisfaction(fairShare, demandShare, usageShare resource.Share) float64 {
	switch {
	case fairShare.FitsIn(negligible):
		return InfiniteSatisfaction
	case !usageShare.FitsIn(fairShare):
		return excess(fairShare, usageShare)
	case demandShare.FitsIn(fairShare):
		least := 1.0
		for k, share := range fairShare {
			if share != 0 {
				least = min(least, usageShare[k]/share)
			}
		}
		return least
	}
	most := 0.0
	for k, share := range fairShare {
		if share < demandShare[k] && share != 0 && usageShare[k] != 0 {
			most = max(most, usageShare[k]/share)
		}
	}
	return most
}

var negligible = resource.Uniform(computationPrecision)

// excess is the largest ratio of usage to fair share.
func excess(fairShare, usageShare resource.Share) float64 {
	ratio := 0.0
	for k := range usageShare {
		switch usage, share := usageShare[k], fairShare[k]; {
		case usage == 0:
		case share != 0:
			ratio = max(ratio, usage/share)
		case usage > 0:
			ratio = InfiniteSatisfaction
		}
	}
	return min(ratio, InfiniteSatisfaction)
}

// BestAllocation returns the share of the tree that an operation could fill with its jobs, given
// the memory of the nodes: a job fits a node whole or not at all (§3.5). nodes holds the number
// of nodes of each memory size.
func BestAllocation(demand, total resource.Vector, nodes []resource.NodeMemory) resource.Share {
	fits := total
	if slots := demand[resource.UserSlots]; slots > 0 && len(nodes) > 0 {
		if perJob := demand[resource.Memory] / slots; perJob > 0 {
			fits[resource.Memory] = 0
			for _, n := range nodes {
				fits[resource.Memory] += n.Memory / perJob * perJob * n.Count
			}
		}
	}
	return fits.ShareOf(total)
}

// A satisfaction holds the values by which pools compare the satisfaction of their children.
type satisfaction struct {
	ratio       float64
	schedulable bool
}

// satisfy computes the satisfaction of a composite and of all below where it
// may have changed (§9.2). That of operations is known. The switches say what e inherits.
func (t *Tree) satisfy(e Element, inFIFOOrder, usePool bool) {
	if t.flags[e]&unsatisfied == 0 {
		return
	}
	n := &t.nodes[e]
	config := &n.pool.config
	inFIFOOrder = config.ScheduleInFIFOOrder.Or(inFIFOOrder)
	usePool = config.UsePoolSatisfaction.Or(usePool)
	for _, c := range n.pool.pools {
		t.satisfy(c, inFIFOOrder, usePool)
	}
	if config.Mode == FIFO {
		t.closeQueue(e)
	}
	own, local := &t.satisfactions[e], t.results[e].LocalSatisfaction
	best := t.best(e, config.Mode == FIFO && inFIFOOrder)
	own.ratio, own.schedulable = local, best != none
	if best != none {
		own.ratio = t.satisfactions[best].ratio
		if usePool {
			own.ratio = min(own.ratio, local)
		}
	}
}

// best returns the child that is served next: the first in FIFO order, or the
// least satisfied; none if no child is schedulable.
func (t *Tree) best(e Element, first bool) Element {
	best := none
	for _, c := range t.inOrder(e) {
		s := &t.satisfactions[c]
		if !s.schedulable {
			continue
		}
		if first {
			return c
		}
		if best == none || s.ratio < t.satisfactions[best].ratio {
			best = c
		}
	}
	return best
}

// closeQueue makes operations of a FIFO pool unschedulable that stand behind
// as many as may be scheduled and have no fair share (§9.3).
func (t *Tree) closeQueue(e Element) {
	limit := t.options.MaxSchedulableInFIFOPool
	if limit == 0 {
		return
	}
	count := 0
	for _, c := range t.nodes[e].pool.order {
		if t.nodes[c].unschedulable {
			continue
		}
		share := t.granted(mainShares, c)
		open := count < limit || !share.FitsIn(resource.Uniform(computationPrecision))
		if s := &t.satisfactions[c]; s.schedulable != open {
			s.schedulable = open
			t.touchShare(c)
			t.flags[c] |= unsatisfied
		}
		count++
	}
}
