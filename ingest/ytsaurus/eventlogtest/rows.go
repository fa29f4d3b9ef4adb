package eventlogtest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

func (w *writer) emitOperation(at core.Time, event string, op core.OperationID, known row) {
	known["operation_id"] = w.operationID(op)
	w.emit(at, event, known)
}

// describe returns what rows of starts and of ends have in common.
func (w *writer) describe(op core.OperationID) row {
	known := row{"operation_type": w.Operations[op].Type, "spec": w.specOf(op), "authenticated_user": w.Operations[op].User, "pool": nil}
	places := map[string]any{}
	for i := range w.operations[op].trees {
		t := &w.operations[op].trees[i]
		if !t.joined || t.erased {
			continue
		}
		if w.Trees[t.tree].Name == w.defaultTree {
			known["pool"] = w.poolName(t.pool)
		}
		path := []any{}
		for _, p := range w.path(t.pool) {
			path = append(path, w.Pools[p].Name)
		}
		places[w.Trees[t.tree].Name] = row{"pool": w.poolName(t.pool), "ancestor_pools": path}
	}
	known["scheduling_info_per_tree"] = places
	return known
}

func (w *writer) operationFinished(at core.Time, op core.OperationID) {
	o := &w.Operations[op]
	code, message := int32(1), map[string]string{"failed": "Operation failed", "aborted": "Operation aborted by user request"}[o.FinalState.Value]
	if message == "" {
		code = 0
	}
	w.emitOperation(at, "operation_"+o.FinalState.Value, op, w.describe(op).with(row{
		"start_time": w.startOf(op), "finish_time": o.FinishTime.Value, "runtime_parameters": w.runtimeParameters(op),
		"error": row{"code": o.ErrorCode.Or(code), "message": o.ErrorMessage.Or(message)},
	}))
}

func (w *writer) runtimeParameters(op core.OperationID) Value {
	const kind = "runtime_parameters_info.runtime_params" // which every age has
	erased, trees := []any{}, map[string]any{}
	for i := range w.operations[op].trees {
		t := &w.operations[op].trees[i]
		switch name := w.Trees[t.tree].Name; {
		case !t.joined:
		case t.erased:
			erased = append(erased, name)
		default:
			trees[name] = w.record(kind+".scheduling_options_per_pool_tree", row{
				"pool": w.poolName(t.pool), "resource_limits": t.asks.Limit, "weight": t.asks.Weight,
				"tentative": t.asks.Tentative.Value, "probing": t.asks.Probing.Value, "offloading": t.asks.Offloading.Value,
			})
		}
	}
	return w.record(kind, row{"erased_trees": erased, "scheduling_options_per_pool_tree": trees})
}

// runtimeParametersInfo tells of a change. Older logs do not say of whom
// (ingest/trace/FORMAT.md §1.9).
func (w *writer) runtimeParametersInfo(e *trace.OpEvent) {
	now := w.runtimeParameters(e.Op)
	w.emitOperation(e.Time, "runtime_parameters_info", e.Op, row{
		"authenticated_user": e.Who.Or(w.Operations[e.Op].User), "runtime_parameters": now, "runtime_params": now})
}

// starvation tells that an operation began or ceased to starve, which only the newest
// clusters do, and only in structured logs.
func (w *writer) starvation(tree int, e *trace.OpEvent) {
	t := w.in(e.Op, tree)
	if e.Event == "starvation_started" || t.starving == nil {
		t.starving = e
	}
	w.emitOperation(e.Time, "operation_"+e.Event, e.Op, row{
		"tree_id": w.Trees[tree].Name, "starvation_status": e.StarvationStatus.Or("non_starving"), "starving_since": t.starving.Time,
		"current_fair_share": e.FairShare.Value, "current_usage": e.Usage.Value,
	})
}

