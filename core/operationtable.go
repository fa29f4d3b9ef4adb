package core

import "poolproof/core/resource"

// An operationTable holds the operations of a tree. An operation has a slot from its first event
// until the Changes in which its last job ended are cleared.
type operationTable struct {
	operations     []Operation
	operationSlot  []int32          // by OperationID; below none: ended, see hasEnded
	operationEnd   []Optional[Time] // by OperationID; see EndOf
	freeOperations []int32          // slots
	registered     []int32          // slots by pooltree.Operation
	unplaced       int              // of those that live

	lastSet      Time // last change of a weight, limit or pool
	lastTurnover Time // last start, move or end of an operation
	needMoved    Time // see NeedMoved

	recordsTimeouts  bool  // some record states the timeouts of an operation
	longestInterrupt int64 // the longest of them, in µs
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
	t.lastTurnover = max(t.lastTurnover, o.Seen)
	return slot
}

// EndOf returns when the log ended an operation in the tree, absent if it did not or started it
// again.
func (t *operationTable) EndOf(id OperationID) (end Optional[Time]) {
	if id < 0 {
		return end
	}
	return t.operationEnd[id]
}

// LastSlotOf returns the slot of an operation that is live or ended in this instant, else a
// negative number.
func (t *operationTable) LastSlotOf(id OperationID) int32 { return t.operationSlot[id] }

// hasEnded reports whether the operation and all its jobs have ended.
func (t *operationTable) hasEnded(id OperationID) bool {
	slot := t.operationSlot[id]
	return slot < none || slot >= 0 && !t.operations[slot].Alive
}

// lastPool returns the slot of the pool of an operation that has ended.
func (t *operationTable) lastPool(id OperationID) int32 {
	if slot := t.operationSlot[id]; slot >= 0 {
		return t.operations[slot].Pool
	}
	return none - 1 - t.operationSlot[id]
}

// Unplaced counts the operations whose pool is unknown. While any exist no fair share is known.
func (t *operationTable) Unplaced() int { return t.unplaced }

// notePlaced records that the pool of an operation is known.
func (t *operationTable) notePlaced(op *Operation) {
	if op.Unplaced {
		op.Unplaced = false
		t.unplaced--
	}
}

// noteSet records which settings of an operation changed.
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

// SmallestJob returns the smallest pending job of an operation: the recorded one, else the average
// of the pending jobs, else zero.
func (t *operationTable) SmallestJob(operation int32) resource.Vector {
	return t.operations[operation].smallestJob()
}

// SampleLeft returns how many jobs an operation may start in a tentative tree before it is
// saturated; ok is false if they are unbounded.
func (t *operationTable) SampleLeft(operation int32) (jobs int64, ok bool) {
	o := &t.operations[operation]
	if !o.sample.tentative {
		return 0, false
	}
	return o.sample.rules.SampleLeft(o.sample.finished, o.LiveJobs)
}

// NeedMoved returns the time when a row of demand last changed the need of its operation, or 0. If
// the rows come from records, the need changed since the previous record.
func (t *operationTable) NeedMoved() Time { return t.needMoved }

// MoreNeeded returns how much more than Needed the operations of the tree may need; the shares of
// others may be less by that. It visits all operations.
func (t *operationTable) MoreNeeded() (more resource.Vector) {
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && !o.Ended {
			more = more.Add(o.MostNeeded.Sub(o.Needed))
		}
	}
	return more
}

// LessNeeded returns how much less than Needed the operations of the tree may need; the shares of
// others may be more by that. It visits all operations.
func (t *operationTable) LessNeeded() (less resource.Vector) {
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && !o.Ended {
			less = less.Add(o.Needed.Sub(o.LeastNeeded))
		}
	}
	return less
}
