package scheduling

import (
	"cmp"
	"slices"

	"poolproof/core/resource"
)

// A candidate is a job that a stage may take away.
type candidate struct {
	job         Job
	operation   Element
	list        List // when candidates were collected
	unusedCPU   bool
	start       int64
	forced      bool    // its segment does not fit the node
	conditional bool    // only for a beneficiary inside blocker
	blocker     Element // of a conditional candidate
}

// A Preemption is a job that a heartbeat takes away.
type Preemption struct {
	Job       Job
	Operation Element
	Resources resource.Vector // what it was granted
	Usage     resource.Vector // what it used
	Reason    Reason
	Timeout   int64 // how long it may take to stop, microseconds
	List      List  // when candidates were collected

	// For and ForOperation name the job that was started in its place; NoJob and
	// None if there is none. Proper says that the beneficiary starves by itself
	// and not only through a pool above.
	For          Job
	ForOperation Element
	Proper       bool
	Conditional  bool
}

// runPreemptive runs the preemptive stages until one starts a job (§9.4).
func (t *Tree) runPreemptive() {
	o := &t.out
	o.Preemptive = true
	for kind := PreemptiveSSDAggressive; kind <= PreemptiveNormal; kind++ {
		if kind.Enters(&o.Priorities, t.nodes[t.stage.Node].SSD) && t.runPreemptiveStage(kind) {
			o.StartedPreemptively = 1
			return
		}
	}
}

// Enters reports whether a preemptive stage runs, given how many operations
// have each priority on the node. The normal one always does: it is also the
// moment when violated limits are repaired (§9.4, §11.3).
func (s Stage) Enters(operations *[priorities]int, ssdNode bool) bool {
	target := s.Target()
	return s == PreemptiveNormal || operations[target] > 0 && (ssdNode || !target.forSSD())
}

// runPreemptiveStage starts at most one job in place of others.
func (t *Tree) runPreemptiveStage(kind Stage) bool {
	s := &t.stage
	s.kind = kind
	target := kind.Target()
	t.collect(target)
	t.prepareDiscounts(kind)
	s.least = t.options.MinSpare
	started := t.mayContinue() && t.startInPlace(kind)
	t.resetDiscounts()
	beneficiary := Start{Job: NoJob, Operation: None}
	if started {
		beneficiary = t.out.Started[len(t.out.Started)-1]
	}
	t.take(target, beneficiary)
	return started
}

// startInPlace offers the node, with what may be taken counted as gone, to the
// operations of the stage's priority.
func (t *Tree) startInPlace(kind Stage) bool {
	s := &t.stage
	target := kind.Target()
	if !t.nodes[s.Node].SSD {
		list := t.lists.byPriority[target]
		which := startNormal
		if target == Aggressive {
			which = startAggressive
		}
		return len(list) > 0 && t.runStage(kind, t.choose(which, list))
	}
	s.batch = s.batch[:0]
	for _, e := range t.lists.starving {
		if t.Priority(e, s.Node) == target {
			s.batch = append(s.batch, e)
		}
	}
	return len(s.batch) > 0 && t.runStage(kind, t.chooseAmong(s.batch))
}

