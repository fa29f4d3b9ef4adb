// Package treejson reads pool trees that are written as JSON, one a line, computes their
// fair shares, and answers with a line of results, a table or an explanation.
package treejson

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"time"

	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// longestID is the most bytes of the id of a node.
const longestID = 64 << 10

// A Tree is one line of input.
type Tree struct {
	id            any // as given
	profile       pooltree.Profile
	now, previous int64

	tree     *fairshare.Tree
	nodes    []node
	elements []fairshare.Element          // of nodes
	indexes  map[fairshare.Element]int    // of elements, into nodes
	byName   map[string]int               // of ids, into nodes
	children [][]int                      // of nodes
	states   map[fairshare.Element]*state // of pools
}

// A node is one of a Tree.
type node struct {
	id, kind, parent string
	pool             fairshare.Pool      // of a root or a pool
	operation        fairshare.Operation // of an operation
	usage, demand    resource.Vector
	state            state
}

// A state holds the accumulated volume of an integral guarantee before an update.
type state struct {
	volume resource.Volume
	last   float64
}

// Deepest is the maximum number of levels of a tree.
const Deepest = 10_000

// The kinds of nodes.
const (
	kindRoot      = "root"
	kindPool      = "pool"
	kindOperation = "operation"
)

// Read reads a line as a tree of schedulers of a profile: max_share counts as the profile has it, and options
// that only the profile current has are faults with any other. It reads the input of a line of the conformance corpus, too. A
// result with an error has at least the id, if there is one.
func Read(line []byte, profile pooltree.Profile) (*Tree, error) {
	in := &Tree{profile: profile, previous: fairshare.NoUpdate}
	object, err := readObject(line)
	if err != nil {
		return in, err
	}
	if inner, ok := object["input"].(map[string]any); ok && object["nodes"] == nil {
		object = inner
	}
	f := newFields("", object, &err)
	in.id, _ = f.get("id")
	total := f.amounts("total_resource_limits")
	options := fairshare.Options{
		Profile:                      fairshare.Baseline,
		MainResource:                 f.kind("main_resource", resource.CPU),
		PoolCapacitySaturationPeriod: f.period("pool_capacity_saturation_period_us"),
		SmoothPeriod:                 f.period("smooth_period_us"),
		StepFunctionForGangs:         in.newFlag(f, "enable_step_function_for_gang_operations", false),
		Name:                         func(e fairshare.Element) string { return in.nodes[in.indexes[e]].id },
	}
	if profile == pooltree.Documented {
		options.Profile = fairshare.Documented
	}
	in.now = f.integer("now_us", 0)
	if _, given := f.get("previous_update_time_us"); given {
		in.previous = f.integer("previous_update_time_us", 0)
		if in.previous < 0 || in.previous > in.now {
			f.fail("previous_update_time_us", "must lie between 0 and now_us")
		}
	}
	in.readNodes(f)
	f.end()
	if err == nil {
		err = in.link()
	}
	if err == nil {
		err = in.checkSums()
	}
	if err == nil {
		in.tree = fairshare.New(options)
		in.tree.SetTotal(total.Amounts)
		in.fill()
	}
	return in, err
}

// newFlag reads a yes or no that only schedulers of the profile current know.
func (in *Tree) newFlag(f *fields, name string, fallback bool) bool {
	if _, given := f.get(name); given && in.profile != pooltree.Current {
		f.fail(name, "is an option of newer schedulers: give --profile current")
	}
	return f.flag(name, fallback)
}

// kind reads the name of a resource.
func (f *fields) kind(name string, fallback resource.Kind) resource.Kind {
	k, ok := resource.ParseKind(f.text(name, fallback.String()))
	if !ok {
		f.fail(name, "is %q, not a known resource", f.object[name])
	}
	return k
}

// period reads a span of microseconds above 0; absent is 0.
func (f *fields) period(name string) int64 {
	us := f.integer(name, 0)
	if _, given := f.get(name); given && us <= 0 {
		f.fail(name, "must be above 0")
	}
	return us
}

func (in *Tree) readNodes(f *fields) {
	value, _ := f.get("nodes")
	list, ok := value.([]any)
	if !ok {
		f.fail("nodes", "must be a list")
		return
	}
	in.nodes = make([]node, len(list))
	in.byName = make(map[string]int, len(list))
	for i, value := range list {
		object, ok := value.(map[string]any)
		if !ok {
			f.fail("nodes["+strconv.Itoa(i)+"]", "must be an object")
			return
		}
		in.readNode(i, newFields("nodes["+strconv.Itoa(i)+"]", object, f.err))
		if *f.err != nil {
			return
		}
	}
}

