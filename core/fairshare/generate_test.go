package fairshare

import (
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"poolproof/core/resource"
)

// A chooser makes the decisions by which trees are generated: rapid's, which
// shrink, or those of a seeded generator, which are fast.
type chooser func(n int) int

func rapidChooser(t *rapid.T) chooser {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
}

func seededChooser(seed uint64) chooser {
	return rand.New(rand.NewPCG(seed, 1)).IntN
}

func (c chooser) oneIn(n int) bool { return c(n) == 0 }

func pick[T any](c chooser, options ...T) T { return options[c(len(options))] }

// A world is some trees that see the same changes, and what is alive in them.
type world struct {
	chooser
	trees      []*Tree
	used       Tree // is made a clone again and again
	clones     int
	pools      []Element // the root first
	operations []Element
	now        int64
	tame       bool // no history, integral guarantees or truncation
	scale      int  // of amounts; large ones have no ties
}

// never is a number of elements up to which no tree has literal plots.
const never = -1

func newWorld(c chooser, trees int) *world {
	w := &world{chooser: c, pools: []Element{Root}, now: 1_700_000_000_000_000, scale: 1}
	for range trees {
		w.trees = append(w.trees, New(Options{
			Profile: pick(c, Baseline, Documented), MainResource: resource.CPU,
			MaxSchedulableInFIFOPool: c(3), InferWeightMultiplier: pick(c, 0, 0, 1.5), DistributeFreeVolume: c.oneIn(2),
			StepFunctionForGangs: c.oneIn(3),
		}))
	}
	small := pick(c, literalElements, never, 12)
	for _, t := range w.trees {
		t.options, t.literalElements = w.trees[0].options, small
	}
	w.each(func(t *Tree) { t.SetTotal(resource.Vector{100, 10_000, 0, 1000, 100}) })
	return w
}

// newTameWorld returns a world of one tree without the parts of the algorithm
// that let order and idle siblings show, in which nothing is equal by chance.
func newTameWorld(c chooser) *world {
	w := newWorld(c, 1)
	w.tame, w.scale = true, 1_000_000
	w.trees[0].options.InferWeightMultiplier = 0
	w.trees[0].SetTotal(w.size())
	return w
}

// size is the usual total of the trees.
func (w *world) size() resource.Vector {
	total := resource.Vector{100, 10_000, 0, 1000, 100}
	for k := range total {
		total[k] *= int64(w.scale)
	}
	return total
}

func (w *world) each(do func(*Tree)) {
	for _, t := range w.trees {
		do(t)
	}
}

// grow adds pools and operations.
func (w *world) grow(pools, operations int) {
	for range pools {
		w.addPool()
	}
	for range operations {
		w.addOperation()
	}
}

func (w *world) addPool() {
	config := w.pool()
	parent := w.parentOfPool()
	var e Element
	w.each(func(t *Tree) { e = t.AddPool(parent, config) })
	w.pools = append(w.pools, e)
}

// parentOfPool picks a pool that may hold pools.
func (w *world) parentOfPool() Element {
	for range 5 {
		if p := pick(w.chooser, w.pools...); w.trees[0].nodes[p].pool.config.Mode == FairShare {
			return p
		}
	}
	return Root
}

func (w *world) addOperation() {
	config := w.operation()
	parent := pick(w.chooser, w.pools...)
	var e Element
	w.each(func(t *Tree) { e = t.AddOperation(parent, config) })
	w.operations = append(w.operations, e)
	w.setAmounts(e)
}

// amounts are up to a few times the tree, in whole tenths.
func (w *world) amounts(most int) (v resource.Vector) {
	total := resource.Vector{100, 10_000, 10, 1000, 100}
	for k := range v {
		if !w.oneIn(3) {
			v[k] = total[k] * int64(w.chooser(most*w.scale+1)) / 10
		}
	}
	return v
}

