package queues

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// pendings follow which operations wait in which queue (core/spec/scheduling.md §5.5). The cost
// of an event is that of the queues that it touches and of those that have room, not of the
// waiting operations: for all of them the queue keeps how long it was held, and whether its first
// is due.
type pendings struct {
	operations []pendingTrack // by slot
	queues     []queueTrack   // by pool slot
	roomy      []int32        // queues whose pool has room
	touched    []int32        // queues to look at in this instant
	configured int64          // configurations when all queues were looked at last

	ended []tables.PendingEpisode // in order, from the first whose end a job's start may not have caused
}

// A pendingTrack is an operation's open episode.
type pendingTrack struct {
	tables.PendingEpisode
	id       core.OperationID
	open     bool
	queue    int32     // pool slot
	joined   core.Time // the queue
	heldThen core.Time // how long the queue had been held at that time
	requeued int
	bestHeld int64 // by the pool in Blocking
	started  int64 // jobs when it began
	sure     int64 // of those that were live then, the ones that did not end so soon that they may have before

	activated, marked core.Optional[core.Time] // when the log said that it runs, or waits
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
	ceased core.Time // when it last ceased to, core.Never if never
}

func (q *queueTrack) heldTime(now core.Time) core.Time {
	if q.held {
		return q.sum + now - q.since
	}
	return q.sum
}

// pendingOf returns the open episode of an operation, nil if it does not wait.
func (q *Queues) pendingOf(id core.OperationID) *pendingTrack {
	slot, ok := q.Core.OperationOf(id)
	if !ok || int(slot) >= len(q.pendings.operations) {
		return nil
	}
	if t := &q.pendings.operations[slot]; t.open && t.id == id {
		return t
	}
	return nil
}

// settlePending follows the queues at the end of an instant.
func (q *Queues) settlePending(now core.Time) {
	p, c := &q.pendings, q.Core.Changes()
	q.passPendings(now)
	for len(p.operations) < q.Core.Operations() {
		p.operations = append(p.operations, pendingTrack{})
	}
	for len(p.queues) < q.Core.Pools() {
		p.queues = append(p.queues, queueTrack{head: -1, ceased: core.Never})
	}
	for i := range c.Ended {
		q.noteEndInQueue(&c.Ended[i], now)
	}
	for i := range c.Admissions {
		q.notePendingStep(&c.Admissions[i], now)
	}
	for _, slot := range c.Operations {
		q.noteLeave(slot, now)
		q.placePending(slot, now)
	}
	if n := q.Core.Configurations(); n != p.configured {
		p.configured = n
		for slot := range p.operations {
			if p.operations[slot].open {
				q.placePending(int32(slot), now)
			}
		}
		for pool := range p.queues {
			p.touch(int32(pool))
		}
	}
	for _, pool := range c.Pools {
		q.noteFull(pool, now)
		p.touch(pool)
	}
	for _, pool := range p.roomy {
		p.queues[pool].listed = false
		p.touch(pool)
	}
	p.roomy = p.roomy[:0]
	for _, pool := range p.touched {
		p.queues[pool].looked = false
		q.settleQueue(pool, now)
	}
	p.touched = p.touched[:0]
}

func (p *pendings) touch(pool int32) {
	if q := &p.queues[pool]; !q.looked && q.length > 0 {
		q.looked = true
		p.touched = append(p.touched, pool)
	}
}

// noteEndInQueue notes that a job ends whose operation waits. Agents and the scheduler may record
// the two out of order if they are close (ingest/trace/FORMAT.md §4.2).
func (q *Queues) noteEndInQueue(ended *core.EndedJob, now core.Time) {
	t := &q.pendings.operations[q.Core.Job(ended.Slot).Operation]
	if t.open && q.Core.Job(ended.Slot).Start < t.FromTime && q.isJust(t, now) {
		t.sure--
	}
}

