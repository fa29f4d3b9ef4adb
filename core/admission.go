package core

import (
	"cmp"
	"fmt"
	"strings"

	"poolproof/core/pooltree"
)

// An Admission records a step of an operation that the admission policy governs, and what the
// policy says in the state before that step (core/spec/scheduling.md §5). The replay applies the
// step whatever the policy says.
type Admission struct {
	Time      Time
	Operation OperationID
	Step      Step   // StepStarted, StepRevived, StepMaterialized, StepRunning, StepPending, StepRejected or StepPoolChanged
	Pool      PoolID // the operation's pool after the step, as the log records it
	From      PoolID // pool before a change of pool, else Unknown
	Running   bool   // it was marked running before
	Queued    bool   // it was recorded as waiting before
	// Lightweight says that limits on running operations do not apply to it, and AmongLightweight
	// that its pool has lightweight operations.
	Lightweight, AmongLightweight bool
	Revived                       bool // registered again after a restart: nothing is checked
	ErrorCode                     int32

	// Unplaced says that the log does not record the operation's pool.
	Unplaced bool

	// Requested is the pool that a started operation asked for, absent if the log does not record
	// it: its user's name where its spec names no pool.
	Requested Optional[string]
	// Placed is the pool where the policy puts a started operation, if that is another one, and
	// Barred why no operation may start there or move there, nil if one may. If the requested pool
	// is unknown, the recorded pool counts as requested.
	Placed string
	// Strange says that no set of pools would have put it where it is: neither does
	// the recorded pool have the name that was asked for, nor is it the user's own
	// below a hub of that name.
	Strange bool
	Barred  *pooltree.Refusal
	// FIFOOnly says that the tree lets it start in FIFO pools only, since it is a gang, and
	// OutsideFIFO that its pool does not accept gangs.
	FIFOOnly, OutsideFIFO bool
	// Refusal is the limit for which the policy would not let the step happen,
	// nil if it would.
	Refusal *pooltree.Refusal
	// Full is the lowest full pool of the chain, or Unknown: full of running operations or, at a
	// start, of registered ones. Count is compared with its Limit. Unstated says that the limit of
	// some pool of the chain is not known.
	Full         PoolID
	Count, Limit int64
	Unstated     bool
	// Overtook is an older pending operation that could have run instead, or Unknown
	// (core/spec/scheduling.md §5.5).
	Overtook OperationID

	// Reconfigured is the time when a configuration last replaced another, or Never.
	Reconfigured Time
}

// admit records what the policy says of a step before it is applied. Steps of an operation that the
// log never started are skipped.
func (t *Tree) admit(e *Event) {
	a := Admission{
		Time: e.Time, Operation: e.Operation, Step: e.Step, Pool: e.Pool, From: Unknown,
		ErrorCode: e.ErrorCode, Full: Unknown, Overtook: Unknown, Reconfigured: t.reconfigured,
	}
	slot := t.operationSlot[e.Operation]
	live := slot >= 0 && !t.operations[slot].Ended && t.operations[slot].Alive
	a.Unplaced = e.Pool == Unknown && (!live || t.operations[slot].Unplaced)
	switch e.Step {
	case StepStarted, StepRevived:
		if live {
			return // once is enough
		}
		t.admitNew(&a, e)
	case StepRejected:
		if live {
			t.refuseLive(&a, &t.operations[slot])
		} else {
			t.admitNew(&a, e)
		}
	case StepMaterialized, StepRunning, StepPending, StepPoolChanged:
		if !live {
			return
		}
		t.admitLive(&a, &t.operations[slot])
	default:
		return
	}
	t.changes.Admissions = append(t.changes.Admissions, a)
}

// admitNew judges the start of an operation, or its rejection.
func (t *Tree) admitNew(a *Admission, e *Event) {
	info := &t.dims.Operations[a.Operation]
	if e.Spec != nil && e.Role != RoleOffloading {
		a.Requested = Some(cmp.Or(e.Spec.Pool, info.User))
	}
	a.Revived = a.Step == StepRevived
	name := t.recordedName(a.Pool)
	if name == "" {
		return
	}
	at := t.admission.Recorded(name, info.User)
	a.AmongLightweight = !at.Create && t.admission.HasLightweight(at.Pool)
	a.Lightweight = a.AmongLightweight && info.Type == vanilla
	t.checkPlace(a, name, info.User)
	if a.FIFOOnly = e.Params != nil && e.Params.Gang.Value && t.admission.RestrictsGangs(); a.FIFOOnly {
		a.OutsideFIFO = !t.admission.TakesGangs(at)
	}
	t.checkStart(a, at, info.User)
}

