package core

import (
	"container/heap"

	"poolproof/core/resource"
)

// Where the log does not tell when a job gave its resources back, they count as held
// up to the last moment at which it can have done so: its own end if it was preempted
// at an unknown time before, or may have been, else the end of its operation or the loss of its node. From
// some moment before that on the job may have been gone.

// reportLag is how long after an interruption is over its end may be reported, unless a
// node was seen to take longer between two heartbeats: hb of core/spec/scheduling.md §13.5.
const reportLag = 6 * Second

// A job whose start the log does not record counts from the first moment at
// which it can have; up to the last one it may not be there yet. Whatever is said of jobs
// that may be gone holds for it until then.

// The doubts in live jobs.
type doubts struct {
	doubtful    []int32   // slots of jobs that may be gone, or not be there yet
	doubtsOver  doubtHeap // of those that may not be there yet: from when on they are
	doubtsLater doubtHeap // of jobs that may be gone later, and of some that are
}

// A doubt is the moment from which on a job may be gone, or from which on it is there.
type doubt struct {
	from Time
	slot int32
	job  JobID
}

type doubtHeap []doubt

func (h doubtHeap) Len() int { return len(h) }
func (h doubtHeap) Less(a, b int) bool {
	return h[a].from < h[b].from || h[a].from == h[b].from && h[a].job < h[b].job
}
func (h doubtHeap) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h *doubtHeap) Push(x any)   { *h = append(*h, x.(doubt)) }
func (h *doubtHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// doubtJob notes from when on a job that starts may be gone without the log's telling, or
// until when it may not be there.
func (t *Tree) doubtJob(slot int32, e *Event) {
	there := e.Time + e.StartsWithin // the doubt in its start ends then, and the other one goes on
	if e.StartsWithin > 0 {
		t.jobs[slot].Certain = Some(there)
		t.startDoubt(slot)
		heap.Push(&t.doubtsOver, doubt{there, slot, e.Job})
	}
	switch {
	case e.ReleasesWithin > 0 && e.Finish.Set:
		heap.Push(&t.doubtsLater, doubt{max(there, e.Finish.Value-e.ReleasesWithin), slot, e.Job})
	case t.mayLeaveUntold(slot):
		t.startDoubt(slot)
	case e.Untimed:
		lag := reportLag
		if node := t.jobs[slot].Node; node != none {
			lag = max(lag, t.nodes[node].Interval)
		}
		patience := Time(t.scheduling.Options().InterruptTimeout) + lag
		heap.Push(&t.doubtsLater, doubt{max(there, e.Finish.Value-patience), slot, e.Job})
	}
}

func (t *jobTable) startDoubt(slot int32) {
	if t.jobs[slot].doubtful > 0 {
		return
	}
	t.doubtful = append(t.doubtful, slot)
	t.jobs[slot].doubtful = int32(len(t.doubtful))
}

// endDoubt forgets the doubt in a job that is gone.
func (t *jobTable) endDoubt(slot int32) {
	place, last := t.jobs[slot].doubtful-1, len(t.doubtful)-1
	if place < 0 {
		return
	}
	moved := t.doubtful[last]
	t.doubtful[place], t.jobs[moved].doubtful = moved, place+1
	t.doubtful, t.jobs[slot].doubtful = t.doubtful[:last], 0
}

// mayLeaveUntold reports whether the log tells at no time that a job is gone.
func (t *jobTable) mayLeaveUntold(slot int32) bool {
	j := &t.jobs[slot]
	return !j.Finish.Set && (j.End == EndUnknown || j.untimed)
}

// isLive reports whether the job of a doubt is there.
func (t *jobTable) isLive(d doubt) bool {
	slot, ok := t.jobSlot[d.job]
	return ok && slot == d.slot
}

// Doubtful returns the jobs that may be gone at an instant, though the log has them hold
// their resources. The list is the Tree's own.
func (t *jobTable) Doubtful(now Time) []int32 {
	for len(t.doubtsOver) > 0 && t.doubtsOver[0].from <= now {
		if d := heap.Pop(&t.doubtsOver).(doubt); t.isLive(d) && !t.mayLeaveUntold(d.slot) {
			t.endDoubt(d.slot)
		}
	}
	for len(t.doubtsLater) > 0 && t.doubtsLater[0].from <= now {
		if d := heap.Pop(&t.doubtsLater).(doubt); t.isLive(d) {
			t.startDoubt(d.slot)
		}
	}
	return t.doubtful
}

// DoubtIn is what jobs of an operation use that may be gone at an instant.
func (t *Tree) DoubtIn(operation int32, now Time) (used resource.Vector) {
	if len(t.Doubtful(now)) > 0 {
		t.OperationJobs(operation, func(job int32) {
			if j := &t.jobs[job]; j.doubtful > 0 {
				used = used.Add(j.Usage)
			}
		})
	}
	return used
}

// EachDoubt calls visit with all jobs whose end the log does not record, and from when
// on they may be gone, no earlier than an instant.
func (t *jobTable) EachDoubt(now Time, visit func(job *Job, from Time)) {
	for _, slot := range t.Doubtful(now) {
		visit(&t.jobs[slot], now)
	}
	for _, d := range t.doubtsLater {
		if t.isLive(d) && t.jobs[d.slot].doubtful == 0 {
			visit(&t.jobs[d.slot], d.from)
		}
	}
}

// DoubtfulShare is how much of the tree jobs use that may have been gone at an instant.
func (t *Tree) DoubtfulShare(at Time) float64 {
	return t.DoubtfulUsage(at).ShareOf(t.ShareTotal()).Dominant()
}

// DoubtfulUsage is what jobs use that may have been gone at an instant.
func (t *jobTable) DoubtfulUsage(at Time) (used resource.Vector) {
	for _, slot := range t.Doubtful(at) {
		used = used.Add(t.Job(slot).Usage)
	}
	return used
}
