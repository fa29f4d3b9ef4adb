package scheduling

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// Preemption goes by satisfaction that is fixed for the heartbeat, and by what the last
// tick saw of operations that take no part (core/spec/scheduling.md §10.4): usage that
// went since then is held, and counts as if it were there.

// hold adds to what is held of e and of all above it.
func (t *Tree) hold(e Element, delta resource.Vector) {
	if delta.IsZero() {
		return
	}
	for ; e != None; e = t.elements[e].parent {
		t.elements[e].held = t.elements[e].held.Add(delta)
	}
}

// holdLapsed holds a change of usage of an operation that was unschedulable at the last
// tick: it counts with its usage of then.
func (t *Tree) holdLapsed(e Element, delta resource.Vector) {
	n := &t.elements[e]
	if n.operation.reason == NoObstacle {
		return
	}
	if n.held.IsZero() {
		t.lapsed = append(t.lapsed, e)
	}
	t.hold(e, resource.Vector{}.Sub(delta))
}

// seeStart ends that for an operation that a job is started of all the same.
func (t *Tree) seeStart(e Element) {
	if n := &t.elements[e]; n.operation.reason != NoObstacle {
		t.hold(e, resource.Vector{}.Sub(n.held))
	}
}

// forgetLapsed lets a tick see the usage of all operations.
func (t *Tree) forgetLapsed() {
	for _, e := range t.lapsed {
		if n := &t.elements[e]; n.alive && n.operation != nil {
			t.hold(e, resource.Vector{}.Sub(n.held))
		}
	}
	t.lapsed = t.lapsed[:0]
}

// holdTaken holds what a stage takes from an operation until the heartbeat ends.
func (t *Tree) holdTaken(p *Preemption) {
	t.jobs[p.Job].takenIn = t.stage.serial
	if t.elements[p.Operation].operation.reason == NoObstacle { // otherwise it is held already
		t.hold(p.Operation, p.Usage)
	}
}

// releaseTaken ends that.
func (t *Tree) releaseTaken() {
	for i := range t.out.Preempted {
		p := &t.out.Preempted[i]
		if p.Reason != ForGracefulPreemption && t.elements[p.Operation].operation.reason == NoObstacle {
			t.hold(p.Operation, resource.Vector{}.Sub(p.Usage))
		}
	}
}

// heldSatisfaction is the local satisfaction of an element that protects its jobs.
func (t *Tree) heldSatisfaction(e Element) float64 {
	n := &t.elements[e]
	return fairshare.LocalSatisfaction(n.seen.fair, n.seen.demand, t.shareOf(n.usage.Add(n.held)))
}