// checkPlace says whether the policy puts an operation into the pool of the name.
func (t *Tree) checkPlace(a *Admission, name, user string) {
	landed, _, _ := strings.Cut(name, "$")
	a.Placed, a.Barred = t.target(user, landed, name)
	requested := a.Requested.Value
	if requested == "" {
		return
	}
	a.Strange = name != requested && name != requested+"$"+user
	if requested == landed {
		return
	}
	placed, barred := t.target(user, requested, name)
	switch {
	case barred == nil:
		a.Placed = placed
	case barred.Reason == pooltree.BadPoolName:
		a.Barred = barred
	default: // no operation may start there, and this one started elsewhere
		a.Placed = requested
	}
}

// target returns the pool where the policy puts an operation that asks for a
// pool, "" if that is the recorded one, or why it may not start there.
func (t *Tree) target(user, requested, recorded string) (string, *pooltree.Refusal) {
	placed, err := t.admission.Place(user, requested)
	switch {
	case err != nil:
		return "", err.(*pooltree.Refusal)
	case placed.Name == recorded:
		return "", nil
	}
	return placed.Name, nil
}

// checkStart checks a start against the limits of its placement.
func (t *Tree) checkStart(a *Admission, at pooltree.Placement, user string) {
	a.Unstated = t.unstated(at, false)
	if a.Refusal = t.admission.CheckStart(at, user); a.Refusal != nil {
		t.noteFull(a)
	}
}

// noteFull records which pool is full when a refusal is due to a count limit.
func (t *Tree) noteFull(a *Admission) {
	a.Limit = a.Refusal.Limit
	full, ok := t.admission.Find(a.Refusal.Pool)
	if !ok {
		return
	}
	p := &t.pools[full]
	switch a.Refusal.Reason {
	case pooltree.MaxOperationCount:
		a.Full, a.Count = p.ID, p.Operations
	case pooltree.MaxRunningCount:
		a.Full, a.Count = p.ID, p.Running
	}
}

// unstated reports whether nothing states the limit of some pool that a
// placement lies in, of running operations or of all.
func (t *Tree) unstated(at pooltree.Placement, running bool) bool {
	p := at.Pool
	if at.Create {
		p = at.Parent
	}
	for ; p != pooltree.NoPool; p = t.admission.Parent(p) {
		r, all := t.admission.Limits(p)
		if running && !r.Set || !running && !all.Set {
			return true
		}
	}
	return false
}

// refuseLive judges the rejection of an operation that is registered already: it
// must not count itself.
func (t *Tree) refuseLive(a *Admission, o *Operation) {
	a.Pool, a.From, a.Running = t.pools[o.Pool].ID, t.pools[o.Pool].ID, o.Running
	a.Unstated = t.unstated(pooltree.Placement{Pool: pooltree.Pool(o.Pool)}, false)
	for slot := o.Pool; slot != none; slot = t.pools[slot].Parent {
		if p := &t.pools[slot]; p.MaxOperations.Set && p.Operations > p.MaxOperations.Value {
			a.Full, a.Count, a.Limit = p.ID, p.Operations-1, p.MaxOperations.Value
			a.Refusal = &pooltree.Refusal{Reason: pooltree.MaxOperationCount, Pool: t.admission.PoolName(pooltree.Pool(slot)), Limit: a.Limit}
			return
		}
	}
}

// recordedName returns the name of the pool that an event names, "" if none.
func (t *Tree) recordedName(id PoolID) string {
	switch id {
	case Unknown:
		return ""
	case RootPool:
		return pooltree.RootName
	}
	return t.learnPoolName(id)
}

// admitLive judges a step of an operation that is registered.
func (t *Tree) admitLive(a *Admission, o *Operation) {
	a.From, a.Running, a.Revived = t.pools[o.Pool].ID, o.Running, o.Revived
	a.Queued = t.admission.Queue(o.registered) != pooltree.NoPool
	a.Lightweight, a.AmongLightweight = t.admission.IsLightweight(o.registered), t.admission.HasLightweight(pooltree.Pool(o.Pool))
	if name := t.recordedName(a.Pool); a.Step == StepPoolChanged && name != "" {
		t.admitMove(a, o, name)
		return
	}
	a.Pool = a.From
	a.Unstated = t.unstated(pooltree.Placement{Pool: pooltree.Pool(o.Pool)}, true)
	if full := t.admission.Blocker(o.registered); full != pooltree.NoPool {
		p := &t.pools[full]
		a.Full, a.Count, a.Limit = p.ID, p.Running, p.MaxRunning.Value
	}
	if a.Step == StepRunning && !o.Running && !a.Lightweight {
		a.Overtook = t.overtaken(o)
	}
}

