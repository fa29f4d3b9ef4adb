package synthetic

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/simulate"
	"poolproof/core/spelling"
	"poolproof/ingest/input"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// A draft holds the parts of a trace that are known before the simulation: the dimensions,
// configurations, nodes, and the actions of people. It is written as a trace and read
// back, so that the simulated scheduler acts by exactly the values that a reader of
// the trace will see.
type draft struct {
	spec       *Spec
	window     core.Span
	operations []operation
	byName     map[string]core.OperationID
	pools      []trace.Pool
	poolIDs    []map[string]core.PoolID // by tree
	nodes      []node
	trees      []draftTree
	cluster    []trace.ClusterConfig
	processes  []trace.ProcessEvent
	strays     []trace.NodeState // of nodes in no tree or in several
}

// A draftTree holds the rows of a tree by their seq in the draft, which is one
// more than their index.
type draftTree struct {
	name   string
	rows   []row
	filter pooltree.Formula
	config trace.TreeConfig
	pool   map[string]trace.PoolConfig // as last configured
	facts  []core.Event
}

// A row is one of the draft: a *trace.TreeConfig, *trace.PoolConfig,
// *trace.NodeState or *trace.OpEvent.
type row struct {
	at   core.Time
	kind core.Kind
	data any
}

// A node is a machine of the cluster.
type node struct {
	address string
	group   *NodeGroup
	tags    []string
	segment string
	online  bool
	size    resource.Vector
}

func newDraft(s *Spec, seed uint64, plants ...*Plant) (*draft, error) {
	d := &draft{spec: s, window: s.window(), operations: draw(s, seed), byName: map[string]core.OperationID{}}
	for i, o := range d.operations {
		d.byName[o.name] = core.OperationID(i)
	}
	for _, t := range s.trees {
		config, _ := t.file.TreeRow(t.name)
		config.Source = "export"
		filter, err := t.filter()
		if err != nil {
			return nil, input.Errorf("tree %s: nodes_filter: %w", spelling.OneName(t.name), err)
		}
		d.trees = append(d.trees, draftTree{name: t.name, config: config, filter: filter, pool: map[string]trace.PoolConfig{}})
	}
	d.numberPools()
	d.configure()
	d.placeNodes(seed)
	d.configureCluster()
	if err := d.change(); err != nil {
		return nil, err
	}
	d.submit()
	for _, p := range plants {
		p.each(configurations, d.field(p))
	}
	for i := range d.trees {
		t := &d.trees[i]
		slices.SortStableFunc(t.rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind)) })
	}
	return d, nil
}

func (d *draft) treeNames() string {
	names := make([]string, len(d.trees))
	for i, t := range d.trees {
		names[i] = t.name
	}
	return strings.Join(names, ",")
}

func (d *draft) tree(name string) int {
	return slices.IndexFunc(d.trees, func(t draftTree) bool { return t.name == name })
}

// numberPools numbers the pools of all trees: those that are configured, then
// those that operations may bring with them.
func (d *draft) numberPools() {
	d.poolIDs = make([]map[string]core.PoolID, len(d.trees))
	for i, t := range d.spec.trees {
		d.poolIDs[i] = map[string]core.PoolID{}
		for _, name := range t.file.Pools(t.name) {
			d.addPool(i, name, false)
		}
	}
	more := make([]map[string]bool, len(d.trees))
	for i := range more {
		more[i] = map[string]bool{}
	}
	for _, o := range d.operations {
		for _, tree := range slices.Concat(o.kind.Trees, o.kind.Tentative) {
			i, pool := d.tree(tree), o.kind.Pool
			set(&pool, o.user)
			more[i][pool] = true
			more[i][pool+"$"+o.user] = true
		}
	}
	d.offloadedPools(more)
	for _, c := range d.spec.Changes {
		if i := d.tree(c.Tree); i >= 0 && c.Pool != "" {
			more[i][c.Pool] = true
		}
		if id, moves := d.byName[c.Operation]; moves && c.Pool != "" {
			for _, tree := range slices.Concat(d.operations[id].kind.Trees, d.operations[id].kind.Tentative) {
				more[d.tree(tree)][c.Pool+"$"+d.operations[id].user] = true
			}
		}
	}
	for i := range more {
		for _, name := range slices.Sorted(maps.Keys(more[i])) {
			if hub, _, sub := strings.Cut(name, "$"); sub && !d.everHub(i, hub) {
				continue
			}
			d.addPool(i, name, true)
		}
	}
}

// offloadedPools adds the pools that offloading may bring to other trees: those that
// offloading_settings name, and those of operations where they name none.
func (d *draft) offloadedPools(more []map[string]bool) {
	for _, t := range d.spec.trees {
		for _, r := range t.file.PoolRows(t.name, d.configuredIDs(d.tree(t.name))) {
			attributes, _ := poolconf.PoolAttributes(&r)
			config, _ := pooltree.ParsePool(pooltree.Documented, attributes)
			for _, offload := range config.Offloading {
				i := d.tree(offload.Tree)
				if i < 0 {
					continue
				}
				for _, o := range d.operations {
					pool := o.kind.Pool
					set(&pool, o.user)
					if offload.Pool != "" {
						pool = offload.Pool
					}
					more[i][pool], more[i][pool+"$"+o.user] = true, true
				}
			}
		}
	}
}

