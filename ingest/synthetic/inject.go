package synthetic

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
)

// once alters one decision: that of the first heartbeat of the fault's span for
// which do says that it did.
func (f *field) once(do func(h *simulate.Heartbeat, d *core.Decision) bool) {
	done := false
	f.tells = true
	f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
		if !done && h.At >= f.from && h.Tree == f.tree {
			done = do(h, d)
			f.happened = done && h.At < f.to // later is not what is told
		}
		return d
	}
}

// size is what a job of an operation's first task takes.
func (f *field) size(o core.OperationID) resource.Vector {
	return f.plan.Operations[o].Tasks[0].Resources
}

// start adds a regular start to a decision.
func (f *field) start(d *core.Decision, o core.OperationID) {
	d.Started = append(d.Started, core.DecidedStart{Operation: o, Resources: f.size(o), Stage: scheduling.RegularMedium})
}

// startFor adds a start with preemption to a decision and returns its place.
func (f *field) startFor(d *core.Decision, o core.OperationID, stage scheduling.Stage) int {
	d.Started = append(d.Started, core.DecidedStart{Operation: o, Resources: f.size(o), Stage: stage})
	d.Preemptive = true
	return len(d.Started) - 1
}

// interruptTimeout is the default of job_interrupt_timeout
// (core/spec/scheduling.md §3.1).
const interruptTimeout = 10 * core.Second

// take adds a victim to a decision, for the start in a place, -1 for none.
func take(d *core.Decision, j simulate.NodeJob, list scheduling.List, reason scheduling.Reason, place int) {
	d.Preempted = append(d.Preempted, core.DecidedPreemption{
		Job: j.ID, Operation: j.Operation, Reason: reason, Timeout: interruptTimeout, List: list, For: place, Proper: place >= 0,
	})
}

// withhold takes what was decided for some operations out of a decision.
func withhold(d *core.Decision, operations ...core.OperationID) {
	var started []core.DecidedStart
	var preempted []core.DecidedPreemption
	place := map[int]int{-1: -1}
	for i, s := range d.Started {
		if !slices.Contains(operations, s.Operation) {
			place[i] = len(started)
			started = append(started, s)
		}
	}
	for _, p := range d.Preempted {
		if at, kept := place[p.For]; kept {
			p.For = at
			preempted = append(preempted, p)
		}
	}
	d.Started, d.Preempted = started, preempted
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

// starving reports whether an operation starves by itself in the plant's tree.
func (f *field) starving(h *simulate.Heartbeat, o core.OperationID) scheduling.Status {
	t := h.State()
	slot, ok := t.OperationOf(o)
	if !ok || !t.Operation(slot).Enabled() {
		return scheduling.NonStarving
	}
	return t.Scheduling().Starvation(t.Operation(slot).Element).Status()
}

// run has an operation marked running at the fault's beginning.
func (f *field) run(o core.OperationID) {
	f.fact(core.Event{
		Time: f.from, Kind: core.OperationChanged, Step: core.StepRunning, Operation: o,
		Pool: core.Unknown, Node: core.Unknown, Job: core.Unknown, For: core.Unknown,
	})
}

// fact adds an event to those of the plant's tree.
func (f *field) fact(e core.Event) {
	t := &f.plan.Trees[f.tree]
	t.Facts = append(t.Facts, e)
	slices.SortStableFunc(t.Facts, func(a, b core.Event) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Kind, b.Kind))
	})
}

// record has the snapshots of the fault's span recorded wrongly.
func (f *field) record(d distortion) {
	d.in, d.during = f.tree, core.Span{From: f.from, To: f.to}
	f.recorder.distort = append(f.recorder.distort, d)
}

// wanted reports whether an operation waits for jobs in the plant's tree.
func wanted(h *simulate.Heartbeat, o core.OperationID) bool {
	t := h.State()
	slot, ok := t.OperationOf(o)
	return ok && !t.Operation(slot).Needed.IsZero()
}

// node is the number of a node whose name goes on after the plant's so.
func (f *field) node(rest string) int {
	return slices.IndexFunc(f.nodes, func(n node) bool { return n.address == f.plant.treeName()+rest })
}

// pool is the number of a pool in the plant's tree.
func (f *field) pool(name string) core.PoolID { return f.poolIDs[f.tree][name] }

// place alters where an operation lands.
func (f *field) place(o core.OperationID, alter func(pool string, refused error) (string, error)) {
	f.injector.Place = func(_ core.Time, _ int, asked core.OperationID, pool string, refused error) (string, error) {
		if asked == o {
			return alter(pool, refused)
		}
		return pool, refused
	}
}
