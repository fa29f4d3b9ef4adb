package commandtest

import (
	"fmt"
	"path/filepath"
	"testing"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A BusyTrace is a made-up recorded log: nodes that report every five seconds,
// a job per twenty heartbeats, operations that live for about an hour in twenty
// pools of two trees. How much lives at a time does not depend on its length.
type BusyTrace struct {
	Heartbeats   int // of both trees together
	RowGroupRows int
}

const (
	busyNodes      = 1000
	busyPools      = 10 // per tree
	busyOperations = 100
	beat           = 5 * core.Second / busyNodes
	jobEvery       = 20
	jobLength      = 10 * 60 * core.Second
	operationBeats = 720_000 / 2 // heartbeats of a tree in an operation's life, half an hour
)

var busyStart = core.Time(1_714_521_600) * core.Second

// BusyTrees are the trees of the trace.
var BusyTrees = []string{"cpu", "gpu"}

// Make writes the trace to a directory below the test's and returns it.
func (b BusyTrace) Make(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "trace")
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := trace.Create(dir, trace.Options{RowGroupRows: b.RowGroupRows})
	check(err)
	perTree := b.Heartbeats / len(BusyTrees)
	generations := perTree/operationBeats + 1
	pools, operations := 0, 0
	for tree, name := range BusyTrees {
		for i := range busyPools {
			check(w.Add(&trace.Pool{Pool: core.PoolID(pools), Tree: name, Name: fmt.Sprintf("pool-%d-%d", tree, i), FirstSeen: busyStart, LastSeen: busyStart}))
			pools++
		}
	}
	for tree := range BusyTrees {
		for i := range generations * busyOperations {
			check(w.Add(&trace.Operation{Op: core.OperationID(operations), ID: fmt.Sprintf("op-%d-%d", tree, i), Type: "vanilla", User: "user"}))
			operations++
		}
	}
	for i := range busyNodes {
		check(w.Add(&trace.Node{Node: core.NodeID(i), Address: fmt.Sprintf("node-%d", i), FirstSeen: busyStart, LastSeen: busyStart}))
	}
	end := busyStart
	for tree, name := range BusyTrees {
		end = max(end, b.writeTree(w.Tree(name), tree, perTree, generations, check))
	}
	check(w.Commit(trace.Manifest{
		FormatVersion: trace.FormatVersion, Cluster: "busy", CreatedBy: "test", Trees: BusyTrees,
		Window: trace.Window{From: busyStart, To: end + core.Second},
		Resources: []trace.Resource{
			{Name: "user_slots", Unit: "slots", Capacity: "recorded", Usage: "recorded"},
			{Name: "cpu", Unit: "millicores", Capacity: "recorded", Usage: "recorded"},
			{Name: "memory", Unit: "bytes", Capacity: "recorded", Usage: "requested"},
		},
		Coverage: trace.Coverage{Heartbeats: "recorded", Demand: "recorded", PreemptionDetails: "none",
			TreeConfig: "single", PoolConfig: "single", Placements: "recorded"},
	}))
	return dir
}

var busyNode = trace.Resources{UserSlots: 40, CPUMilli: 40_000, Memory: 256 << 30}

// nodesOf returns the nodes of a tree: the trees share them evenly.
func nodesOf(tree int) (first, n int) {
	n = busyNodes / len(BusyTrees)
	return tree * n, n
}

func (b BusyTrace) writeTree(w *trace.TreeWriter, tree, heartbeats, generations int, check func(error)) (end core.Time) {
	stamp := func(at core.Time) trace.Stamp { return trace.Stamp{Time: at, Seq: w.NextSeq()} }
	check(w.Add(&trace.TreeConfig{Stamp: stamp(busyStart), Source: "export", ConfigJSON: "{}"}))
	for i := range busyPools {
		c := trace.PoolConfig{Stamp: stamp(busyStart), Pool: core.PoolID(tree*busyPools + i), Mode: "fair_share", IntegralType: "none", ConfigJSON: "{}"}
		c.Weight = core.Some(float64(1 + i))
		c.MaxRunningOperationCount = core.Some(int64(busyOperations))
		c.MaxOperationCount = core.Some(int64(busyOperations))
		check(w.Add(&c))
	}
	first, n := nodesOf(tree)
	for i := range n {
		check(w.Add(&trace.NodeState{Stamp: stamp(busyStart), Node: core.NodeID(first + i), Online: true, Limit: busyNode, Source: "export"}))
	}
	step := beat * core.Time(len(BusyTrees))
	jobs := heartbeats / jobEvery
	for i := range heartbeats {
		at := busyStart + core.Time(i)*step
		end = at
		generation := i / operationBeats
		if i%operationBeats == 0 {
			for o := range busyOperations {
				if generation > 0 {
					check(w.Add(&trace.OpEvent{Stamp: stamp(at), Op: b.operation(tree, generations, generation-1, o), Event: "completed"}))
				}
			}
			for o := range busyOperations {
				op := b.operation(tree, generations, generation, o)
				check(w.Add(&trace.OpEvent{Stamp: stamp(at), Op: op, Event: "started", Pool: core.Some(core.PoolID(tree*busyPools + o%busyPools))}))
				check(w.Add(&trace.OpEvent{Stamp: stamp(at), Op: op, Event: "running"}))
			}
			for o := range busyOperations {
				check(w.Add(&trace.Demand{Stamp: stamp(at), Op: b.operation(tree, generations, generation, o), Source: "recorded",
					Needed: trace.Resources{UserSlots: 400, CPUMilli: 800_000, Memory: 1 << 40}, PendingJobs: core.Some(int64(400))}))
			}
		}
		running := int32(min(i, int(jobLength/step)) / jobEvery / n)
		usage := trace.Resources{UserSlots: int64(running), CPUMilli: int64(running) * 2000, Memory: int64(running)*(4<<30) + int64(i%977)*4096}
		starts := int32(0)
		if i%jobEvery == 0 {
			starts = 1
		}
		check(w.Add(&trace.Heartbeat{Stamp: stamp(at), Node: core.NodeID(first + i%n), Kind: "recorded",
			Limit: busyNode, Usage: usage, Running: running, Started: starts}))
		if job := i / jobEvery; starts == 1 && job < jobs {
			row := trace.Job{Stamp: stamp(at), Job: core.JobID(tree*(jobs+1) + job), ID: fmt.Sprintf("%d-%x", tree, job),
				Op: b.operation(tree, generations, generation, job%busyOperations), Node: core.NodeID(first + i%n),
				Limits: trace.Resources{UserSlots: 1, CPUMilli: 2000, Memory: 4 << 30}, StartedLogged: true, EndKind: "running"}
			if finish := at + jobLength; finish < busyStart+core.Time(heartbeats)*step {
				row.FinishTime, row.EndKind = core.Some(finish), "completed"
			}
			check(w.Add(&row))
		}
	}
	return end
}

func (b BusyTrace) operation(tree, generations, generation, o int) core.OperationID {
	return core.OperationID((tree*generations+generation)*busyOperations + o)
}