func (w *world) setAmounts(e Element) {
	demand := w.amounts(pick(w.chooser, 1, 5, 30))
	usage := resource.Vector{}
	if w.oneIn(2) {
		part := int64(w.chooser(5))
		for k := range usage {
			usage[k] = demand[k] * part / 4
		}
	}
	w.each(func(t *Tree) { t.SetDemand(e, demand); t.SetUsage(e, usage) })
}

func (w *world) settings() (s Settings) {
	if w.oneIn(2) {
		s.Weight = Some(pick(w.chooser, 0.1, 0.5, 1, 1.7, 3, 100))
	}
	if w.oneIn(6) {
		s.MaxShareRatio = Some(pick(w.chooser, 0, 0.1, 0.33, 0.5, 1))
	}
	if w.oneIn(5) {
		s.ResourceLimits = w.partial(12)
	}
	return s
}

func (w *world) partial(most int) (p resource.Partial) {
	p.Amounts = w.amounts(most)
	for k := range p.Set {
		p.Set[k] = w.oneIn(2)
		if !p.Set[k] {
			p.Amounts[k] = 0
		}
	}
	return p
}

func (w *world) pool() (p Pool) {
	p.Settings = w.settings()
	if w.oneIn(3) {
		p.StrongGuarantee = w.partial(2)
		p.StrongGuarantee.Set[resource.CPU] = true
		if w.tame {
			p.StrongGuarantee = resource.Partial{Set: [resource.Kinds]bool{1: true}, Amounts: resource.Vector{1: int64(w.chooser(400 * w.scale))}}
		}
	}
	if w.oneIn(4) {
		p.Mode = FIFO
		if w.oneIn(2) {
			p.FIFOSort = [3]FIFOKey{ByStartTime, ByPendingJobs}
		}
	}
	if w.tame {
		return p
	}
	p.TruncateFIFO = Switch(w.chooser(3))
	p.ComputePromisedGuarantee = w.oneIn(6)
	p.StepFunctionForGangs = Switch(w.chooser(3))
	p.PriorityGuarantee, p.GuaranteeDonor = w.oneIn(6), w.oneIn(4)
	p.InferWeightsFromHistory = w.oneIn(15)
	if w.oneIn(2) {
		p.HistoryAlpha = Some(0.1)
	}
	p.UsePoolSatisfaction, p.ScheduleInFIFOOrder = Switch(w.chooser(3)), Switch(w.chooser(3))
	if w.oneIn(5) {
		p.Integral = Integral{
			Type: pick(w.chooser, Burst, Relaxed), ResourceFlow: w.partial(2), BurstGuarantee: w.partial(5),
			RefuseFreeVolume: w.oneIn(3), DistributeFreeVolume: Switch(w.chooser(3)),
		}
	}
	p.Integral.DistributeFreeVolume = Switch(w.chooser(3))
	return p
}

func (w *world) operation() (o Operation) {
	o.Settings = w.settings()
	o.StartTime, o.PendingJobs, o.ID = int64(w.chooser(5)), int64(w.chooser(5)), int64(len(w.operations))
	o.Unschedulable = w.oneIn(4)
	if w.tame {
		return o
	}
	o.Gang = w.oneIn(3)
	if w.oneIn(20) {
		o.StrongGuarantee = w.partial(2)
	}
	if w.oneIn(10) {
		o.HasBestAllocation, o.BestAllocationShare = true, resource.Share{1, 1, 1, 0.5, 1}
	}
	return o
}

// change makes one random change.
func (w *world) change() {
	switch w.chooser(24) {
	case 0:
		w.addPool()
	case 1, 2, 3:
		w.addOperation()
	case 4, 5:
		w.removeOperation()
	case 7:
		if w.oneIn(4) {
			w.removePool()
		}
	case 8:
		w.movePool()
	case 9, 10:
		w.reconfigurePool()
	case 11, 12:
		if len(w.operations) > 0 {
			e, config := pick(w.chooser, w.operations...), w.operation()
			w.each(func(t *Tree) { t.SetOperation(e, config) })
		}
	case 13:
		w.resize()
	case 14:
		e, volume := pick(w.chooser, w.pools...), w.amounts(20).Over(float64(w.chooser(100)))
		w.each(func(t *Tree) { t.SetIntegralState(e, volume, 0.1) })
	default:
		if len(w.operations) > 0 {
			w.setAmounts(pick(w.chooser, w.operations...))
		}
	}
}

