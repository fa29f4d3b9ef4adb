package eventlogtest

import (
	"fmt"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// unknownTree is the tree of nodes without a tree and of unregistered ones.
const unknownTree = "<unknown>"

// nodesInfo writes a sample of all nodes: one row, or since October 2023 rows of a
// tree in batches, each a little later than the one before; since 2024 all at one
// moment (ingest/trace/FORMAT.md §1.3, §1.9).
func (w *writer) nodesInfo(at core.Time, emit func(Value)) {
	known := func(of func(*nodeState) bool) (found []core.NodeID) {
		for n := range w.nodeNow {
			if now := &w.nodeNow[n]; now.known && of(now) {
				found = append(found, core.NodeID(n))
			}
		}
		return found
	}
	if w.Age.old() {
		v := newRow(at, "nodes_info")
		v.put("nodes", w.nodesOf(known(func(*nodeState) bool { return true })))
		emit(v)
		return
	}
	event := guid("nodes_info", timeOf(at).text, fmt.Sprint(w.Seed))
	row := func(tree string, nodes []core.NodeID) {
		batch := 0
		for part := range slices.Chunk(nodes, w.NodesPerRow) {
			v := newRow(at, "nodes_info")
			v.put("nodes_info_event_id", textOf(event))
			v.put("nodes_batch_index", intOf(batch))
			v.put("tree_id", textOf(tree))
			v.put("nodes", w.nodesOf(part))
			emit(v)
			batch++
			if !w.Age.newest() {
				at += nodesRowDelay
			}
		}
	}
	for i := range w.trees {
		row(w.trees[i].name, known(func(n *nodeState) bool { return n.Online && n.tree == i }))
	}
	row(unknownTree, known(func(n *nodeState) bool { return !n.Online || n.tree < 0 }))
}

const nodesRowDelay core.Time = 40 // microseconds

func (w *writer) nodesOf(nodes []core.NodeID) Value {
	v := newMap(len(nodes))
	for _, n := range nodes {
		v.put(w.addresses[n], w.nodeOf(n))
	}
	return v
}

func (w *writer) nodeOf(n core.NodeID) Value {
	now := &w.nodeNow[n]
	state := textOf("offline")
	if now.Online {
		state = textOf("online")
	}
	v := newMap(16)
	v.put("scheduler_state", state)
	v.put("master_state", state)
	v.put("state", state)
	v.put("resource_usage", w.Age.resources(w.nodeUsage[n]))
	v.put("resource_limits", w.Age.resources(now.Limit))
	tags := listOf()
	for tag := range strings.SplitSeq(now.Tags, ",") {
		if tag != "" {
			tags.items = append(tags.items, textOf(tag))
		}
	}
	v.put("tags", tags)
	if !w.Age.old() {
		v.put("scheduling_heartbeat_complexity", intOf(0))
		v.put("data_center", orNull(now.DataCenter, textOf))
		v.put("infiniband_cluster", orNull(now.InfinibandCluster, textOf))
		if now.tree >= 0 {
			v.put("tree", textOf(w.trees[now.tree].name))
		}
		v.put("scheduling_segment", textOf(now.SchedulingSegment.Or("default")))
		v.put(w.runningStatistics(), timesOf())
	}
	v.put("last_non_preemptive_heartbeat_statistics", w.heartbeatStatistics(n))
	v.put("last_preemptive_heartbeat_statistics", w.heartbeatStatistics(n))
	return v
}

func (w *writer) runningStatistics() string {
	if w.Age.newest() {
		return "running_allocation_statistics"
	}
	return "running_job_statistics"
}

func timesOf() Value {
	v := newMap(4)
	for _, key := range []string{"total_cpu_time", "preemptible_cpu_time", "total_gpu_time", "preemptible_gpu_time"} {
		v.put(key, realOf(0))
	}
	return v
}

// heartbeatStatistics are made up, but for the amounts: the log of a real cluster has
// counts of attempts here.
func (w *writer) heartbeatStatistics(n core.NodeID) Value {
	v := newMap(5)
	for _, key := range []string{"unconditionally_preemptible_job_count", "controller_schedule_job_count", "controller_schedule_job_timed_out_count"} {
		v.put(key, intOf(0))
	}
	v.put("resource_usage", w.Age.resources(w.nodeUsage[n]))
	v.put("resource_limits", w.Age.resources(w.nodeNow[n].Limit))
	return v
}

// clusterInfo sums up all nodes that are online, of all trees together.
func (w *writer) clusterInfo(at core.Time) Value {
	online, all := 0, 0
	var limits, usage trace.Resources
	for n := range w.nodeNow {
		now := &w.nodeNow[n]
		if !now.known {
			continue
		}
		all++
		if now.Online {
			online++
			limits = plus(limits, now.Limit)
			usage = plus(usage, w.nodeUsage[n])
		}
	}
	v := newRow(at, "cluster_info")
	v.put("exec_node_count", intOf(online))
	v.put("total_node_count", intOf(all))
	v.put("resource_limits", w.Age.resources(limits))
	v.put("resource_usage", w.Age.resources(usage))
	return v
}

// nodeChanged brings a node up to a row of node_state.
func (w *world) nodeChanged(s *nodeState) {
	now := &w.nodeNow[s.Node]
	// A tree says that a node left it, though another has it by now.
	if s.tree >= 0 && !s.Online && now.known && now.Online && now.tree != s.tree {
		return
	}
	// Of a node that went offline the tree that it had is known, and nothing else is
	// said of it outside of the trees.
	tree := s.tree
	if tree < 0 && !s.Online && now.known {
		tree = now.tree
	}
	*now = *s
	now.tree, now.known = tree, true
}
