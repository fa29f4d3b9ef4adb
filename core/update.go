package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// updates tracks what changed since the last update of shares.
type updates struct {
	stale      bool    // an input of the shares changed
	accrues    bool    // shares change with time
	staleUsage []int32 // operations whose usage or demand was not passed to the shares yet

	updated    bool            // shares were computed
	unsized    bool            // the last update was refused because the tree's total is unknown
	previous   Time            // of the last update since the scheduler became active, or Never
	shareTotal resource.Vector // the total of which the shares are fractions

	smallest [1]resource.Vector // reused
}

// LeastUpdatePeriod is the least time between updates of shares that a scheduler accepts
// (core/spec/fair-share.md §11).
const LeastUpdatePeriod = Second / 100

// UpdatePeriod returns the time between updates of shares: the configured one or one second, but at
// least LeastUpdatePeriod (core/spec/scheduling.md §6.1).
func UpdatePeriod(c *ClusterConfig) Time {
	if !c.UpdatePeriod.Set {
		return Second
	}
	return max(LeastUpdatePeriod, Time(c.UpdatePeriod.Value)*Second/1000)
}

// Stale reports whether an input of the shares changed since the last update. If volumes or
// historic usage grow with time, that is always so.
func (u *updates) Stale() bool { return u.stale || u.accrues }

// Update recomputes the fair shares at an instant (core/spec/fair-share.md §4). Elements whose
// published numbers changed are among the Changes afterwards. An input that the rules refuse gives
// an error and leaves the shares unchanged; the next update then accrues for the time of both.
func (t *Tree) Update(now Time) error {
	if t.unsized = !t.KnowsTotal(); t.unsized {
		return errUnsized
	}
	t.flush()
	for _, slot := range t.staleUsage {
		if o := &t.operations[slot]; o.Alive && o.staleUsage {
			o.staleUsage = false
			if o.enabled {
				t.shares.SetUsage(o.Element, o.Usage)
				t.shares.SetDemand(o.Element, o.Demand())
				if o.best.at != Never && o.memoryPerJob() != o.best.perJob {
					t.bestMoved = now
				}
				if o.Params.ApplyLimitsToDemand.Value && t.sortsByPending(o.Pool) { // usage determines how much of its need it may get
					t.pushOperation(slot)
				}
			}
		}
	}
	t.staleUsage = t.staleUsage[:0]
	t.pushTags(now)
	t.shares.SetTotal(t.total)
	if !t.away {
		t.allocateBest(now)
	}
	t.stale = false
	if err := t.shares.Update(int64(now), int64(t.previous)); err != nil {
		return err // starvation does not change while shares are unknown
	}
	t.updated, t.shareTotal = true, t.total
	if t.learned {
		t.countUnknownPools()
	}
	if !t.away { // otherwise nothing is scheduled and starvation stands still
		t.previous = now
		t.assignModules(now)
		t.tick(now)
		t.markStarvationUnknown(now)
		t.trackShortages(now)
	}
	for _, e := range t.shares.Changed() {
		t.touchElement(e)
	}
	return nil
}

func (t *Tree) touchElement(e fairshare.Element) {
	if pool, operation := t.owner(e); operation != none {
		t.touchOperation(operation)
	} else if pool != none {
		t.touchPool(pool)
	}
}

// Updated returns the instant of the last update that the scheduler can have made.
func (u *updates) Updated() Time { return u.previous }

// Shares returns the numbers that the last update published for an element.
func (t *Tree) Shares(e fairshare.Element) *fairshare.Result { return t.shares.Result(e) }

// Enabled reports whether the operation takes part in the fair share, that is, whether its Element
// is valid.
func (o *Operation) Enabled() bool { return o.enabled }

// enable adds a running operation to the fair share.
func (t *Tree) enable(slot int32) {
	o := &t.operations[slot]
	if o.enabled {
		return
	}
	t.resetInputs(slot)
	parent := t.pools[o.Pool].Element
	o.Element = t.shares.AddOperation(parent, t.shareOperation(o))
	t.scheduling.AddOperation(o.Element, parent, t.schedulingOperation(o))
	o.enabled = true
	t.pushSample(slot)
	t.pushNeeds(slot)
	t.pools[o.Pool].count(o, 1)
	t.setOwner(o.Element, none, slot)
	t.queueOperation(slot)
	t.touchShares(slot)
}

