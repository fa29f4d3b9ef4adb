package pooltree

// failer is a test, or a property of one.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkInvariants recounts everything that a tree counts from the operations
// alone, and walks all its lists.
func checkInvariants(t failer, tree *Tree) {
	t.Helper()
	n := len(tree.pools)
	counts, own, children := make([]Counts, n), make([]Counts, n), make([]int32, n)
	owned := make([]int32, len(tree.owned))
	alive, linked, queued, waiting := 0, 0, 0, 0
	for o := range tree.operations {
		op := &tree.operations[o]
		if !op.alive {
			continue
		}
		alive++
		c := Counts{Operations: 1}
		if lightweight := op.vanilla && tree.lightweightBySettings(op.pool); op.running && lightweight {
			c.Lightweight = 1
		} else if op.running {
			c.Running = 1
		}
		own[op.pool].add(c)
		for p := op.pool; p != NoPool; p = tree.pools[p].parent {
			counts[p].add(c)
		}
		if op.queue != NoPool {
			queued++
			if op.running {
				t.Fatalf("operation %d runs and waits for %s", o, tree.pools[op.queue].name)
			}
			if !tree.isAncestor(op.queue, op.pool) {
				t.Fatalf("operation %d waits for %s, which is not on its chain", o, tree.pools[op.queue].name)
			}
		}
	}
	for i := range tree.pools {
		p := &tree.pools[i]
		if p.parent != NoPool {
			children[p.parent]++
			if p.depth != tree.pools[p.parent].depth+1 || tree.pools[p.parent].existence == absent {
				t.Fatalf("pool %s at depth %d is badly attached to %s", p.name, p.depth, tree.pools[p.parent].name)
			}
		}
		if p.user >= 0 {
			owned[p.user]++
			if p.existence != ephemeral {
				t.Fatalf("pool %s counts for a user and is not ephemeral", p.name)
			}
		}
		for o := p.first; o != NoOperation; o = tree.operations[o].after {
			linked++
			if tree.operations[o].pool != Pool(i) || !tree.operations[o].alive {
				t.Fatalf("pool %s lists operation %d", p.name, o)
			}
		}
		for o := p.queue.head; o != NoOperation; o = tree.operations[o].next {
			waiting++
			if tree.operations[o].queue != Pool(i) {
				t.Fatalf("queue of %s lists operation %d", p.name, o)
			}
		}
	}
	for i := range tree.pools {
		p := &tree.pools[i]
		switch {
		case p.counts != counts[i] && p.existence != absent:
			t.Fatalf("pool %s counts %+v, recounted %+v", p.name, p.counts, counts[i])
		case p.own != own[i] && p.existence != absent, p.children != children[i]:
			t.Fatalf("pool %s: own %+v, recounted %+v; children %d, recounted %d", p.name, p.own, own[i], p.children, children[i])
		case p.existence == absent && (counts[i] != Counts{} || p.parent != NoPool || p.children != 0):
			t.Fatalf("pool %s does not exist and holds %+v", p.name, counts[i])
		case p.existence == ephemeral && own[i].Operations == 0 && children[i] == 0:
			t.Fatalf("ephemeral pool %s is empty", p.name)
		}
	}
	for user, count := range owned {
		if tree.owned[user] != count {
			t.Fatalf("user %s owns %d, recounted %d", tree.userNames[user], tree.owned[user], count)
		}
	}
	if linked != alive || waiting != queued || alive+len(tree.free) != len(tree.operations) {
		t.Fatalf("%d alive, %d in pools; %d queued, %d in queues; %d free", alive, linked, queued, waiting, len(tree.free))
	}
}

// lightweightBySettings states the conditions on the pool anew.
func (t *Tree) lightweightBySettings(p Pool) bool {
	c := t.pools[p].config
	return t.pools[p].existence == explicit && (t.profile == Current || t.profile == Documented) &&
		c.Mode == Some(FIFO) && c.LightweightOps == Some(true)
}
