package fairshare

import (
	"strconv"

	"poolproof/core/resource"
)

// An Element is a handle of a pool or an operation in a Tree. Handles are
// dense, so that callers may index slices by them; that of a removed element
// is given to a later one.
type Element int32

// Root is the handle of a tree's root.
const Root Element = 0

// none is the parent of the root.
const none Element = -1

// A Tree is a pool tree: its configuration, what its operations use and
// demand, the state that updates carry forward, and the results of the last
// good update. The zero value is not ready, use New.
type Tree struct {
	serial  int64 // updates so far
	options Options
	total   resource.Vector
	kinds   []resource.Kind // those with a positive total, in canonical order
	unit    resource.Share  // the share of all there is: 1 for these kinds

	nodes   []node
	flags   []flags
	given   [2][]distribution   // what the two distributions give each element
	cuts    [2][]resource.Share // ... and what truncation takes of that, where isCut
	results []*Result
	free    []Element    // handles to be reused, the last removed first
	spare   []*Operation // of operations that have left
	vacant  []*poolState // of pools that have left

	satisfactions []satisfaction

	stale           bool // everything is to be computed anew
	literal         bool // plots are built in the reference's steps
	literalElements int  // up to how many elements they are; only tests have it otherwise
	listsStale      bool // the lists of pools below are
	burst           []Element
	relaxed         []Element
	integralPath    []Element // the integral pools and all above them
	hosts           []Element // composites with integral pools below, themselves not integral, children first
	promising       []Element // topmost pools that compute promised guarantee shares
	historic        []Element // pools whose children's historic usage is kept
	nested          bool      // an integral pool lies inside another

	nestedPromising []Element // pools that compute promised guarantee shares inside others that do
	withoutDonor    []Element // priority pools without a donor above
	hasPriority     bool      // a pool with a donor is a priority pool

	now, previous int64 // of the update under way; previous NoUpdate = none
	refused       *RefusedError
	margin        float64 // of windows
	widened       bool    // a window was too narrow

	errors  []*UpdateError
	changed []Element
	touched []Element

	scratch scratch
}

// A node is the working state of one element. Shares have all five kinds,
// plots only those of Tree.kinds.
type node struct {
	// What every update looks at stands together: the first 64 bytes are a cache line.
	parent        Element
	fifoIndex     int32
	weight        float64
	pool          *poolState // nil for operations
	suggestion    []point    // the plot S
	guarantees    bool       // a strong guarantee is configured
	held          bool       // the last update gave it a strong guarantee
	limited       bool       // it has limits of its own
	unschedulable bool
	promising     bool // a promised guarantee share is computed for it, or was

	usageShare, demandShare resource.Share
	strong, proposed        resource.Share
	limitsShare             resource.Share
	known                   window // where S is known, in suggestions

	usage, demand resource.Vector // of a composite: the sums of its children's
	limits        resource.Vector
	cap           resource.Share

	promised, estimated resource.Share
	effective           resource.Vector

	operation *Operation // nil for pools
	children  []Element  // in child order
	dominant  resource.Kind

	history, nextHistory         float64 // historic usage, and what a good update makes of it
	historyTime, nextHistoryTime int64   // of the last sample; -1 = none
}

// A poolState holds the state that only pools have.
type poolState struct {
	config     Pool
	pools      []Element // child pools, in child order
	order      []Element // of a FIFO pool: the children as sorted
	operations int       // how many of the children are operations

	function    []point // the plot F
	known       window  // ... for these fit factors
	wanted      window  // ... to be built, in fit factors over the least weight
	trial       []point // the plot S under tentative guarantees or limits
	fits        []knot  // the plot M, where plots are literal
	leastWeight float64 // w_min: offers are scaled by weight over this one

	specifiedBurst, burst, flow float64
	totalBurst, totalFlow       float64

	volume, nextVolume   resource.Volume
	last, nextLast       float64
	capacity             resource.Volume
	overflow, acceptable resource.Volume
	accepted             resource.Volume
	childrenOverflow     resource.Volume
	previousProposed     resource.Share

	hasPriority bool           // its whole guarantee is in the tier of priority pools (§5.3)
	priority    resource.Share // the part in that tier, before adjustment
}

