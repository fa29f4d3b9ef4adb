package core

// A list holds jobs by slot, in start order. Its links stand in the jobs, so
// that adding and removing allocates nothing and takes constant time.
type list struct{ first, last int32 }

var emptyList = list{none, none}

// links are a job's neighbours in one list.
type links struct{ prev, next int32 }

// which of a job's two lists is meant.
type membership int

const (
	ofNode membership = iota
	ofOperation
)

func (t *Tree) pushJob(l *list, m membership, slot int32) {
	t.jobs[slot].links[m] = links{l.last, none}
	if l.last == none {
		l.first = slot
	} else {
		t.jobs[l.last].links[m].next = slot
	}
	l.last = slot
}

func (t *Tree) removeJob(l *list, m membership, slot int32) {
	at := t.jobs[slot].links[m]
	if at.prev == none {
		l.first = at.next
	} else {
		t.jobs[at.prev].links[m].next = at.next
	}
	if at.next == none {
		l.last = at.prev
	} else {
		t.jobs[at.next].links[m].prev = at.prev
	}
}

// NodeJobs calls visit with the slots of a node's live jobs in start order,
// until it returns false.
func (t *Tree) NodeJobs(node int32, visit func(job int32) bool) {
	t.eachJob(t.nodes[node].jobs, ofNode, visit)
}

// OperationJobs calls visit with the slots of an operation's live jobs in start
// order (spec/scheduling.md §8.1), until it returns false.
func (t *Tree) OperationJobs(operation int32, visit func(job int32) bool) {
	t.eachJob(t.operations[operation].jobs, ofOperation, visit)
}

// LatestJob returns the slot of the live job that an operation started last, -1
// if it has none.
func (t *Tree) LatestJob(operation int32) int32 { return t.operations[operation].jobs.last }

// JobBefore returns the slot of the live job that the operation of a job started
// before it, -1 if there is none.
func (t *Tree) JobBefore(job int32) int32 { return t.jobs[job].links[ofOperation].prev }

func (t *Tree) eachJob(l list, m membership, visit func(job int32) bool) {
	for slot := l.first; slot != none; {
		next := t.jobs[slot].links[m].next
		if !visit(slot) {
			return
		}
		slot = next
	}
}

// loseJobs ends the jobs of a list whose end the log does not know: what they
// belonged to is over (spec/trace-formats.md §4.2).
func (t *Tree) loseJobs(l list, m membership) {
	t.eachJob(l, m, func(job int32) bool {
		if j := &t.jobs[job]; j.End == EndUnknown || j.End == EndRunning || j.End == EndPreempted && j.Finish == 0 && j.untimed {
			t.closeJob(job, EndedJob{Slot: job, End: EndUnknown, For: Unknown})
		}
		return true
	})
}