// disable removes a pending operation from the fair share.
func (t *Tree) disable(slot int32) {
	o := &t.operations[slot]
	if !o.enabled {
		return
	}
	t.scheduling.OperationJobs(o.Element, func(j scheduling.Job) { // preempted and still in the lists
		delete(t.leaving, t.jobID[j])
		t.scheduling.RemoveJob(j)
	})
	t.scheduling.Remove(o.Element)
	t.shares.Remove(o.Element)
	t.setHeld(slot, resource.Vector{})
	o.enabled = false
	t.pools[o.Pool].count(o, -1)
	t.queueOperation(slot)
	t.stale = true
}

// pushOperation passes an operation's changed settings to the shares.
func (t *Tree) pushOperation(slot int32) {
	o := &t.operations[slot]
	if o.enabled {
		t.shares.SetOperation(o.Element, t.shareOperation(o))
		t.scheduling.SetOperation(o.Element, t.schedulingOperation(o))
		t.pushNeeds(slot)
		t.stale = true
	}
}

// pushOperations passes on the settings of all operations again.
func (t *Tree) pushOperations() {
	for slot := range t.operations {
		if t.operations[slot].Alive {
			t.pushOperation(int32(slot))
		}
	}
}

// pushNeeds passes on an operation's pending jobs, and why it does not take part.
func (t *Tree) pushNeeds(slot int32) {
	o := &t.operations[slot]
	if !o.enabled {
		return
	}
	needs := scheduling.Needs{Unschedulable: o.unschedulable()}
	if !o.Needed.IsZero() && o.Needed[resource.UserSlots] == 0 { // the log counts no slots
		needs.Jobs = max(o.PendingJobs, 1)
	}
	needs.Waits = max(needs.Jobs, o.Needed[resource.UserSlots])
	t.smallest[0] = o.smallestJob()
	needs.Smallest = t.smallest[:]
	t.scheduling.SetNeeds(o.Element, needs)
}

// LeastJob returns, per resource, the least that any pending job of the operations below a pool
// takes; zero if none waits.
func (t *Tree) LeastJob(pool int32) (least resource.Vector) {
	found := false
	t.EachWaiting(pool, func(_ int32, o *Operation) bool {
		job := o.smallestJob()
		if found {
			job = least.Min(job)
		}
		least, found = job, true
		return true
	})
	return least
}

// EachWaiting calls visit with the operations below a pool that wait for resources,
// until it returns false.
func (t *Tree) EachWaiting(pool int32, visit func(slot int32, o *Operation) bool) {
	for slot := range t.operations {
		o := &t.operations[slot]
		if o.Alive && o.enabled && !o.Needed.IsZero() && t.IsWithin(o.Pool, pool) && !visit(int32(slot), o) {
			return
		}
	}
}

// tick updates the starvation of all elements at an instant, by the shares of the last update
// (core/spec/scheduling.md §6.1).
func (t *Tree) tick(now Time) {
	t.scheduling.SetTickPeriod(int64(UpdatePeriod(&t.cluster)), int64(t.now))
	t.scheduling.Tick(int64(now))
	for _, e := range t.scheduling.Turned() {
		t.touchElement(e)
	}
}

// NextTick returns the next instant at which the starvation or best allocation of an element
// changes, or totals by tag begin to apply, if no event comes before; ok is false if nothing
// changes.
func (t *Tree) NextTick() (at Time, ok bool) {
	next := t.scheduling.NextDeadline()
	at, ok = Time(next), next != scheduling.Never
	if best, some := t.nextBestAllocation(t.bestAllocationPeriod()); some && (!ok || best < at) {
		at, ok = best, true
	}
	if t.tagsInactive {
		counts, _ := t.tagsCountFrom()
		if !ok || counts < at {
			return counts, true
		}
	}
	return at, ok
}

// Scheduling returns the state of starvation, preemptible lists and nodes, by the Elements of pools
// and operations; nodes have the numbers of their slots. It belongs to the Tree and is read-only.
func (t *Tree) Scheduling() *scheduling.Tree { return t.scheduling }
