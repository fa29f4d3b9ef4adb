package episodes

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
)

// Others above their fair share may have had it on nodes where the jobs of the pool may not run, in
// jobs that cannot be preempted, or in pieces too small for them. So every 10 s the replay checks
// whether preemption could have made room.
//
// core/spec/invariants.md GUA-03 forbids a state, not a sum: a guarantee that has been unmet for
// longer than the SLA while others hold what could be preempted for it. Short opportunities are not
// neglect, however many: the jobs ended by themselves, or fell under their pool's fair share,
// before a heartbeat of their node was due. So the longest uninterrupted stretch of such a state
// counts.
const (
	oldEnoughToLook = 60 * core.Second
	lookEvery       = 10 * core.Second
	jobsLookedAt    = 4096 // per check, in rotation over the nodes
	waitingLookedAt = 16
)

// A room is the result of the checks in a stretch.
type room uint8

const (
	notLooked room = iota // since the stretch began: the first check applies to all of it
	roomSeen              // until a check finds none
	noRoom                // until a check finds some
)

// A stretch is an uninterrupted time in which checks found room. During that of a pool others have
// its missing share and no limit prevents it; during that of an operation the operation starves.
type stretch struct {
	room   room  // result of the last check
	length int64 // µs
	node   int32 // last node with room
	first  bool  // it began with the row of the episode
}

// lengthen adds a time in which others had the missing share and no limit prevented it.
func (u *unmet) lengthen(length int64) {
	u.may.lengthen(length, u.summed, &u.row.Preemptible, &u.row.PreemptibleFrom, &u.row.PreemptibleUntil)
	u.surely.lengthen(length, u.summed, &u.row.SurelyPreemptible, &u.row.SurelyPreemptibleFrom, &u.row.SurelyPreemptibleUntil)
}

// lengthen adds a time that ends at an instant, and keeps the longest and the end of the first.
func (s *stretch) lengthen(length int64, to core.Time, longest *int64, from, until *core.Optional[core.Time]) {
	if s.room == noRoom {
		return
	}
	s.length += length
	if s.room != roomSeen || s.length == 0 {
		return
	}
	if s.length > *longest {
		*longest, *from = s.length, core.Some(to-core.Time(s.length))
	}
	if s.first {
		*until = core.Some(to)
	}
}

// since returns the start of the current stretch at an instant, if there is one.
func (s *stretch) since(at core.Time) core.Optional[core.Time] {
	if s.room == noRoom || s.length == 0 {
		return core.Optional[core.Time]{}
	}
	return core.Some(at - core.Time(s.length))
}

// cut restarts the stretch with another row of its episode.
func (s *stretch) cut() { s.length, s.first = 0, s.room != noRoom }

// see applies the result of a check, which covers the time since the last sum.
func (s *stretch) see(preemptible bool) {
	if preemptible {
		s.room = roomSeen
	} else {
		s.room, s.length, s.first = noRoom, 0, false
	}
}

// passTo checks the episodes that are due, in the state that lasts until an instant. Without
// changes this is the only occasion.
func (g *guarantees) passTo(r *Recorder, to core.Time) {
	if len(g.open) == 0 || to < g.look {
		return
	}
	g.look = to + lookEvery
	for _, u := range g.open {
		if to >= u.look {
			u.look = to + lookEvery
			if u.others && !u.limited {
				u.sumTo(max(u.summed, r.Now))
				sized := g.couldTake(r, u.slot, &u.surely, true)
				u.surely.see(sized && r.Core.StartsFromKnownState()) // otherwise others may not be above their share
				u.may.see(sized || g.couldTake(r, u.slot, &u.may, false))
				u.sumTo(to)
			}
		}
		g.look = min(g.look, u.look)
	}
}

// A want is a pending job of an operation in a pool below its guarantee.
type want struct {
	operation int32
	job       resource.Vector
}

// couldTake reports whether some node has room for a pending job of the pool, counting free room
// and the jobs of others that a preemptive stage may take. The stage must serve the job, and the
// limits below the pool must allow it (core/spec/invariants.md GUA-03). Operations that do not take
// part by the scheduler's records have no priority. With sized it considers only operations with a
// recorded size of a job, else only the others, whose jobs may be larger. In a tree of many jobs it
// does not visit all nodes, but starts with the one that last had room.
func (g *guarantees) couldTake(r *Recorder, owed int32, s *stretch, sized bool) bool {
	return g.couldTakeFor(r, owed, s, sized, scheduling.Normal) || g.couldTakeFor(r, owed, s, sized, scheduling.Aggressive)
}

