package shrink

import (
	"slices"
	"time"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// An Outline lists the contents of a trace. Invariant: Pools, Operations and Nodes have one element
// for each row of the dimension, so that the element at i is number i of the trace.
type Outline struct {
	Trees      []string
	Window     trace.Window
	Pools      []Pool
	Operations []Operation
	Nodes      []Node
	Jobs       int64
	Rows       int64            // of all tables
	Records    map[string]int64 // rows of what may be removed as a whole, by the names of records
	Subject    Job              // the job that was asked for; its numbers are Unknown if there is none
}

// A Pool of a trace.
type Pool struct {
	Origin     int // its number in the trace from which it is
	Tree, Name string
	Parents    []core.PoolID // that it ever had
}

// An Operation of a trace.
type Operation struct {
	Origin int
	ID     string
	Pools  []core.PoolID // in which it ever was
}

// A Node of a trace.
type Node struct {
	Origin  int
	Address string
}

// A Job names the operation and the node of a job.
type Job struct {
	Operation core.OperationID
	Node      core.NodeID
}

// Span is the length of the window.
func (o *Outline) Span() time.Duration {
	return time.Duration(o.Window.To-o.Window.From) * time.Microsecond
}

// below returns which pools are among the chosen or below one of them.
func (o *Outline) below(chosen map[int]bool) []bool {
	in := make([]bool, len(o.Pools))
	for i := range o.Pools {
		in[i] = chosen[o.Pools[i].Origin]
	}
	for more := true; more; {
		more = false
		for i := range o.Pools {
			if in[i] {
				continue
			}
			for _, parent := range o.Pools[i].Parents {
				if in[parent] {
					in[i], more = true, true
				}
			}
		}
	}
	return in
}

// above returns the pools and all that ever were above them.
func (o *Outline) above(pools []core.PoolID) map[core.PoolID]bool {
	seen := map[core.PoolID]bool{}
	for len(pools) > 0 {
		pool := pools[0]
		pools = pools[1:]
		if !seen[pool] {
			seen[pool] = true
			pools = append(slices.Clone(pools), o.Pools[pool].Parents...)
		}
	}
	return seen
}

// depth returns an upper bound of the number of ancestors of a pool, whose parent may change.
func (o *Outline) depth(pool core.PoolID) int {
	return len(o.above([]core.PoolID{pool})) - 1
}
