package trace

import "poolproof/ingest/parquetlog"

// The tables of a bundle (ingest/trace/FORMAT.md §3). A new table is a row
// struct, a line here, and an Add method of the Writer.
var (
	Operations = parquetlog.Declare[Operation]("operations", "One row per operation.")
	Pools      = parquetlog.Declare[Pool]("pools", "One row per pool of any tree.")
	Nodes      = parquetlog.Declare[Node]("nodes", "One row per node.")

	ClusterConfigs = parquetlog.Declare[ClusterConfig]("cluster_config", "One row per version of the settings above all trees.")
	ProcessEvents  = parquetlog.Declare[ProcessEvent]("process_events", "One row per event in the life of the scheduler's processes.")
	Problems       = parquetlog.Declare[Problem]("problems", "One row per record of the source that could not be used.")

	TreeConfigs  = parquetlog.Declare[TreeConfig]("tree_config", "One row per version of the tree's settings.")
	PoolConfigs  = parquetlog.Declare[PoolConfig]("pool_config", "One row per version of a pool.")
	NodeStates   = parquetlog.Declare[NodeState]("node_state", "One row per change of a node.")
	Heartbeats   = parquetlog.Declare[Heartbeat]("heartbeats", "One row per heartbeat.")
	Allocations  = parquetlog.Declare[Allocation]("allocations", "One row per change of a job that a heartbeat carried.")
	Jobs         = parquetlog.Declare[Job]("jobs", "One row per job, in the order of their start.")
	OpEvents     = parquetlog.Declare[OpEvent]("op_events", "One row per step in the life of an operation.")
	Demands      = parquetlog.Declare[Demand]("demand", "One row per change of an operation's unmet need.")
	SnapTrees    = parquetlog.Declare[SnapTree]("snap_tree", "One row per recorded snapshot.")
	SnapPools    = parquetlog.Declare[SnapPool]("snap_pools", "One row per pool and recorded snapshot.")
	SnapOps      = parquetlog.Declare[SnapOp]("snap_ops", "One row per operation and recorded snapshot.")
	Accumulateds = parquetlog.Declare[Accumulated]("accumulated", "One row per operation and usage report.")
)

// The tables by folder.
var (
	rootTables = map[string][]*parquetlog.Table{
		"dim":    {&Operations.Table, &Pools.Table, &Nodes.Table},
		"global": {&ClusterConfigs.Table, &ProcessEvents.Table, &Problems.Table, &NodeStates.Table},
	}
	treeTables = []*parquetlog.Table{
		&TreeConfigs.Table, &PoolConfigs.Table, &NodeStates.Table, &Heartbeats.Table, &Allocations.Table, &Jobs.Table, &OpEvents.Table,
		&Demands.Table, &SnapTrees.Table, &SnapPools.Table, &SnapOps.Table, &Accumulateds.Table,
	}
)