func (w *world) reconfigurePool() {
	e, config := pick(w.chooser, w.pools...), w.pool()
	old := w.trees[0].nodes[e].pool
	if len(old.pools) > 0 || e == Root {
		config.Mode = FairShare
	}
	if w.oneIn(2) { // only one thing
		one := old.config
		one.Weight = config.Weight
		config = one
	}
	w.each(func(t *Tree) { t.SetPool(e, config) })
}

func (w *world) resize() {
	total := resource.Vector{100, 10_000, 0, 1000, 100}
	switch w.chooser(4) {
	case 0:
		total[resource.GPU] = 10
	case 1:
		total[resource.Memory] = 500
	case 2:
		if w.oneIn(5) {
			total = resource.Vector{}
		}
	}
	w.each(func(t *Tree) { t.SetTotal(total) })
}

func (w *world) removeOperation() {
	if len(w.operations) == 0 {
		return
	}
	i := w.chooser(len(w.operations))
	e := w.operations[i]
	w.operations = slices.Delete(w.operations, i, i+1)
	w.each(func(t *Tree) { t.Remove(e) })
}

func (w *world) removePool() {
	if len(w.pools) == 1 {
		return
	}
	e := w.pools[1+w.chooser(len(w.pools)-1)]
	w.each(func(t *Tree) { t.Remove(e) })
	w.survey()
}

// survey finds anew what is alive.
func (w *world) survey() {
	w.pools, w.operations = w.pools[:0], w.operations[:0]
	var visit func(Element)
	visit = func(e Element) {
		n := &w.trees[0].nodes[e]
		if n.pool != nil {
			w.pools = append(w.pools, e)
		} else {
			w.operations = append(w.operations, e)
		}
		for _, c := range n.children {
			visit(c)
		}
	}
	visit(Root)
}

func (w *world) movePool() {
	if len(w.pools) == 1 {
		return
	}
	e, to := w.pools[1+w.chooser(len(w.pools)-1)], w.parentOfPool()
	for a := to; a != none; a = w.trees[0].nodes[a].parent {
		if a == e {
			return
		}
	}
	w.each(func(t *Tree) { t.Move(e, to) })
}

// clone returns a tree with the same state as t, with other handles, that has
// never been updated, and the handle there of each element of t.
func clone(t *Tree) (*Tree, map[Element]Element) {
	c := new(Tree)
	return c, cloneInto(c, t)
}

// cloneInto makes c, which may have been used, what clone returns.
func cloneInto(c, t *Tree) map[Element]Element {
	c.Reset(t.options)
	c.literalElements = t.literalElements
	c.SetTotal(t.total)
	handles := map[Element]Element{Root: Root}
	c.SetPool(Root, t.nodes[Root].pool.config)
	c.SetIntegralState(Root, t.nodes[Root].pool.volume, t.nodes[Root].pool.last)
	var add func(Element)
	add = func(e Element) {
		for _, child := range t.nodes[e].children {
			n := &t.nodes[child]
			var h Element
			if n.pool != nil {
				h = c.AddPool(handles[e], n.pool.config)
				c.SetIntegralState(h, n.pool.volume, n.pool.last)
			} else {
				h = c.AddOperation(handles[e], *n.operation)
				c.SetDemand(h, n.demand)
				c.SetUsage(h, n.usage)
			}
			c.nodes[h].history, c.nodes[h].historyTime = n.history, n.historyTime
			handles[child] = h
			add(child)
		}
	}
	add(Root)
	return handles
}