// specOf returns an operation's spec: what the trace holds of it, and what its
// columns and first events tell that is not in there.
func (w *writer) specOf(op core.OperationID) map[string]any {
	o := &w.Operations[op]
	v, _ := poolconf.ParseJSON([]byte(o.SpecJSON.Or("{}")))
	spec, added := v.(map[string]any), row{"title": o.Title, "is_gang": core.Optional[bool]{Set: o.IsGang.Value, Value: true}}
	if tasks, ok := spec["tasks"].(map[string]any); !ok {
		added["job_count"] = o.JobCount
	} else if len(tasks) == 1 { // of several the trace does not hold the parts
		for _, task := range tasks {
			task.(map[string]any)["job_count"] = o.JobCount.Value
		}
	}
	// What all trees were asked alike stands beside the other options, the rest per tree.
	all, perTree := w.operations[op].asked, row{}
	if spec["scheduling_options_per_pool_tree"] != nil {
		all = nil
	}
	for _, a := range all {
		own := row{}
		for key, x := range a.options {
			if !slices.ContainsFunc(all, func(b asked) bool { return b.options[key] != x }) {
				added[key] = x
			} else if spec[key] == nil && isSet(w.Age.of(x)) {
				own[key] = x
			}
		}
		if len(own) > 0 {
			perTree[a.tree] = own
		}
	}
	added["scheduling_options_per_pool_tree"] = perTree
	for key, x := range added {
		if spec[key] == nil && isSet(w.Age.of(x)) {
			spec[key] = x
		}
	}
	return spec
}

// isSet reports whether a value says anything: no null does, nor an empty map.
func isSet(v Value) bool { return v.kind != entity && (v.kind != mapping || len(v.keys) > 0) }

// optionsOf returns the options that an event may name, by the names of a spec
// (ingest/trace/FORMAT.md §1.5). Those of pool and tentative trees, which stand elsewhere too, are left out.
func optionsOf(e *trace.OpEvent) row {
	return row{
		"weight": e.Weight, "max_share_ratio": e.MaxShareRatio, "scheduling_tag_filter": e.SchedulingTagFilter,
		"resource_limits": e.Limit, "strong_guarantee_resources": e.Strong,
		"fair_share_starvation_tolerance": e.FairShareStarvationTolerance, "fair_share_starvation_timeout": e.FairShareStarvationTimeoutMS,
		"min_share_preemption_timeout": e.MinSharePreemptionTimeoutMS, "enable_aggressive_starvation": e.EnableAggressiveStarvation,
		"preemption_mode": e.PreemptionMode, "max_unpreemptible_job_count": e.MaxUnpreemptibleJobs,
		"apply_specified_resource_limits_to_demand": e.ApplyLimitsToDemand,
	}
}

// emitJob adds a row of a job, by its agent's clock.
func (w *writer) emitJob(at core.Time, event string, tree int, j *trace.Job, known row) {
	address := ""
	if j.Node >= 0 {
		address = w.address(j.Node)
	}
	w.emitOperation(at+w.Clocks[agentOf(j.Op)], event, j.Op, known.with(row{
		"job_id": w.jobID(j.ID), "resource_limits": j.Limits, "tree_id": w.Trees[tree].Name, "node_address": address, "job_type": j.Type.Or(w.Operations[j.Op].Type)}))
}

// noGUID stands for a GUID that there is not.
const noGUID = "0-0-0-0"

func (w *writer) jobFinished(at core.Time, tree int, j *trace.Job) {
	clock := w.Clocks[agentOf(j.Op)]
	competition := func(kind string) string {
		if j.Competition.Value != kind {
			return noGUID
		}
		return guid("competition", kind, w.jobID(j.ID))
	}
	known := row{
		"start_time": j.Time + clock, "finish_time": j.FinishTime.Value + clock, "preempted_for": nil,
		"job_competition_id": competition("speculative"), "has_competitors": j.Competition.Value == "speculative",
		"probing_job_competition_id": competition("probing"), "has_probing_competitors": j.Competition.Value == "probing",
		"predecessor_type": j.PredecessorType,
	}
	if j.PredecessorJob.Set {
		known["predecessor_job_id"] = w.jobID(j.PredecessorJob.Value)
	}
	if j.EndKind == "aborted" {
		known["reason"] = j.AbortReason.Or("unknown")
		// A job that was interrupted for another and ended well is completed, and
		// nothing else (ingest/trace/FORMAT.md §1.3).
		if j.PreemptedFor.Set && j.PreemptedForJob.Set {
			other := w.jobID(j.PreemptedForJob.Value)
			known["preempted_for"] = row{"job_id": other, "allocation_id": other, "operation_id": w.operationID(j.PreemptedFor.Value)}
		}
	}
	w.emitJob(at, "job_"+j.EndKind, tree, j, known)
}

// unknownTree is the tree of nodes without a tree and of unregistered ones.
const unknownTree = "<unknown>"

