package pooltree

// CheckStart returns why an operation may not be registered at a placement,
// nil if it may: a pool of the chain that holds as many operations as it may,
// from below, or too many ephemeral pools of its user
// (core/spec/scheduling.md §5.3).
func (t *Tree) CheckStart(at Placement, user string) *Refusal {
	if full := t.fullTotal(at.lowest()); full != NoPool {
		return t.full(full, MaxOperationCount)
	}
	return t.checkOwned(at, user)
}

// full returns the refusal for a limit of a pool.
func (t *Tree) full(p Pool, limit Reason) *Refusal {
	r := t.refusal(limit, t.pools[p].name)
	r.Limit = t.pools[p].maxOperations
	if limit == MaxRunningCount {
		r.Limit = t.pools[p].maxRunning
	}
	return r
}

// checkOwned refuses one ephemeral pool too many. Subpools of hubs do not
// count, and the first pool of a user is always granted.
func (t *Tree) checkOwned(at Placement, user string) *Refusal {
	if !at.Create || at.InHub {
		return nil
	}
	id, known := t.users[user]
	if !known || t.owned[id] == 0 {
		return nil
	}
	most := t.config.MaxEphemeralPoolsPerUser.Or(defaultEphemeralPerUser)
	if t.config.Assumed && !t.config.MaxEphemeralPoolsPerUser.Set || int64(t.owned[id])+1 <= most {
		return nil
	}
	r := t.refusal(EphemeralPoolLimit, at.Name)
	r.User, r.Limit = user, most
	return r
}

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

// CheckMove returns why a live operation may not move to a placement, nil if
// it may. Of a running operation only the ancestors it does not have yet must
// have room, of a pending or lightweight one the whole chain; besides, the
// count of the start applies to the whole chain and counts the operation
// itself where it already is.
func (t *Tree) CheckMove(o Operation, at Placement) *Refusal {
	op := &t.operations[o]
	end := NoPool
	if op.running && !t.IsLightweight(o) {
		end = t.commonAncestor(op.pool, at.lowest())
	}
	lightweight := op.vanilla && !at.Create && t.pools[at.Pool].lightweight
	for p := at.lowest(); p != end; p = t.pools[p].parent {
		pool := &t.pools[p]
		if pool.counts.Operations >= pool.maxOperations {
			return t.full(p, MaxOperationCount)
		}
		if !lightweight && pool.counts.Running >= pool.maxRunning {
			return t.full(p, MaxRunningCount)
		}
	}
	return t.CheckStart(at, t.userNames[op.user])
}

// commonAncestor returns the lowest pool on both chains.
func (t *Tree) commonAncestor(a, b Pool) Pool {
	for a != b {
		if t.pools[a].depth < t.pools[b].depth {
			a, b = b, a
		}
		a = t.pools[a].parent
	}
	return a
}
