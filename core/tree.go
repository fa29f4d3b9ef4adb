package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// none is the slot of nothing: no parent, no next job.
const none int32 = -1

// A Tree is the state of one pool tree: its settings, pools, nodes, live
// operations and jobs, and the fair shares of the last update.
//
// Objects live in slots, small numbers that are reused once an object is gone;
// the root pool is slot 0. What an accessor returns belongs to the Tree: read
// it, do not keep it past the next Step.
type Tree struct {
	dims    *Dimensions
	profile Profile
	config  TreeConfig
	cluster ClusterConfig // what is set above all trees

	total      resource.Vector
	slots      bool           // the log tells of user slots
	admission  *pooltree.Tree // pools, who is in them, and who may run
	shares     *fairshare.Tree
	scheduling *scheduling.Tree // under the elements of shares: who starves, whose jobs may be taken
	tags       *pooltree.TagTotals

	pools      []Pool
	operations []Operation
	unplaced   int // of those that live
	nodes      []Node
	modules    []string  // of nodes, by number less one
	lacking    []Time    // likewise, without operations of which it is not known where they belong
	wanting    []Time    // by number of module, 0 for the default segment: since when it has had too little, -1 if it has not
	segmented  Time      // when the mode of segments changed last
	rooms      []int64   // reused
	owed       []float64 // reused
	jobs       []Job

	poolSlot      []int32 // by PoolID
	operationSlot []int32 // by OperationID; below none: over, see gone
	operationEnd  []Time  // by OperationID; 0: see EndOf
	nodeSlot      []int32 // by NodeID
	jobSlot       map[JobID]int32
	leaving       map[JobID]leaving
	jobByHandle   []int32 // slots by scheduling.Job, see JobBehind
	jobID         []JobID // by scheduling.Job

	freeOperations, freeJobs []int32
	losing                   []int32 // see loseJobs

	lately        recently
	usagePart     float64 // by which reported usage may be off
	allHeartbeats bool    // the log holds every heartbeat
	nodesLag      Time    // see DelayNodes

	doubtful    []int32   // slots of jobs that may be gone, or not be there yet
	doubtsOver  doubtHeap // of those that may not be there yet: from when on they are
	doubtsLater doubtHeap // of jobs that may be gone later, and of some that are

	poolIDs         map[string]PoolID    // of the names that the log mentioned
	poolOrder       []int32              // reused
	poolsConfigured bool                 // the log holds pool configurations
	pending         []pooltree.Change    // versions of pools that did not take effect yet
	wanted          Optional[TreeConfig] // that of the tree, likewise
	fresh           bool                 // some were not tried yet
	configured      bool                 // a configuration took effect, and when
	firstConfigured Time
	reconfigured    Time // when one replaced another last
	needMoved       Time // see NeedMoved
	lastSet         Time // when an operation got another weight, limit or pool last
	lastTurned      Time // when an operation began, moved or ended last
	configurations  int64
	treeConfigured  Time    // when a version of the tree's own settings, or of those above it that concern it, took effect last
	registered      []int32 // operation slots by pooltree.Operation

	now         Time    // of the last event
	owners      []owner // by fairshare.Element
	changes     Changes
	decision    Decision
	offers      offers
	begins      Time               // when the log does
	entered     bool               // an update since then has been
	unknown     int                // pools of which something of before it is not known
	told        bool               // something of it is known since the last update
	stale       bool               // something changed that shares depend on
	accrues     bool               // shares move with time
	staleTags   bool               // totals by tag may have moved
	deafTags    bool               // or do not count yet
	smallest    [1]resource.Vector // reused
	staleUsage  []int32            // operations whose usage or demand the shares do not know yet
	unallocated []int32            // operations whose best allocation no update has worked out
	allocated   []due              // those whose best allocation one has, the longest ago first
	bestMoved   Time               // when something changed last that best allocations depend on
	resized     int64              // version of the nodes that they know
	lastResized Time               // when a node came, went or got another size last, 0 if none did
	lastTagged  Time               // when a node that it had got other tags last, likewise
	refiltered  bool               // an operation has another filter of its own
	updated     bool               // shares were computed
	previous    Time               // of the last update since the scheduler became active, -1 if there was none
	away        bool               // the scheduler lost its master
	restarted   Time               // when it lost it, found it or started anew last
	shareTotal  resource.Vector    // the total that the shares are fractions of
}

// New returns an empty tree that is judged by the given profile.
func New(dims *Dimensions, profile Profile) *Tree {
	t := &Tree{
		dims:          dims,
		profile:       profile,
		config:        TreeConfig{Assumed: true},
		poolSlot:      filled(len(dims.Pools)),
		operationSlot: filled(len(dims.Operations)),
		operationEnd:  make([]Time, len(dims.Operations)),
		nodeSlot:      filled(len(dims.Nodes)),
		jobSlot:       make(map[JobID]int32),
		poolIDs:       map[string]PoolID{},
		tags:          pooltree.NewTagTotals(),
		leaving:       make(map[JobID]leaving),
		previous:      -1,
	}
	t.offers.tree = t
	t.admission = pooltree.NewTree("", profile)
	t.shares = fairshare.New(t.shareOptions())
	t.scheduling = scheduling.New(t.shares, schedulingOptions(profile, &t.config, &t.cluster))
	t.scheduling.SetAdmission(t.admits)
	t.own(fairshare.Root, 0, none)
	t.pools = append(t.pools, Pool{ID: RootPool, Parent: none, Element: fairshare.Root, Config: &noOptions, exists: true})
	t.setTreeConfig(t.config)
	t.configured, t.configurations = false, 0 // that was none of the log
	t.ClearChanges()
	return t
}

