package rerun

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/simulate"
)

// work holds the run times of the jobs of a task, by their index, and those of the attempts that failed
// before. Jobs beyond these run for the time more. It lives as long as the plan.
type work struct {
	runs  []core.Time
	fails map[int][]core.Time
	more  core.Time
}

// add adds what one more job does.
func (t *work) add(p *piece) {
	if len(p.fails) > 0 {
		if t.fails == nil {
			t.fails = map[int][]core.Time{}
		}
		t.fails[len(t.runs)] = p.fails
	}
	t.runs = append(t.runs, p.runs)
}

// giveWork gives every operation its work: that of the plan, whose length is estimated by that of
// the whole log.
func (r *reader) giveWork() {
	whole, begin := make([][]piece, len(r.operations)), r.plan.Window.From
	var usual estimate
	for id := range r.operations {
		o := &r.operations[id]
		o.sort()
		whole[id] = o.pieces(r.linked, r.log.To)
		for i := range whole[id] {
			usual.add(&whole[id][i])
		}
	}
	usual.sort()
	r.giveTurns()
	works, all := make([][]work, len(r.operations)), make([]stops, len(r.operations))
	for id := range r.operations {
		o, left := &r.operations[id], whole[id]
		if o.isOver(begin) {
			r.plan.Operations[id].Requests = nil
		} else if o.cut(begin) {
			left = o.pieces(r.linked, r.log.To)
		}
		all[id] = o.stops
		r.plan.Operations[id].Tasks, works[id] = r.tasks(core.OperationID(id), left, ofOperation(whole[id], &usual))
	}
	r.plan.Outcome = func(w simulate.Work) (core.Time, bool) { return outcome(works, w) }
	r.plan.Stop = func(w simulate.Work, gracefully bool) simulate.Stopping {
		return all[w.Operation].stoppingOf(w, gracefully)
	}
}

// outcome returns the run time of a job, and whether it fails then. Unplanned work ends at once.
func outcome(works [][]work, w simulate.Work) (runs core.Time, fails bool) {
	if w.Index < 0 {
		return 1, false
	}
	t := &works[w.Operation][w.Task]
	if w.Index >= len(t.runs) {
		return max(t.more, 1), false
	}
	if fails := t.fails[w.Index]; w.Attempt < len(fails) {
		return max(fails[w.Attempt], 1), true
	}
	return max(t.runs[w.Index], 1), false
}

// stops records the ends of preempted jobs of an operation, separately of those that were interrupted
// gracefully.
type stops struct{ gracefully, otherwise []simulate.Stopping }

// stoppingOf returns the end of a preempted job: that of a recorded one of its operation which was
// interrupted in the same way. If there is none, a job that is interrupted gracefully runs on, since it
// may (core/spec/scheduling.md §10.6), and another stops at once.
func (s *stops) stoppingOf(w simulate.Work, gracefully bool) simulate.Stopping {
	recorded, unknown := s.otherwise, simulate.Stopping{}
	if gracefully {
		recorded, unknown = s.gracefully, simulate.Stopping{Interruptible: true, Takes: -1}
	}
	if len(recorded) == 0 {
		return unknown
	}
	return recorded[(w.Index+1+w.Attempt)%len(recorded)]
}

// tasks are those of an operation, whose moments it sets.
func (r *reader) tasks(id core.OperationID, pieces []piece, usual *estimate) ([]simulate.Task, []work) {
	o, planned := &r.operations[id], &r.plan.Operations[id]
	if len(planned.Requests) == 0 { // the log does not start it
		planned.Submit = r.plan.Window.To
		return nil, nil
	}
	planned.Submit, planned.Preparation = o.submitted.Value, o.preparation()
	ready := o.since(pieces)
	ready.Value = max(ready.Value, r.plan.Window.From) // what runs then is older
	lasts := func(size resource.Vector) core.Time {
		runs, known := usual.runTimeOf(size)
		if !known {
			r.unmeasured[id] = true
			return r.log.To - r.plan.Window.From // whenever it starts, it still runs at the end
		}
		return runs
	}
	b := builder{ready: ready.Value, releases: o.releases(), at: map[taskKey]int{}}
	for i := range pieces {
		p := &pieces[i]
		if !p.known {
			if o.completed {
				continue // it was done without
			}
			p.runs = max(p.runs, lasts(p.size))
		}
		b.begun(p)
	}
	if !o.completed {
		for _, t := range o.rest(pieces) {
			b.rest(t, lasts(t.Resources))
		}
	}
	if lives := o.end.Or(r.log.To) - ready.Value; len(b.tasks) == 0 && ready.Set && lives > 0 {
		return []simulate.Task{{After: lives}}, nil
	}
	return b.tasks, b.works
}

// preparation returns the recorded time from the moment at which the operation was allowed to run until
// it could get jobs.
func (o *operation) preparation() core.Time {
	switch {
	case !o.ready.Set:
		return 0
	case o.running.Set:
		return max(o.ready.Value-o.running.Value, 0)
	case o.waited:
		return 0
	}
	return max(o.ready.Value-o.submitted.Value, 0)
}

// since returns the time from which the operation could get jobs, or the first sign of that.
func (o *operation) since(pieces []piece) core.Optional[core.Time] {
	at := o.ready
	if len(o.wants) > 0 && !at.Set {
		at = core.Some(o.wants[0].at)
	}
	if len(pieces) > 0 {
		at = earlier(at, pieces[0].start)
	}
	return at
}

// A release is all work that is known to be wanted by a time: begun, and in demand.
type release struct {
	at  core.Time
	sum resource.Vector
}

// releases are the moments at which more work was wanted than ever before.
func (o *operation) releases() []release {
	type change struct {
		at   core.Time
		size resource.Vector
	}
	var changes []change
	for i := range o.attempts {
		a := &o.attempts[i]
		changes = append(changes, change{a.start, a.size})
		if a.finish.Set && a.end != core.EndCompleted { // its work is in demand again
			changes = append(changes, change{a.finish.Value, resource.Vector{}.Sub(a.size)})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var begun, most resource.Vector
	var all []release
	for _, w := range o.wants {
		// Demand stands before the jobs of its instant.
		for ; len(changes) > 0 && changes[0].at < w.at; changes = changes[1:] {
			begun = begun.Add(changes[0].size)
		}
		if sum := most.Max(begun.Add(w.needed)); sum != most {
			most = sum
			all = append(all, release{w.at, most})
		}
	}
	return all
}

// rest is the work of the last demand that was never begun.
func (o *operation) rest(pieces []piece) []simulate.Task {
	if len(o.wants) == 0 {
		return nil
	}
	last := o.wants[len(o.wants)-1]
	var sizes []resource.Vector
	take := func(size resource.Vector) {
		last.needed, last.jobs = last.needed.Sub(size), last.jobs-1
	}
	for i := range o.attempts {
		if o.attempts[i].start >= last.at {
			take(o.attempts[i].size)
		}
	}
	for i := range pieces {
		p := &pieces[i]
		if p.left.Set && p.left.Value < last.at && !p.known {
			take(p.size)
		}
		if !slices.Contains(sizes, p.size) {
			sizes = append(sizes, p.size)
		}
	}
	if !last.least.IsZero() && !slices.Contains(sizes, last.least) {
		sizes = append(sizes, last.least)
	}
	return inJobs(last.needed.Max(resource.Vector{}), last.jobs, sizes)
}
