package scheduling

import (
	"slices"

	"poolproof/core/resource"
)

// lists caches the operations that the heartbeats after a tick look at. It is built on first use.
type lists struct {
	made        bool
	schedulable []Element // in the order of the tree
	byPriority  [priorities][]Element
	starving    []Element // operations with a priority, starvation of their pools included
	graceful    []Element
	least       resource.Vector             // see leastOf: of schedulable
	leastWith   [priorities]resource.Vector // of byPriority
	priorities  [2][priorities]int          // counts on nodes without and with SSD priority

	ranked     bool
	inOrder    []Element // schedulable operations in scheduling order
	guaranteed int       // number of operations at the front of inOrder with guarantee priority
}

// A keptChoice is reused from stage to stage: only touched operations are updated.
type keptChoice struct {
	choice
	fresh   bool
	touched []Element // operations to update
}

// The kept choices: over all operations, and over those of a priority.
const (
	everyone = iota
	startNormal
	startAggressive

	keptChoices = 3 // how many there are
)

// makeLists lists the operations that stages look at.
func (t *Tree) makeLists() {
	l := &t.lists
	if l.made {
		return
	}
	t.sortElements()
	l.made = true
	l.schedulable, l.starving, l.graceful = l.schedulable[:0], l.starving[:0], l.graceful[:0]
	l.priorities = [2][priorities]int{}
	for p := range l.byPriority {
		l.byPriority[p] = l.byPriority[p][:0]
	}
	for _, e := range t.order {
		n := &t.elements[e]
		n.eligible = [2][priorities]int32{}
		if n.operation == nil {
			continue
		}
		p := t.Priority(e, NoNode)
		l.priorities[0][p]++
		l.byPriority[p] = append(l.byPriority[p], e)
		if n.operation.RequestsSSD {
			p = p.onSSD()
		}
		l.priorities[1][p]++
		if !n.seen.schedulable {
			continue
		}
		l.schedulable = append(l.schedulable, e)
		if n.lowestStarving != None {
			l.starving = append(l.starving, e)
			t.countEligible(e)
		}
		if n.operation.Graceful {
			l.graceful = append(l.graceful, e)
		}
	}
	l.least = t.leastOf(l.schedulable)
	for p, operations := range l.byPriority {
		l.leastWith[p] = t.leastOf(operations)
	}
}

// leastOf returns, per resource, the least that the smallest pending jobs of some operations need.
func (t *Tree) leastOf(operations []Element) resource.Vector {
	least := resource.Unlimited
	for _, e := range operations {
		for _, need := range t.elements[e].operation.smallest {
			least = least.Min(need)
		}
	}
	return least
}

// countEligible counts an operation with a starving ancestor in all its pools, by its priority with
// that starvation included.
func (t *Tree) countEligible(e Element) {
	p := t.PriorityIn(e, NoNode, OperationAndAncestors)
	ssd := p
	if t.elements[e].operation.RequestsSSD {
		ssd = p.onSSD()
	}
	for x := t.elements[e].parent; x != None; x = t.elements[x].parent {
		t.elements[x].eligible[0][p]++
		t.elements[x].eligible[1][ssd]++
	}
}

// forgetLists makes the next heartbeat rebuild the lists.
func (t *Tree) forgetLists() {
	t.lists.made, t.lists.ranked = false, false
	t.forgetChoices()
}

// forgetChoices makes stages order all children again.
func (t *Tree) forgetChoices() {
	for i := range t.kept {
		t.kept[i].fresh = false
		t.forgetTouched(i)
	}
}

func (t *Tree) forgetTouched(which int) {
	k := &t.kept[which]
	for _, e := range k.touched {
		t.elements[e].operation.touched[which] = false
	}
	k.touched = k.touched[:0]
}

