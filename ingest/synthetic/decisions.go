package synthetic

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
)

// conditions are the words of when: what holds on a heartbeat for which the policy
// decides c.
var conditions = map[string]func(f *field, d *Fault, h *simulate.Heartbeat, c *core.Decision) bool{
	"preemptive":     func(_ *field, _ *Fault, _ *simulate.Heartbeat, c *core.Decision) bool { return c.Preemptive },
	"not_preemptive": func(_ *field, _ *Fault, _ *simulate.Heartbeat, c *core.Decision) bool { return !c.Preemptive },
	"no_start":       func(_ *field, _ *Fault, _ *simulate.Heartbeat, c *core.Decision) bool { return len(c.Started) == 0 },
	"no_victim":      func(_ *field, _ *Fault, _ *simulate.Heartbeat, c *core.Decision) bool { return len(c.Preempted) == 0 },
	"overcommitted": func(_ *field, _ *Fault, _ *simulate.Heartbeat, c *core.Decision) bool {
		return len(c.Preempted) > 0 && c.Preempted[0].Reason == scheduling.ForOvercommit
	},
	"not_started": func(f *field, d *Fault, _ *simulate.Heartbeat, c *core.Decision) bool {
		return !slices.ContainsFunc(c.Started, func(s core.DecidedStart) bool { return s.Operation == f.operation(d.Operation) })
	},
	"wanted": func(f *field, d *Fault, h *simulate.Heartbeat, _ *core.Decision) bool {
		return wanted(h, f.operation(d.Operation))
	},
	"fits": func(f *field, d *Fault, h *simulate.Heartbeat, _ *core.Decision) bool {
		return f.size(f.operation(d.Operation)).FitsIn(h.Free())
	},
	"elsewhere": func(f *field, d *Fault, h *simulate.Heartbeat, _ *core.Decision) bool {
		jobs := h.OperationJobs(f.operation(d.Operation))
		return len(jobs) > 0 && len(here(h, jobs)) == 0
	},
	"starving": func(f *field, d *Fault, h *simulate.Heartbeat, _ *core.Decision) bool {
		return starving(h, f.operation(d.Operation)) != scheduling.NonStarving
	},
	"starving_aggressively": func(f *field, d *Fault, h *simulate.Heartbeat, _ *core.Decision) bool {
		return starving(h, f.operation(d.Operation)) == scheduling.AggressivelyStarving
	},
	"victim_starving": func(f *field, d *Fault, h *simulate.Heartbeat, _ *core.Decision) bool {
		return starving(h, f.operation(d.Victim)) != scheduling.NonStarving
	},
}

// holds reports whether the fault has its node and its conditions.
func (f *field) holds(d *Fault, h *simulate.Heartbeat, c *core.Decision) bool {
	if d.Nodes != nil && !slices.ContainsFunc(d.Nodes, func(name string) bool { return f.nodes[h.Node].address == f.text(name) }) {
		return false
	}
	return !slices.ContainsFunc(d.When, func(word string) bool { return !conditions[word](f, d, h, c) })
}

// decide alters decisions; do says whether it altered one.
func (f *field) decide(do func(h *simulate.Heartbeat, c *core.Decision) bool) {
	f.watched = true
	before := f.injector.Decide
	f.injector.Decide = func(h *simulate.Heartbeat, c *core.Decision) *core.Decision {
		c = before(h, c)
		f.noteEffect(do(h, c) && h.At < f.to) // what comes later is not recorded
		return c
	}
}

// once alters one decision: that of the first heartbeat of the fault's span for
// which do says that it did.
func (f *field) once(d *Fault, do func(h *simulate.Heartbeat, c *core.Decision) bool) {
	done := false
	f.decide(func(h *simulate.Heartbeat, c *core.Decision) bool {
		if done || h.At < f.from || h.Tree != f.tree || d.Lasts > 0 && h.At >= f.from+core.Time(d.Lasts) {
			return false
		}
		done = do(h, c)
		return done
	})
}

// during alters the decisions of the fault's span.
func (f *field) during(d *Fault, do func(h *simulate.Heartbeat, c *core.Decision) bool) {
	to := f.to
	if d.Lasts > 0 {
		to = f.from + core.Time(d.Lasts)
	}
	f.decide(func(h *simulate.Heartbeat, c *core.Decision) bool {
		return h.At >= f.from && (h.At < to || d.ForGood) && do(h, c)
	})
}

// instead alters the first preemption for an operation that the policy decides.
func (f *field) instead(d *Fault, do func(h *simulate.Heartbeat, c *core.Decision) bool) {
	f.once(d, func(h *simulate.Heartbeat, c *core.Decision) bool {
		return len(c.Preempted) > 0 && c.Preempted[0].Preemptor >= 0 && do(h, c)
	})
}

