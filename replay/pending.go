package replay

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/replay/tables"
)

// pendings follow who waits in which queue (core/spec/scheduling.md §5.5). What an
// event costs follows the queues that it touches and those that have room, not
// the operations that wait: a queue knows for how long it was held, and whether its
// first is due, on behalf of all in it.
type pendings struct {
	operations []pendingTrack // by slot
	queues     []queueTrack   // by pool slot
	roomy      []int32        // queues whose pool has room
	touched    []int32        // queues to look at in this instant
	configured int64          // configurations when all queues were looked at last

	ended []tables.PendingEpisode // in order, from the first on of which a job's start may not be what ended it
}

// A pendingTrack is an operation's open episode.
type pendingTrack struct {
	tables.PendingEpisode
	id       core.OperationID
	open     bool
	queue    int32     // pool slot
	joined   core.Time // the queue
	heldThen core.Time // how long the queue had been held by then
	requeued int
	bestHeld int64 // by the pool in Blocking
	started  int64 // jobs when it began
	sure     int64 // of those that were live then, the ones that did not end so soon that they may have before

	activated, marked core.Time // when the log said that it runs, or waits; never before 1
}

// A queueTrack is the queue of a pool.
type queueTrack struct {
	length   int
	held     bool // its pool is full, or another that keeps the first
	since    core.Time
	sum      core.Time // of the time that it was held, until since
	due      bool      // the first in the queue is
	head     int32
	dueSince core.Time
	byLeave  bool   // it is in room that a leave of the pool made
	excuse   string // what befell the scheduler while it was due

	left      core.Time // when an operation of the pool's subtree left last
	hasLeft   bool
	roomUntil core.Time // when one that was due left the queue, and its room
	roomLeave bool
	listed    bool // in roomy
	looked    bool // in touched

	full   bool      // the pool has as many running operations as it may
	ceased core.Time // when it last ceased to, 0 if never
}

func (q *queueTrack) heldTime(now core.Time) core.Time {
	if q.held {
		return q.sum + now - q.since
	}
	return q.sum
}

// pendingOf returns the open episode of an operation, nil if it does not wait.
func (r *recorder) pendingOf(id core.OperationID) *pendingTrack {
	slot, ok := r.Core.OperationOf(id)
	if !ok || int(slot) >= len(r.pendings.operations) {
		return nil
	}
	if t := &r.pendings.operations[slot]; t.open && t.id == id {
		return t
	}
	return nil
}

// settlePending follows the queues at the end of an instant.
func (r *recorder) settlePending(now core.Time) {
	p, c := &r.pendings, r.Core.Changes()
	r.passPendings(now)
	for len(p.operations) < r.Core.Operations() {
		p.operations = append(p.operations, pendingTrack{})
	}
	for len(p.queues) < r.Core.Pools() {
		p.queues = append(p.queues, queueTrack{head: -1})
	}
	for i := range c.Ended {
		r.noteEndInQueue(&c.Ended[i], now)
	}
	for i := range c.Admissions {
		r.notePendingStep(&c.Admissions[i], now)
	}
	for _, slot := range c.Operations {
		r.noteLeave(slot, now)
		r.placePending(slot, now)
	}
	if n := r.Core.Configurations(); n != p.configured {
		p.configured = n
		for slot := range p.operations {
			if p.operations[slot].open {
				r.placePending(int32(slot), now)
			}
		}
		for pool := range p.queues {
			p.touch(int32(pool))
		}
	}
	for _, pool := range c.Pools {
		r.noteFull(pool, now)
		p.touch(pool)
	}
	for _, pool := range p.roomy {
		p.queues[pool].listed = false
		p.touch(pool)
	}
	p.roomy = p.roomy[:0]
	for _, pool := range p.touched {
		p.queues[pool].looked = false
		r.settleQueue(pool, now)
	}
	p.touched = p.touched[:0]
}

func (p *pendings) touch(pool int32) {
	if q := &p.queues[pool]; !q.looked && q.length > 0 {
		q.looked = true
		p.touched = append(p.touched, pool)
	}
}

// noteEndInQueue notes that a job ends whose operation waits: so soon after that was told
// that agents and the scheduler may tell the two out of order (ingest/trace/FORMAT.md §4.2).
func (r *recorder) noteEndInQueue(ended *core.EndedJob, now core.Time) {
	t := &r.pendings.operations[r.Core.Job(ended.Slot).Operation]
	if t.open && r.Core.Job(ended.Slot).Start < t.FromTime && r.isJust(t, now) {
		t.sure--
	}
}

// isJust reports whether the wait of an operation began so shortly before that what the log
// tells now may have been before.
func (r *recorder) isJust(t *pendingTrack, now core.Time) bool {
	return !t.ClippedFrom && now-t.FromTime <= core.Time(r.admissions.slacks.Clock)
}

