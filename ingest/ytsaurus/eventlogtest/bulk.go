package eventlogtest

import (
	"fmt"
	"io"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// BulkOptions say how large a log Bulk writes.
type BulkOptions struct {
	JobEvents int // rows of starts and ends of jobs
	Elements  int // pools and operations in each snapshot, a tenth of them pools
	Seconds   int // how long the log is, with a snapshot in each
}

// Bulk writes a log of 2023 of one large cluster, for benchmarks: job events spread
// evenly, a snapshot and a row of cluster_info a second, a sample of all nodes each
// 30 s. Rows are as Write makes them, but tell of no scheduler's decisions: usages and
// shares of an element go through a few states by turns. It streams; memory depends on
// Elements and on the events of a second alone. The export of the pool trees is BulkPoolTrees.
func Bulk(out io.Writer, form Form, o BulkOptions) error {
	e, err := encoderOf(form, out)
	if err != nil {
		return fmt.Errorf("write bulk log: %w", err)
	}
	b := newBulk(o, form)
	for s := range o.Seconds {
		if err := b.second(s, e); err != nil {
			return fmt.Errorf("write bulk log: %w", err)
		}
	}
	if err := e.close(); err != nil {
		return fmt.Errorf("write bulk log: %w", err)
	}
	return nil
}

// BulkPoolTrees writes the export of the pool trees of a log of Bulk, as JSON.
func BulkPoolTrees(out io.Writer, o BulkOptions) error {
	b := newBulk(BulkOptions{Elements: o.Elements}, JSONL)
	export := b.w.exportAt(bulkStart)
	return (&jsonEncoder{out: out}).document(&export)
}

// The cluster of a bulk log.
const (
	bulkStart  core.Time = 1740988800 * core.Second // 2025-03-03T08:00:00Z
	bulkNodes            = 1000
	bulkStates           = 4  // of an element, one after the other
	bulkLength           = 60 // seconds that a job runs
)

var (
	bulkNode = trace.Resources{UserSlots: 128, CPUMilli: 128000, Memory: 512 << 30, Network: 100}
	bulkJob  = trace.Resources{UserSlots: 1, CPUMilli: 1000, Memory: 2 << 30}
)

// A bulk is a bulk log under way.
type bulk struct {
	BulkOptions
	w          *writer
	pools      [bulkStates]Value // all of a snapshot, encoded
	operations [bulkStates]Value
	length     int // seconds that a job runs
	job        job
}

func newBulk(o BulkOptions, form Form) *bulk {
	pools := max(1, o.Elements/10)
	s := &source{
		manifest: &trace.Manifest{Window: trace.Window{From: bulkStart, To: bulkStart + core.Time(o.Seconds)*core.Second}, Trees: []string{"physical"}},
		places:   map[core.PoolID][]poolPlace{}, defaultTree: "physical",
		result: &Result{Rows: map[string]int64{}, Operations: map[string]string{}, Jobs: map[string]string{}, Nodes: map[string]string{}},
	}
	t := tree{name: "physical", configs: []trace.TreeConfig{{NodesFilter: core.Some("cpu")}}}
	for p := range pools {
		s.pools = append(s.pools, trace.Pool{Pool: core.PoolID(p), Tree: t.name, Name: fmt.Sprintf("pool-%d", p)})
		c := trace.PoolConfig{Stamp: trace.Stamp{Time: bulkStart}, Pool: core.PoolID(p), Mode: "fair_share", IntegralType: "none"}
		if p > 0 {
			c.Parent = core.Some(core.PoolID((p - 1) / 8))
		}
		t.poolConfigs = append(t.poolConfigs, c)
	}
	for i := range max(1, o.Elements-pools) {
		s.operations = append(s.operations, trace.Operation{
			Op: core.OperationID(i), ID: guid("bulk operation", strconv.Itoa(i)), Type: "map", User: "user-" + strconv.Itoa(i%97),
			Title: core.Some("nightly"), SpecJSON: core.Some(fmt.Sprintf(`{"pool":"pool-%d"}`, i%pools)),
		})
		t.events = append(t.events, trace.OpEvent{
			Stamp: trace.Stamp{Time: bulkStart}, Op: core.OperationID(i), Event: "started", Pool: core.Some(core.PoolID(i % pools)),
		})
	}
	s.trees = []tree{t}
	for n := range bulkNodes {
		s.nodes = append(s.nodes, trace.Node{Node: core.NodeID(n), Address: fmt.Sprintf("node-%04d:9012", n)})
		s.addresses = append(s.addresses, s.nodes[n].Address)
	}
	b := &bulk{BulkOptions: o, length: max(1, min(bulkLength, o.Seconds/4))}
	b.w = &writer{Options: Options{Age: Age2023, Form: form, ElementsPerRow: 1000, NodesPerRow: 100}, world: newWorld(s)}
	b.w.readLives()
	b.w.configure(0, bulkStart)
	for i := range t.events {
		b.w.happened(0, &t.events[i])
	}
	for n := range bulkNodes {
		b.w.nodeChanged(&nodeState{NodeState: trace.NodeState{Node: core.NodeID(n), Online: true, Limit: bulkNode, Tags: "cpu"}})
		b.w.nodeUsage[n] = trace.Resources{UserSlots: 83, CPUMilli: 83000, Memory: 166 << 30}
	}
	b.encodeElements(form)
	return b
}

// encodeElements encodes what snapshots say of elements, in each of their states.
func (b *bulk) encodeElements(form Form) {
	total := trace.Resources{UserSlots: bulkNode.UserSlots * bulkNodes, CPUMilli: bulkNode.CPUMilli * bulkNodes, Memory: bulkNode.Memory * bulkNodes, Network: bulkNode.Network * bulkNodes}
	for state := range bulkStates {
		s := &snapshot{writer: b.w, at: bulkStart, base: &trace.SnapTree{Limits: total}, children: map[core.PoolID]int64{}, inPool: map[core.PoolID]int64{}}
		for p := range b.w.world.pools {
			row := trace.SnapPool{Pool: core.PoolID(p), Mode: "fair_share", Weight: 1, SnapShares: bulkShares(p, state, total), RunningOperations: core.Some[int64](9), Operations: core.Some[int64](9)}
			row.Parent = b.w.poolNow[p].Parent
			s.pools = append(s.pools, row)
		}
		for i := range b.w.world.operations {
			s.operations = append(s.operations, trace.SnapOp{
				Op: core.OperationID(i), Pool: core.PoolID(i % len(s.pools)), SnapShares: bulkShares(i, state, total), MinNeeded: core.Some(bulkJob),
				PreemptibleJobs: core.Some(int64(i % 50)), AggressivePreemptible: core.Some(int64(i % 7)),
			})
		}
		b.pools[state], b.operations[state] = encoded(s.poolRows(), form), encoded(s.operationRows(), form)
	}
}

// encoded returns a map whose items are encoded already.
func encoded(m Value, form Form) Value {
	for i := range m.items {
		if form == JSONL {
			m.items[i] = Value{kind: raw, text: string(appendJSON(nil, &m.items[i]))}
		} else {
			m.items[i] = Value{kind: raw, text: string(appendYSON(nil, &m.items[i], form != TextYSON))}
		}
	}
	return m
}

func bulkShares(element, state int, total trace.Resources) trace.SnapShares {
	jobs := int64(20 + element%60 + 7*state)
	times := func(n int64) trace.Resources {
		return trace.Resources{UserSlots: bulkJob.UserSlots * n, CPUMilli: bulkJob.CPUMilli * n, Memory: bulkJob.Memory * n}
	}
	r := trace.SnapShares{Usage: times(jobs), Demand: times(jobs + 30), Limits: core.Some(total), Dominant: "cpu", StarvationStatus: "non_starving"}
	usage, fair := shareOf(r.Usage, total), shareOf(times(jobs+int64(state)), total)
	r.UsageShare, r.DemandShare = core.Some(usage), core.Some(shareOf(r.Demand, total))
	r.FairTotal, r.FairWeight = core.Some(fair), core.Some(fair)
	r.Satisfaction = core.Some(dominant(usage) / dominant(fair))
	r.LocalSatisfaction = r.Satisfaction
	return r
}

// second writes the rows of a second, those of each process newest first.
func (b *bulk) second(s int, e encoder) error {
	at := bulkStart + core.Time(s)*core.Second
	for agent := range agents {
		if err := newestFirst(b.jobRows(s, agent), e); err != nil {
			return err
		}
	}
	var rows []Value
	emit := func(v Value) { rows = append(rows, v) }
	if s == 0 {
		for i := range b.w.world.operations {
			op := core.OperationID(i)
			emit(b.w.operationStarted(at+core.Time(i), op))
			emit(b.w.operationRow(at+10000+core.Time(i), "operation_prepared", op))
			emit(b.w.operationRow(at+20000+core.Time(i), "operation_materialized", op))
		}
	}
	emit(b.w.clusterInfo(at + 200))
	if s%30 == 1 {
		b.w.nodesInfo(at, emit)
	}
	b.snapshot(s, at, emit)
	return newestFirst(rows, e)
}

func (b *bulk) snapshot(s int, at core.Time, emit func(Value)) {
	head := newRow(at, "fair_share_info")
	head.put("tree_id", textOf("physical"))
	head.put("tree_snapshot_id", textOf(guid("bulk snapshot", strconv.Itoa(s))))
	one := &snapshot{writer: b.w, base: &trace.SnapTree{}}
	base := copyOf(&head)
	base.put("pool_count", intOf(len(b.w.world.pools)))
	base.put("resource_distribution_info", one.distribution())
	emit(base)
	one.batches(&head, "pools", &b.pools[s%bulkStates], emit)
	one.batches(&head, "operations", &b.operations[s%bulkStates], emit)
}

// jobRows returns what an agent tells in a second: of the jobs that started then, and of
// those that did so the length of a job before.
func (b *bulk) jobRows(s, agent int) (rows []Value) {
	starts := (b.JobEvents + 1) / 2
	at := bulkStart + core.Time(s)*core.Second
	from, to := b.startsIn(s, starts)
	for k := from; k < to; k++ {
		if j := b.jobOf(k, s); int(j.op)%agents == agent {
			rows = append(rows, b.w.jobStarted(at+core.Time(k-from)%core.Second, j))
		}
	}
	if s < b.length {
		return rows
	}
	from, to = b.startsIn(s-b.length, starts)
	for k := from; k < min(to, b.JobEvents/2); k++ {
		if j := b.jobOf(k, s-b.length); int(j.op)%agents == agent {
			rows = append(rows, b.w.jobFinished(j.finish+5000, j))
		}
	}
	return rows
}

// startsIn returns which of all jobs start in a second. None does so late that it
// would not end.
func (b *bulk) startsIn(s, starts int) (from, to int) {
	last := b.Seconds - b.length
	if s >= last {
		return 0, 0
	}
	return starts * s / last, starts * (s + 1) / last
}

// jobOf returns a job by its number. The job is reused.
func (b *bulk) jobOf(k, second int) *job {
	j := &b.job
	*j = job{
		id: bulkID(k), op: core.OperationID(k % len(b.w.world.operations)), forOp: noOperation, node: core.NodeID(k % bulkNodes),
		start: bulkStart + core.Time(second)*core.Second - 700000, limits: bulkJob, end: "completed", competition: "none",
	}
	j.finish = j.start + core.Time(b.length)*core.Second + core.Time(k%690000)
	if k%20 == 0 {
		j.end, j.reason, j.forOp, j.forJob = "aborted", "preemption", core.OperationID((k+1)%len(b.w.world.operations)), bulkID(k+1)
	}
	return j
}

// bulkID is the id of a job: as random as ids are, so that they compress no better.
func bulkID(k int) string {
	id := make([]byte, 0, 35)
	x := uint64(k)*0x9e3779b97f4a7c15 + 1
	for word := range 4 {
		x ^= x >> 31
		x *= 0xbf58476d1ce4e5b9
		if word > 0 {
			id = append(id, '-')
		}
		id = strconv.AppendUint(id, x>>32|1, 16)
	}
	return string(id)
}
