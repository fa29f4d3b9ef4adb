package synthetic

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/simulate"
)

// An operation is one that was drawn.
type operation struct {
	name  string // of an operation of the description, else of its workload
	id    string
	user  string
	at    core.Time
	abort core.Time // when its user aborts it; 0: never
	jobs  []int     // by task
	seed  uint64
	kind  *Kind
}

// draw draws the operations of a description in the order of their beginning.
func draw(s *Spec, seed uint64) []operation {
	span := s.window()
	var all []operation
	for i := range s.Workloads {
		w := &s.Workloads[i]
		users := expand(w.Users)
		r := random(seed, "workload "+w.Name, 0)
		for n, at := range arrivals(r, w.Arrivals, span) {
			o := drawOne(seed, w.Name, int64(n), at, &w.Kind)
			o.user = users[r.IntN(len(users))]
			all = append(all, o)
		}
	}
	for i := range s.Operations {
		d := &s.Operations[i]
		o := drawOne(seed, "operation "+d.Name, 0, span.From+core.Time(d.At), &d.Kind)
		o.name, o.user = d.Name, d.User
		all = append(all, o)
	}
	slices.SortStableFunc(all, func(a, b operation) int { return cmp.Compare(a.at, b.at) })
	return all
}

func drawOne(seed uint64, purpose string, n int64, at core.Time, k *Kind) operation {
	r := random(seed, "operation of "+purpose, n)
	o := operation{name: purpose, id: guid(r), at: at, seed: r.Uint64(), kind: k}
	for _, t := range k.Tasks {
		o.jobs = append(o.jobs, between(r, t.Jobs[0], t.Jobs[1]))
	}
	if r.Float64() < k.Aborts {
		o.abort = at + 5*core.Second + core.Time(r.ExpFloat64()*float64(60*core.Second))
	}
	return o
}

// window is the span that the description covers.
func (s *Spec) window() core.Span {
	return core.Span{From: core.Time(s.Start), To: core.Time(s.Start) + core.Time(s.Length)}
}

// outcome says how long a job runs, and whether it fails: at some point on the
// way.
func outcome(all []operation, w simulate.Work) (runs core.Time, fails bool) {
	o := &all[w.Operation]
	r := random(o.seed, "job", int64(w.Task)<<48|int64(w.Index+1)<<16|int64(w.Attempt))
	runs = logNormal(r, o.kind.Tasks[w.Task].Seconds)
	if r.Float64() < o.kind.JobFailures {
		return max(core.Time(r.Float64()*float64(runs)), core.Second), true
	}
	return runs, false
}

// stop says how a job leaves: one that cannot be interrupted within a moment,
// another once it has put away what it did, which takes longer than it may now
// and then.
func stop(all []operation, w simulate.Work) simulate.Stopping {
	o := &all[w.Operation]
	r := random(o.seed, "stop", int64(w.Task)<<48|int64(w.Index+1)<<16|int64(w.Attempt))
	if !o.kind.Interruptible && o.kind.PreemptionMode != "graceful" {
		return simulate.Stopping{Takes: core.Second/10 + core.Time(r.Float64()*float64(core.Second))}
	}
	return simulate.Stopping{Interruptible: true, Takes: core.Second + core.Time(r.ExpFloat64()*float64(2*core.Second))}
}