func (in *Tree) readNode(i int, f *fields) {
	n := &in.nodes[i]
	n.id = f.text("id", "")
	if len(n.id) > longestID {
		f.fail("id", "has %d bytes, and %d are the most", len(n.id), longestID)
		n.id = n.id[:longestID]
	}
	if n.id == "" {
		f.fail("id", "is missing")
		return
	}
	if _, twice := in.byName[n.id]; twice {
		f.fail("id", "%q is given to two nodes", n.id)
		return
	}
	in.byName[n.id] = i
	f.path = "node " + strconv.Quote(n.id)
	n.kind = f.text("kind", "")
	n.parent = f.text("parent", "")
	settings := fairshare.Settings{
		Weight:          fairshare.Some(f.number("weight").Or(1)),
		MaxShareRatio:   f.number("max_share", "max_share_ratio"),
		ResourceLimits:  f.amounts("resource_limits"),
		StrongGuarantee: f.amounts("strong_guarantee_resources", "min_share_resources"),
	}
	switch {
	case settings.MaxShareRatio.Value > 1:
		f.fail("max_share", "must not exceed 1")
	case settings.MaxShareRatio.Or(1) < 1 && in.profile == pooltree.Current:
		f.fail("max_share", "limits nothing with --profile current: leave it out")
	}
	switch n.kind {
	case kindRoot, kindPool:
		n.pool = in.readPool(f)
		n.pool.Settings = settings
		n.readState(f)
	case kindOperation:
		n.readOperation(f, settings)
	default:
		f.fail("kind", "is %q, must be one of root, pool, operation", n.kind)
	}
	f.end()
}

func (in *Tree) readPool(f *fields) fairshare.Pool {
	g := f.inner("integral_guarantees", "integral-guarantees")
	p := fairshare.Pool{
		Mode: []fairshare.Mode{fairshare.FairShare, fairshare.FIFO}[f.word("mode", "fair_share", "fifo")],
		TruncateFIFO: fairshare.SwitchOf(f.flag("enable_fair_share_truncation_in_fifo_pool", false,
			"truncate_fifo_pool_unsatisfied_child_fair_share")),
		ComputePromisedGuarantee: f.flag("compute_promised_guarantee_fair_share", false),
		StepFunctionForGangs:     fairshare.SwitchOf(in.newFlag(f, "enable_step_function_for_gang_operations", true)),
		PriorityGuarantee:        in.newFlag(f, "enable_priority_strong_guarantee_adjustment", false),
		GuaranteeDonor:           in.newFlag(f, "enable_priority_strong_guarantee_adjustment_donorship", false),
		Integral: fairshare.Integral{
			Type:                        fairshare.GuaranteeType(g.word("guarantee_type", "none", "burst", "relaxed")),
			ResourceFlow:                g.amounts("resource_flow"),
			BurstGuarantee:              g.amounts("burst_guarantee_resources"),
			RelaxedShareMultiplierLimit: fairshare.Some(g.number("relaxed_share_multiplier_limit").Or(3)),
			RefuseFreeVolume:            !g.flag("can_accept_free_volume", true),
			DistributeFreeVolume:        fairshare.SwitchOf(g.flag("should_distribute_free_volume_among_children", false)),
		},
	}
	g.end()
	return p
}

func (n *node) readState(f *fields) {
	s := f.inner("integral_resources_state")
	volume, _ := s.reals("accumulated_volume", 0)
	n.state = state{resource.VolumeOf(volume), s.number("last_share_ratio").Value}
	s.end()
}

func (n *node) readOperation(f *fields, settings fairshare.Settings) {
	n.usage, n.demand = f.amounts("resource_usage").Amounts, f.amounts("resource_demand").Amounts
	n.operation = fairshare.Operation{
		Settings:  settings,
		Gang:      f.flag("gang", false),
		StartTime: f.integer("start_time", 0),
	}
	n.operation.BestAllocationShare, n.operation.HasBestAllocation = f.reals("best_allocation_share", 1)
	for _, share := range n.operation.BestAllocationShare {
		if share > 1 {
			f.fail("best_allocation_share", "must not exceed 1")
		}
	}
}

