package core

import (
	"container/heap"

	"poolproof/core/resource"
)

// If the log does not record when a job released its resources, they count as held up to the last
// possible moment: the job's own end if it was, or may have been, preempted at an unknown time
// before, else the end of its operation or the loss of its node. The job may be gone some time
// before that:
//
//	preempted in   [10:00, 10:05]
//	counts until   10:05
//	may be gone    from 10:00

// reportLag bounds the delay between the end of an interruption and its report, unless a node was
// seen to take longer between two heartbeats: hb of core/spec/scheduling.md §13.5.
const reportLag = 6 * Second

// A job whose start is not recorded exactly counts from the first possible moment. Until the last
// possible one it is treated like a job that may be gone.

// doubtfulJobs lists the live jobs that may in fact hold nothing.
type doubtfulJobs struct {
	doubtful    []int32   // slots of jobs that may be gone or may not have started
	doubtsOver  doubtHeap // when jobs that may not have started certainly have
	doubtsLater doubtHeap // when jobs may be gone; contains some that are
}

// A doubt holds the time from which a job may be gone, or from which it has certainly started.
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

// doubtJob records for a started job from when it may be gone unrecorded, or until when it may not
// have started.
func (t *Tree) doubtJob(slot int32, e *Event) {
	there := e.Time + e.StartsWithin // the doubt about its start ends then; the other one continues
	if e.StartsWithin > 0 {
		t.jobs[slot].Certain = Some(there)
		t.startDoubt(slot)
		heap.Push(&t.doubtsOver, doubt{there, slot, e.Job})
	}
	switch {
	case e.ReleasesWithin > 0 && e.Finish.Set:
		heap.Push(&t.doubtsLater, doubt{max(there, e.Finish.Value-e.ReleasesWithin), slot, e.Job})
	case t.mayLeaveUnrecorded(slot):
		t.startDoubt(slot)
	case e.Untimed:
		lag := reportLag
		if node := t.jobs[slot].Node; node != none {
			lag = max(lag, t.nodes[node].Interval)
		}
		patience := Time(t.LongestInterruption()) + lag
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

// endDoubt removes the doubt about a job that has ended.
func (t *jobTable) endDoubt(slot int32) {
	place, last := t.jobs[slot].doubtful-1, len(t.doubtful)-1
	if place < 0 {
		return
	}
	moved := t.doubtful[last]
	t.doubtful[place], t.jobs[moved].doubtful = moved, place+1
	t.doubtful, t.jobs[slot].doubtful = t.doubtful[:last], 0
}

// mayLeaveUnrecorded reports whether the log never records when a job is gone.
func (t *jobTable) mayLeaveUnrecorded(slot int32) bool {
	j := &t.jobs[slot]
	return !j.Finish.Set && (j.End == EndUnknown || j.untimed)
}

// isLive reports whether the job of a doubt still holds resources.
func (t *jobTable) isLive(d doubt) bool {
	slot, ok := t.jobSlot[d.job]
	return ok && slot == d.slot
}

// Doubtful returns the jobs that may be gone at an instant, although they count as holding their
// resources. The list belongs to the Tree.
func (t *jobTable) Doubtful(now Time) []int32 {
	for len(t.doubtsOver) > 0 && t.doubtsOver[0].from <= now {
		if d := heap.Pop(&t.doubtsOver).(doubt); t.isLive(d) && !t.mayLeaveUnrecorded(d.slot) {
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

// DoubtIn returns the usage of the operation's jobs that may be gone at an instant.
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

// EachDoubt calls visit with every job whose end the log does not record, and the time from which
// it may be gone, at least now.
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

// DoubtfulShare returns the share of the tree used by jobs that may have been gone at an instant.
func (t *Tree) DoubtfulShare(at Time) float64 {
	return t.DoubtfulUsage(at).ShareOf(t.ShareTotal()).Dominant()
}

// DoubtfulUsage returns the usage of jobs that may have been gone at an instant.
func (t *jobTable) DoubtfulUsage(at Time) (used resource.Vector) {
	for _, slot := range t.Doubtful(at) {
		used = used.Add(t.Job(slot).Usage)
	}
	return used
}