func (r *recorder) notePendingStep(s *core.Admission, now core.Time) {
	slot, ok := r.Core.OperationOf(s.Operation)
	if !ok {
		return
	}
	switch t := &r.pendings.operations[slot]; s.Step {
	case core.StepRunning, core.StepMaterialized:
		t.activated = now + 1
		for i := range r.pendings.ended {
			row := &r.pendings.ended[i]
			row.Unordered = row.Unordered || row.Operation == s.Operation && row.Ended == endedByJob && t.sure == 0
		}
	case core.StepPending:
		t.marked = now + 1
	}
}

// noteLeave notes that an operation which ran has left all pools above it.
func (r *recorder) noteLeave(slot int32, now core.Time) {
	o := r.Core.Operation(slot)
	if !o.Ended || o.Finish != now || !o.Running || o.Lightweight {
		return
	}
	for pool := o.Pool; pool >= 0; pool = r.Core.Pool(pool).Parent {
		q := &r.pendings.queues[pool]
		q.left, q.hasLeft = now, true
	}
}

// noteFull follows whether a pool has as many running operations as it may.
func (r *recorder) noteFull(pool int32, now core.Time) {
	p, q := r.Core.Pool(pool), &r.pendings.queues[pool]
	full := p.Removed == 0 && p.MaxRunning.Set && p.Running >= p.MaxRunning.Value
	if q.full && !full {
		q.ceased = now
	}
	q.full = full
}

// mayHaveMoved reports whether an operation that waits may have been sent to the
// queue of another pool of its chain since it joined its own, and have lost its
// place: another pool was full, or its pool is not the one it was (core/spec/scheduling.md
// §5.5).
func (r *recorder) mayHaveMoved(t *pendingTrack) bool {
	slot, alive := r.Core.OperationOf(t.id)
	if !alive {
		return true
	}
	p := r.Core.Operation(slot).Pool
	if r.Core.Pool(p).ID != t.Pool {
		return true
	}
	for ; p >= 0; p = r.Core.Pool(p).Parent {
		q := &r.pendings.queues[p]
		if p != t.queue && (q.full || q.ceased != 0 && q.ceased >= t.joined) {
			return true
		}
	}
	return false
}

// placePending takes an operation into the queue that it waits in.
func (r *recorder) placePending(slot int32, now core.Time) {
	o, t := r.Core.Operation(slot), &r.pendings.operations[slot]
	queue := int32(-1)
	if o.Alive && !o.Ended {
		queue = r.Core.Queue(slot)
	}
	if t.open && (t.id != o.ID || queue != t.queue) {
		r.leaveQueue(slot, now)
		if t.id == o.ID && queue >= 0 {
			t.Requeued++
			t.requeued++
			r.joinQueue(slot, queue, now)
			return
		}
		r.closePending(slot, now, false)
	}
	if !t.open && queue >= 0 {
		*t = pendingTrack{id: o.ID, open: true, activated: t.activated, marked: t.marked, started: o.StartedJobs, sure: o.LiveJobs, PendingEpisode: tables.PendingEpisode{
			Operation: o.ID, Pool: r.Core.Pool(o.Pool).ID, FromTime: now, Jobs: o.LiveJobs, Recorded: t.marked == now+1,
			Blocking: r.Core.Pool(queue).ID,
		}}
		r.joinQueue(slot, queue, now)
	}
}

func (r *recorder) joinQueue(slot, pool int32, now core.Time) {
	t, q := &r.pendings.operations[slot], &r.pendings.queues[pool]
	if q.length == 0 {
		q.held, q.due, q.head = false, false, -1
	}
	q.length++
	t.queue, t.joined, t.heldThen = pool, now, q.heldTime(now)
	r.pendings.touch(pool)
}

func (r *recorder) leaveQueue(slot int32, now core.Time) {
	t := &r.pendings.operations[slot]
	q := &r.pendings.queues[t.queue]
	if q.due && q.head == slot {
		r.endDue(t.queue, now)
		q.roomUntil, q.roomLeave = now+1, q.byLeave
	}
	r.creditHeld(t, q, now)
	q.length--
	r.pendings.touch(t.queue)
}

// creditHeld books the time that the queue was held since the operation joined
// it.
func (r *recorder) creditHeld(t *pendingTrack, q *queueTrack, now core.Time) {
	held := int64(q.heldTime(now) - t.heldThen)
	t.Held += held
	t.heldThen = q.heldTime(now)
	if held > t.bestHeld {
		t.bestHeld, t.Blocking = held, r.Core.Pool(t.queue).ID
	}
}

