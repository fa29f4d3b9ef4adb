package pooltree

// A Request asks for an operation in a tree.
type Request struct {
	User    string
	Pool    string // requested, "" for none
	Vanilla bool   // the operation's type is vanilla
}

// Start places an operation, checks its start and registers it: it runs, or
// it waits for Queue. The error is a *Refusal.
func (t *Tree) Start(r Request) (Operation, error) {
	at, err := t.Place(r.User, r.Pool)
	if err != nil {
		return NoOperation, err
	}
	if refused := t.CheckStart(at, r.User); refused != nil {
		return NoOperation, refused
	}
	return t.Register(at, r), nil
}

// Register registers an operation at its placement without the checks of the
// start: it runs at once unless a pool of its chain is full
// (core/spec/scheduling.md §5.4).
func (t *Tree) Register(at Placement, r Request) Operation {
	p := at.Pool
	if at.Create {
		p = t.create(at, r.User)
	}
	o := t.Add(p, r.User, r.Vanilla)
	if full := t.Blocker(o); full != NoPool {
		t.enqueue(o, full)
	} else {
		t.SetRunning(o, true)
	}
	return o
}

// Finish unregisters an operation that left for any reason. If it was running,
// the queues of its chain are served (core/spec/scheduling.md §5.5).
func (t *Tree) Finish(o Operation) {
	p, wasRunning := t.operations[o].pool, t.operations[o].running
	t.leave(o)
	if wasRunning {
		t.serveChain(p)
	}
	t.collect(p)
}

// ChangePool moves a live operation to where it asks to go, and runs it there
// if it was pending. The error is a *Refusal; then nothing changes
// (core/spec/scheduling.md §5.6).
func (t *Tree) ChangePool(o Operation, requested string) error {
	user := t.userNames[t.operations[o].user]
	at, err := t.Place(user, requested)
	if err != nil {
		return err
	}
	if !at.Create && at.Pool == t.operations[o].pool {
		return nil
	}
	if refused := t.CheckMove(o, at); refused != nil {
		return refused
	}
	p := at.Pool
	if at.Create {
		p = t.create(at, user)
	}
	t.Move(o, p)
	if !t.operations[o].running {
		t.activate(o)
	}
	return nil
}

// activate marks a pending operation running, and says so.
func (t *Tree) activate(o Operation) {
	t.SetRunning(o, true)
	t.changed = append(t.changed, o)
}

// admit runs a pending operation, or puts it at the end of the queue of the
// lowest pool that is full.
func (t *Tree) admit(o Operation) {
	t.dequeue(o)
	if full := t.Blocker(o); full != NoPool {
		t.enqueue(o, full)
		return
	}
	t.activate(o)
}

// serve admits from the queue of a pool while the pool has room. What another
// pool holds up moves to that pool's queue and loses its place.
//
// As long as every pool with a queue is full, a leave frees room on the whole
// chain at once, the first in the queue runs and nothing moves. Only room that
// came without a leave, by what does not trigger (core/spec/scheduling.md §5.5), or
// a limit that fell lets queues move; then a leave costs what it moves.
func (t *Tree) serve(p Pool) {
	pool := &t.pools[p]
	for pool.queue.head != NoOperation && pool.counts.Running < pool.maxRunning {
		t.admit(pool.queue.head)
	}
}

// serveChain serves a pool and its ancestors, upwards.
func (t *Tree) serveChain(p Pool) {
	for ; p != NoPool; p = t.pools[p].parent {
		t.serve(p)
	}
}

// Rescan is the periodic pass over the queues of all pools but the root,
// whose own is served by leaving operations only (core/spec/scheduling.md §5.5).
// The order of the pools is that of their numbers; the scheduler's is
// unspecified.
func (t *Tree) Rescan() {
	for p := Root + 1; int(p) < len(t.pools); p++ {
		t.serve(p)
	}
}

// Pending returns how many operations wait to run.
func (c Counts) Pending() int64 { return c.Operations - c.Running - c.Lightweight }

// Config returns the options of the tree that are in force.
func (t *Tree) Config() *TreeConfig { return &t.config }

// EphemeralPools returns the names of the ephemeral pools that count for the
// user, in the order the tree first heard of them.
func (t *Tree) EphemeralPools(user string) []string {
	id, known := t.users[user]
	names := []string{}
	for p := range t.pools {
		if known && t.pools[p].existence == ephemeral && t.pools[p].user == id {
			names = append(names, t.pools[p].name)
		}
	}
	return names
}