// isJust reports whether the wait of an operation began so shortly before that an event recorded
// now may have been earlier.
func (q *Queues) isJust(t *pendingTrack, now core.Time) bool {
	return !t.ClippedFrom && now-t.FromTime <= core.Time(q.admissions.slacks.Clock)
}

func (q *Queues) notePendingStep(s *core.Admission, now core.Time) {
	slot, ok := q.Core.OperationOf(s.Operation)
	if !ok {
		return
	}
	switch t := &q.pendings.operations[slot]; s.Step {
	case core.StepRunning, core.StepMaterialized:
		t.activated = core.Some(now)
		for i := range q.pendings.ended {
			row := &q.pendings.ended[i]
			row.Unordered = row.Unordered || row.Operation == s.Operation && row.Ended == endedByJob && t.sure == 0
		}
	case core.StepPending:
		t.marked = core.Some(now)
	}
}

// noteLeave notes that an operation which ran has left all pools above it.
func (q *Queues) noteLeave(slot int32, now core.Time) {
	o := q.Core.Operation(slot)
	if !o.Ended || o.Finish != core.Some(now) || !o.Running || o.Lightweight {
		return
	}
	for pool := o.Pool; pool >= 0; pool = q.Core.Pool(pool).Parent {
		track := &q.pendings.queues[pool]
		track.left, track.hasLeft = now, true
	}
}

// noteFull follows whether a pool has as many running operations as it may.
func (q *Queues) noteFull(pool int32, now core.Time) {
	p, track := q.Core.Pool(pool), &q.pendings.queues[pool]
	full := !p.Removed.Set && p.MaxRunning.Set && p.Running >= p.MaxRunning.Value
	if track.full && !full {
		track.ceased = now
	}
	track.full = full
}

// mayHaveMoved reports whether an operation that waits may have been sent to the
// queue of another pool of its chain since it joined its own, and have lost its
// place: another pool was full, or its pool is not the one it was (core/spec/scheduling.md
// §5.5).
func (q *Queues) mayHaveMoved(t *pendingTrack) bool {
	slot, alive := q.Core.OperationOf(t.id)
	if !alive {
		return true
	}
	p := q.Core.Operation(slot).Pool
	if q.Core.Pool(p).ID != t.Pool {
		return true
	}
	for ; p >= 0; p = q.Core.Pool(p).Parent {
		track := &q.pendings.queues[p]
		if p != t.queue && (track.full || track.ceased >= t.joined) {
			return true
		}
	}
	return false
}

// placePending takes an operation into the queue that it waits in.
func (q *Queues) placePending(slot int32, now core.Time) {
	o, t := q.Core.Operation(slot), &q.pendings.operations[slot]
	queue := int32(-1)
	if o.Alive && !o.Ended {
		queue = q.Core.Queue(slot)
	}
	if t.open && (t.id != o.ID || queue != t.queue) {
		q.leaveQueue(slot, now)
		if t.id == o.ID && queue >= 0 {
			t.Requeued++
			t.requeued++
			q.joinQueue(slot, queue, now)
			return
		}
		q.closePending(slot, now, false)
	}
	if !t.open && queue >= 0 {
		*t = pendingTrack{id: o.ID, open: true, activated: t.activated, marked: t.marked, started: o.StartedJobs,
			sure: o.LiveJobs, PendingEpisode: tables.PendingEpisode{
				Operation: o.ID, Pool: q.Core.Pool(o.Pool).ID, FromTime: now, Jobs: o.LiveJobs, Recorded: t.marked == core.Some(now),
				Blocking: q.Core.Pool(queue).ID,
			}}
		q.joinQueue(slot, queue, now)
	}
}

func (q *Queues) joinQueue(slot, pool int32, now core.Time) {
	t, track := &q.pendings.operations[slot], &q.pendings.queues[pool]
	if track.length == 0 {
		track.held, track.due, track.head = false, false, -1
	}
	track.length++
	t.queue, t.joined, t.heldThen = pool, now, track.heldTime(now)
	q.pendings.touch(pool)
}