// rank puts the schedulable operations in scheduling order, by the usage of the last update (§6.1):
// those with guarantee priority first. The order of equals results from building a heap in the
// order of the tree.
func (t *Tree) rank() {
	l := &t.lists
	if l.ranked {
		return
	}
	t.makeLists()
	for _, e := range t.order {
		if op := t.elements[e].operation; op != nil {
			op.index = -1
		}
	}
	l.ranked, l.inOrder = true, l.inOrder[:0]
	all := l.schedulable
	if t.shuffle != nil {
		all = slices.Clone(all)
		t.shuffle(all)
	}
	if t.options.GuaranteePriority {
		t.rankAmong(t.withPriority(all, true))
		l.guaranteed = len(l.inOrder)
		all = t.withPriority(all, false)
	}
	t.rankAmong(all)
}

// withPriority picks the operations with or without guarantee priority.
func (t *Tree) withPriority(all []Element, priority bool) []Element {
	list := t.stage.batch[:0]
	for _, e := range all {
		if t.HasGuaranteePriority(e) == priority {
			list = append(list, e)
		}
	}
	t.stage.batch = list
	return list
}

// rankAmong appends operations to the scheduling order.
func (t *Tree) rankAmong(operations []Element) {
	l, c := &t.lists, &t.some
	c.heapFrom, c.atUpdate, c.swaps = 0, true, false
	c.prepare(operations, nil)
	for e := c.next(); e != None; e = c.next() {
		t.elements[e].operation.index = int32(len(l.inOrder))
		l.inOrder = append(l.inOrder, e)
		c.deactivate(e)
	}
}

// inStages returns the operations in scheduling order, by the regular stage that
// serves them.
func (t *Tree) inStages() (high, medium []Element) {
	t.rank()
	l := &t.lists
	if !t.options.GuaranteePriority {
		return nil, l.inOrder
	}
	return l.inOrder[:l.guaranteed], l.inOrder[l.guaranteed:]
}

// HasGuaranteePriority reports whether a regular stage of its own serves an
// operation: its promised guarantee fair share dominates its usage (§9.4).
func (t *Tree) HasGuaranteePriority(e Element) bool {
	s := &t.elements[e].seen
	return t.options.GuaranteePriority && s.schedulable && Dominates(s.fair, s.demand, s.promised, s.usage)
}

// chooseAmong returns the choice over some operations, which are schedulable.
func (t *Tree) chooseAmong(operations []Element) *choice {
	c := &t.some
	c.heapFrom, c.atUpdate, c.swaps = t.options.MinChildHeapSize, false, true
	c.prepare(operations, t.excluded)
	return c
}

// choose returns a kept choice, which is over the given operations.
func (t *Tree) choose(which int, operations []Element) *choice {
	k := &t.kept[which]
	c := &k.choice
	if !k.fresh {
		c.heapFrom = t.options.MinChildHeapSize
		c.prepare(operations, nil)
		k.fresh = true
	} else {
		for _, e := range k.touched {
			if n := &c.nodes[e]; n.present {
				n.active, n.satisfaction = true, c.satisfaction(e)
				c.soil(e)
			}
		}
	}
	t.forgetTouched(which)
	t.passOver(c, t.lists.graceful)
	t.passOver(c, t.failed)
	if len(operations) > 0 {
		c.build(Root)
	}
	return c
}

// passOver deactivates the operations that do not take part in the stage. Tag filters, segments and
// SSD are checked only when it is an operation's turn.
func (t *Tree) passOver(c *choice, operations []Element) {
	for _, e := range operations {
		if n := &c.nodes[e]; n.present && n.active && t.excluded(e) {
			n.active = false
			c.soil(e)
			t.touch(e)
		}
	}
}

// touch marks an operation for update before the next stage.
func (t *Tree) touch(e Element) {
	op := t.elements[e].operation
	for i := range t.kept {
		if k := &t.kept[i]; k.fresh && !op.touched[i] {
			op.touched[i] = true
			k.touched = append(k.touched, e)
		}
	}
}
