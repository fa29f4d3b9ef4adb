package pooltree

import "strings"

// A Placement is where an operation would land in a tree
// (core/spec/scheduling.md §5.1).
type Placement struct {
	Pool   Pool   // NoPool if the tree has never heard of the name
	Name   string // of the pool
	Parent Pool   // of the pool, also of one yet to be created
	Create bool   // the pool is an ephemeral one that does not exist yet
	InHub  bool   // it is a user's subpool of a hub
}

// lowest returns the lowest pool of the chain that exists.
func (p Placement) lowest() Pool {
	if p.Create {
		return p.Parent
	}
	return p.Pool
}

// Place returns where an operation of the user lands that asks for a pool, ""
// for none; the error is a *Refusal. The name is looked up in the whole tree.
func (t *Tree) Place(user, requested string) (Placement, error) {
	if requested == "" {
		requested = user
	}
	if requested == RootName || strings.IndexByte(requested, '$') >= 0 {
		return Placement{}, t.refusal(BadPoolName, requested)
	}
	if p, exists := t.Find(requested); exists {
		pool := &t.pools[p]
		if pool.hub {
			return t.placeInHub(p, user), nil
		}
		if pool.config.ForbidImmediate {
			return Placement{}, t.refusal(ImmediateForbidden, requested)
		}
		return Placement{Pool: p, Name: pool.name, Parent: pool.parent}, nil
	}
	if checkName(t.profile, requested, Administrator) != "" {
		return Placement{}, t.refusal(BadPoolName, requested)
	}
	pool, known := t.names[requested]
	if !known {
		pool = NoPool
	}
	return Placement{Pool: pool, Name: requested, Parent: t.home(user), Create: true}, nil
}

// placeInHub places an operation in the user's subpool of a hub.
func (t *Tree) placeInHub(hub Pool, user string) Placement {
	t.scratch = append(t.scratch[:0], t.pools[hub].name...)
	t.scratch = append(t.scratch, '$')
	t.scratch = append(t.scratch, user...)
	p, known := t.names[string(t.scratch)]
	if !known {
		return Placement{Pool: NoPool, Name: string(t.scratch), Parent: hub, Create: true, InHub: true}
	}
	pool := &t.pools[p]
	if pool.existence == absent {
		return Placement{Pool: p, Name: pool.name, Parent: hub, Create: true, InHub: true}
	}
	return Placement{Pool: p, Name: pool.name, Parent: pool.parent, InHub: true}
}

// home returns the parent of a user's ephemeral pools: the pool the user is
// mapped to, else the default parent, else the root. A pool that does not
// exist or cannot have children is passed over.
func (t *Tree) home(user string) Pool {
	if t.config.UseUserParents {
		if p, ok := t.parentable(t.userParents[user]); ok {
			return p
		}
	}
	if p, ok := t.parentable(t.config.DefaultParentPool); ok {
		return p
	}
	return Root
}

func (t *Tree) parentable(name string) (Pool, bool) {
	if name == "" {
		return NoPool, false
	}
	p, exists := t.Find(name)
	return p, exists && t.pools[p].config.mode() != FIFO
}

// Ensure returns the pool of the name, which it creates if it does not exist:
// under the hub that the name begins with, else under the user's default
// parent. A log may name pools that its configurations do not hold; they were
// ephemeral.
func (t *Tree) Ensure(name, user string) Pool {
	if p, exists := t.Find(name); exists {
		return p
	}
	at := t.Recorded(name, user)
	if _, owner, isSubpool := strings.Cut(name, "$"); isSubpool && at.InHub {
		user = owner
	}
	return t.create(at, user)
}

// Recorded returns the placement of an operation that a log has in the pool of
// the name: as Ensure would make it, but nothing is created.
func (t *Tree) Recorded(name, user string) Placement {
	if p, exists := t.Find(name); exists {
		return Placement{Pool: p, Name: name, Parent: t.pools[p].parent}
	}
	at := Placement{Pool: NoPool, Name: name, Create: true, Parent: t.home(user)}
	if p, known := t.names[name]; known {
		at.Pool = p
	}
	home, recorded := t.parentable(t.homes[name])
	hub, _, isSubpool := strings.Cut(name, "$")
	if recorded {
		at.Parent, at.InHub = home, isSubpool
	} else if p, ok := t.parentable(hub); isSubpool && ok {
		at.Parent, at.InHub = p, true
	}
	return at
}

// SetHome says where a log saw an ephemeral pool stand, whatever the rules of
// placement say; "" for what they say.
func (t *Tree) SetHome(name, parent string) {
	if t.homes[name] == parent {
		return
	}
	if t.homes == nil {
		t.homes = map[string]string{}
	}
	t.homes[name] = parent
	if p, exists := t.Find(name); exists && t.pools[p].existence == ephemeral {
		t.rebuild()
	}
}

// create brings an ephemeral pool to life (core/spec/scheduling.md §5.1).
func (t *Tree) create(at Placement, user string) Pool {
	p := at.Pool
	if p == NoPool {
		p = t.slot(at.Name)
	}
	pool, parent := &t.pools[p], &t.pools[at.Parent]
	pool.existence, pool.parent, pool.depth = ephemeral, at.Parent, parent.depth+1
	pool.user = -1
	if !at.InHub {
		pool.user = t.userID(user)
		t.owned[pool.user]++
	}
	parent.children++
	t.configureEphemeral(p)
	return p
}

// collect removes an ephemeral pool that is empty, and its ancestors likewise.
func (t *Tree) collect(p Pool) {
	for p != Root {
		pool := &t.pools[p]
		if pool.existence != ephemeral || pool.own.Operations > 0 || pool.children > 0 {
			return
		}
		parent := pool.parent
		t.vanish(p)
		p = parent
	}
}

// vanish makes a pool absent.
func (t *Tree) vanish(p Pool) {
	pool := &t.pools[p]
	t.disown(p)
	if pool.parent != NoPool {
		t.pools[pool.parent].children--
	}
	pool.existence, pool.parent, pool.definition = absent, NoPool, -1
	pool.hub, pool.wasHub, pool.lightweight = false, false, false
	pool.config, pool.subpool = &defaultPool, nil
}

// disown ends the pool's counting for its user.
func (t *Tree) disown(p Pool) {
	if user := t.pools[p].user; user >= 0 {
		t.owned[user]--
		t.pools[p].user = -1
	}
}

func (t *Tree) refusal(r Reason, pool string) *Refusal {
	return &Refusal{Reason: r, Tree: t.name, Pool: pool}
}