func (d *draft) addPool(tree int, name string, ephemeral bool) {
	if _, known := d.poolIDs[tree][name]; known {
		return
	}
	id := core.PoolID(len(d.pools))
	d.poolIDs[tree][name] = id
	d.pools = append(d.pools, trace.Pool{
		Pool: id, Tree: d.trees[tree].name, Name: name, Ephemeral: ephemeral,
		FirstSeen: d.window.From, LastSeen: d.window.To,
	})
}

// everHub reports whether a pool gives each user a subpool at any time.
func (d *draft) everHub(tree int, name string) bool {
	t := d.spec.trees[tree]
	if !slices.Contains(t.file.Pools(t.name), name) {
		return false
	}
	for _, c := range d.spec.Changes {
		if _, sets := c.Set["create_ephemeral_subpools"]; sets && c.Pool == name {
			return true
		}
	}
	for _, r := range t.file.PoolRows(t.name, d.configuredIDs(tree)) {
		if d.pools[r.Pool].Name == name {
			return r.CreateEphemeralSubpools.Or(false)
		}
	}
	return false
}

// configuredIDs are the numbers of the pools that a tree's file names.
func (d *draft) configuredIDs(tree int) map[string]core.PoolID { return d.poolIDs[tree] }

// configure adds the configurations of the window's start.
func (d *draft) configure() {
	for i, t := range d.spec.trees {
		config := d.trees[i].config
		d.add(i, d.window.From, core.TreeConfigured, &config)
		for _, r := range t.file.PoolRows(t.name, d.configuredIDs(i)) {
			d.trees[i].pool[d.pools[r.Pool].Name] = r
			d.add(i, d.window.From, core.PoolConfigured, &r)
		}
	}
}

func (d *draft) add(tree int, at core.Time, kind core.Kind, data any) {
	if pool, is := data.(*trace.PoolConfig); is {
		pool.Source = core.Some("event")
	}
	d.trees[tree].rows = append(d.trees[tree].rows, row{at, kind, data})
}

// submit adds the start of every operation in its trees, with the settings that
// it brings, and the aborts of users.
func (d *draft) submit() {
	for id, o := range d.operations {
		for n, tree := range slices.Concat(o.kind.Trees, o.kind.Tentative) {
			r := o.kind.Settings.row()
			r.Op, r.Event, r.Who = core.OperationID(id), "started", text(o.user)
			r.Tentative, r.Probing, r.Offloading = core.Some(n >= len(o.kind.Trees)), core.Some(false), core.Some(false)
			d.add(d.tree(tree), o.at, core.OperationChanged, &r)
		}
		if o.abort > 0 && o.abort < d.window.To {
			r := trace.OpEvent{Op: core.OperationID(id), Event: "aborted", Who: text(o.user)}
			d.add(d.tree(o.kind.Trees[0]), o.abort, core.OperationChanged, &r)
		}
	}
}

// row holds an operation's own settings.
func (o *Settings) row() trace.OpEvent {
	r := trace.OpEvent{
		Weight: optional(o.Weight), MaxShareRatio: optional(o.MaxShareRatio),
		Limit: o.Limits.partial(), Strong: o.Strong.partial(),
		SchedulingTagFilter: text(o.TagFilter), PreemptionMode: text(o.PreemptionMode),
		FairShareStarvationTolerance: optional(o.Tolerance), FairShareStarvationTimeoutMS: milliseconds(o.Timeout),
		MinSharePreemptionTimeoutMS: milliseconds(o.MinTimeout), EnableAggressiveStarvation: optional(o.Aggressive),
	}
	return r
}

// dimensionRows are the rows of dim/operations, without what the simulation
// will tell.
func (d *draft) dimensionRows() []trace.Operation {
	rows := make([]trace.Operation, len(d.operations))
	for i, o := range d.operations {
		jobs := int64(0)
		for _, n := range o.jobs {
			jobs += int64(n)
		}
		rows[i] = trace.Operation{
			Op: core.OperationID(i), ID: o.id, Type: o.kind.Type, User: o.user, Title: text(o.name),
			StartTime: core.Some(o.at), JobCount: core.Some(jobs), SpecJSON: core.Some(specOfOperation(o.kind)),
		}
		if o.kind.Gang {
			rows[i].IsGang = core.Some(true)
		}
	}
	return rows
}

// treeSpec returns the options of an operation's spec about its trees.
func (k *Kind) treeSpec() map[string]any {
	spec := map[string]any{}
	if !k.unnamed {
		spec["pool_trees"] = names(k.Trees)
	}
	if len(k.Tentative) > 0 {
		spec["tentative_pool_trees"] = names(k.Tentative)
	}
	if k.Eligibility != nil {
		spec["tentative_tree_eligibility"] = k.Eligibility
	}
	if k.SingleTree {
		spec["schedule_in_single_tree"] = true
	}
	return spec
}