// nodesInfo writes a sample of all nodes: one row, or since October 2023 rows of a
// tree in batches, each a little later than the one before; since 2024 all at one
// moment (ingest/trace/FORMAT.md §1.3, §1.9).
func (w *writer) nodesInfo(at core.Time) {
	event := guid("nodes_info", w.Age.of(at).text, fmt.Sprint(w.Seed))
	rows := func(tree string, perRow int, of func(*node) bool) {
		var known []core.NodeID
		for n := range w.nodes {
			if now := &w.nodes[n]; now.known && of(now) {
				known = append(known, core.NodeID(n))
			}
		}
		batch := 0
		for part := range slices.Chunk(known, perRow) {
			w.emit(at, "nodes_info", row{"nodes_info_event_id": event, "nodes_batch_index": batch, "tree_id": tree, "nodes": w.nodesOf(part)})
			if batch++; w.Age == Age2023 {
				at += nodesRowDelay
			}
		}
	}
	if w.Age.old() {
		rows("", len(w.nodes), func(*node) bool { return true })
		return
	}
	for i := range w.Trees {
		rows(w.Trees[i].Name, w.NodesPerRow, func(n *node) bool { return n.Online && n.tree == i })
	}
	rows(unknownTree, w.NodesPerRow, func(n *node) bool { return !n.Online || n.tree < 0 })
}

const nodesRowDelay core.Time = 40 // microseconds

func (w *writer) nodesOf(nodes []core.NodeID) Value {
	v := Value{kind: mapping}
	for _, n := range nodes {
		now, state := &w.nodes[n], "offline"
		if now.Online {
			state = "online"
		}
		known := row{
			"scheduler_state": state, "master_state": state, "state": state, "resource_usage": now.usage, "resource_limits": now.Limit, "tags": words(now.Tags), "tree": nil,
			"data_center": now.DataCenter, "infiniband_cluster": now.InfinibandCluster, "scheduling_segment": now.SchedulingSegment.Or("default"),
		}
		if now.tree >= 0 {
			known["tree"] = w.Trees[now.tree].Name
		}
		v.put(w.address(n), w.record("nodes_info.nodes", known))
	}
	return v
}

// accumulatedUsageInfo reports what the operations of a tree held since the last report
// (ingest/trace/FORMAT.md §1.3). What older logs lack is the whole row.
func (w *writer) accumulatedUsageInfo(at core.Time, tree int) {
	pools, operations := map[string]any{rootName: row{}}, map[string]any{}
	for _, id := range w.poolsOf(tree) {
		pools[w.Pools[id].Name] = w.record("accumulated_usage_info.pools", row{"parent": w.poolName(w.parent(id))})
	}
	for i := range w.operations {
		op := core.OperationID(i)
		if t := w.in(op, tree); t != nil && t.in {
			operations[w.operationID(op)] = w.record("accumulated_usage_info.operations", row{
				"pool": w.poolName(t.pool), "accumulated_resource_usage": t.report(at), "user": w.Operations[op].User, "operation_type": w.Operations[op].Type})
		}
	}
	w.emit(at, "accumulated_usage_info", row{"tree_id": w.Trees[tree].Name, "pools": pools, "operations": operations})
}

// guid returns an id in the cluster's form, four hex words without leading zeros
// (ingest/trace/FORMAT.md §1.2), that follows from the words given.
func guid(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	part := func(i int) uint32 { return binary.BigEndian.Uint32(sum[4*i:]) | 1 }
	return fmt.Sprintf("%x-%x-%x-%x", part(0), part(1), part(2), part(3))
}

func isGUID(s string) bool {
	words := strings.Split(s, "-")
	return len(words) == 4 && !slices.ContainsFunc(words, func(w string) bool {
		return len(w) == 0 || len(w) > 8 || strings.Trim(w, "0123456789abcdef") != ""
	})
}

// asGUID returns an id of a trace as the log has it, and remembers in changed those
// that had to change.
func asGUID(kind, id string, changed map[string]string) string {
	if isGUID(id) {
		return id
	}
	if changed[id] == "" {
		changed[id] = guid(kind, id)
	}
	return changed[id]
}

func (w *writer) operationID(op core.OperationID) string {
	return asGUID("operation", w.Operations[op].ID, w.result.Operations)
}

func (w *writer) jobID(id string) string { return asGUID("job", id, w.result.Jobs) }

// address returns a node's address with a port.
func (w *writer) address(n core.NodeID) string {
	address := w.Nodes[n].Address
	if !strings.Contains(address, ":") {
		w.result.Nodes[address] = address + ":9012"
		return address + ":9012"
	}
	return address
}