// link finds the children of every node, and refuses nodes that do not form a tree.
func (in *Tree) link() error {
	in.children = make([][]int, len(in.nodes))
	root := -1
	for i := range in.nodes {
		n := &in.nodes[i]
		if n.kind == kindRoot {
			if n.parent != "" || root >= 0 {
				return fmt.Errorf("node %q: a tree has one root, and that has no parent", n.id)
			}
			root = i
			continue
		}
		parent, ok := in.byName[n.parent]
		if !ok {
			return fmt.Errorf("node %q: parent %q is not in the tree", n.id, n.parent)
		}
		if in.nodes[parent].kind == kindOperation {
			return fmt.Errorf("node %q: parent %q is an operation", n.id, n.parent)
		}
		in.children[parent] = append(in.children[parent], i)
	}
	if root < 0 {
		return fmt.Errorf("nodes have no root")
	}
	in.elements = make([]fairshare.Element, len(in.nodes))
	level := []int{root}
	for depth := 0; len(level) > 0; depth++ {
		if depth > Deepest {
			return fmt.Errorf("node %q: lies more than %d levels deep", in.nodes[level[0]].id, Deepest)
		}
		var next []int
		for _, i := range level {
			in.elements[i] = -1 // seen
			next = append(next, in.children[i]...)
		}
		level = next
	}
	for i := range in.nodes {
		if in.elements[i] != -1 {
			return fmt.Errorf("node %q: its parents form a cycle", in.nodes[i].id)
		}
	}
	return nil
}

// checkSums refuses amounts whose sums exceed an integer of 64 bits.
func (in *Tree) checkSums() error {
	var sums [3][resource.Kinds]float64
	for i := range in.nodes {
		n := &in.nodes[i]
		guarantee := n.pool.StrongGuarantee.Amounts.Max(n.operation.StrongGuarantee.Amounts)
		for j, amounts := range [...]resource.Vector{n.usage, n.demand, guarantee} {
			for k, amount := range amounts {
				sums[j][k] += float64(amount)
			}
		}
	}
	for j, what := range [...]string{"resource_usage", "resource_demand", "strong_guarantee_resources"} {
		for k, sum := range sums[j] {
			if sum > math.MaxInt64/2 {
				return fmt.Errorf("nodes: %s of %v adds up to more than 64 bits hold", what, resource.Kind(k))
			}
		}
	}
	return nil
}

// Update computes the shares.
func (in *Tree) Update() error { return in.tree.Update(in.now, in.previous) }

// Time computes the shares again, the given number of times, and returns a line that
// says how long that took.
func (in *Tree) Time(repeat int) ([]byte, error) {
	took := make([]float64, repeat)
	runtime.GC() // what reading left behind
	for i := range took {
		in.restore()
		in.tree.Recompute()
		start := time.Now()
		if err := in.Update(); err != nil {
			return nil, err
		}
		took[i] = float64(time.Since(start).Nanoseconds()) / 1e3
	}
	slices.Sort(took)
	median := (took[(len(took)-1)/2] + took[len(took)/2]) / 2
	return json.Marshal(struct {
		ID     any     `json:"id"`
		Median float64 `json:"median_us"`
		Min    float64 `json:"min_us"`
	}{in.id, median, took[0]})
}

// restore undoes what updates carry forward.
func (in *Tree) restore() {
	for e, s := range in.states {
		in.tree.SetIntegralState(e, s.volume, s.last)
	}
}

// fill adds the nodes to the tree, parents first, children in order.
func (in *Tree) fill() {
	in.indexes = make(map[fairshare.Element]int, len(in.nodes))
	in.states = map[fairshare.Element]*state{}
	var add func(i int, parent fairshare.Element)
	add = func(i int, parent fairshare.Element) {
		n := &in.nodes[i]
		e := fairshare.Root
		switch n.kind {
		case kindRoot:
			in.tree.SetPool(e, n.pool)
		case kindPool:
			e = in.tree.AddPool(parent, n.pool)
		case kindOperation:
			e = in.tree.AddOperation(parent, n.operation)
			in.tree.SetDemand(e, n.demand)
			in.tree.SetUsage(e, n.usage)
		}
		in.elements[i], in.indexes[e] = e, i
		if n.kind != kindOperation {
			in.states[e] = &n.state
		}
		for _, c := range in.children[i] {
			add(c, e)
		}
	}
	for i := range in.nodes {
		if in.nodes[i].kind == kindRoot {
			add(i, fairshare.Root)
		}
	}
	in.restore()
}
