package trace

// A TreeWriter adds rows to the tables of one tree.
type TreeWriter struct {
	seq int64

	treeConfigs  *sink[TreeConfig, *TreeConfig]
	poolConfigs  *sink[PoolConfig, *PoolConfig]
	nodeStates   *sink[NodeState, *NodeState]
	heartbeats   *sink[Heartbeat, *Heartbeat]
	allocations  *sink[Allocation, *Allocation]
	jobs         *sink[Job, *Job]
	opEvents     *sink[OpEvent, *OpEvent]
	demands      *sink[Demand, *Demand]
	snapTrees    *sink[SnapTree, *SnapTree]
	snapPools    *sink[SnapPool, *SnapPool]
	snapOps      *sink[SnapOp, *SnapOp]
	accumulateds *sink[Accumulated, *Accumulated]
}

// NextSeq returns 1, 2, 3, ...: a seq for the next row of any of the tree's
// tables. An importer that has the source's own numbers need not use it.
func (t *TreeWriter) NextSeq() int64 {
	t.seq++
	return t.seq
}

// AddTreeConfig adds a row to tree_config.
func (t *TreeWriter) AddTreeConfig(r *TreeConfig) error { return t.treeConfigs.add(r) }

// AddPoolConfig adds a row to pool_config.
func (t *TreeWriter) AddPoolConfig(r *PoolConfig) error { return t.poolConfigs.add(r) }

// AddNodeState adds a row to node_state.
func (t *TreeWriter) AddNodeState(r *NodeState) error { return t.nodeStates.add(r) }

// AddHeartbeat adds a row to heartbeats.
func (t *TreeWriter) AddHeartbeat(r *Heartbeat) error { return t.heartbeats.add(r) }

// AddAllocation adds a row to allocations.
func (t *TreeWriter) AddAllocation(r *Allocation) error { return t.allocations.add(r) }

// AddJob adds a row to jobs. Jobs come in the order of their start.
func (t *TreeWriter) AddJob(r *Job) error { return t.jobs.add(r) }

// AddOpEvent adds a row to op_events.
func (t *TreeWriter) AddOpEvent(r *OpEvent) error { return t.opEvents.add(r) }

// AddDemand adds a row to demand.
func (t *TreeWriter) AddDemand(r *Demand) error { return t.demands.add(r) }

// AddSnapTree adds a row to snap_tree.
func (t *TreeWriter) AddSnapTree(r *SnapTree) error { return t.snapTrees.add(r) }

// AddSnapPool adds a row to snap_pools. Rows of one snapshot have its time and
// their own seq.
func (t *TreeWriter) AddSnapPool(r *SnapPool) error { return t.snapPools.add(r) }

// AddSnapOp adds a row to snap_ops.
func (t *TreeWriter) AddSnapOp(r *SnapOp) error { return t.snapOps.add(r) }

// AddAccumulated adds a row to accumulated.
func (t *TreeWriter) AddAccumulated(r *Accumulated) error { return t.accumulateds.add(r) }