// Which of the two sets of fair shares a distribution belongs to.
const (
	mainShares      = iota // the fair shares
	guaranteeShares        // the promised guarantee fair shares
)

// A distribution holds the results of one top-down pass for an element.
type distribution struct {
	fit    float64        // the fit factor of a composite
	target resource.Share // before FIFO truncation
	isCut  bool           // truncation takes something below
}

// New returns a tree that has a root, no resources and nothing below.
func New(o Options) *Tree {
	t := new(Tree)
	t.Reset(o)
	return t
}

// Reset makes t equal to a tree of New and keeps its memory for what comes: a large tree that is
// built again and again costs no garbage. Handles and results of before are not valid any more.
func (t *Tree) Reset(o Options) {
	for e := range t.nodes {
		t.vacate(Element(e))
	}
	free := t.free[:0]
	for e := len(t.nodes) - 1; e >= 0; e-- {
		free = append(free, Element(e)) // handles are given anew from Root on
	}
	*t = Tree{
		options: o.withDefaults(), stale: true, listsStale: true, literalElements: literalElements, margin: leastMargin,
		nodes: t.nodes, flags: t.flags, given: t.given, cuts: t.cuts, results: t.results, satisfactions: t.satisfactions,
		free: free, spare: t.spare, vacant: t.vacant,
	}
	t.claim(none)
	t.flags[Root] = unchecked
	t.nodes[Root].pool = t.keepPool(Pool{})
}

// Options returns the options of the tree, defaults filled in.
func (t *Tree) Options() Options { return t.options }

// SetOptions replaces the options of the tree.
func (t *Tree) SetOptions(o Options) {
	t.options = o.withDefaults()
	t.Recompute()
}

// SetTotal replaces the resources of the tree.
func (t *Tree) SetTotal(total resource.Vector) {
	if t.total == total {
		return
	}
	t.total = total
	t.Recompute()
}

// Total returns the resources of the tree.
func (t *Tree) Total() resource.Vector { return t.total }

// Recompute makes the next update a full one: it forgets what earlier ones
// worked out. What updates carry forward (volumes, last share ratios,
// historic usage) stays.
func (t *Tree) Recompute() { t.stale, t.listsStale = true, true }

// Restart forgets what a scheduler that becomes active anew does not know: last
// share ratios, historic usage, and the volume of a pool that is of no integral type
// any more (§6.1). The update after it has no previous one.
func (t *Tree) Restart() {
	t.stale = true // weights followed historic usage
	for e := range t.nodes {
		t.forgetHistory(Element(e))
		p := t.nodes[e].pool
		if p == nil {
			continue
		}
		p.last, p.nextLast = 0, 0
		if p.config.Integral.Type == NoGuarantee {
			p.volume, p.nextVolume = resource.Volume{}, resource.Volume{}
		}
	}
}

// AddPool adds a pool as the last child of parent.
func (t *Tree) AddPool(parent Element, p Pool) Element {
	e := t.claim(parent)
	t.nodes[e].pool = t.keepPool(p)
	t.nodes[e].noteSettings(&p.Settings)
	t.attach(e, parent)
	t.listsStale = true
	return e
}

// SetPool replaces the configuration of a pool. The root has one, too; in a
// scheduler it is that of New.
func (t *Tree) SetPool(e Element, p Pool) {
	s := t.nodes[e].pool
	if s.config == p {
		return
	}
	if s.config.HistoryAlpha != p.HistoryAlpha {
		for _, c := range t.nodes[e].children {
			t.forgetHistory(c)
		}
	}
	if s.config.StepFunctionForGangs != p.StepFunctionForGangs {
		for _, c := range t.nodes[e].children {
			t.mark(c, changedPlot)
		}
	}
	s.config = p
	t.nodes[e].noteSettings(&p.Settings)
	t.listsStale = true
	t.mark(e, unchecked|changedSettings|changedRatios|changedGuarantee|changedOrder|changedFunction)
	t.markAbove(e)
}

