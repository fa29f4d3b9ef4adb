package simulate

import "poolproof/core"

// A what is the kind of an item of the queue.
type what uint8

const (
	tick      what = iota // update all trees
	fact                  // of a tree: id is its index among the facts
	afterTick             // announce starvation, and serve the queues
	manage                // move nodes between segments
	submit                // id is the operation
	prepared              // an operation is ready for jobs, in a tree
	finish                // an operation's last job is gone
	fail                  // an operation cannot go on
	demand                // an operation's demand is to be recorded
	wanted                // an operation wants the jobs of a task: slot is its index
	jobEnds               // id is the job
	jobLeaves             // a preempted job is gone from its node
	jobWaited             // a job has waited for its room for as long as it may
	heartbeat             // id is the node
)

// isScheduler reports whether the scheduler itself acts, not a node or a user.
func (w what) isScheduler() bool {
	switch w {
	case afterTick, manage, submit, prepared, finish, fail, demand:
		return true
	}
	return false
}

// An item is something that happens at an instant.
type item struct {
	at   core.Time
	rank core.Kind // what happens together goes by the kind of event it makes; 0: before all
	what what
	tree int32
	slot int32 // of a job
	id   int64
	seq  int64 // order of equals: first come, first served
}

func (a *item) before(b *item) bool {
	switch {
	case a.at != b.at:
		return a.at < b.at
	case a.rank != b.rank:
		return a.rank < b.rank
	}
	return a.seq < b.seq
}

// A queue holds future items, the earliest first. Heartbeats come mostly in order: each that is
// later than those before is appended to a ring, and only the others go into the heap.
type queue struct {
	heap []item
	line []item // heartbeats, a ring: length of them from front on
	seq  int64

	front, length int
}

func (q *queue) empty() bool { return len(q.heap)+q.length == 0 }

func (q *queue) push(i item) {
	q.seq++
	i.seq = q.seq
	if i.what == heartbeat && (q.length == 0 || q.inLine(q.length-1).before(&i)) {
		q.standInLine(i)
		return
	}
	q.heap = append(q.heap, i)
	at := len(q.heap) - 1
	for at > 0 {
		parent := (at - 1) / 2
		if !q.heap[at].before(&q.heap[parent]) {
			return
		}
		q.heap[at], q.heap[parent] = q.heap[parent], q.heap[at]
		at = parent
	}
}

// inLine is the item of a place in the line.
func (q *queue) inLine(place int) *item { return &q.line[(q.front+place)%len(q.line)] }

func (q *queue) standInLine(i item) {
	if q.length == len(q.line) {
		longer := make([]item, max(64, 2*q.length))
		for place := range q.length {
			longer[place] = *q.inLine(place)
		}
		q.line, q.front = longer, 0
	}
	q.length++
	*q.inLine(q.length - 1) = i
}

func (q *queue) pop() item {
	if q.length > 0 && (len(q.heap) == 0 || q.inLine(0).before(&q.heap[0])) {
		first := *q.inLine(0)
		q.front, q.length = (q.front+1)%len(q.line), q.length-1
		return first
	}
	first := q.heap[0]
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap = q.heap[:last]
	at := 0
	for {
		child := 2*at + 1
		if child >= last {
			return first
		}
		if child+1 < last && q.heap[child+1].before(&q.heap[child]) {
			child++
		}
		if !q.heap[child].before(&q.heap[at]) {
			return first
		}
		q.heap[at], q.heap[child] = q.heap[child], q.heap[at]
		at = child
	}
}