func filled(n int) []int32 {
	slots := make([]int32, n)
	for i := range slots {
		slots[i] = none
	}
	return slots
}

// Total returns the resources of the tree's online nodes (core/spec/fair-share.md §3.2).
func (t *Tree) Total() resource.Vector { return t.total }

// ShareTotal returns the total that the shares of the last update are fractions
// of, so that usage can be compared with them; before the first, the total.
func (t *Tree) ShareTotal() resource.Vector {
	if !t.updated {
		return t.total
	}
	return t.shareTotal
}

// RelaxedMultiplier is relaxed_share_multiplier_limit of a relaxed pool: how many
// times its flow it may be given at once.
func (t *Tree) RelaxedMultiplier(p *Pool) float64 {
	return p.Config.Integral.RelaxedLimit.Or(t.config.Integral.RelaxedLimit.Or(fairshare.DefaultMultiplierLimit))
}

// SaturationPeriod is how long a flow takes to fill the volume that a pool may
// accumulate: pool_capacity_saturation_period.
func (t *Tree) SaturationPeriod() Time {
	return Time(t.config.Integral.SaturationPeriod.Or(fairshare.DefaultSaturationPeriod/1000)) * 1000
}

// Config returns the tree's settings in force.
func (t *Tree) Config() *TreeConfig { return &t.config }

// Pool returns the pool in a slot; the root is slot 0.
func (t *Tree) Pool(slot int32) *Pool { return &t.pools[slot] }

// Pools returns how many pool slots there are. A pool keeps its slot for ever.
func (t *Tree) Pools() int { return len(t.pools) }

// Operation returns the operation in a slot.
func (t *Tree) Operation(slot int32) *Operation { return &t.operations[slot] }

// Operations returns how many operation slots there are. Slots without a live
// operation are not Alive.
func (t *Tree) Operations() int { return len(t.operations) }

// Node returns the node in a slot.
func (t *Tree) Node(slot int32) *Node { return &t.nodes[slot] }

// Nodes returns how many node slots there are. A node keeps its slot for ever.
func (t *Tree) Nodes() int { return len(t.nodes) }

// Job returns the job in a slot.
func (t *Tree) Job(slot int32) *Job { return &t.jobs[slot] }

// LiveJobs returns how many jobs hold resources.
func (t *Tree) LiveJobs() int { return len(t.jobSlot) }

// EachJob calls visit with the slot of every live job, operation by operation.
func (t *Tree) EachJob(visit func(job int32)) {
	for slot := range t.operations {
		if t.operations[slot].Alive {
			t.OperationJobs(int32(slot), visit)
		}
	}
}

// PoolOf returns the slot of a pool.
func (t *Tree) PoolOf(id PoolID) (slot int32, ok bool) {
	if id == RootPool {
		return 0, true
	}
	slot = t.poolSlot[id]
	return slot, slot != none && t.pools[slot].Removed >= 0
}

// OperationOf returns the slot of an operation that is in the tree.
func (t *Tree) OperationOf(id OperationID) (slot int32, ok bool) {
	if id < 0 {
		return none, false
	}
	slot = t.operationSlot[id]
	return slot, slot >= 0 && t.operations[slot].Alive
}

// EndOf returns when the log ended an operation in the tree, 0 if it did not, or began it
// again.
func (t *Tree) EndOf(id OperationID) Time {
	if id < 0 {
		return 0
	}
	return t.operationEnd[id]
}

// NodeOf returns the slot of a node that the log has introduced.
func (t *Tree) NodeOf(id NodeID) (slot int32, ok bool) {
	slot = t.nodeSlot[id]
	return slot, slot != none
}

// JobOf returns the slot of a job that holds resources.
func (t *Tree) JobOf(id JobID) (slot int32, ok bool) {
	slot, ok = t.jobSlot[id]
	return slot, ok
}

// Step applies one event. Events come in the order (time, kind, seq); what an
// event refers to and the log never introduced is taken as the log uses it: an
// operation without a start, a pool without a configuration.
func (t *Tree) Step(e *Event) {
	if e.Kind != PoolConfigured || e.Time != t.now {
		t.flush()
	}
	t.now = e.Time
	switch e.Kind {
	case ProcessChanged:
		t.changeProcess(e)
	case HeartbeatReceived:
		t.receiveHeartbeat(e)
	case JobStarted:
		t.startJob(e)
	case JobReported:
		t.reportJob(e)
	case JobFinished, JobPreempted:
		t.endJob(e)
	case DemandChanged:
		t.setDemand(e)
	case OperationChanged:
		t.changeOperation(e)
	case PoolRecorded:
		t.learnVolume(e.PoolRecord)
		t.learnStatus(e.PoolRecord)
	case OperationRecorded:
		if slot, ok := t.OperationOf(e.OperationRecord.Operation); ok {
			t.learnPool(slot, e.OperationRecord.Pool)
		}
	case NodeChanged:
		t.changeNode(e)
	case PoolConfigured:
		t.configurePool(e)
	case TreeConfigured:
		t.configureTree(e)
	case ClusterConfigured:
		t.configureCluster(e)
	}
}