// settleQueue looks at whether a queue is held, and its first due.
func (r *recorder) settleQueue(pool int32, now core.Time) {
	q := &r.pendings.queues[pool]
	if q.length == 0 {
		q.sum, q.held = q.heldTime(now), false
		return
	}
	p := r.Core.Pool(pool)
	full := p.MaxRunning.Set && p.Running >= p.MaxRunning.Value
	head := r.Core.QueueHead(pool)
	held := full || head >= 0 && r.Core.Holder(head) >= 0
	if held != q.held {
		q.sum, q.held, q.since = q.heldTime(now), held, now
	}
	due := !held && head >= 0
	if q.due && (!due || head != q.head) {
		r.endDue(pool, now)
		q.roomUntil, q.roomLeave = now+1, q.byLeave
	}
	if due && !q.due {
		q.due, q.head, q.dueSince, q.excuse = true, head, now, ""
		q.byLeave = q.hasLeft && q.left == now || q.roomUntil == now+1 && q.roomLeave
	}
	if q.due && q.excuse == "" {
		q.excuse = string(r.Excuses.At(now))
	}
	if q.due && r.Core.Unplaced() > 0 {
		r.pendings.operations[q.head].Recorded = false // who runs in which pool is not told
	}
	if !full && !q.listed {
		q.listed = true
		r.pendings.roomy = append(r.pendings.roomy, pool)
	}
}

// endDue books the time that the first in a queue was due.
func (r *recorder) endDue(pool int32, now core.Time) {
	q := &r.pendings.queues[pool]
	t := &r.pendings.operations[q.head]
	if q.excuse == "" && r.Excuses.At(now) != judge.NoExcuse {
		q.excuse = string(r.Excuses.At(now))
	}
	q.due = false
	length := int64(now - q.dueSince)
	t.Due += length
	if length > t.LongestDue {
		t.LongestDue, t.DueFrom, t.DuePool, t.Excuse = length, core.Some(q.dueSince), core.Some(r.Core.Pool(pool).ID), q.excuse
	}
	if q.byLeave && length > t.AfterLeave {
		t.AfterLeave, t.LeaveFrom = length, core.Some(q.dueSince)
	}
}

// clipPending cuts the open episodes at the window's start.
func (r *recorder) clipPending(from core.Time) {
	for pool := range r.pendings.queues {
		q := &r.pendings.queues[pool]
		q.dueSince = max(q.dueSince, from)
	}
	for slot := range r.pendings.operations {
		t := &r.pendings.operations[slot]
		if !t.open {
			continue
		}
		q := &r.pendings.queues[t.queue]
		t.ClippedFrom = t.FromTime < from
		t.FromTime, t.heldThen, t.bestHeld = max(t.FromTime, from), q.heldTime(from), 0
		t.Held, t.Due, t.LongestDue, t.AfterLeave = 0, 0, 0, 0
		t.DueFrom, t.LeaveFrom, t.DuePool, t.Excuse = core.Optional[core.Time]{}, core.Optional[core.Time]{}, core.Optional[core.PoolID]{}, ""
		t.Blocking = r.Core.Pool(t.queue).ID
	}
}

// closePending ends the episode of an operation that is in no queue any more.
func (r *recorder) closePending(slot int32, now core.Time, clipped bool) {
	t := &r.pendings.operations[slot]
	t.open = false
	if !r.Begun {
		return
	}
	row := t.PendingEpisode
	row.ToTime, row.ClippedTo = now, clipped
	row.Unordered = row.Jobs > 0 && t.sure == 0
	o := r.Core.Operation(slot)
	switch {
	case clipped:
		row.Ended = "window"
	case o.ID != t.id || !o.Alive && !o.Ended:
		row.Ended = "gone"
	case o.Running && o.StartedJobs > t.started && t.activated != now+1:
		row.Ended = endedByJob
		row.Jobs++
		row.Unordered = t.sure == 0 && r.isJust(t, now)
	case o.Ended && !o.Running:
		row.Ended = endWords[o.EndStep]
	case o.Running:
		row.Ended = "running"
	default:
		row.Ended = "pool_changed"
	}
	r.pendings.ended = append(r.pendings.ended, row)
	if row.Ended != endedByJob {
		r.passPendings(now)
	}
}

// endedByJob is how a wait ends that a job of the operation ends.
const endedByJob = "job_started"

// passPendings writes the episodes that ended before the first of which it is not known yet
// whether the log says just after a job's start that the operation runs: rows of both may
// be a little off (ingest/trace/FORMAT.md §4.2).
func (r *recorder) passPendings(now core.Time) {
	p := &r.pendings
	written := 0
	for written < len(p.ended) {
		row := &p.ended[written]
		if row.Ended == endedByJob && now-row.ToTime <= core.Time(r.admissions.slacks.Clock) {
			break
		}
		r.pendingRows.Add(row.ToTime, row)
		written++
	}
	p.ended = slices.Delete(p.ended, 0, written)
}

// finishPending closes what waits at the window's end.
func (r *recorder) finishPending(to core.Time) {
	for slot := range r.pendings.operations {
		if t := &r.pendings.operations[slot]; t.open {
			r.leaveQueue(int32(slot), to)
			r.closePending(int32(slot), to, true)
		}
	}
	const never = 1<<63 - 1
	r.passPendings(never)
}

func comparePendings(a, b *tables.PendingEpisode) int { return cmp.Compare(a.Operation, b.Operation) }
