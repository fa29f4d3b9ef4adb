package core

import (
	"strings"

	"poolproof/core/pooltree"
)

// An Admission is a recorded step of an operation that the policy has a say in,
// with what it says in the state before the step (spec/scheduling.md §5). The
// log is followed whatever it says.
type Admission struct {
	Time      Time
	Operation OperationID
	Step      Step   // StepStarted, StepRevived, StepRunning, StepPending, StepRejected or StepPoolChanged
	Pool      PoolID // where the log has the operation from now on
	From      PoolID // where it was before a change of pool; Unknown
	Running   bool   // it was marked running before
	// Lightweight says that no limit of running operations concerns it.
	Lightweight bool
	Revived     bool // registered again after a restart: nothing is checked
	ErrorCode   int32

	// Placed is the pool where the policy puts a started operation, if that is
	// another one, and Refusal why it would not let the step happen, nil if it
	// would.
	Placed  string
	Refusal *pooltree.Refusal
	// Full is the lowest full pool of the chain, Unknown if none is: of running
	// operations, or of those registered at a start. Count stands against its
	// Limit.
	Full         PoolID
	Count, Limit int64
	// Overtook is an older pending operation that could have run instead, Unknown
	// if there is none (spec/scheduling.md §5.5).
	Overtook OperationID

	// Configured is when a configuration took effect last, 0 if none did.
	Configured Time
}

// admit notes what the policy says of a step that is about to be followed.
func (t *Tree) admit(e *Event) {
	switch e.Step {
	case StepStarted, StepRevived, StepRunning, StepPending, StepRejected, StepPoolChanged:
	default:
		return
	}
	a := Admission{
		Time: e.Time, Operation: e.Operation, Step: e.Step, Pool: e.Pool, From: Unknown,
		ErrorCode: e.ErrorCode, Full: Unknown, Overtook: Unknown, Configured: t.changed,
	}
	slot := t.operationSlot[e.Operation]
	if slot >= 0 && !t.operations[slot].Ended && t.operations[slot].Alive {
		o := &t.operations[slot]
		a.Running, a.Revived, a.From = o.Running, o.Revived, t.pools[o.Pool].ID
		t.admitLive(&a, o)
	} else {
		t.admitNew(&a)
	}
	t.changes.Admissions = append(t.changes.Admissions, a)
}

// admitNew judges the start of an operation, or its rejection.
func (t *Tree) admitNew(a *Admission) {
	user := t.userOf(a.Operation)
	a.Revived = a.Step == StepRevived
	name := t.recordedName(a.Pool)
	if name == "" {
		return
	}
	at := t.admission.Recorded(name, user)
	requested, _, _ := strings.Cut(name, "$")
	if placed, err := t.admission.Place(user, requested); err != nil {
		a.Refusal = err.(*pooltree.Refusal)
	} else if placed.Name != name {
		a.Placed = placed.Name
	}
	if refusal := t.admission.CheckStart(at, user); refusal != nil {
		a.Refusal = refusal
		if full, ok := t.admission.Find(refusal.Pool); ok && refusal.Reason == pooltree.MaxOperationCount {
			a.Full, a.Count, a.Limit = t.pools[full].ID, t.pools[full].Operations, refusal.Limit
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
	return t.learn(id)
}

// admitLive judges a step of an operation that is registered.
func (t *Tree) admitLive(a *Admission, o *Operation) {
	a.Lightweight = t.admission.IsLightweight(o.registered)
	if name := t.recordedName(a.Pool); a.Step == StepPoolChanged && name != "" {
		at := t.admission.Recorded(name, t.userOf(o.ID))
		if !at.Create && at.Pool == pooltree.Pool(o.Pool) {
			return
		}
		a.Refusal = t.admission.CheckMove(o.registered, at)
		return
	}
	a.Pool = a.From
	if full := t.admission.Blocker(o.registered); full != pooltree.NoPool {
		p := &t.pools[full]
		a.Full, a.Count, a.Limit = p.ID, p.Running, p.MaxRunning.Value
	}
	if a.Step == StepRunning && !o.Running && !a.Lightweight {
		a.Overtook = t.overtaken(o)
	}
}

// overtaken returns an older pending operation that could have run in an
// operation's place: the first of the queue that it waits in, or, for one that
// waits in none, the first of a queue of its chain that is in its own pool.
func (t *Tree) overtaken(o *Operation) OperationID {
	q := t.admission.Queue(o.registered)
	if q != pooltree.NoPool {
		return t.due(t.admission.QueueHead(q), o)
	}
	for p := pooltree.Pool(o.Pool); p != pooltree.NoPool; p = t.admission.Parent(p) {
		head := t.admission.QueueHead(p)
		if head != pooltree.NoOperation && t.admission.OperationPool(head) == pooltree.Pool(o.Pool) {
			if id := t.due(head, o); id != Unknown {
				return id
			}
		}
	}
	return Unknown
}

// due returns the id of a pending operation that nothing keeps from running and
// that is not o.
func (t *Tree) due(head pooltree.Operation, o *Operation) OperationID {
	if head == pooltree.NoOperation || head == o.registered || t.admission.Blocker(head) != pooltree.NoPool {
		return Unknown
	}
	return t.operations[t.registered[head]].ID
}

// EachDue calls visit with the slot of every operation that waits first in the
// queue of a pool although nothing keeps it from running (spec/scheduling.md
// §5.5).
func (t *Tree) EachDue(visit func(operation int32)) {
	for p := range t.pools {
		head := t.admission.QueueHead(pooltree.Pool(p))
		if head != pooltree.NoOperation && t.admission.Blocker(head) == pooltree.NoPool {
			visit(t.registered[head])
		}
	}
}

// Place says where an operation of a user lands that asks for a pool, "" for
// none. The error is a *pooltree.Refusal where it may not start.
func (t *Tree) Place(user, requested string) (pool string, err error) {
	t.flush()
	at, err := t.admission.Place(user, requested)
	if err != nil {
		return "", err
	}
	if refusal := t.admission.CheckStart(at, user); refusal != nil {
		return "", refusal
	}
	return at.Name, nil
}

// Due returns the next pending operation that the policy would mark running now
// (spec/scheduling.md §5.5); ok is false if there is none.
func (t *Tree) Due() (operation OperationID, ok bool) {
	t.flush()
	o := t.admission.Due()
	if o == pooltree.NoOperation {
		return Unknown, false
	}
	return t.operations[t.registered[o]].ID, true
}
