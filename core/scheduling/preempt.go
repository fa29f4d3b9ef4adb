package scheduling

import (
	"cmp"
	"slices"

	"poolproof/core/resource"
)

// A Preemption is a job that a heartbeat takes away.
type Preemption struct {
	Job       Job
	Operation Element
	Resources resource.Vector // what it was granted
	Usage     resource.Vector // what it used
	Reason    Reason
	Timeout   int64 // how long it may take to stop, microseconds
	List      List  // when candidates were collected

	// PreemptorJob and Preemptor are the job that was started in its place and its operation, or
	// NoJob and None. Proper says that the preemptor starves by itself, not only through a pool
	// above it.
	PreemptorJob Job
	Preemptor    Element
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

// Enters reports whether a preemptive stage runs, given how many operations have each priority on
// the node. The normal stage always runs, because it also repairs violated limits (§9.4, §11.3).
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
	s.least = t.spare(t.options.MinSpare)
	started := t.mayContinue() && t.startInPlace(kind)
	t.resetDiscounts()
	preemptor := Start{Job: NoJob, Operation: None}
	if started {
		preemptor = t.out.Started[len(t.out.Started)-1]
	}
	t.takeVictims(target, preemptor)
	return started
}

// startInPlace offers the node, with candidates counted as gone, to the operations of the stage's
// priority.
func (t *Tree) startInPlace(kind Stage) bool {
	s := &t.stage
	target := kind.Target()
	if !t.nodes[s.Node].SSD {
		list := t.lists.byPriority[target]
		which := startNormal
		if target == Aggressive {
			which = startAggressive
		}
		return len(list) > 0 && t.fitsSomebody(t.lists.leastWith[target]) && t.runStage(kind, t.choose(which, list))
	}
	s.batch = s.batch[:0]
	for _, e := range t.lists.starving {
		if t.Priority(e, s.Node) == target {
			s.batch = append(s.batch, e)
		}
	}
	return len(s.batch) > 0 && t.fitsSomebody(t.leastOf(s.batch)) && t.runStage(kind, t.chooseAmong(s.batch))
}

// takeVictims preempts candidates after a stage: first until the node fits, then those under
// violated limits (§10.5).
func (t *Tree) takeVictims(target Priority, preemptor Start) {
	s := &t.stage
	if preemptor.Job != NoJob {
		for _, c := range s.attached {
			if t.isAbove(c.blocker, preemptor.Operation) {
				s.candidates = append(s.candidates, c)
			}
		}
	}
	t.sortVictims(s.candidates)
	t.rankVictims()
	own := &t.nodes[s.Node]
	i := 0
	for ; i < len(s.candidates) && !own.held().FitsIn(own.Limits); i++ {
		c := &s.candidates[i]
		p := t.preemption(c, target.Reason())
		p.PreemptorJob, p.Preemptor, p.Conditional = preemptor.Job, preemptor.Operation, c.conditional
		if preemptor.Job != NoJob {
			p.Proper = ProperlyStarving(target, t.PriorityIn(preemptor.Operation, s.Node, OperationOnly))
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
		Timeout: t.options.InterruptTimeout, List: c.list, PreemptorJob: NoJob, Preemptor: None,
	}
}

func (t *Tree) preempt(p Preemption) {
	t.out.Preempted = append(t.out.Preempted, p)
	t.PreemptJob(p.Job)
	t.holdTaken(&p)
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

// sortVictims sorts candidates in the order of preemption.
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
