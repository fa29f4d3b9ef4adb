package scheduling

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// Preemption uses satisfaction that is fixed for the heartbeat, and the last tick's view of
// operations that do not take part (core/spec/scheduling.md §10.4). Usage released since then is
// held: it still counts.

// hold adds to the held usage of e and all its ancestors.
func (t *Tree) hold(e Element, delta resource.Vector) {
	if delta.IsZero() {
		return
	}
	for ; e != None; e = t.elements[e].parent {
		t.elements[e].held = t.elements[e].held.Add(delta)
	}
}

// holdLapsed holds a change of usage of an operation that was unschedulable at the last tick, whose
// usage of that tick counts.
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

// seeStart releases the held usage of an unschedulable operation that nevertheless starts a job.
func (t *Tree) seeStart(e Element) {
	if n := &t.elements[e]; n.operation.reason != NoObstacle {
		t.hold(e, resource.Vector{}.Sub(n.held))
	}
}

// forgetLapsed releases the held usage of all operations at a tick.
func (t *Tree) forgetLapsed() {
	for _, e := range t.lapsed {
		if n := &t.elements[e]; n.alive && n.operation != nil {
			t.hold(e, resource.Vector{}.Sub(n.held))
		}
	}
	t.lapsed = t.lapsed[:0]
}

// holdTaken holds the usage that a stage preempts until the heartbeat ends.
func (t *Tree) holdTaken(p *Preemption) {
	t.jobs[p.Job].takenIn = t.stage.serial
	if t.elements[p.Operation].operation.reason == NoObstacle { // otherwise it is already held
		t.hold(p.Operation, p.Usage)
	}
}

// releaseTaken releases the usage that holdTaken held.
func (t *Tree) releaseTaken() {
	for i := range t.out.Preempted {
		p := &t.out.Preempted[i]
		if p.Reason != ForGracefulPreemption && t.elements[p.Operation].operation.reason == NoObstacle {
			t.hold(p.Operation, resource.Vector{}.Sub(p.Usage))
		}
	}
}

// heldSatisfaction returns the local satisfaction of an element, held usage included, by which it
// protects its jobs.
func (t *Tree) heldSatisfaction(e Element) float64 {
	n := &t.elements[e]
	return fairshare.LocalSatisfaction(n.seen.fair, n.seen.demand, t.shareOf(n.usage.Add(n.held)))
}