func (q *Queues) leaveQueue(slot int32, now core.Time) {
	t := &q.pendings.operations[slot]
	track := &q.pendings.queues[t.queue]
	if track.due && track.head == slot {
		q.endDue(t.queue, now)
		track.roomUntil, track.roomLeave = now+1, track.byLeave
	} else {
		t.DueSince = core.Optional[core.Time]{}
	}
	q.creditHeld(t, track, now)
	track.length--
	q.pendings.touch(t.queue)
}

// creditHeld books the time that the queue was held since the operation joined
// it.
func (q *Queues) creditHeld(t *pendingTrack, track *queueTrack, now core.Time) {
	held := int64(track.heldTime(now) - t.heldThen)
	t.Held += held
	t.heldThen = track.heldTime(now)
	if held > t.bestHeld {
		t.bestHeld, t.Blocking = held, q.Core.Pool(t.queue).ID
	}
}

// settleQueue looks at whether a queue is held, and its first due.
func (q *Queues) settleQueue(pool int32, now core.Time) {
	track := &q.pendings.queues[pool]
	if track.length == 0 {
		track.sum, track.held = track.heldTime(now), false
		return
	}
	p := q.Core.Pool(pool)
	full := p.MaxRunning.Set && p.Running >= p.MaxRunning.Value
	head := q.Core.QueueHead(pool)
	held := full || head >= 0 && q.Core.Holder(head) >= 0
	if held != track.held {
		track.sum, track.held, track.since = track.heldTime(now), held, now
	}
	due := !held && head >= 0
	if track.due && (!due || head != track.head) {
		q.endDue(pool, now)
		track.roomUntil, track.roomLeave = now+1, track.byLeave
	}
	if due && !track.due {
		track.due, track.head, track.dueSince, track.excuse = true, head, now, ""
		track.byLeave = track.hasLeft && track.left == now || track.roomUntil == now+1 && track.roomLeave
	}
	if track.due && track.excuse == "" {
		track.excuse = string(q.Excuses.ExcuseAt(now))
	}
	if track.due && q.Core.Unplaced() > 0 {
		q.pendings.operations[track.head].Recorded = false // the log does not record who runs in which pool
	}
	if !full && !track.listed {
		track.listed = true
		q.pendings.roomy = append(q.pendings.roomy, pool)
	}
}

// endDue books the time that the first in a queue was due.
func (q *Queues) endDue(pool int32, now core.Time) {
	track := &q.pendings.queues[pool]
	t := &q.pendings.operations[track.head]
	if track.excuse == "" && q.Excuses.ExcuseAt(now) != judge.NoExcuse {
		track.excuse = string(q.Excuses.ExcuseAt(now))
	}
	track.due = false
	length := int64(now - track.dueSince)
	t.Due += int64(now - max(track.dueSince, t.FromTime))
	if length > t.LongestDue {
		t.LongestDue, t.DueFrom, t.DuePool, t.Excuse = length, core.Some(track.dueSince), core.Some(q.Core.Pool(pool).ID), track.excuse
	}
	if track.byLeave && length > t.AfterLeave {
		t.AfterLeave, t.LeaveFrom = length, core.Some(track.dueSince)
	}
	if t.ClippedFrom && track.dueSince <= t.FromTime {
		t.DueUntil = core.Some(now)
	}
	t.DueSince = core.Some(track.dueSince)
}

