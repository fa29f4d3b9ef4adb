package scheduling

import "poolproof/core/resource"

// A Consideration records the outcome for an operation that a stage considered.
type Consideration struct {
	Stage        Stage
	Operation    Element
	Satisfaction float64  // when it was considered
	Result       Obstacle // NoObstacle if a job of it started
	Full         Element  // whose limits are exceeded, None otherwise

	// Need is the smallest job of the operation, and Room what is available where Result was found:
	// on the node with candidates counted as gone, under the limits of Full, or in its demand.
	Need, Room resource.Vector
}

// A Victim records how a stage treated a job on the node.
type Victim struct {
	Stage     Stage
	Job       Job
	List      List
	Level     Level
	Candidacy Candidacy
	Blocker   Element // element that protects it, or None
	Forced    bool    // its segment does not fit the node
	Rank      int32   // among those that the stage may take, in their order; -1 if it may not

	// Local satisfaction and dominant usage share of the job's operation, as the stage finds it and
	// after losing this job alone.
	Before, After           float64
	UsageBefore, UsageAfter float64
}

// Explain returns what Decide would decide now, and why. It works on a copy of the tree, so nothing
// changes and the result stays valid. Handles of jobs that it would start are not valid.
func (t *Tree) Explain(h Heartbeat, c Controller) *Outcome {
	h.Explain = true
	return t.clone().decide(h, c)
}

// Ask returns what a heartbeat would decide now, and on request why. It changes nothing in the tree
// except the order of equals. Handles of jobs that it would start are not valid afterwards.
func (t *Tree) Ask(h Heartbeat, c Controller) *Outcome {
	n := &t.nodes[h.Node]
	overcommitted, last := n.overcommitted, n.lastPreemptive
	out := t.decide(h, c)
	for i := len(out.Preempted) - 1; i >= 0; i-- {
		p := &out.Preempted[i]
		if p.Reason == ForGracefulPreemption {
			t.jobs[p.Job].interrupted = false
			continue
		}
		t.jobs[p.Job].preempted = false
		t.SetJobUsage(p.Job, p.Usage)
	}
	for i := len(out.Started) - 1; i >= 0; i-- {
		t.RemoveJob(out.Started[i].Job)
	}
	for i := len(t.failures) - 1; i >= 0; i-- {
		t.setFailed(t.failures[i].operation, t.failures[i].before)
	}
	n.overcommitted, n.lastPreemptive = overcommitted, last
	return out
}

// A failure saves the previous failure time of an operation's controller.
type failure struct {
	operation Element
	before    int64
}

// consider records the outcome for an operation.
func (t *Tree) consider(e Element, result Obstacle, full Element) {
	if t.stage.Explain {
		t.out.Considered = append(t.out.Considered, Consideration{
			Stage: t.stage.kind, Operation: e, Satisfaction: t.localSatisfaction(e), Result: result, Full: full,
			Need: t.elements[e].operation.least, Room: t.roomFor(e, result, full),
		})
	}
}

// roomFor returns what is available to an operation where a result was found.
func (t *Tree) roomFor(e Element, result Obstacle, full Element) resource.Vector {
	switch n := &t.elements[e]; {
	case result == NoDemand:
		return n.seen.demandAmount.Sub(n.usage)
	case full != None:
		n = &t.elements[full]
		return t.enforced(n).Sub(n.usage.Sub(n.discount)).Min(t.specified(n).Sub(n.usage))
	}
	return t.free(e)
}

// lose computes the state of a job's operation after losing the job.
func (t *Tree) lose(v *Victim) {
	job := &t.jobs[v.Job]
	n := &t.elements[job.operation]
	v.Before, v.UsageBefore = t.heldSatisfaction(job.operation), t.shareOf(n.usage).Dominant()
	n.usage = n.usage.Sub(job.usage)
	v.After, v.UsageAfter = t.heldSatisfaction(job.operation), t.shareOf(n.usage).Dominant()
	n.usage = n.usage.Add(job.usage)
}

// rankVictims sets the order in which the candidates would be taken.
func (t *Tree) rankVictims() {
	if !t.stage.Explain {
		return
	}
	for rank, c := range t.stage.candidates {
		for i := len(t.out.Victims) - 1; i >= 0 && t.out.Victims[i].Stage == t.stage.kind; i-- {
			if v := &t.out.Victims[i]; v.Job == c.job {
				v.Rank = int32(rank)
				break
			}
		}
	}
}
