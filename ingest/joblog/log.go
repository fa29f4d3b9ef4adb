package joblog

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

// Moment is the shortest a job lasts, see the package documentation.
const Moment core.Time = 1

// A Log holds the results of an importer, ready to be written.
type Log struct {
	Cluster   string
	CreatedBy string
	Sources   []trace.Source // the log itself first
	Precision core.Time      // of the log's times; also the uncertainty of its clock
	// First is the beginning of the window. Objects recorded before it exist since an
	// unknown time. By default it is the first submission.
	First core.Optional[core.Time]
	// Last is the end of the log, if that is later than the last event of its operations.
	Last core.Optional[core.Time]

	Trees []Tree
	Pools []Pool // indexed by PoolID, a parent before its children
	Nodes []Node // indexed by NodeID

	// Operations come in the order of their submission. Their index is their
	// OperationID.
	Operations Operations

	// Turns says that the log records when operations wait and run. Without it each
	// runs from its submission on, see the package documentation.
	Turns bool
	// Placements says whether jobs name their nodes. Without it there are no
	// heartbeats.
	Placements bool
	// Measures say how far each resource can be judged. Write sums the totals up.
	Measures [resource.Kinds]Measure

	Problems *Problems
}

// A Measure says in what unit a resource is counted, and how the trace records its capacity and
// its usage, in the words of trace.Resource.
type Measure struct{ Unit, Capacity, Usage string }

// A Tree is one pool tree of the log.
type Tree struct {
	Name   string
	Config Settings[trace.TreeConfig]
}

// A Pool is a pool that the log or the configuration names.
type Pool struct {
	Tree      int // index in Log.Trees
	Name      string
	Parent    core.PoolID // RootPool under the root
	Ephemeral bool
	// HasUsers says that each user has a subpool of their own in it.
	HasUsers bool
	Config   Settings[trace.PoolConfig]
}

// Settings are a configuration's row, if there is one. The writer fills the
// fields of time, order and pool.
type Settings[T any] struct {
	Row T
	Set bool
}

// A Node is a node of the cluster. Its Limit is zero where it is unknown.
type Node struct {
	Address string
	Limit   trace.Resources
	Tags    string      // sorted, joined by commas
	Trees   []int       // the trees it serves, ascending
	Left    []core.Time // when it went offline, ascending; the log does not record its return
}

// Operations answers for the operations of a log, by index.
type Operations interface {
	Len() int
	// Describe fills *o, which the caller reuses.
	Describe(i int, o *Operation)
	// Annotations returns what else the log says of operation i, JSON; empty for
	// nothing.
	Annotations(i int) string
	// Bursts calls yield with the times that operation i ran, in order, or with
	// a single one that never started. The burst is valid during the call.
	Bursts(i int, yield func(*Burst))
}

// An Operation is a job of the log, without the times it ran.
type Operation struct {
	ID, Type, User string
	Pool           core.PoolID
	Submit         core.Time
	Undated        bool                     // submitted at an unknown time before Submit
	End            core.Optional[core.Time] // absent: alive where the log stops, or not known
	Step           core.Step                // how it ended, if End is set: completed, failed or aborted
	FinalState     string                   // the same as far as the log says so; empty if it does not
	TagFilter      string                   // which nodes it can use; empty for all
	Row            int64                    // in the source
	EndRow         int64                    // of the end, where Log.Turns
	Turns          []Turn                   // in the order of time, where Log.Turns
}

// A Turn is a step in an operation's life between its submission and its end.
type Turn struct {
	Time core.Time
	Step core.Step   // pending, running or pool_changed
	Pool core.PoolID // if pool_changed
	Row  int64       // in the source
}

// A Burst is a time in which all of an operation's jobs ran: they start and end
// together. Most operations have one.
type Burst struct {
	Wanted  core.Time // since when it waited for this burst
	Needed  trace.Resources
	Started bool
	Start   core.Time // if Started
	Finish  core.Optional[core.Time]
	End     core.EndKind
	// Reason is the log's word for an abort or, where End is completed, for an
	// interruption; empty for none.
	Reason string
	Grants []Grant
	Row    int64 // in the source
}

// A Grant holds the resources that an operation got on one node, which is Unknown if the log does not
// name it.
type Grant struct {
	Node   core.NodeID
	Limits trace.Resources
}
