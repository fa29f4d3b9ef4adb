package scheduling

// A candidate is a job that a stage may take away.
type candidate struct {
	job         Job
	operation   Element
	list        List // when candidates were collected
	unusedCPU   bool
	start       int64
	forced      bool    // its segment does not fit the node
	conditional bool    // only for a preemptor inside blocker
	blocker     Element // of a conditional candidate
}

// collect finds the candidates of a stage among the jobs of the node (§10.4).
func (t *Tree) collect(target Priority) {
	s := &t.stage
	s.candidates, s.attached = s.candidates[:0], s.attached[:0]
	if target.LeastLevel() == LevelPreemptible && t.nodes[s.Node].preemptible == 0 && !t.options.Segments && !s.Explain {
		return
	}
	t.found(func(j Job, job *job) {
		if job.preempted && job.takenIn != s.serial { // a job that this heartbeat preempted has not gone yet (§10.4)
			return
		}
		c := t.candidateOf(j)
		candidacy := t.judge(&c, target)
		if s.Explain && !job.preempted {
			v := Victim{Stage: s.kind, Job: j, List: c.list, Level: t.Level(j), Candidacy: candidacy, Blocker: c.blocker, Forced: c.forced, Rank: -1}
			t.lose(&v)
			t.out.Victims = append(t.out.Victims, v)
		}
		switch candidacy {
		case Unconditional:
			for p := t.elements[job.operation].parent; p != None; p = t.elements[p].parent {
				t.elements[p].discount = t.elements[p].discount.Add(job.usage)
			}
			s.unconditional = s.unconditional.Add(job.usage)
			s.candidates = append(s.candidates, c)
		case Conditional:
			c.conditional = true
			s.attached = append(s.attached, c)
		}
	})
}

// candidateOf describes a job as it is now.
func (t *Tree) candidateOf(j Job) candidate {
	job := &t.jobs[j]
	return candidate{
		job: j, operation: job.operation, list: job.list(), unusedCPU: job.hasUnusedCPU(), start: job.start, forced: t.IsForced(j),
		blocker: None,
	}
}

// A Candidacy says whether a stage may take a job (§10.4).
type Candidacy uint8

// The candidacies.
const (
	NoCandidate   Candidacy = iota
	Unconditional           // for any preemptor, and to repair limits
	Conditional             // for a preemptor inside the blocking pool
)

var candidacyNames = [...]string{"none", "unconditional", "conditional"}

func (c Candidacy) String() string { return candidacyNames[c] }

// Candidacy returns whether a stage of this priority may take a job, and the element that protects
// it, or None.
func (t *Tree) Candidacy(j Job, target Priority) (Candidacy, Element) {
	c := t.candidateOf(j)
	candidacy := t.judge(&c, target)
	return candidacy, c.blocker
}

// judge returns the candidacy of a job and sets its blocker.
func (t *Tree) judge(c *candidate, target Priority) Candidacy {
	level := t.Level(c.job)
	if c.forced {
		return Unconditional
	}
	if level < target.LeastLevel() {
		return NoCandidate
	}
	c.blocker = t.blocker(c.operation, level, target)
	switch {
	case c.blocker == None:
		return Unconditional
	case c.blocker != c.operation && t.options.ConditionalPreemption && c.list == Preemptible:
		return Conditional
	}
	return NoCandidate
}

// blocker returns the element that protects the jobs of an operation in a
// stage, or None (§10.3, §15.3).
func (t *Tree) blocker(e Element, level Level, target Priority) Element {
	n := &t.elements[e]
	switch {
	case n.operation.Graceful:
		return e
	case target.forSSD() && !level.forSSD() && t.options.Profile != Current:
		return None
	case target == Normal && n.own.NormalForbidden:
		return e
	}
	if t.options.Profile == Current {
		if n.starvation.Status() != NonStarving && !t.options.PreemptFromStarving {
			return e
		}
		return None
	}
	for x := e; x != Root; x = t.elements[x].parent {
		if t.options.CheckStarvation && t.elements[x].starvation.Status() != NonStarving ||
			t.options.CheckSatisfaction && t.unsatisfied(x, target) {
			return x
		}
	}
	return None
}

// unsatisfied reports whether an element is too close to its fair share to lose
// a job.
func (t *Tree) unsatisfied(e Element, target Priority) bool {
	threshold := t.options.SatisfactionThreshold
	if target >= Aggressive && t.elements[e].own.AllowsAggressivePreemption {
		threshold = t.options.AggressiveThreshold()
	}
	return t.heldSatisfaction(e) < threshold+precision
}
