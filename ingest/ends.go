package ingest

import "poolproof/core"

// An ending is the end of a live job. The seq is that of the job's row.
type ending struct {
	time core.Time
	seq  int64
	slot int32
}

func (a ending) before(b ending) bool {
	return a.time < b.time || a.time == b.time && a.seq < b.seq
}

// ends is the source of JobFinished or JobPreempted: a heap of the live jobs
// that will end so.
type ends struct {
	live      *live
	preempted bool
	heap      []ending
}

func (h *ends) push(e ending) {
	h.heap = append(h.heap, e)
	i := len(h.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(h.heap[parent]) {
			break
		}
		h.heap[i] = h.heap[parent]
		i = parent
	}
	h.heap[i] = e
}

// pop drops the earliest ending.
func (h *ends) pop() {
	last := len(h.heap) - 1
	e := h.heap[last]
	h.heap = h.heap[:last]
	if last == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h.heap[child+1].before(h.heap[child]) {
			child++
		}
		if !h.heap[child].before(e) {
			break
		}
		h.heap[i] = h.heap[child]
		i = child
	}
	h.heap[i] = e
}

// head skips endings that a job has exchanged, or now exchanges, for another one. A preempted job
// that waited for its preemptor may have one left at its finish: JobFinished,
// which comes first there, has removed the job by then.
func (h *ends) head() core.Time {
	for len(h.heap) > 0 {
		top := h.heap[0]
		if j := &h.live.jobs[top.slot]; j.seq == top.seq && j.end == top.time && !h.live.joinsStart(top.slot) {
			return top.time
		}
		h.pop()
	}
	return never
}

func (h *ends) seq() int64 { return h.heap[0].seq }

func (h *ends) emit(e *core.Event) {
	slot := h.heap[0].slot
	j := &h.live.jobs[slot]
	e.Job, e.Operation, e.Node = j.job, j.operation, j.node
	e.Reason, e.Finish, e.End, e.Untimed = j.reason, j.finish, j.kind, false
	if h.preempted {
		e.Untimed = j.untimed
		p := &h.live.preempted[j.preemption]
		e.Preemptor, e.PreemptorJob, e.Preemption = p.preemptor, p.forJob, &p.record
	}
	h.live.ended = slot
}

// advance lets the job go that emit has reported. One that was preempted and stops later stays
// until then.
func (h *ends) advance() error {
	l := h.live
	slot := l.ended
	if slot < 0 {
		return nil
	}
	l.ended = -1
	h.pop()
	if j := &l.jobs[slot]; h.preempted && j.finish.Set && j.finish.Value > j.end {
		r := &l.preempted[j.preemption].record
		j.end, j.kind, j.reason = j.finish.Value, r.End, r.EndReason
		l.forget(j)
		l.schedule(slot)
	} else {
		l.remove(slot)
	}
	return nil
}

// A liveJob is a job that has started and will end.
type liveJob struct {
	job        core.JobID
	operation  core.OperationID
	node       core.NodeID
	seq        int64
	end        core.Time // when its next event comes
	finish     core.Optional[core.Time]
	kind       core.EndKind
	reason     string
	preemption int32 // place in live.preempted, -1 if it is not preempted
	// Whether it makes room for a job whose start is not seen yet, and the next slot
	// that waits for the same, -1 for none.
	waits   bool
	waiting int32
	untimed bool // its preemption has no time: see core.Event
}

// A preemption holds the recorded facts of a preemption.
type preemption struct {
	preemptor core.OperationID
	forJob    string
	record    core.PreemptionRecord
}

// live is the jobs between their start and their end. Slots are reused, so its
// size is that of the most jobs alive at one time.
type live struct {
	jobs                  []liveJob
	free                  []int32
	preempted             []preemption // of live jobs
	unused                []int32      // places in preempted
	slots                 map[core.JobID]int32
	finishes, preemptions ends
	ended                 int32            // slot of the last reported end, -1 if none
	waiting               map[string]int32 // first slot that waits for a job's start

	// Of the starts: when the next one is, and that of a job on a node up to a moment.
	nextStart func() core.Time
	startOf   func(job string, node core.NodeID, until core.Time) (at core.Time, ok bool)
}

func newLive() *live {
	l := &live{slots: map[core.JobID]int32{}, waiting: map[string]int32{}, ended: -1}
	l.finishes.live = l
	l.preemptions.live, l.preemptions.preempted = l, true
	return l
}

// noEnd is the slot of a live job whose end the log does not know.
const noEnd = -1

