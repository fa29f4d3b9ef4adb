package scheduling

import "poolproof/core/resource"

// A Proof evaluates the rules for preempting a job, in the state before the preemption
// (core/spec/scheduling.md §10.10).
type Proof struct {
	Priority, OwnPriority Priority // of the preemptor on the node: in the configured scope, and by itself

	List      List
	Level     Level
	Candidacy Candidacy
	Blocker   Element // element that protects the job, or None
	Graceful  bool
	Forced    bool // its segment does not fit the node

	// Candidates is the number of jobs of the node that a stage of this priority could take for the
	// preemptor, Rank the position of the victim among them in the order of preemption, or -1, and
	// First the first of them.
	Candidates, Rank int
	First            Job

	Before, After float64 // local satisfaction of the victim's operation
	Fits          bool    // the node's usage fits its limits: no preemption is needed
}

// Prove judges the preemption of a job in a stage of the given priority for a preemptor, or for
// none (None). It uses the current usage of the node, so the preemptor's job must be added first.
func (t *Tree) Prove(victim Job, target Priority, preemptor Element) Proof {
	job := &t.jobs[victim]
	n := &t.elements[job.operation]
	p := Proof{
		List: job.list(), Level: t.Level(victim), Graceful: n.operation.Graceful,
		Rank: -1, First: NoJob, Before: t.localSatisfaction(job.operation),
	}
	if preemptor != None {
		p.Priority, p.OwnPriority = t.Priority(preemptor, job.node), t.PriorityIn(preemptor, job.node, OperationOnly)
	}
	p.Candidacy, p.Blocker = t.Candidacy(victim, target)
	usage := job.usage
	n.usage = n.usage.Sub(usage)
	p.After = t.localSatisfaction(job.operation)
	n.usage = n.usage.Add(usage)
	if job.node == NoNode {
		return p
	}
	own := &t.nodes[job.node]
	p.Forced, p.Fits = !t.fits(n.operation, own), own.held().FitsIn(own.Limits)
	t.rankOnNode(&p, victim, target, preemptor)
	return p
}

// rankOnNode counts the candidates of a node and finds the victim's rank.
func (t *Tree) rankOnNode(p *Proof, victim Job, target Priority, preemptor Element) {
	first, own := candidate{}, t.candidateOf(victim)
	for _, j := range t.nodes[t.jobs[victim].node].jobs {
		if t.jobs[j].preempted {
			continue
		}
		c := t.candidateOf(j)
		switch t.judge(&c, target) {
		case NoCandidate:
			continue
		case Conditional:
			if preemptor == None || !t.isAbove(c.blocker, preemptor) {
				continue
			}
		}
		p.Candidates++
		if p.First == NoJob || t.compareVictims(c, first) < 0 {
			p.First, first = j, c
		}
		if j == victim {
			p.Rank++ // counts from zero once it is among them
		} else if t.compareVictims(c, own) < 0 {
			p.Rank++
		}
	}
	if !t.isCandidate(victim, target, preemptor) {
		p.Rank = -1
	}
}

// isCandidate reports whether a stage may take a job for a preemptor.
func (t *Tree) isCandidate(j Job, target Priority, preemptor Element) bool {
	candidacy, blocker := t.Candidacy(j, target)
	return candidacy == Unconditional ||
		candidacy == Conditional && preemptor != None && t.isAbove(blocker, preemptor)
}

// CompareVictims orders jobs of a node as stages take them: the first one is less (§10.5).
func (t *Tree) CompareVictims(a, b Job) int {
	return t.compareVictims(t.candidateOf(a), t.candidateOf(b))
}

// MayStart returns whether a job of this size may start on a node now without preemption:
// NoObstacle, or the obstacle and the element whose limits prevent it, if any (§9.5, §9.7).
func (t *Tree) MayStart(h Heartbeat, e Element, r resource.Vector) (Obstacle, Element) {
	s := &t.stage
	s.Heartbeat, s.unconditional = h, resource.Vector{}
	if result := t.exclusion(e); result != NoObstacle {
		return result, None
	}
	if !t.fitsNode(r, resource.Vector{}) {
		return NothingFits, None
	}
	if full := t.full(e, r); full != None {
		return LimitsExceeded, full
	}
	if !t.wants(e, r) {
		return NoDemand, None
	}
	return NoObstacle, None
}
