package scheduling

import (
	"math"
	"slices"

	"poolproof/core/chain"
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// An Element is a pool or an operation, under the handle that it has in the
// fairshare.Tree.
type Element = fairshare.Element

// Root is the handle of a tree's root.
const Root = fairshare.Root

// None is the handle of a missing element.
const None Element = -1

// A Tree holds the state of a scheduler beyond fair shares: nodes, jobs, starvation and preemptible
// jobs. Create it with New.
type Tree struct {
	options Options
	shares  *fairshare.Tree
	total   resource.Vector // of the last update

	elements    []element
	nodes       []node
	jobs        []job
	ofOperation chain.Links[Job] // of jobs
	freeJobs    []Job

	// Elements that the next tick must visit: all of them if stale, else the dirty ones, those
	// whose shares the update changed, and those whose deadline has passed.
	stale     bool
	dirty     []Element
	serial    int64   // of the update that the last tick saw
	deadlines []int64 // by element, see Clock.deadline

	ticks         int64           // number of ticks
	previousTicks []previousTick  // by element
	totalBefore   resource.Vector // of the update before the last

	begun      int64     // number of starts of clocks
	turned     []Element // elements whose starvation the last tick changed
	tickPeriod tickPeriod
	deadline   int64 // next change of a clock by itself, see NextDeadline

	order      []Element // live elements, parents first, children in their order
	orderStale bool
	grown      bool // elements were added or removed since the last tick, even if the order was rebuilt
	lists      lists
	failed     []Element // operations whose controllers declined recently

	gracefulOperations int // number of graceful operations

	admits  func(operation Element, n Node) bool
	shuffle func(operations []Element) // for tests of orders that no rule determines

	kept  [keptChoices]keptChoice
	some  choice // over the operations of a stage
	stage stage
	out   Outcome

	failures []failure // of the current heartbeat
	lapsed   []Element // operations that may have lost jobs or demand since the last tick
}

// An element is the state of one pool or operation.
type element struct {
	// The standing comes first because judging reads it most.
	parent     Element
	alive      bool
	dirty      bool            // is in Tree.dirty
	graceful   bool            // see Operation
	operation  *operation      // nil for pools
	usage      resource.Vector // of the jobs below, preempted ones left out
	held       resource.Vector // what preemption counts in addition, see hold
	starvation Starvation
	unbroken   [2]unbrokenSince   // of the clocks of starvation
	own        pooltree.Effective // in force
	inherited  bool               // an update has put own in force
	seen       seen

	pool     *pooltree.PoolConfig // nil for operations
	children []Element            // in child order

	begun int64 // serial of the last start of its clocks

	lowestStarving, lowestAggressive Element
	discount                         resource.Vector      // unconditional candidates below, in a preemptive stage
	attached                         resource.Vector      // conditional candidates of a pool
	eligible                         [2][priorities]int32 // of a pool: operations below by priority, on nodes without and with SSD priority
}

// operation holds the state that only operations have.
type operation struct {
	Operation
	needs           Needs // as the controller states; used from the next update on
	list            jobList
	limit           resource.Vector // non-preemptible threshold, zero if none
	failed          int64           // when the controller last failed, or Never
	pending         int64           // of the last update
	fewest          int64           // the fewest since the last tick
	fewestStarving  int64           // the fewest with which it may have starved since an earlier tick, else math.MaxInt64
	lastSchedulable int64           // when it was last schedulable for certain before a tick found it unschedulable, or Never
	waited          int64           // pending jobs at that time
	saturated       int64           // until when a tentative tree skips it
	smallest        []resource.Vector
	least           resource.Vector // component-wise minimum of smallest
	reason          Obstacle        // why the last update made it unschedulable
	index           int32           // position in scheduling order, -1 if unschedulable
	touched         [keptChoices]bool
	lastSampled     int64  // the last heartbeat with a packing sample of it, see stage.serial
	window          []room // rooms of past heartbeats, newest last; empty without packing
}

// seen holds the values that the last update published for an element. Heartbeats use them until
// the next update (§6.1).
type seen struct {
	fair, demand, usage, guarantee resource.Share
	promised                       resource.Share // promised guarantee fair share
	demandAmount, limits           resource.Vector
	fifoIndex                      int32
	schedulable                    bool
}

// New returns a tree over the elements of shares that has the root and no
// nodes.
func New(shares *fairshare.Tree, o Options) *Tree {
	t := &Tree{shares: shares}
	t.some.t = t
	for i := range t.kept {
		t.kept[i].t = t
	}
	t.SetOptions(o)
	t.add(Root, None)
	t.elements[Root].pool = &pooltree.PoolConfig{}
	return t
}

// Options returns the settings of the tree.
func (t *Tree) Options() *Options { return &t.options }

// SetOptions replaces the settings of the tree. Effective values follow at the
// next update.
func (t *Tree) SetOptions(o Options) {
	t.options, t.stale = o, true
	t.forgetLists()
}

// SetAdmission sets the function that decides whether the tag filters of an operation and of its
// pools admit a node; nil admits all (§2.2, §9.5).
func (t *Tree) SetAdmission(admits func(operation Element, n Node) bool) { t.admits = admits }

// AddPool adds a pool, whose handle fairshare.Tree.AddPool gave, as the last
// child of parent. Its options, those of its presets included, stay as they are.
func (t *Tree) AddPool(e, parent Element, c *pooltree.PoolConfig) {
	t.add(e, parent)
	t.elements[e].pool = c
}

// SetPool replaces the configuration of a pool. Its starvation goes on.
func (t *Tree) SetPool(e Element, c *pooltree.PoolConfig) {
	if isFIFO(t.elements[e].pool) != isFIFO(c) {
		t.forgetChoices()
	}
	t.elements[e].pool = c
	t.stale = true
}

// inherit puts in force the values of e, whose parent's are known (§7.1).
func (t *Tree) inherit(e Element) {
	n := &t.elements[e]
	n.inherited = true
	if e == Root {
		n.own = t.options.Root
		return
	}
	n.own = t.inherited(e, t.elements[n.parent].own)
	if op := n.operation; op != nil {
		op.limit = resource.Vector{}
		if !n.own.NonPreemptible.IsEmpty() {
			op.limit = n.own.NonPreemptible.Or(resource.Unlimited)
		}
	}
}

// inherited returns the values of e below a parent with those of above.
func (t *Tree) inherited(e Element, above pooltree.Effective) pooltree.Effective {
	n := &t.elements[e]
	if op := n.operation; op != nil {
		above.SetOperation(t.options.Profile, &op.OperationSettings, op.Gang && !t.options.AggressiveForGangs)
	} else {
		above.SetPool(n.pool)
	}
	return above
}

func isFIFO(c *pooltree.PoolConfig) bool { return c.Mode.Value == pooltree.FIFO }

// AddOperation adds an operation, whose handle fairshare.Tree.AddOperation
// gave, as the last child of parent. Its clocks start anew (§7.3).
func (t *Tree) AddOperation(e, parent Element, o Operation) {
	t.add(e, parent)
	t.setGraceful(e, o.Graceful)
	t.elements[e].operation = &operation{Operation: o, list: emptyList, failed: Never, lastSchedulable: Never, saturated: Never, index: -1, fewest: math.MaxInt64, fewestStarving: math.MaxInt64}
}

// SetOperation replaces the configuration of an operation.
func (t *Tree) SetOperation(e Element, o Operation) {
	t.setGraceful(e, o.Graceful)
	t.elements[e].operation.Operation = o
	t.mark(e)
}

// setGraceful sets whether an operation is graceful, and counts graceful operations.
func (t *Tree) setGraceful(e Element, graceful bool) {
	n := &t.elements[e]
	if n.graceful {
		t.gracefulOperations--
	}
	if n.graceful = graceful; graceful {
		t.gracefulOperations++
	}
}

// mark makes the next tick visit an element.
func (t *Tree) mark(e Element) {
	if n := &t.elements[e]; !n.dirty {
		n.dirty = true
		t.dirty = append(t.dirty, e)
	}
}

// SetNeeds sets the pending jobs of an operation.
func (t *Tree) SetNeeds(e Element, n Needs) {
	op := t.elements[e].operation
	if n.Waits > 0 {
		op.fewest = min(op.fewest, n.Waits)
	}
	own := &op.needs
	smallest := append(own.Smallest[:0], n.Smallest...)
	*own = n
	own.Smallest = smallest
	t.mark(e)
}

// SetSaturated sets until when an operation is skipped because it has enough jobs in a tentative
// tree to judge the tree by (§2.4, §9.5).
func (t *Tree) SetSaturated(e Element, until int64) { t.elements[e].operation.saturated = until }

// ResetStarvation clears the clocks of an operation that was enabled again (§7.3).
func (t *Tree) ResetStarvation(e Element) {
	t.forgetClocks(e)
	t.stale = true // lowest starving ancestors change
}

// Restart clears the clocks of all elements, and the backoffs of all nodes: the scheduler became
// active again, its elements are enabled again (§7.3) and its nodes register again.
func (t *Tree) Restart() {
	for e := range t.elements {
		if t.elements[e].alive {
			t.forgetClocks(Element(e))
			t.deadlines[e] = Never
			t.elements[e].lowestStarving, t.elements[e].lowestAggressive = None, None // until the next tick, too
		}
	}
	for n := range t.nodes {
		t.nodes[n].lastPreemptive = Never
	}
	t.stale, t.deadline = true, Never
	t.forgetLists()
}

// Move puts an element, with all below it, last among the children of parent. Its clocks restart,
// those of elements below it do not (§7.3).
func (t *Tree) Move(e, parent Element) {
	t.Place(e, parent)
	t.ResetStarvation(e)
}

// Place corrects the parent of an element that was there all along: like Move, but its clocks
// continue.
func (t *Tree) Place(e, parent Element) {
	usage, held := t.elements[e].usage, t.elements[e].held
	t.detach(e)
	t.elements[e].parent = parent
	t.elements[parent].children = append(t.elements[parent].children, e)
	t.addUsageAbove(parent, usage)
	t.hold(parent, held)
	t.stale = true
}

// Remove removes an element and all below it from the tree. Their jobs must have been removed.
func (t *Tree) Remove(e Element) {
	t.detach(e)
	t.release(e)
}

func (t *Tree) release(e Element) {
	for _, c := range t.elements[e].children {
		t.release(c)
	}
	if i := slices.Index(t.failed, e); i >= 0 {
		t.failed = slices.Delete(t.failed, i, i+1)
	}
	t.setGraceful(e, false)
	children := t.elements[e].children[:0]
	t.elements[e] = element{parent: None, children: children, dirty: t.elements[e].dirty}
	t.deadlines[e] = Never
}

func (t *Tree) detach(e Element) {
	p := t.elements[e].parent
	t.addUsageAbove(p, resource.Vector{}.Sub(t.elements[e].usage))
	t.hold(p, resource.Vector{}.Sub(t.elements[e].held))
	siblings := t.elements[p].children
	i := slices.Index(siblings, e)
	t.elements[p].children = slices.Delete(siblings, i, i+1)
	t.orderStale, t.grown = true, true
	t.forgetLists()
}

func (t *Tree) add(e, parent Element) {
	for int(e) >= len(t.elements) {
		t.elements = append(t.elements, element{parent: None})
		t.deadlines = append(t.deadlines, Never)
		t.previousTicks = append(t.previousTicks, previousTick{})
	}
	t.previousTicks[e].tick = 0
	n := &t.elements[e]
	*n = element{
		parent: parent, children: n.children[:0], alive: true, starvation: newStarvation(), unbroken: newUnbrokenSince(),
		lowestStarving: None, lowestAggressive: None, dirty: n.dirty,
	}
	t.countBegin(e)
	t.mark(e)
	if parent != None {
		t.elements[parent].children = append(t.elements[parent].children, e)
	}
	t.orderStale, t.grown = true, true
	t.forgetLists()
}

// addUsageAbove adds to the usage of e and all its ancestors.
func (t *Tree) addUsageAbove(e Element, delta resource.Vector) {
	for ; e != None; e = t.elements[e].parent {
		t.elements[e].usage = t.elements[e].usage.Add(delta)
	}
}

// sortElements lists the live elements, parents first.
func (t *Tree) sortElements() {
	if t.orderStale {
		t.order = t.listBelow(t.order[:0], Root)
		t.orderStale = false
	}
}

func (t *Tree) listBelow(list []Element, e Element) []Element {
	list = append(list, e)
	for _, c := range t.elements[e].children {
		list = t.listBelow(list, c)
	}
	return list
}
