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