// couldTakeFor is couldTake for the stage that serves operations of a priority.
func (g *guarantees) couldTakeFor(r *Recorder, owed int32, s *stretch, sized bool, target scheduling.Priority) bool {
	g.wants = g.wants[:0]
	r.Core.EachWaiting(owed, func(operation int32, o *core.Operation) bool {
		job, known := o.JobSize()
		if known == sized && !r.Records.TakesNoPart(operation, o.ID) && r.entitledTo(operation, owed) == target &&
			r.isBelowWithin(operation) && r.mayHaveAnother(operation, owed, job) {
			g.wants = append(g.wants, want{operation, job})
		}
		return len(g.wants) < waitingLookedAt
	})
	if len(g.wants) == 0 {
		return false
	}
	nodes, seen := int32(r.Core.Nodes()), 0
	if s.room == roomSeen && s.node < nodes && g.couldTakeOn(r, owed, s.node, target, &seen) {
		return true
	}
	for k := int32(0); k < nodes && seen < jobsLookedAt; k++ {
		g.node = (g.node + 1) % nodes
		if g.couldTakeOn(r, owed, g.node, target, &seen) {
			s.node = g.node
			return true
		}
	}
	return false
}

// entitledTo returns the priority of the stage that may serve an operation of a pool below its
// guarantee: by default that of the pool, and with operation_only the operation's own, so that one
// with its fair share gets none, however much its pool starves (core/spec/scheduling.md §10.1).
// Pending timeouts are ignored.
func (r *Recorder) entitledTo(operation, owed int32) scheduling.Priority {
	t, starves := r.Core.Scheduling(), r.Core.Pool(owed).Element
	if t.Options().Scope == scheduling.OperationOnly {
		starves = r.Core.Operation(operation).Element
		if t.Starvation(starves).Status() == scheduling.NonStarving && !t.BelowFairShare(starves) {
			return scheduling.NoPriority
		}
	}
	if t.Starvation(starves).Status() == scheduling.AggressivelyStarving {
		return scheduling.Aggressive
	}
	return scheduling.Normal
}

// couldTakeOn is couldTake for one node, and adds its jobs to seen.
func (g *guarantees) couldTakeOn(r *Recorder, slot, node int32, target scheduling.Priority, seen *int) bool {
	n := r.Core.Node(node)
	if !n.Online {
		return false
	}
	room := n.Limits.Sub(n.Usage)
	for k, measured := range r.Log.Measured {
		if !measured {
			room[k] = resource.Unlimited[k]
		}
	}
	taken := false // free room alone does not count: the next heartbeat may give it to another operation
	r.Core.Scheduling().NodeJobs(env.Handle(node), func(j scheduling.Job) {
		*seen++
		own, live := r.Core.JobBehind(j)
		if !live || r.Core.IsWithin(r.Core.Operation(r.Core.Job(own).Operation).Pool, slot) {
			return
		}
		if candidacy, _ := r.Core.Scheduling().Candidacy(j, target); candidacy == scheduling.Unconditional {
			room, taken = room.Add(r.Core.Job(own).Usage), true
		}
	})
	for i := range g.wants {
		if w := &g.wants[i]; taken && w.job.FitsIn(room) && r.mayRunOn(w.operation, node) {
			return true
		}
	}
	return false
}

// isBelowWithin reports whether an operation or a pool above it is below its fair share by more
// than its tolerance, or below its min share where the profile has one. A stage takes jobs only for
// starving elements and elements below them, and an element within its tolerance never starves
// (core/spec/scheduling.md §7.1, §7.5). Timeouts do not matter, because a guarantee may be unmet
// for the time of the SLA.
func (r *Recorder) isBelowWithin(operation int32) bool {
	t, o := r.Core.Scheduling(), r.Core.Operation(operation)
	if t.Starvation(o.Element).IsBelow() {
		return true
	}
	for slot := o.Pool; slot >= 0; slot = r.Core.Pool(slot).Parent {
		if t.Starvation(r.Core.Pool(slot).Element).IsBelow() {
			return true
		}
	}
	return false
}

// mayHaveAnother reports whether another job of an operation fits its limits and those of its pools
// up to the one below its guarantee: fair shares do not exceed limits, and preemption does not go
// beyond a fair share (core/spec/scheduling.md §11.1).
func (r *Recorder) mayHaveAnother(operation, owed int32, job resource.Vector) bool {
	o := r.Core.Operation(operation)
	if !r.holds(r.Core.Shares(o.Element).Limits, o.Usage.Add(job)) {
		return false
	}
	for slot := o.Pool; ; slot = r.Core.Pool(slot).Parent {
		p := r.Core.Pool(slot)
		if !r.holds(r.Core.Shares(p.Element).Limits, p.Usage.Add(job)) {
			return false
		}
		if slot == owed {
			return true
		}
	}
}

// holds reports whether amounts fit limits, in the measured resources.
func (r *Recorder) holds(limits, amounts resource.Vector) bool {
	for k, measured := range r.Log.Measured {
		if measured && amounts[k] > limits[k] {
			return false
		}
	}
	return true
}

// mayRunOn reports whether tags and segments let an operation have jobs on a node. The operation's
// module is that of its jobs, or else the policy's choice, because logs do not record it.
func (r *Recorder) mayRunOn(operation, node int32) bool {
	if !r.Core.Admits(operation, node) {
		return false
	}
	if !r.Core.Config().Segments.Enable {
		return true
	}
	fits, _ := r.Core.SegmentFits(operation, node)
	return fits && r.Core.Scheduling().SegmentFits(r.Core.Operation(operation).Element, env.Handle(node))
}
