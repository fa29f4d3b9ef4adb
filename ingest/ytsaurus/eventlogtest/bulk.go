package eventlogtest

import (
	"fmt"
	"io"
	"strconv"
	"testing"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// BulkOptions say how large a log Bulk writes.
type BulkOptions struct {
	JobEvents int // rows of starts and ends of jobs
	Elements  int // pools and operations in each snapshot, a tenth of them pools
	Seconds   int // how long the log is, with a snapshot in each
}

// The cluster of a bulk log.
const (
	bulkStart  core.Time = 1740988800 * core.Second // 2025-03-03T08:00:00Z
	bulkTree             = "physical"
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
	*writer
	pools, operations, length int // length of a job, in seconds
}

// Bulk writes a log of 2023 of one large cluster, for benchmarks: job events spread
// evenly, a snapshot and a row of cluster_info a second, a sample of all nodes each
// 30 s. Rows are as Write makes them, but tell of no scheduler's decisions: usages and
// shares of an element go through a few states by turns. It streams; memory depends on
// Elements and on the events of a second alone.
func Bulk(t testing.TB, out io.Writer, form Form, o BulkOptions) error {
	w := &writer{Options: Options{Age: Age2023, Form: form}, columns: columnsOf(t, Age2023)}
	pools := max(1, o.Elements/10)
	b := &bulk{BulkOptions: o, writer: w, pools: pools, operations: max(1, o.Elements-pools), length: max(1, min(bulkLength, o.Seconds/4))}
	e := encoderOf(form, out, b.columns)
	var snapshots [bulkStates][]row
	for state := range snapshots {
		snapshots[state] = b.snapshot(state)
	}
	for s := range o.Seconds {
		// The rows of each process newest first.
		for _, add := range []func(){func() { b.jobRows(s, 0) }, func() { b.jobRows(s, 1) }, func() { b.second(s, snapshots[s%bulkStates]) }} {
			b.rows = b.rows[:0]
			add()
			if err := newestFirst(b.rows, e); err != nil {
				return err
			}
		}
	}
	return e.close()
}

// named returns records by their names.
func named(n int, record func(i int) (name string, v Value)) Value {
	m := Value{kind: mapping}
	for i := range n {
		m.put(record(i))
	}
	return m
}

// snapshot returns what the rows of a snapshot hold in which elements are in a state.
func (b *bulk) snapshot(state int) []row {
	record := func(i int, kind string, known row) Value {
		jobs := int64(20 + i%60 + 7*state)
		share := func(jobs int64) trace.Shares {
			of := float64(jobs) / bulkNodes
			return trace.Shares{UserSlots: of / 128, CPU: of / 128, Memory: of / 256}
		}
		known["resource_usage"], known["resource_demand"] = plus(trace.Resources{}, bulkJob, jobs), plus(trace.Resources{}, bulkJob, jobs+30)
		known["usage_share"], known["demand_share"], known["resource_limits"] = share(jobs), share(jobs+30), plus(trace.Resources{}, bulkNode, bulkNodes)
		known["detailed_fair_share"] = row{"total": share(jobs + int64(state)), "weight_proportional": share(jobs + int64(state))}
		return b.record("fair_share_info."+kind, known)
	}
	pools := named(b.pools+1, func(i int) (string, Value) {
		switch {
		case i == b.pools:
			return rootName, record(i, "pools."+rootName, row{})
		case i == 0:
			return bulkPool(0), record(0, "pools", row{"parent": rootName})
		}
		return bulkPool(i), record(i, "pools", row{"parent": bulkPool((i - 1) / 8), "running_operation_count": 9, "operation_count": 9})
	})
	operations := named(b.operations, func(i int) (string, Value) {
		return bulkOperation(i), record(i, "operations", row{"pool": bulkPool(i % b.pools), "start_time": bulkStart, "preemptible_job_count": i % 50})
	})
	return append(append([]row{{"pool_count": b.pools, "resource_distribution_info": row{}}}, batches("pools", pools, 1000)...), batches("operations", operations, 1000)...)
}

// second adds the rows that the scheduler writes in a second.
func (b *bulk) second(s int, snapshot []row) {
	at := bulkStart + core.Time(s)*core.Second
	for i := range b.operations {
		if at := at + core.Time(i); s == 0 {
			id, pool := bulkOperation(i), bulkPool(i%b.pools)
			b.emit(at, "operation_started", row{
				"operation_id": id, "operation_type": "map", "spec": row{"title": "nightly", "pool": pool}, "authenticated_user": "user-" + strconv.Itoa(i%97),
				"pool": pool, "scheduling_info_per_tree": row{bulkTree: row{"pool": pool, "ancestor_pools": []any{pool}}}})
			b.emit(at+10000, "operation_prepared", row{"operation_id": id})
			b.emit(at+20000, "operation_materialized", row{"operation_id": id})
		}
	}
	b.emit(at+200, "cluster_info", row{})
	for batch := 0; s%30 == 1 && batch < bulkNodes/100; batch++ {
		nodes := named(100, func(i int) (string, Value) {
			return bulkAddress(100*batch + i), b.record("nodes_info.nodes", row{"resource_limits": bulkNode, "resource_usage": plus(trace.Resources{}, bulkJob, 83), "tags": []any{"cpu"}})
		})
		b.emit(at, "nodes_info", row{"nodes_info_event_id": bulkID(-s), "nodes_batch_index": batch, "tree_id": bulkTree, "nodes": nodes})
	}
	for _, known := range snapshot {
		known["tree_id"], known["tree_snapshot_id"] = bulkTree, bulkID(-bulkNodes-s)
		b.emit(at, "fair_share_info", known)
	}
}

// jobRows adds the rows that an agent writes in a second: of the jobs that started then, and of
// those that did so the length of a job before.
func (b *bulk) jobRows(s, agent int) {
	starts, last := (b.JobEvents+1)/2, b.Seconds-b.length // none starts so late that it would not end
	each := func(second, limit int, add func(k int, start core.Time, known row)) {
		if second < 0 || second >= last {
			return
		}
		for k := starts * second / last; k < min(starts*(second+1)/last, limit); k++ {
			if op := k % b.operations; op%agents == agent {
				add(k, bulkStart+core.Time(second)*core.Second-700000, row{
					"job_id": bulkID(k), "operation_id": bulkOperation(op), "node_address": bulkAddress(k % bulkNodes), "resource_limits": bulkJob, "tree_id": bulkTree})
			}
		}
	}
	each(s, starts, func(k int, start core.Time, known row) {
		b.emit(start+700000+core.Time(k%1000), "job_started", known)
	})
	each(s-b.length, b.JobEvents/2, func(k int, start core.Time, known row) {
		finish := start + core.Time(b.length)*core.Second + core.Time(k%690000)
		known["start_time"], known["finish_time"] = start, finish
		if k%20 != 0 {
			b.emit(finish+5000, "job_completed", known)
			return
		}
		known["reason"], known["preempted_for"] = "preemption", row{"job_id": bulkID(k + 1), "operation_id": bulkOperation((k + 1) % b.operations)}
		b.emit(finish+5000, "job_aborted", known)
	})
}

func bulkPool(i int) string      { return "pool-" + strconv.Itoa(i) }
func bulkOperation(i int) string { return bulkID(-1_000_000 - i) }
func bulkAddress(i int) string   { return fmt.Sprintf("node-%04d:9012", i) }

// bulkID is an id as random as ids are, so that it compresses no better.
func bulkID(k int) string {
	id, x := []byte(nil), uint64(k)*0x9e3779b97f4a7c15+1
	for range 4 {
		x ^= x >> 31
		x *= 0xbf58476d1ce4e5b9
		id = strconv.AppendUint(append(id, '-'), x>>32|1, 16)
	}
	return string(id[1:])
}
