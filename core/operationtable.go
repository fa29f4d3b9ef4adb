package core

import "poolproof/core/resource"

// An operationTable holds the operations of a tree. An operation has a slot from when the
// log tells of it first until the Changes in which its last job is gone are cleared.
type operationTable struct {
	operations     []Operation
	operationSlot  []int32          // by OperationID; below none: over, see gone
	operationEnd   []Optional[Time] // by OperationID; see EndOf
	freeOperations []int32          // slots
	registered     []int32          // slots by pooltree.Operation
	unplaced       int              // of those that live

	lastSet    Time // when one got another weight, limit or pool last
	lastTurned Time // when one began, moved or ended last
	needMoved  Time // see NeedMoved
}

// Operation returns the operation in a slot.
func (t *operationTable) Operation(slot int32) *Operation { return &t.operations[slot] }

// Operations returns how many operation slots there are. Slots without a live
// operation are not Alive.
func (t *operationTable) Operations() int { return len(t.operations) }

// OperationOf returns the slot of an operation that is in the tree.
func (t *operationTable) OperationOf(id OperationID) (slot int32, ok bool) {
	if id < 0 {
		return none, false
	}
	slot = t.operationSlot[id]
	return slot, slot >= 0 && t.operations[slot].Alive
}

// addOperation puts an operation into a slot.
func (t *operationTable) addOperation(o Operation) int32 {
	slot := takeSlot(&t.operations, &t.freeOperations)
	t.operations[slot] = o
	t.operationSlot[o.ID] = slot
	t.lastTurned = max(t.lastTurned, o.Seen)
	return slot
}

// EndOf returns when the log ended an operation in the tree, absent if it did not, or began it
// again.
func (t *operationTable) EndOf(id OperationID) (end Optional[Time]) {
	if id < 0 {
		return end
	}
	return t.operationEnd[id]
}

// LastSlotOf returns the slot of an operation that lives or ended in this
// instant, a negative number for others.
func (t *operationTable) LastSlotOf(id OperationID) int32 { return t.operationSlot[id] }

// gone reports whether the log had the operation and has ended it, jobs and all.
func (t *operationTable) gone(id OperationID) bool {
	slot := t.operationSlot[id]
	return slot < none || slot >= 0 && !t.operations[slot].Alive
}

// lastPool is the slot of the pool that a gone operation was in.
func (t *operationTable) lastPool(id OperationID) int32 {
	if slot := t.operationSlot[id]; slot >= 0 {
		return t.operations[slot].Pool
	}
	return none - 1 - t.operationSlot[id]
}

// Unplaced returns how many operations there are whose pool the log has not told, so
// that nobody's share is known.
func (t *operationTable) Unplaced() int { return t.unplaced }

// notePlaced notes that the pool of an operation is known.
func (t *operationTable) notePlaced(op *Operation) {
	if op.Unplaced {
		op.Unplaced = false
		t.unplaced--
	}
}

// noteSet notes which settings of an operation are not what they were.
func (t *operationTable) noteSet(o *Operation, was *OperationParams, now Time) {
	if o.Params.ResourceLimits != was.ResourceLimits || o.Params.MaxShareRatio != was.MaxShareRatio || o.Params.Weight != was.Weight {
		t.lastSet = now
	}
	if o.Params.ResourceLimits != was.ResourceLimits || o.Params.MaxShareRatio != was.MaxShareRatio {
		o.LastLimited = now
	}
	if o.Params.Weight != was.Weight {
		o.LastWeighted = now
	}
	if o.Params.MaxUnpreemptibleJobs != was.MaxUnpreemptibleJobs {
		o.LastProtected = now
	}
}

// SmallestJob is the smallest job that the operation in a slot waits for: recorded,
// else the average of those it waits for; zero if the log tells neither.
func (t *operationTable) SmallestJob(operation int32) resource.Vector {
	return t.operations[operation].smallestJob()
}

// SampleLeft returns how many jobs an operation may start in a tentative tree before
// it is saturated; ok is false where nothing bounds them.
func (t *operationTable) SampleLeft(operation int32) (jobs int64, ok bool) {
	o := &t.operations[operation]
	if !o.sample.tentative {
		return 0, false
	}
	return o.sample.rules.SampleLeft(o.sample.finished, o.LiveJobs)
}

// NeedMoved is when a row of demand last told another need than its operation was taken to
// have, 0 if none ever did. Where rows are those of records it changed since the record before.
func (t *operationTable) NeedMoved() Time { return t.needMoved }

// MoreNeeded is what the operations of the tree may need beyond what they are taken to, so
// that the shares of others may be as much less. All operations are looked at.
func (t *operationTable) MoreNeeded() (more resource.Vector) {
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && !o.Ended {
			more = more.Add(o.MostNeeded.Sub(o.Needed))
		}
	}
	return more
}

// LessNeeded is what the operations of the tree may need less than they are taken to, so that
// the shares of others may be as much more. All operations are looked at.
func (t *operationTable) LessNeeded() (less resource.Vector) {
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && !o.Ended {
			less = less.Add(o.Needed.Sub(o.LeastNeeded))
		}
	}
	return less
}