// start starts jobs that the policy does not.
func start(f *field, d *Fault) {
	o := f.operation(d.Operation)
	one := func(h *simulate.Heartbeat, c *core.Decision) bool {
		if !f.holds(d, h, c) || len(c.Started) < d.Started || d.Jobs > 0 && len(h.OperationJobs(o)) != d.Jobs {
			return false
		}
		c.Started = append(c.Started, core.DecidedStart{Operation: o, Resources: f.size(o), Stage: scheduling.RegularMedium})
		return true
	}
	if d.Most == 0 {
		f.once(d, one)
		return
	}
	f.during(d, func(h *simulate.Heartbeat, c *core.Decision) bool {
		return len(h.OperationJobs(o)) < d.Most && one(h, c)
	})
}

// startInstead starts jobs of another operation in place of one's, at the given number of moments at
// least a second apart, so that one declined offer cannot explain two of them.
func startInstead(f *field, d *Fault) {
	o, other := f.operation(d.Operation), f.operation(d.Other)
	left, last := max(1, d.Moments), f.from-core.Second
	f.once(d, func(h *simulate.Heartbeat, c *core.Decision) bool {
		bent := false
		for i := range c.Started {
			if s := &c.Started[i]; s.Operation == o && (d.Stage == "" || s.Stage.String() == d.Stage) {
				s.Operation, s.Stage, bent = other, scheduling.RegularMedium, true
			}
		}
		if bent && h.At-last >= core.Second {
			left, last = left-1, h.At
		}
		return left == 0
	})
}

// enlarge has the first job take so many slots.
func enlarge(f *field, d *Fault) {
	f.once(d, func(_ *simulate.Heartbeat, c *core.Decision) bool {
		if len(c.Started) == 0 {
			return false
		}
		c.Started[0].Resources[resource.UserSlots] = d.Slots
		return true
	})
}

// withholdFor has an operation, or all on a node, get nothing.
func withholdFor(f *field, d *Fault) {
	f.during(d, func(h *simulate.Heartbeat, c *core.Decision) bool {
		before := len(c.Started) + len(c.Preempted)
		switch {
		case !f.holds(d, h, c), d.Period > 0 && (h.At-f.from)%core.Time(d.Period) < core.Time(d.But):
		case d.Operation != "":
			withhold(c, f.operation(d.Operation))
		default:
			c.Started, c.Preempted = nil, nil
		}
		return len(c.Started)+len(c.Preempted) != before
	})
}

func preemptNothing(_ *simulate.Heartbeat, c *core.Decision) bool {
	taken := len(c.Preempted)
	c.Preempted = c.Preempted[:0]
	return taken > 0
}

// takeForNothing takes jobs that make room for none.
func takeForNothing(f *field, d *Fault) {
	f.once(d, func(h *simulate.Heartbeat, c *core.Decision) bool {
		jobs, n := f.candidates(d, h), max(1, d.Count)
		if d.Besides > 0 {
			taken := len(c.Preempted)
			if taken < d.Besides || len(jobs) < taken {
				return false
			}
			jobs = jobs[taken:]
		}
		if !f.holds(d, h, c) || len(jobs) < n {
			return false
		}
		if d.Oldest {
			jobs = jobs[len(jobs)-n:]
		}
		if d.Instead {
			c.Preempted = c.Preempted[:0]
		}
		for _, j := range jobs[:n] {
			d.addVictim(c, j, -1)
		}
		return true
	})
}

// takeFor starts a job of the operation and takes what makes room for it.
func takeFor(f *field, d *Fault) {
	o, done, last := f.operation(d.Operation), false, map[core.NodeID]core.Time{}
	denied := []core.OperationID{o}
	if d.Other != "" {
		denied = append(denied, f.operation(d.Other))
	}
	if d.Withhold {
		f.decide(func(_ *simulate.Heartbeat, c *core.Decision) bool {
			if !done {
				withhold(c, o)
			}
			return false
		})
	}
	f.once(d, func(h *simulate.Heartbeat, c *core.Decision) bool {
		if d.Backoff > 0 {
			if len(c.Preempted) > 0 { // only such a report is recorded for sure
				last[h.Node] = h.At
				return false
			}
			if h.At-last[h.Node] >= core.Time(d.Backoff) {
				return false
			}
		}
		jobs := f.candidates(d, h)
		if !f.holds(d, h, c) || d.Latest+d.Exceeds > 0 && len(jobs) == 0 {
			return false
		}
		withhold(c, denied...)
		if d.Age > 0 && (len(jobs) == 0 || h.At-jobs[0].Start < core.Time(d.Age)) {
			return false
		}
		if d.Count > 0 {
			jobs = jobs[:d.Count]
		} else if jobs = f.enough(d, h); jobs == nil {
			return false
		}
		place := f.startFor(c, o, d.reason())
		for _, j := range jobs {
			d.addVictim(c, j, place)
		}
		done = true
		return true
	})
}