// clipPending cuts the open episodes at the window's start. The parts before it are written if
// the log records them. A time of being due that reaches into the window keeps its beginning.
func (q *Queues) clipPending(from core.Time) {
	begins := q.Log.RecordedFrom()
	for pool := range q.pendings.queues {
		track := &q.pendings.queues[pool]
		track.dueSince = max(track.dueSince, min(begins, from))
	}
	for slot := range q.pendings.operations {
		t := &q.pendings.operations[slot]
		if !t.open {
			continue
		}
		track := &q.pendings.queues[t.queue]
		if begins < from && t.FromTime < from {
			q.addEarlierPending(t, track, int32(slot), from)
		}
		t.ClippedFrom = t.FromTime < from
		t.FromTime, t.heldThen, t.bestHeld = max(t.FromTime, from), track.heldTime(from), 0
		t.Held, t.Due, t.LongestDue, t.AfterLeave = 0, 0, 0, 0
		t.DueFrom, t.LeaveFrom, t.DuePool, t.Excuse = core.Optional[core.Time]{}, core.Optional[core.Time]{}, core.Optional[core.PoolID]{}, ""
		t.Blocking, t.DueUntil = q.Core.Pool(t.queue).ID, core.Optional[core.Time]{}
	}
}

// addEarlierPending writes the part of a wait before the window.
func (q *Queues) addEarlierPending(t *pendingTrack, track *queueTrack, slot int32, from core.Time) {
	due := *track
	held := t.heldThen
	if track.due && track.head == slot {
		q.endDue(t.queue, from)
	} else {
		t.DueSince = core.Optional[core.Time]{}
	}
	q.creditHeld(t, track, from)
	row := t.PendingEpisode
	row.ClippedFrom, row.FromTime = row.FromTime < q.Log.RecordedFrom(), max(row.FromTime, q.Log.RecordedFrom())
	row.ToTime, row.ClippedTo, row.Ended = from, true, "window"
	q.earlierPendings.Add(&tables.EarlierPendingEpisode{PendingEpisode: row})
	*track, t.heldThen = due, held
}

// closePending ends the episode of an operation that is in no queue any more.
func (q *Queues) closePending(slot int32, now core.Time, clipped bool) {
	t := &q.pendings.operations[slot]
	t.open = false
	if !q.Begun {
		return
	}
	row := t.PendingEpisode
	row.ToTime, row.ClippedTo = now, clipped
	row.Unordered = row.Jobs > 0 && t.sure == 0
	o := q.Core.Operation(slot)
	switch {
	case clipped:
		row.Ended = "window"
	case o.ID != t.id || !o.Alive && !o.Ended:
		row.Ended = "gone"
	case o.Running && o.StartedJobs > t.started && t.activated != core.Some(now):
		row.Ended = endedByJob
		row.Jobs++
		row.Unordered = t.sure == 0 && q.isJust(t, now)
	case o.Ended && !o.Running:
		row.Ended = env.EndWords[o.EndStep]
	case o.Running:
		row.Ended = "running"
	default:
		row.Ended = "pool_changed"
	}
	q.pendings.ended = append(q.pendings.ended, row)
	if row.Ended != endedByJob {
		q.passPendings(now)
	}
}

// endedByJob is the end of a wait by a started job of the operation.
const endedByJob = "job_started"

// passPendings writes the episodes that ended before the first undecided one. That one ended with
// a job's start, and the log may record just after it that the operation runs
// (ingest/trace/FORMAT.md §4.2).
func (q *Queues) passPendings(now core.Time) {
	p := &q.pendings
	written := 0
	for written < len(p.ended) {
		row := &p.ended[written]
		if row.Ended == endedByJob && now-row.ToTime <= core.Time(q.admissions.slacks.Clock) {
			break
		}
		q.pendingEpisodes.Add(row.ToTime, row)
		written++
	}
	p.ended = slices.Delete(p.ended, 0, written)
}

// finishPending closes what waits at the window's end.
func (q *Queues) finishPending(to core.Time) {
	for slot := range q.pendings.operations {
		if t := &q.pendings.operations[slot]; t.open {
			q.leaveQueue(int32(slot), to)
			q.closePending(int32(slot), to, true)
		}
	}
	const never = 1<<63 - 1
	q.passPendings(never)
}

func comparePendings(a, b *tables.PendingEpisode) int { return cmp.Compare(a.Operation, b.Operation) }
