package scheduling

import "poolproof/core/resource"

// A Competitor is an operation that a regular stage serves before another. The pairs of values
// compare the two where their paths from the root separate (core/spec/scheduling.md §9.6).
type Competitor struct {
	Operation                     Element // None if the other operation goes first
	FIFO                          bool    // the pool where they separate uses FIFO order
	Index, OwnIndex               int32   // in FIFO order
	Satisfaction, OwnSatisfaction float64
	Guaranteed, OwnGuaranteed     bool // served by the stage of promised guarantees

	// Served says that it started a job in this heartbeat. The log may record its remaining need
	// later than that start.
	Served bool
}

// lookedAt bounds the number of operations that cannot start before a search gives up.
const lookedAt = 256

// CompetitorOf returns the operation that goes first among all that could start their smallest job
// in a heartbeat now, unless that is e. Satisfactions within tie count as equal: if the branch of e
// ties with the first one, either may have been chosen, and the search continues in the branch of
// e. An operation that the heartbeat has Served is returned only if no other goes clearly before e,
// and one that ties only if none does. ok is false if the answer is unknown: e does not take part,
// stages run over batches, the smallest job of an earlier operation is unknown, or too many before
// e cannot start.
func (t *Tree) CompetitorOf(h Heartbeat, e Element, tie float64) (r Competitor, ok bool) {
	r.Operation = None
	if t.options.BatchSize > 0 || !t.elements[e].seen.schedulable {
		return r, false
	}
	t.makeLists()
	t.stage.Heartbeat = h
	if !t.options.GuaranteePriority {
		return r, t.findCompetitor(&r, t.choose(everyone, t.lists.schedulable), e, tie)
	}
	high, medium := t.inStages()
	r.Guaranteed, r.OwnGuaranteed = true, t.HasGuaranteePriority(e)
	ok = t.findCompetitor(&r, t.chooseAmong(high), e, tie)
	if r.Operation == None {
		r.Guaranteed = false
		if ok && !r.OwnGuaranteed {
			ok = t.findCompetitor(&r, t.chooseAmong(medium), e, tie)
		}
	}
	return r, ok
}

// findCompetitor visits operations in the order of a choice until it reaches e or one that could
// start and goes clearly first.
func (t *Tree) findCompetitor(r *Competitor, c *choice, e Element, tie float64) (ok bool) {
	for top := Root; top != e; {
		x, ok := t.firstAble(c, top, e)
		if !ok || x == None {
			return ok || r.Operation != None
		}
		other := Competitor{Guaranteed: r.Guaranteed, OwnGuaranteed: r.OwnGuaranteed}
		branch := t.compareCompetitors(&other, c, x, e)
		leads := other.leads(tie)
		if r.Operation == None || leads && (!other.Served || !r.leads(tie)) {
			*r = other
		}
		switch {
		case !leads:
			top = branch
		case other.Served:
			c.deactivate(x)
		default:
			return true
		}
	}
	return true
}

// leads reports whether a competitor goes clearly first.
func (r *Competitor) leads(tie float64) bool {
	switch {
	case r.Guaranteed != r.OwnGuaranteed:
		return r.Guaranteed
	case r.FIFO:
		return r.Index < r.OwnIndex
	}
	return r.Satisfaction < r.OwnSatisfaction-tie
}

// firstAble returns the first operation below a pool and before e, in the order of a choice, that
// could start its smallest job, or None.
func (t *Tree) firstAble(c *choice, pool, e Element) (able Element, ok bool) {
	t.stage.choice = c
	for range lookedAt {
		x := c.nodes[pool].leaf
		if x == None || x == e {
			return None, true
		}
		t.touch(x)
		if len(t.elements[x].operation.smallest) == 0 {
			return None, false
		}
		if t.offers(x) && t.exclusion(x) == NoObstacle {
			if result, _ := t.refuse(x); result == NoObstacle {
				return x, true
			}
		}
		c.deactivate(x)
	}
	return None, false
}

// offers reports whether the controller of an operation has a job for the node now. Heartbeats ask
// controllers by the needs of the last update; a controller that since then has no such job
// declines (§9.7).
func (t *Tree) offers(e Element) bool {
	needs := &t.elements[e].operation.needs
	if needs.Unschedulable != NoObstacle {
		return false
	}
	for _, need := range needs.Smallest {
		if t.fitsNode(need, resource.Vector{}) {
			return true
		}
	}
	return len(needs.Smallest) == 0
}

// FirstAble returns the operation that goes first among all that could start their smallest job in
// the regular stages of a heartbeat now, packing ignored; None if no operation could. ok is false
// as for CompetitorOf, except that batches do not matter because all of them run.
func (t *Tree) FirstAble(h Heartbeat) (able Element, ok bool) {
	s := &t.stage
	s.Heartbeat, s.unconditional = h, resource.Vector{}
	if !t.fitsNode(t.spare(t.options.MinSpare), resource.Vector{}) {
		return None, true
	}
	t.makeLists()
	return t.firstAble(t.choose(everyone, t.lists.schedulable), Root, None)
}

// compareCompetitors records x as the competitor of e, and how they compare where their paths
// separate. It returns the child of that pool on the path to e.
func (t *Tree) compareCompetitors(r *Competitor, c *choice, x, e Element) (branch Element) {
	r.Operation, r.Served = x, t.servedNow(x)
	for !t.isAbove(t.elements[x].parent, e) {
		x = t.elements[x].parent
	}
	p := t.elements[x].parent
	for t.elements[e].parent != p {
		e = t.elements[e].parent
	}
	pool := &t.elements[p]
	r.FIFO = isFIFO(pool.pool) && pool.own.FIFOOrder
	r.Index, r.OwnIndex = t.elements[x].seen.fifoIndex, t.elements[e].seen.fifoIndex
	r.Satisfaction, r.OwnSatisfaction = c.nodes[x].satisfaction, c.nodes[e].satisfaction
	if !c.nodes[e].present || !c.nodes[e].active {
		r.OwnSatisfaction = c.satisfaction(e)
	}
	return e
}

// servedNow reports whether the current heartbeat has started a job of an operation.
func (t *Tree) servedNow(e Element) bool {
	last := t.elements[e].operation.list.jobs.Last
	return last != NoJob && t.jobs[last].start >= t.stage.Now
}