// admitMove judges a change of pool (core/spec/scheduling.md §5.6).
func (t *Tree) admitMove(a *Admission, o *Operation, name string) {
	user := t.userOf(o.ID)
	at := t.admission.Recorded(name, user)
	if !at.Create && at.Pool == pooltree.Pool(o.Pool) {
		return
	}
	landed, _, _ := strings.Cut(name, "$")
	a.Placed, a.Barred = t.target(user, landed, name)
	a.Unstated = t.unstated(at, false) || t.unstated(at, true)
	if a.Refusal = t.admission.CheckMove(o.registered, at); a.Refusal != nil {
		t.noteFull(a)
	}
}

// overtaken returns an older pending operation that could have run instead of o: the head of the
// queue in which o waits or, if o waits in no queue, the head of a queue of its chain, provided
// that the head is in o's own pool.
func (t *Tree) overtaken(o *Operation) OperationID {
	q := t.admission.Queue(o.registered)
	if q != pooltree.NoPool {
		return t.idIfRunnable(t.admission.QueueHead(q), o)
	}
	for p := pooltree.Pool(o.Pool); p != pooltree.NoPool; p = t.admission.Parent(p) {
		head := t.admission.QueueHead(p)
		if head != pooltree.NoOperation && t.admission.OperationPool(head) == pooltree.Pool(o.Pool) {
			if id := t.idIfRunnable(head, o); id != Unknown {
				return id
			}
		}
	}
	return Unknown
}

// idIfRunnable returns the id of a pending operation if no limit blocks it and it is not o.
func (t *Tree) idIfRunnable(head pooltree.Operation, o *Operation) OperationID {
	if head == pooltree.NoOperation || head == o.registered || t.admission.Blocker(head) != pooltree.NoPool {
		return Unknown
	}
	return t.operations[t.registered[head]].ID
}

// LightweightBelow counts the operations below a pool that are lightweight where
// they are, by their type and the settings of their own pool, whether they run or
// not (core/spec/scheduling.md §5.7).
func (t *Tree) LightweightBelow(pool int32) (n int64) {
	for slot := range t.operations {
		o := &t.operations[slot]
		if o.Alive && o.registered != pooltree.NoOperation && t.admission.IsLightweight(o.registered) && t.IsWithin(o.Pool, pool) {
			n++
		}
	}
	return n
}

// Queue returns the slot of the pool in whose queue an operation waits, -1 if it
// waits in none.
func (t *Tree) Queue(operation int32) int32 {
	o := &t.operations[operation]
	if o.registered == pooltree.NoOperation {
		return none
	}
	return int32(t.admission.Queue(o.registered))
}

// QueueHead returns the slot of the operation that has waited longest in the
// queue of a pool, -1 if none waits.
func (t *Tree) QueueHead(pool int32) int32 {
	head := t.admission.QueueHead(pooltree.Pool(pool))
	if head == pooltree.NoOperation {
		return none
	}
	return t.registered[head]
}

// Holder returns the slot of the lowest full pool that keeps a registered
// operation from running, -1 if none does.
func (t *Tree) Holder(operation int32) int32 {
	return int32(t.admission.Blocker(t.operations[operation].registered))
}

// Place returns the pool in which an operation of the user would start if it requests the given
// pool ("" for none). If it may not start, the error is a *pooltree.Refusal.
func (t *Tree) Place(user, requested string, gang bool) (pool string, err error) {
	t.flush()
	at, err := t.admission.Place(user, requested)
	if err != nil {
		return "", err
	}
	if refusal := t.admission.CheckStart(at, user); refusal != nil {
		return "", refusal
	}
	if gang && t.admission.RestrictsGangs() && !t.admission.TakesGangs(at) {
		return "", &pooltree.Refusal{Reason: pooltree.GangOutsideFIFO, Pool: at.Name}
	}
	return at.Name, nil
}

// PlaceMoved returns the pool in which a live operation would be after a move to the requested
// pool. If it may not move, the error is a *pooltree.Refusal (core/spec/scheduling.md §5.6).
func (t *Tree) PlaceMoved(id OperationID, requested string) (pool string, err error) {
	t.flush()
	slot, ok := t.OperationOf(id)
	if !ok {
		return "", fmt.Errorf("operation %d is not in the tree", id)
	}
	o := &t.operations[slot]
	at, err := t.admission.Place(t.userOf(id), requested)
	if err != nil {
		return "", err
	}
	if !at.Create && at.Pool == pooltree.Pool(o.Pool) {
		return at.Name, nil
	}
	if refusal := t.admission.CheckMove(o.registered, at); refusal != nil {
		return "", refusal
	}
	return at.Name, nil
}

// Due returns the next pending operation that the policy would mark running now
// (core/spec/scheduling.md §5.5); ok is false if no operation is due.
func (t *Tree) Due() (operation OperationID, ok bool) {
	t.flush()
	o := t.admission.Due()
	if o == pooltree.NoOperation {
		return Unknown, false
	}
	return t.operations[t.registered[o]].ID, true
}