// names is a list as a spec holds it.
func names(list []string) []any {
	var all []any
	for _, name := range list {
		all = append(all, name)
	}
	return all
}

// specOfOperation returns the options of an operation that no step of the log records:
// its pool, segment and media.
func specOfOperation(k *Kind) string {
	spec := k.treeSpec()
	if k.Pool != "" {
		spec["pool"] = k.Pool
	}
	if k.Segment != "" {
		spec["scheduling_segment"] = k.Segment
	}
	if k.Modules != nil {
		spec["scheduling_segment_modules"] = k.Modules
	}
	if slices.ContainsFunc(k.Tasks, func(t Task) bool { return t.Medium != "" }) {
		tasks := map[string]any{}
		for i, t := range k.Tasks {
			task := map[string]any{}
			if t.Medium != "" {
				task["disk_request"] = map[string]any{"medium_name": t.Medium}
			}
			tasks[fmt.Sprint("task", i)] = task
		}
		spec["tasks"] = tasks
	}
	if k.Erases {
		spec["erase_trees_with_pool_limit_violations"] = true
	}
	b, err := json.Marshal(spec)
	if err != nil {
		panic("synthetic: " + err.Error()) // names are texts
	}
	return string(b)
}

// plan makes the plan of the simulation from what was read back.
func (d *draft) plan(seed uint64) *simulate.Plan {
	s := d.spec
	profile, _ := core.ParseProfile(s.Profile)
	p := &simulate.Plan{
		Profile: profile, Dimensions: d.dimensions(), Window: d.window,
		UpdatePeriod: core.Time(s.FairShareUpdatePeriod), SnapshotPeriod: core.Time(s.SnapshotPeriod),
		HeartbeatPeriod: core.Time(s.HeartbeatPeriod), ScanPeriod: scanPeriod, Rebalances: true, MaxOperations: s.MaxOperationCount,
		Operations:    make([]simulate.Operation, len(d.operations)),
		Outcome:       func(w simulate.Work) (core.Time, bool) { return outcome(d.operations, w) },
		Stop:          func(w simulate.Work, _ bool) simulate.Stopping { return stop(d.operations, w) },
		AppendJobName: func(to []byte, j simulate.Named) []byte { return append(to, guid(random(seed, "job", int64(j.ID)))...) },
	}
	for id, o := range d.operations {
		planned := &p.Operations[id]
		planned.Submit, planned.Preparation = o.at, core.Time(s.Preparation)
		planned.Unnamed, planned.Erases, planned.SingleTree = o.kind.unnamed, o.kind.Erases, o.kind.SingleTree
		for i, t := range o.kind.Tasks {
			planned.Tasks = append(planned.Tasks, simulate.Task{Jobs: o.jobs[i], Resources: t.Resources.vector()})
		}
	}
	for i := range d.trees {
		t := simulate.Tree{Name: d.trees[i].name}
		for _, e := range d.trees[i].facts {
			if e.Kind != core.OperationChanged || e.Step != core.StepStarted {
				t.Facts = append(t.Facts, e)
				continue
			}
			planned := &p.Operations[e.Operation]
			kind := d.operations[e.Operation].kind
			if e.Spec != nil {
				planned.Eligibility = e.Spec.Trees.Eligibility
			}
			planned.Requests = append(planned.Requests, simulate.Request{Tree: i, Pool: kind.Pool, Started: e, Slow: kind.Slow[t.Name]})
		}
		p.Trees = append(p.Trees, t)
	}
	p.Phases = d.phases(seed)
	return p
}

// scanPeriod is the time between scans of pending operations
// (core/spec/scheduling.md §3.4).
const scanPeriod = 60 * core.Second

// phases spreads the nodes' reports evenly and in no order over the period, no
// two at the same instant.
func (d *draft) phases(seed uint64) []core.Time {
	phases := make([]core.Time, len(d.nodes))
	period := int64(d.spec.HeartbeatPeriod)
	for place, n := range random(seed, "heartbeats", 0).Perm(len(phases)) {
		// Whole seconds are for updates.
		phases[n] = core.Time(int64(math.Round(float64(place)*float64(period)/float64(len(phases)))) + 137)
	}
	return phases
}

func (d *draft) dimensions() *core.Dimensions {
	dims := &core.Dimensions{}
	for _, o := range d.operations {
		dims.Operations = append(dims.Operations, core.OperationInfo{ID: o.id, Type: o.kind.Type, User: o.user})
	}
	for _, p := range d.pools {
		dims.Pools = append(dims.Pools, core.PoolInfo{Tree: p.Tree, Name: p.Name})
	}
	for _, n := range d.nodes {
		dims.Nodes = append(dims.Nodes, n.address)
	}
	return dims
}