// AddOperation adds an operation as the last child of parent.
func (t *Tree) AddOperation(parent Element, o Operation) Element {
	e := t.claim(parent)
	t.nodes[e].operation = t.keepOperation(o)
	n := &t.nodes[e]
	n.noteSettings(&o.Settings)
	n.limited, n.unschedulable = n.limited || o.HasBestAllocation, o.Unschedulable
	t.attach(e, parent)
	return e
}

// SetOperation replaces the configuration of an operation.
func (t *Tree) SetOperation(e Element, o Operation) {
	n := &t.nodes[e]
	if *n.operation == o {
		return
	}
	*n.operation = o
	n.noteSettings(&o.Settings)
	n.limited, n.unschedulable = n.limited || o.HasBestAllocation, o.Unschedulable
	t.mark(e, unchecked|changedSettings|changedPlot)
	t.markAbove(e)
}

// SetPlace sets the recorded place of an operation that the last update put there: no order changes.
func (t *Tree) SetPlace(e Element, place int32) { t.nodes[e].operation.Place = place }

// noteSettings caches which kinds of settings are set.
func (n *node) noteSettings(s *Settings) {
	n.guarantees = !s.StrongGuarantee.IsEmpty()
	n.limited = !s.ResourceLimits.IsEmpty() || !s.TagLimits.IsEmpty() || s.MaxShareRatio.Or(1) < 1
}

// SetUsage sets the resources of an operation's running jobs.
func (t *Tree) SetUsage(e Element, usage resource.Vector) {
	if old := t.nodes[e].usage; old != usage {
		t.addAmounts(e, usage.Sub(old), resource.Vector{})
	}
}

// SetDemand sets what an operation uses and needs besides.
func (t *Tree) SetDemand(e Element, demand resource.Vector) {
	if old := t.nodes[e].demand; old != demand {
		t.addAmounts(e, resource.Vector{}, demand.Sub(old))
	}
}

// addAmounts adds to the amounts of e and of all above it. Amounts are whole
// numbers, so that the order of additions does not show.
func (t *Tree) addAmounts(e Element, usage, demand resource.Vector) {
	t.mark(e, changedAmounts|changedPlot)
	for ; e != none; e = t.nodes[e].parent {
		n := &t.nodes[e]
		n.usage, n.demand = n.usage.Add(usage), n.demand.Add(demand)
		t.flags[e] |= changedAmounts
	}
}

// SetIntegralState sets what a pool's integral guarantee carries from update
// to update: its accumulated volume and the share ratio granted last. A
// scheduler restores the volume after a restart.
func (t *Tree) SetIntegralState(e Element, volume resource.Volume, last float64) {
	p := t.nodes[e].pool
	p.volume, p.last = volume, last
	p.nextVolume, p.nextLast = volume, last
	t.mark(e, unchecked|changedSettings)
}

// Children returns the children of a composite in child order (core/spec/fair-share.md §3.7). The slice is the Tree's
// own, and good until a child comes or goes.
func (t *Tree) Children(e Element) []Element { return t.nodes[e].children }

// Result returns what the last good update published of e. The pointer stays
// good, and its contents follow the updates, until e is removed.
func (t *Tree) Result(e Element) *Result { return t.results[e] }

// Errors returns the faults of the configuration that the last good update
// found.
func (t *Tree) Errors() []*UpdateError { return t.errors }

// Changed returns the elements whose result the last update changed, in
// ascending order. The slice is good until the next update.
func (t *Tree) Changed() []Element { return t.changed }

// Serial counts the updates so far, refused ones included: a reader of Changed sees by it whether
// it missed some.
func (t *Tree) Serial() int64 { return t.serial }

// name names e for errors.
func (t *Tree) name(e Element) string {
	if t.options.Name != nil {
		return t.options.Name(e)
	}
	return "element " + strconv.Itoa(int(e))
}

// settings returns what e is configured with.
func (t *Tree) settings(e Element) *Settings {
	if n := &t.nodes[e]; n.operation != nil {
		return &n.operation.Settings
	}
	return &t.nodes[e].pool.config.Settings
}