// collect finds the candidates of a stage among the jobs of the node (§10.4).
func (t *Tree) collect(target Priority) {
	s := &t.stage
	s.candidates, s.attached = s.candidates[:0], s.attached[:0]
	t.found(func(j Job, job *job) {
		if job.preempted {
			return
		}
		c := t.candidateOf(j)
		candidacy := t.judge(&c, target)
		if s.Explain {
			t.out.Victims = append(t.out.Victims, Victim{s.kind, j, c.list, t.Level(j), candidacy, c.blocker, c.forced, -1})
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
		job: j, operation: job.operation, list: job.list(), unusedCPU: job.hasUnusedCPU(), start: job.start, blocker: None,
		forced: job.node != NoNode && !t.fits(t.elements[job.operation].operation, &t.nodes[job.node]),
	}
}

// A Candidacy says whether a stage may take a job (§10.4).
type Candidacy uint8

// The candidacies.
const (
	NoCandidate   Candidacy = iota
	Unconditional           // for any beneficiary, and to repair limits
	Conditional             // for a beneficiary inside the blocking pool
)

var candidacyNames = [...]string{"none", "unconditional", "conditional"}

func (c Candidacy) String() string { return candidacyNames[c] }

// Candidacy says whether a stage of this priority may take a job, and which
// element protects it, None if none does.
func (t *Tree) Candidacy(j Job, target Priority) (Candidacy, Element) {
	c := t.candidateOf(j)
	candidacy := t.judge(&c, target)
	return candidacy, c.blocker
}

// judge decides the candidacy of a job and notes its blocker.
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
	case target.forSSD() && !level.forSSD():
		return None
	case target == Normal && n.own.normalForbidden:
		return e
	}
	if t.options.Profile == Current {
		if n.hunger.Status() != NonStarving && !t.options.PreemptFromStarving {
			return e
		}
		return None
	}
	for x := e; x != Root; x = t.elements[x].parent {
		if t.options.CheckStarvation && t.elements[x].hunger.Status() != NonStarving ||
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
	if target >= Aggressive && t.elements[e].own.aggressivePreempted {
		threshold = t.options.AggressiveThreshold()
	}
	return t.localSatisfaction(e) < threshold+precision
}

// prepareDiscounts hands the conditional candidates to the pools that block
// them (§10.4). Whatever the scope, an operation with a starving pool above is
// credited, and counts for the greatest discount.
func (t *Tree) prepareDiscounts(kind Stage) {
	s := &t.stage
	for _, c := range s.attached {
		pool := &t.elements[c.blocker]
		pool.attached = pool.attached.Add(t.jobs[c.job].usage)
	}
	ssd := ssdIndex(t.nodes[s.Node].SSD)
	for _, c := range s.attached {
		if t.elements[c.blocker].eligible[ssd][kind.Target()] > 0 {
			s.maxDiscount = s.maxDiscount.Max(t.attachedFrom(c.blocker))
		}
	}
	from := len(t.out.discounts)
	if s.Explain {
		for _, e := range t.lists.starving {
			if t.PriorityIn(e, s.Node, OperationAndAncestors) == kind.Target() {
				t.out.discounts = append(t.out.discounts, Discount{e, t.credit(e)})
			}
		}
	}
	t.out.Stages = append(t.out.Stages, StageReport{
		Stage: kind, Unconditional: s.unconditional, Candidates: len(s.candidates), Conditional: len(s.attached),
		Discounts: t.out.discounts[from:len(t.out.discounts):len(t.out.discounts)],
	})
}

// credit is the conditional discount of an operation.
func (t *Tree) credit(e Element) resource.Vector {
	if len(t.stage.attached) == 0 {
		return resource.Vector{}
	}
	return t.attachedFrom(t.elements[e].parent)
}

// attachedFrom sums what is attached to a pool and those above it.
func (t *Tree) attachedFrom(p Element) (sum resource.Vector) {
	for ; p != None; p = t.elements[p].parent {
		sum = sum.Add(t.elements[p].attached)
	}
	return sum
}

// isAbove reports whether a pool is an ancestor of an element.
func (t *Tree) isAbove(pool, e Element) bool {
	for p := t.elements[e].parent; p != None; p = t.elements[p].parent {
		if p == pool {
			return true
		}
	}
	return false
}

func (t *Tree) resetDiscounts() {
	s := &t.stage
	s.unconditional, s.maxDiscount = resource.Vector{}, resource.Vector{}
	for _, c := range s.candidates {
		for p := t.elements[c.operation].parent; p != None; p = t.elements[p].parent {
			t.elements[p].discount = resource.Vector{}
		}
	}
	for _, c := range s.attached {
		t.elements[c.blocker].attached = resource.Vector{}
	}
}

// take preempts what has to go after a stage: until the node fits, then what
// stands under violated limits (§10.5).
func (t *Tree) take(target Priority, beneficiary Start) {
	s := &t.stage
	if beneficiary.Job != NoJob {
		for _, c := range s.attached {
			if t.isAbove(c.blocker, beneficiary.Operation) {
				s.candidates = append(s.candidates, c)
			}
		}
	}
	t.sortVictims(s.candidates)
	t.rankVictims()
	own := &t.nodes[s.Node]
	i := 0
	for ; i < len(s.candidates) && !own.usage.FitsIn(own.Limits); i++ {
		c := &s.candidates[i]
		p := t.preemption(c, target.Reason())
		p.For, p.ForOperation, p.Conditional = beneficiary.Job, beneficiary.Operation, c.conditional
		if beneficiary.Job != NoJob {
			p.Proper = ProperlyStarving(target, t.PriorityIn(beneficiary.Operation, s.Node, OperationOnly))
		}
		t.preempt(p)
	}
	for ; i < len(s.candidates); i++ {
		if c := &s.candidates[i]; !c.conditional && t.violatesLimits(c.operation) {
			t.preempt(t.preemption(c, ForViolatedLimits))
		}
	}
}

func (t *Tree) preemption(c *candidate, r Reason) Preemption {
	return Preemption{
		Job: c.job, Operation: c.operation, Resources: t.jobs[c.job].limits, Usage: t.jobs[c.job].usage, Reason: r,
		Timeout: t.options.InterruptTimeout, List: c.list, For: NoJob, ForOperation: None,
	}
}

func (t *Tree) preempt(p Preemption) {
	t.out.Preempted = append(t.out.Preempted, p)
	t.PreemptJob(p.Job)
}

// violatesLimits reports whether an operation exceeds its limits, or a pool
// above its specified limits (§10.5, §11.3).
func (t *Tree) violatesLimits(e Element) bool {
	if n := &t.elements[e]; !n.usage.FitsIn(t.enforced(n)) {
		return true
	}
	for p := t.elements[e].parent; p != None; p = t.elements[p].parent {
		if n := &t.elements[p]; t.hasSpecified(n) && !n.usage.FitsIn(t.specified(n)) {
			return true
		}
	}
	return false
}

// sortVictims puts first what is taken first.
func (t *Tree) sortVictims(list []candidate) { slices.SortStableFunc(list, t.compareVictims) }

// compareVictims orders candidates: the least protected list, then, in the lists
// that aggressive preemption takes from, jobs with unused cpu, then the latest
// start (§10.5, §17.3).
func (t *Tree) compareVictims(a, b candidate) int {
	if c := cmp.Compare(b.list, a.list); c != 0 {
		return c
	}
	if a.unusedCPU != b.unusedCPU && a.list != Preemptible && t.options.Profile != Documented {
		if a.unusedCPU {
			return -1
		}
		return 1
	}
	return cmp.Compare(b.start, a.start)
}
