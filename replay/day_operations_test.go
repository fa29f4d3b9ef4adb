package replay_test

import (
	"errors"
	"fmt"

	"poolproof/core"
	"poolproof/core/pooltree"
)

// dayUsers are whose the operations are, one after the other.
var dayUsers = [...]string{"ann", "ben"}

// place lets an operation start in the pool that it asks for, in that of its user
// below a hub, or not at all.
func (d *day) place(o core.OperationID) bool {
	w := &d.work[o]
	e := event(core.OperationChanged)
	e.Operation, e.Params, e.Role = o, &w.params, core.RoleRegular
	e.Spec = &core.OperationSpec{}
	e.Spec.Pool = d.dims.Pools[w.pool].Name
	name, err := d.tree.Place(d.dims.Operations[o].User, e.Spec.Pool, w.params.Gang.Value)
	if refusal := (*pooltree.Refusal)(nil); errors.As(err, &refusal) {
		e.Step, e.Pool, e.ErrorCode = core.StepRejected, w.pool, int32(refusal.Code())
		d.emit(e)
		d.rejected++
		return false
	}
	e.Step, e.Pool = core.StepStarted, d.poolNamed[name]
	d.emit(e)
	return true
}

// submit starts an operation when its time has come, and ends it when its work is
// done.
func (d *day) submit(o core.OperationID) {
	w := &d.work[o]
	switch {
	case !w.started && w.submit <= d.now:
		w.started = true
		if w.over = !d.place(o); w.over {
			return
		}
		slot, _ := d.tree.OperationOf(o)
		if d.tree.Holder(slot) < 0 {
			d.letRun(o)
		} else {
			e := event(core.OperationChanged)
			e.Operation, e.Step = o, core.StepPending
			d.emit(e)
			d.waited++
		}
		d.now++
	case w.started && !w.over && w.left+w.smalls == 0 && w.live == 0:
		w.over = true
		e := event(core.OperationChanged)
		e.Operation, e.Step = o, core.StepCompleted
		d.emit(e)
		for next, ok := d.tree.Due(); ok; next, ok = d.tree.Due() {
			d.letRun(next)
		}
		d.now++
	}
}

// letRun marks an operation running.
func (d *day) letRun(o core.OperationID) {
	e := event(core.OperationChanged)
	e.Operation, e.Step = o, core.StepRunning
	d.emit(e)
	d.work[o].running = true
	if slot, _ := d.tree.OperationOf(o); d.tree.Operation(slot).Lightweight {
		d.lightweight++
	}
	d.tellDemand(o)
}

func (d *day) tellDemand(o core.OperationID) {
	w := &d.work[o]
	e := event(core.DemandChanged)
	e.Operation, e.Needed, e.MinNeeded, e.PendingJobs = o, w.size.Times(float64(w.left)), w.size, int64(w.left+w.smalls)
	if w.smalls > 0 {
		e.Needed = e.Needed.Add(w.small.Times(float64(w.smalls)))
		if e.MinNeeded = w.small; w.left > 0 {
			e.MinNeeded = w.small.Min(w.size)
		}
	}
	d.emit(e)
}

// namePools names the pools of the configuration, and those that users may get
// below them where they are hubs.
func (d *day) namePools() {
	d.poolNamed = map[string]core.PoolID{}
	name := func(n string) {
		d.poolNamed[n] = core.PoolID(len(d.dims.Pools))
		d.dims.Pools = append(d.dims.Pools, core.PoolInfo{Tree: "tree", Name: n})
	}
	for i := range dayPools {
		name(fmt.Sprint("pool", i))
	}
	for i := range dayPools {
		for _, user := range dayUsers {
			name(fmt.Sprintf("pool%d$%s", i, user))
		}
	}
}
