package whatif

import (
	"slices"
	"time"

	"poolproof/core"
	"poolproof/core/simulate"
)

// A forbidden is a kind of preemptions that do not happen.
type forbidden struct {
	from, to            core.Time
	victim, beneficiary func(*core.Tree, core.OperationID) bool // nil: any
	job                 string                                  // "": any
}

// forbidPreemptions has the scheduler neither take the jobs nor start what they were to make
// room for.
func (a *application) forbidPreemptions() error {
	var all []forbidden
	for _, e := range a.preemptions {
		if e.Victim == "" && e.Beneficiary == "" && e.Job == "" {
			return a.errorf("preemptions", "name the victim, the beneficiary or the job of the preemptions that do not happen")
		}
		f := forbidden{from: a.at, to: a.plan.Window.To, job: e.Job}
		if e.From != nil {
			f.from = max(f.from, core.Time(*e.From))
		}
		if e.To != nil {
			f.to = core.Time(*e.To)
		}
		var err error
		if f.victim, err = a.party(e.Victim); err != nil {
			return err
		}
		if f.beneficiary, err = a.party(e.Beneficiary); err != nil {
			return err
		}
		all = append(all, f)
	}
	if len(all) == 0 {
		return nil
	}
	before := a.plan.FaultInjector.Decide
	a.plan.FaultInjector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
		if before != nil {
			d = before(h, d)
		}
		return without(d, func(p *core.DecidedPreemption) bool {
			return slices.ContainsFunc(all, func(f forbidden) bool {
				return h.At >= f.from && h.At < f.to && (f.job == "" || f.job == h.Name(p.Job)) &&
					(f.victim == nil || f.victim(h.State(), p.Operation)) &&
					(f.beneficiary == nil || p.Preemptor >= 0 && f.beneficiary(h.State(), d.Started[p.Preemptor].Operation))
			})
		})
	}
	return nil
}

// party resolves a name: a pool, with those below it, or an operation.
func (a *application) party(name string) (func(*core.Tree, core.OperationID) bool, error) {
	if name == "" {
		return nil, nil
	}
	if slices.ContainsFunc(a.plan.Dimensions.Pools, func(p core.PoolInfo) bool { return p.Name == name }) {
		return func(t *core.Tree, o core.OperationID) bool { return isWithin(t, o, a.plan.Dimensions, name) }, nil
	}
	id, err := a.operation("preemptions", name)
	return func(_ *core.Tree, o core.OperationID) bool { return o == id }, err
}

// Decides reports whether the edits take decisions from the policy: preemptions that do not happen.
func (e *Edits) Decides() bool { return e != nil && len(e.preemptions) > 0 }

// forbids reports whether a tree may have preemptions that do not happen.
func (e *Edits) forbids(p *simulate.Plan, tree int) bool {
	if e == nil {
		return false
	}
	a := application{Edits: e, plan: p}
	return slices.ContainsFunc(e.preemptions, func(own preemptionEdit) bool {
		return a.mayBeIn(own.Victim, tree) && a.mayBeIn(own.Beneficiary, tree) && (own.Job == "" || a.treeOf(own.Job) == tree)
	})
}

// mayBeIn reports whether a tree may have who a name means. An operation is in a tree that it asks
// for, or in one that has to do with that.
func (a *application) mayBeIn(name string, tree int) bool {
	pool := func(p core.PoolInfo) bool { return p.Name == name }
	if name == "" || slices.ContainsFunc(a.plan.Dimensions.Pools, pool) {
		return name == "" || slices.ContainsFunc(a.plan.Dimensions.Pools, func(p core.PoolInfo) bool { return pool(p) && p.Tree == a.plan.Trees[tree].Name })
	}
	id, err := a.operation("preemptions", name)
	return err == nil && slices.ContainsFunc(a.plan.Operations[id].Requests, func(r simulate.Request) bool { return r.Tree == tree })
}

// treeOf is the tree in which a job may start; none if no job has the name.
func (a *application) treeOf(job string) int {
	if id := (&component{plan: a.plan}).named(job); id != core.Unknown {
		return int(id) % len(a.plan.Trees)
	}
	return core.Unknown
}

// isWithin reports whether an operation is in a pool or below it.
func isWithin(t *core.Tree, o core.OperationID, dims *core.Dimensions, name string) bool {
	slot, ok := t.OperationOf(o)
	if !ok {
		return false
	}
	for pool := t.Operation(slot).Pool; pool > 0; pool = t.Pool(pool).Parent {
		if id := t.Pool(pool).ID; id >= 0 && dims.Pools[id].Name == name {
			return true
		}
	}
	return false
}

// without is a decision without some preemptions, the starts that they make room for, and
// whatever else those take.
func without(d *core.Decision, forbids func(*core.DecidedPreemption) bool) *core.Decision {
	withheld := map[int]bool{} // starts
	drop := make([]bool, len(d.Preempted))
	for i := range d.Preempted {
		if p := &d.Preempted[i]; forbids(p) {
			drop[i] = true
			if p.Preemptor >= 0 {
				withheld[p.Preemptor] = true
			}
		}
	}
	if !slices.Contains(drop, true) {
		return d
	}
	own := *d
	own.Started, own.Preempted = nil, nil
	place := make([]int, len(d.Started))
	for i, s := range d.Started {
		if place[i] = len(own.Started); !withheld[i] {
			own.Started = append(own.Started, s)
		}
	}
	for i, p := range d.Preempted {
		if drop[i] || p.Preemptor >= 0 && withheld[p.Preemptor] {
			continue
		}
		if p.Preemptor >= 0 {
			p.Preemptor = place[p.Preemptor]
		}
		own.Preempted = append(own.Preempted, p)
	}
	return &own
}

func timeText(t core.Time) string {
	return time.UnixMicro(int64(t)).UTC().Format("2006-01-02T15:04:05.999999Z")
}
