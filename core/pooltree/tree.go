package pooltree

import "math"

// A Pool is a pool of a Tree. A name keeps its Pool for the tree's lifetime,
// also while no pool of that name exists.
type Pool int32

// An Operation is an operation registered in a Tree, from its registration
// until it leaves; then the number may be given to another.
type Operation int32

// Root is the root of every tree; NoPool and NoOperation stand for none.
const (
	Root        Pool      = 0
	NoPool      Pool      = -1
	NoOperation Operation = -1
)

// unlimited stands for a limit that does not exist.
const unlimited = math.MaxInt64

// Counts are the counters of a pool over its subtree
// (core/spec/scheduling.md §5.4).
type Counts struct {
	Operations  int64 // registered: pending, running and lightweight
	Running     int64 // marked running, without the lightweight
	Lightweight int64 // lightweight and marked running
}

func (c *Counts) add(d Counts) {
	c.Operations += d.Operations
	c.Running += d.Running
	c.Lightweight += d.Lightweight
}

// existence is whether a pool exists, and by what right.
type existence uint8

const (
	absent    existence = iota // only the name is known
	explicit                   // by configuration
	ephemeral                  // while it has operations
)

// pool is the state of a pool. What events touch stands first.
type pool struct {
	parent                    Pool
	depth                     int32
	counts                    Counts // of the subtree
	maxRunning, maxOperations int64
	queue                     queue // operations whose lowest full ancestor this is
	lightweight               bool  // vanilla operations here are lightweight
	hub                       bool  // create_ephemeral_subpools
	wasHub                    bool  // it was removed as such, and is ephemeral for its subpools (core/spec/scheduling.md §4.6)
	existence                 existence
	children                  int32     // existing pools right below
	own                       Counts    // of the operations right here
	first, last               Operation // the operations right here, in order of arrival

	name       string
	user       int32       // who created the ephemeral pool, if it counts for them; -1
	definition int32       // index in Tree.definitions, -1 if not explicit
	config     *PoolConfig // with presets
	subpool    *PoolConfig // of ephemeral pools right below
}

// operation is the state of an operation.
type operation struct {
	pool, queue    Pool      // NoPool: in no queue
	next, previous Operation // in the queue
	after, before  Operation // in the pool
	user           int32
	alive, running bool
	vanilla        bool
}

// A Tree is the pools of one tree with the operations in them. It answers what
// may happen (Place, CheckStart, CheckMove, Blocker), does what the policy
// says (Start, Finish, ChangePool, Rescan), and follows a log that says
// otherwise (Add, SetRunning, Move, Remove).
type Tree struct {
	name        string
	profile     Profile
	config      TreeConfig
	userParents map[string]string
	homes       map[string]string // where a log saw ephemeral pools stand
	definitions []Definition

	pools      []pool
	names      map[string]Pool
	operations []operation
	free       []Operation // dead numbers

	users     map[string]int32
	userNames []string
	owned     []int32 // by user: their ephemeral pools outside hubs

	changed []Operation
	moved   bool   // chains changed since queues were last looked at
	scratch []byte // for names of subpools
}

// NewTree returns a tree with a root and default options.
func NewTree(name string, p Profile) *Tree {
	t := &Tree{name: name, profile: p, names: map[string]Pool{}, users: map[string]int32{}}
	t.slot(RootName)
	t.pools[Root].existence = explicit
	t.rebuild()
	return t
}

// Name returns the tree's name.
func (t *Tree) Name() string { return t.name }

// Find returns the existing pool of the name.
func (t *Tree) Find(name string) (Pool, bool) {
	p, known := t.names[name]
	return p, known && t.pools[p].existence != absent
}

// Exists reports whether the pool exists now.
func (t *Tree) Exists(p Pool) bool { return t.pools[p].existence != absent }

// IsEphemeral reports whether the pool exists only while it has operations.
func (t *Tree) IsEphemeral(p Pool) bool { return t.pools[p].existence == ephemeral }

// PoolName returns the pool's name.
func (t *Tree) PoolName(p Pool) string { return t.pools[p].name }

// Parent returns the pool's parent, NoPool for the root.
func (t *Tree) Parent(p Pool) Pool { return t.pools[p].parent }

// Depth returns how many pools stand above the pool.
func (t *Tree) Depth(p Pool) int32 { return t.pools[p].depth }

// Pools returns how many pools the tree has ever heard of; their Pools are the
// numbers below it.
func (t *Tree) Pools() int { return len(t.pools) }

// PoolConfig returns the pool's options, its presets' included.
func (t *Tree) PoolConfig(p Pool) *PoolConfig { return t.pools[p].config }

// Counts returns the counters of the pool.
func (t *Tree) Counts(p Pool) Counts { return t.pools[p].counts }

// Limits returns the limits of the pool's counters, absent where none is in
// force (TreeConfig.Assumed).
func (t *Tree) Limits(p Pool) (running, operations Optional[int64]) {
	return limit(t.pools[p].maxRunning), limit(t.pools[p].maxOperations)
}

func limit(n int64) Optional[int64] {
	if n == unlimited {
		return Optional[int64]{}
	}
	return Some(n)
}

// OperationPool returns the pool that holds the operation.
func (t *Tree) OperationPool(o Operation) Pool { return t.operations[o].pool }

// IsRunning reports whether the operation is marked running in this tree.
func (t *Tree) IsRunning(o Operation) bool { return t.operations[o].running }

// IsLightweight reports whether the operation is lightweight: vanilla, in a
// FIFO pool that itself enables them (core/spec/scheduling.md §5.7, §17.5).
func (t *Tree) IsLightweight(o Operation) bool {
	op := &t.operations[o]
	return op.vanilla && t.pools[op.pool].lightweight
}

// HasLightweight reports whether vanilla operations of the pool are lightweight.
func (t *Tree) HasLightweight(p Pool) bool { return t.pools[p].lightweight }

// Definitions returns the explicit pools in force. They are the Tree's own.
func (t *Tree) Definitions() []Definition { return t.definitions }

// Queue returns the pool in whose queue the operation waits, NoPool if it
// waits in none.
func (t *Tree) Queue(o Operation) Pool { return t.operations[o].queue }

// QueueHead returns the operation that has waited longest in the queue of the
// pool, NoOperation if none waits. One whose Blocker is NoPool is due at the
// next leave or rescan.
func (t *Tree) QueueHead(p Pool) Operation { return t.pools[p].queue.head }

// Changed returns the operations that the tree itself moved into another pool,
// activated, or made lightweight or no longer so since the last ClearChanged, in
// that order, some more than once.
func (t *Tree) Changed() []Operation { return t.changed }

// ClearChanged forgets them.
func (t *Tree) ClearChanged() { t.changed = t.changed[:0] }

// slot returns the Pool of a name.
func (t *Tree) slot(name string) Pool {
	if p, known := t.names[name]; known {
		return p
	}
	p := Pool(len(t.pools))
	t.pools = append(t.pools, pool{
		parent: NoPool, user: -1, definition: -1, name: name, config: &defaultPool,
		first: NoOperation, last: NoOperation, queue: emptyQueue,
	})
	t.names[name] = p
	return p
}

// defaultPool are the options of a pool that nothing configures.
var defaultPool PoolConfig

// userID returns the number of a user.
func (t *Tree) userID(name string) int32 {
	if id, known := t.users[name]; known {
		return id
	}
	id := int32(len(t.userNames))
	t.users[name] = id
	t.userNames = append(t.userNames, name)
	t.owned = append(t.owned, 0)
	return id
}