// add takes a job in, with its preemption if it has one. A job without an end
// only keeps its number.
func (l *live) add(j liveJob, p *preemption) {
	if j.end == never && !j.waits {
		l.slots[j.job] = noEnd
		return
	}
	if j.kind == core.EndPreempted {
		j.preemption = l.storePreemption(p)
	}
	slot := int32(len(l.jobs))
	if n := len(l.free); n > 0 {
		slot = l.free[n-1]
		l.free = l.free[:n-1]
		l.jobs[slot] = j
	} else {
		l.jobs = append(l.jobs, j)
	}
	l.slots[j.job] = slot
	if j.end != never {
		l.schedule(slot)
	}
	if j.waits {
		next, ok := l.waiting[p.forJob]
		if !ok {
			next = -1
		}
		l.jobs[slot].waiting = next
		l.waiting[p.forJob] = slot
	}
}

// storePreemption stores a preemption, in an unused slot if there is one.
func (l *live) storePreemption(p *preemption) int32 {
	if n := len(l.unused); n > 0 {
		at := l.unused[n-1]
		l.unused = l.unused[:n-1]
		l.preempted[at] = *p
		return at
	}
	l.preempted = append(l.preempted, *p)
	return int32(len(l.preempted) - 1)
}

// forget gives the place of a job's preemption back.
func (l *live) forget(j *liveJob) {
	if j.preemption >= 0 {
		l.preempted[j.preemption].forJob = ""
		l.unused = append(l.unused, j.preemption)
		j.preemption = -1
	}
}

// schedule puts a job's end into the heap of its kind.
func (l *live) schedule(slot int32) {
	j := &l.jobs[slot]
	h := &l.finishes
	if j.kind == core.EndPreempted {
		h = &l.preemptions
	}
	h.push(ending{j.end, j.seq, slot})
}

func (l *live) remove(slot int32) {
	j := &l.jobs[slot]
	delete(l.slots, j.job)
	if j.waits {
		l.unlink(slot)
	}
	l.forget(j)
	*j = liveJob{seq: -1, preemption: -1}
	l.free = append(l.free, slot)
}

// unlink takes a job off the list of those that wait for the same start.
func (l *live) unlink(slot int32) {
	j := &l.jobs[slot]
	forJob := l.preempted[j.preemption].forJob
	first := l.waiting[forJob]
	if first == slot {
		if j.waiting < 0 {
			delete(l.waiting, forJob)
		} else {
			l.waiting[forJob] = j.waiting
		}
		return
	}
	for at := first; at >= 0; at = l.jobs[at].waiting {
		if l.jobs[at].waiting == slot {
			l.jobs[at].waiting = j.waiting
			return
		}
	}
}

// preemptorStarts ends the jobs that made room for a job at its start. A vague start shows where
// the job may have been, not when.
func (l *live) preemptorStarts(id []byte, node core.NodeID, at core.Time, vague bool) {
	slot, ok := l.waiting[string(id)]
	if !ok {
		return
	}
	delete(l.waiting, string(id))
	for slot >= 0 {
		j := &l.jobs[slot]
		next := j.waiting
		j.waits, j.waiting = false, -1
		if j.untimed {
			j.untimed = vague || at > j.end
			if at < j.end {
				l.move(slot, at)
			}
		} else if j.isOfHeartbeat(node, at) {
			l.move(slot, at)
		}
		slot = next
	}
}

// joinsStart moves a preemption that is about to be told to the start of the job that it
// made room for, if one heartbeat decided both and the log records the start a moment
// later, and reports whether it did.
func (l *live) joinsStart(slot int32) bool {
	j := &l.jobs[slot]
	if !j.waits || j.untimed || l.nextStart() < j.end {
		return false
	}
	at, ok := l.startOf(l.preempted[j.preemption].forJob, j.node, j.end+core.HeartbeatSpan)
	l.unlink(slot)
	j.waits, j.waiting = false, -1
	if !ok || at == j.end || !j.isOfHeartbeat(j.node, at) {
		return false
	}
	l.move(slot, at)
	return true
}

// isOfHeartbeat reports whether the heartbeat that preempted a job may have started
// another at a moment. A job that is gone by then is left where it is.
func (j *liveJob) isOfHeartbeat(node core.NodeID, at core.Time) bool {
	apart := max(at-j.end, j.end-at)
	return j.node == node && apart < core.HeartbeatSpan && (!j.finish.Set || at <= j.finish.Value)
}

// move gives a job another end. The old one no longer matches and is skipped.
func (l *live) move(slot int32, at core.Time) {
	if j := &l.jobs[slot]; j.end != at {
		j.end = at
		l.schedule(slot)
	}
}
