package core

import "poolproof/core/pooltree"

// Changes lists what happened since the last ClearChanges, so that a reader's
// cost follows what moved. Slots appear once, in the order they were first
// touched.
type Changes struct {
	Pools      []int32
	Operations []int32
	Nodes      []int32

	Started []int32    // slots of jobs that got their resources, in order
	Ended   []EndedJob // jobs that gave them back, in order

	// Admissions lists, in order, the steps that the admission policy governs, and Refused the
	// rules broken by configurations, which therefore did not take effect.
	Admissions []Admission
	Refused    []*pooltree.RuleError

	Moved []SegmentMove // nodes that got another segment, in order
}

// An EndedJob is a job that no longer holds resources, by its slot, which
// stays valid until ClearChanges.
type EndedJob struct {
	Slot      int32
	Time      Optional[Time] // when it gave its resources back; absent if the log does not say
	End       EndKind
	Reason    string
	Preemptor OperationID // the preemptor, Unknown if not recorded
}

// Changes returns what happened since the last ClearChanges.
func (t *Tree) Changes() *Changes {
	t.flush()
	return &t.changes
}

// IsEmpty reports whether nothing happened.
func (c *Changes) IsEmpty() bool {
	return len(c.Pools)+len(c.Operations)+len(c.Nodes)+len(c.Started)+len(c.Ended)+len(c.Admissions)+len(c.Refused)+len(c.Moved) == 0
}

// ClearChanges drops the changes and frees the slots of ended objects.
func (t *Tree) ClearChanges() {
	c := &t.changes
	for _, p := range c.Pools {
		t.pools[p].touched, t.pools[p].Raised = false, RaisedByOperation
	}
	for _, o := range c.Operations {
		op := &t.operations[o]
		op.touched = false
		if !op.Alive {
			if t.operationSlot[op.ID] == o { // not registered again
				t.operationSlot[op.ID] = none - 1 - op.Pool
			}
			t.freeOperations = append(t.freeOperations, o)
		}
	}
	for _, n := range c.Nodes {
		t.nodes[n].touched = false
	}
	for _, j := range c.Ended {
		t.freeJobs = append(t.freeJobs, j.Slot)
	}
	c.Pools, c.Operations, c.Nodes = c.Pools[:0], c.Operations[:0], c.Nodes[:0]
	c.Started, c.Ended = c.Started[:0], c.Ended[:0]
	c.Admissions, c.Refused, c.Moved = c.Admissions[:0], c.Refused[:0], c.Moved[:0]
}

// touch adds a changed slot to the list, once.
func touch(list *[]int32, slot int32, touched *bool) {
	if !*touched {
		*touched = true
		*list = append(*list, slot)
	}
}

func (t *Tree) touchPool(slot int32) { touch(&t.changes.Pools, slot, &t.pools[slot].touched) }

func (t *Tree) touchOperation(slot int32) {
	touch(&t.changes.Operations, slot, &t.operations[slot].touched)
}

func (t *Tree) touchNode(slot int32) { touch(&t.changes.Nodes, slot, &t.nodes[slot].touched) }