// enough are the latest jobs of the victim on the node that make room for one of the
// operation, nil if all do not.
func (f *field) enough(d *Fault, h *simulate.Heartbeat) []simulate.NodeJob {
	free, wants := h.Free(), f.size(f.operation(d.Operation))
	jobs := here(h, latest(h, f.operation(d.Victim), latestJobs))
	n := 0
	for ; n < len(jobs) && !wants.FitsIn(free); n++ {
		free = free.Add(jobs[n].Resources)
	}
	if n == 0 || !wants.FitsIn(free) {
		return nil
	}
	return jobs[:n]
}

// takeForNobody takes the victim without starting the job.
func takeForNobody(f *field, d *Fault) {
	f.instead(d, func(_ *simulate.Heartbeat, c *core.Decision) bool {
		if len(c.Preempted) != 1 {
			return false
		}
		victim := c.Preempted[0]
		withhold(c, f.operation(d.Operation))
		victim.Preemptor, victim.Proper = -1, false
		c.Preempted = append(c.Preempted, victim)
		return true
	})
}

// takeFrom takes jobs of another operation in place of the victim's.
func takeFrom(f *field, d *Fault) {
	victim, other := f.operation(d.Victim), f.operation(d.Other)
	f.decide(func(h *simulate.Heartbeat, c *core.Decision) (bent bool) {
		if h.At < f.from {
			return false
		}
		withhold(c, other) // which would take its share back
		jobs := here(h, latest(h, other, latestJobs))
		for i := range c.Preempted {
			if p := &c.Preempted[i]; p.Operation == victim && len(jobs) > i {
				p.Job, p.Operation, bent = jobs[i].ID, other, true
			}
		}
		return bent
	})
}

// settled is the time after a preemption by which its node's backoff is over, and every update
// that may be the last one before the next decision includes it.
const settled = 8 * core.Second

// takeBack takes for the victim a job of the operation that took some from it.
func takeBack(f *field, d *Fault) {
	o, victim, lost, back := f.operation(d.Operation), f.operation(d.Victim), core.Time(0), false
	f.decide(func(h *simulate.Heartbeat, c *core.Decision) bool {
		switch mine := here(h, latest(h, o, 1)); {
		case h.At < f.from || back:
		case len(c.Preempted) > 0:
			lost = h.At
		case wanted(h, o) || h.At < lost+settled: // both have their share, then
		case lost > 0 && len(mine) > 0 && wanted(h, victim):
			d.addVictim(c, mine[0], f.startFor(c, victim, d.reason()))
			back = true
			return true
		}
		return false
	})
}

// takeFewer takes one victim where it needs more.
func takeFewer(f *field, d *Fault) {
	f.instead(d, func(_ *simulate.Heartbeat, c *core.Decision) bool {
		if len(c.Preempted) < 2 {
			return false
		}
		c.Preempted = c.Preempted[:1]
		return true
	})
}

// takeMore takes a second victim, for the same job or for one that is started, too.
func takeMore(f *field, d *Fault) {
	f.instead(d, func(h *simulate.Heartbeat, c *core.Decision) bool {
		jobs := f.candidates(d, h)
		if len(jobs) < 2 {
			return false
		}
		c.Preempted = c.Preempted[:1]
		place := c.Preempted[0].Preemptor
		if d.Started > 0 {
			place = f.startFor(c, f.operation(d.Operation), d.reason())
		}
		d.addVictim(c, jobs[1], place)
		return true
	})
}

// swapVictim takes the oldest job in place of the policy's victim.
func swapVictim(f *field, d *Fault) {
	f.instead(d, func(h *simulate.Heartbeat, c *core.Decision) bool {
		jobs := f.candidates(d, h)
		oldest := len(jobs) - 1
		if len(jobs) < d.Least || jobs[oldest].Start == jobs[0].Start {
			return false
		}
		c.Preempted[0].Job = jobs[oldest].ID
		if d.List != "" {
			c.Preempted[0].List = d.list()
		}
		return true
	})
}

// claimStage says that another stage took the job.
func claimStage(f *field, d *Fault) {
	f.instead(d, func(_ *simulate.Heartbeat, c *core.Decision) bool {
		p := &c.Preempted[0]
		p.Reason = d.reason()
		c.Started[p.Preemptor].Stage, _ = p.Reason.Stage()
		return true
	})
}

// claimLevel says of one of several victims that it is the better protected: of the
// youngest, or of any where all started together.
func claimLevel(f *field, d *Fault) {
	f.instead(d, func(h *simulate.Heartbeat, c *core.Decision) bool {
		if len(c.Preempted) < 2 {
			return false
		}
		youngest, differ := youngestOf(f.candidates(d, h), c.Preempted)
		if differ != (d.Of == "youngest") {
			return false
		}
		c.Preempted[youngest].List = scheduling.AggressivelyPreemptible
		return true
	})
}

// youngestOf is the place among victims of the one that started last, and whether
// another started before it.
func youngestOf(jobs []simulate.NodeJob, victims []core.DecidedPreemption) (youngest int, differ bool) {
	start := func(place int) core.Time {
		i := slices.IndexFunc(jobs, func(j simulate.NodeJob) bool { return j.ID == victims[place].Job })
		if i < 0 {
			return 0
		}
		return jobs[i].Start
	}
	for place := range victims {
		differ = differ || start(place) != start(0)
		if start(place) > start(youngest) {
			youngest = place
		}
	}
	return youngest, differ
}

// size returns the resources of a job of an operation's first task.
func (f *field) size(o core.OperationID) resource.Vector {
	return f.plan.Operations[o].Tasks[0].Resources
}

// startFor adds a start with preemption to a decision and returns its place.
func (f *field) startFor(c *core.Decision, o core.OperationID, reason scheduling.Reason) int {
	stage, _ := reason.Stage()
	c.Started = append(c.Started, core.DecidedStart{Operation: o, Resources: f.size(o), Stage: stage})
	c.Preemptive = true
	return len(c.Started) - 1
}

// interruptTimeout is the default of job_interrupt_timeout
// (core/spec/scheduling.md §3.1).
const interruptTimeout = 10 * core.Second

// addVictim adds a victim to a decision, for the start with an index, -1 for none.
func (d *Fault) addVictim(c *core.Decision, j simulate.NodeJob, place int) {
	c.Preempted = append(c.Preempted, core.DecidedPreemption{
		Job: j.ID, Operation: j.Operation, Reason: d.reason(), Timeout: cmp.Or(core.Time(d.Timeout), interruptTimeout),
		List: d.list(), Preemptor: place, Proper: place >= 0,
	})
}

func (d *Fault) reason() scheduling.Reason {
	return word[scheduling.Reason](cmp.Or(d.Reason, scheduling.ForPreemption.String()))
}

func (d *Fault) list() scheduling.List {
	return word[scheduling.List](cmp.Or(d.List, scheduling.Preemptible.String()))
}

// latestJobs is the default number of jobs of a victim that are considered.
const latestJobs = 20

// candidates returns the jobs of the victim that may be preempted, the latest first.
func (f *field) candidates(d *Fault, h *simulate.Heartbeat) []simulate.NodeJob {
	n := cmp.Or(d.Latest, latestJobs)
	if d.Exceeds > 0 {
		n = max(0, d.Exceeds-len(h.OperationJobs(f.operation(d.Operation))))
	}
	return here(h, latest(h, f.operation(d.Victim), n))
}

// withhold takes what was decided for some operations out of a decision.
func withhold(c *core.Decision, operations ...core.OperationID) {
	var started []core.DecidedStart
	var preempted []core.DecidedPreemption
	place := map[int]int{-1: -1}
	for i, s := range c.Started {
		if !slices.Contains(operations, s.Operation) {
			place[i] = len(started)
			started = append(started, s)
		}
	}
	for _, p := range c.Preempted {
		if at, kept := place[p.Preemptor]; kept {
			p.Preemptor = at
			preempted = append(preempted, p)
		}
	}
	c.Started, c.Preempted = started, preempted
}

// latest returns the last n jobs that an operation started, the latest first.
func latest(h *simulate.Heartbeat, o core.OperationID, n int) []simulate.NodeJob {
	all := h.OperationJobs(o)
	slices.Reverse(all)
	return all[:min(n, len(all))]
}

// here keeps the jobs that run on the node of the heartbeat.
func here(h *simulate.Heartbeat, jobs []simulate.NodeJob) (list []simulate.NodeJob) {
	own := h.Jobs()
	for _, j := range jobs {
		if slices.ContainsFunc(own, func(x simulate.NodeJob) bool { return x.ID == j.ID }) {
			list = append(list, j)
		}
	}
	return list
}

// starving reports whether an operation starves by itself in the heartbeat's tree.
func starving(h *simulate.Heartbeat, o core.OperationID) scheduling.Status {
	t := h.State()
	slot, ok := t.OperationOf(o)
	if !ok || !t.Operation(slot).Enabled() {
		return scheduling.NonStarving
	}
	return t.Scheduling().Starvation(t.Operation(slot).Element).Status()
}

// wanted reports whether an operation waits for jobs in the heartbeat's tree.
func wanted(h *simulate.Heartbeat, o core.OperationID) bool {
	t := h.State()
	slot, ok := t.OperationOf(o)
	return ok && !t.Operation(slot).Needed.IsZero()
}
