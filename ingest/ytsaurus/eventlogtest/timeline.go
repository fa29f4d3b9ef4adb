package eventlogtest

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// Processes that write a log: the scheduler and two controller agents.
const (
	scheduler = 0
	agents    = 2
)

// agentOf is the controller agent of an operation's jobs, from 0.
func agentOf(op core.OperationID) int { return int(op) % agents }

// A moment is a change of the cluster, or a row that a process logs.
type moment struct {
	flush   core.Time // when the process writes
	process int
	at      core.Time // for a row its timestamp
	order   int       // at equal times
	do      func()
}

// order is that of what falls on one moment: first what changes the cluster, then rows.
var order = []string{
	"tree", "pool", "node", "event", "end", "start",
	"process", "pools_info", "operation_started", "operation_prepared", "operation_materialized", "runtime_parameters_info", "banned",
	"starvation", "operation_finished", "fair_share_info", "nodes_info", "cluster_info", "accumulated_usage_info", "job_started", "job_finished",
}

// Periods of the rows that the scheduler writes again and again
// (ingest/trace/FORMAT.md §1.3).
const (
	nodesPeriod       = 30 * core.Second
	clusterPeriod     = core.Second
	accumulatedPeriod = 60 * core.Second
	flushPeriod       = core.Second
)

// on plans what happens in a process. Each flushes once a second, at its own phase (ingest/trace/FORMAT.md §1.1).
func (w *writer) on(process int, at core.Time, what string, do func()) {
	phase := core.Time(w.chance(int64(flushPeriod), "phase", int64(process)))
	flush := at
	if late := (at - phase) % flushPeriod; late > 0 {
		flush += flushPeriod - late
	} else {
		flush -= late
	}
	w.moments = append(w.moments, moment{flush, process, at, slices.Index(order, what), do})
}

// eachFlush goes through all that happens, and calls write with each process that has rows to write.
func (w *writer) eachFlush(write func(process int) error) error {
	slices.SortStableFunc(w.moments, func(a, b moment) int {
		return cmp.Or(cmp.Compare(a.flush, b.flush), cmp.Compare(a.process, b.process), cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order))
	})
	for i, m := range w.moments {
		w.now = m.at
		m.do()
		if i+1 == len(w.moments) || w.moments[i+1].flush != m.flush || w.moments[i+1].process != m.process {
			if err := write(m.process); err != nil {
				return err
			}
			w.rows = w.rows[:0]
		}
	}
	return nil
}

// chance returns a number in [0, n) that follows from the seed and what it is for.
func (w *writer) chance(n int64, what string, numbers ...int64) int64 {
	h := fnv.New64a()
	h.Write([]byte(what))
	for _, x := range append([]int64{w.Seed}, numbers...) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(x)))
	}
	// The low bits of this hash follow the last bytes too closely.
	x := h.Sum64()
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	return int64(x % uint64(n))
}

// plan lists all that happens.
func (w *writer) plan() {
	told := map[core.Time]bool{}
	tellPools := func(at core.Time) {
		if !told[at] {
			told[at] = true
			w.on(scheduler, at, "pools_info", w.poolsInfo)
		}
	}
	for i := range w.ProcessEvents {
		p := &w.ProcessEvents[i]
		if slices.Contains([]string{"scheduler_started", "master_connected", "master_disconnected"}, p.Event) {
			w.on(scheduler, p.Time, "process", func() { w.emit(p.Time, p.Event, row{"address": p.Address}) })
		}
		if p.Event == "master_connected" { // a scheduler that begins tells all pools
			tellPools(p.Time)
		}
	}
	w.planNodes()
	changed := map[[2]int64]bool{} // operations at their times
	for t := range w.Trees {
		tree := &w.Trees[t]
		for i := range tree.TreeConfigs {
			w.on(scheduler, tree.TreeConfigs[i].Time, "tree", func() { w.trees[t] = &tree.TreeConfigs[i] })
		}
		for i := range tree.PoolConfigs {
			c := &tree.PoolConfigs[i]
			w.on(scheduler, c.Time, "pool", func() { w.applyPool(c) })
			if c.Time > w.Manifest.Window.From {
				tellPools(c.Time)
			}
		}
		for i := range tree.OpEvents {
			w.planEvent(t, &tree.OpEvents[i], changed)
		}
		for i := range tree.SnapTrees {
			w.on(scheduler, tree.SnapTrees[i].Time, "fair_share_info", func() { w.fairShareInfo(t, &tree.SnapTrees[i]) })
		}
		for i := range tree.Jobs {
			w.planJob(t, &tree.Jobs[i])
		}
	}
	for i := range w.operations {
		w.planOperation(core.OperationID(i))
	}
	w.planPeriodic()
}

// planNodes plans changes of nodes. A node that moves leaves the one tree before it joins the other.
func (w *writer) planNodes() {
	for _, online := range []bool{false, true} {
		plan := func(tree int, states []trace.NodeState) {
			for i := range states {
				if s := &states[i]; s.Online == online {
					w.on(scheduler, s.Time, "node", func() { w.applyNode(tree, s) })
				}
			}
		}
		plan(-1, w.NodeStates)
		for t := range w.Trees {
			plan(t, w.Trees[t].NodeStates)
		}
	}
}

func (w *writer) planEvent(tree int, e *trace.OpEvent, changed map[[2]int64]bool) {
	w.on(scheduler, e.Time, "event", func() { w.applyEvent(tree, e) })
	switch e.Event {
	case "params_changed", "pool_changed":
		if who := [2]int64{int64(e.Op), int64(e.Time)}; !changed[who] {
			changed[who] = true
			w.on(scheduler, e.Time, "runtime_parameters_info", func() { w.runtimeParametersInfo(e) })
		}
	case "banned_in_tree":
		if !w.Age.old() {
			w.on(scheduler, e.Time, "banned", func() { w.emitOperation(e.Time, "operation_banned_in_tree", e.Op, row{"tree_id": w.Trees[tree].Name}) })
		}
	case "starvation_started", "starvation_finished":
		if w.Age.newest() && w.Structured {
			w.on(scheduler, e.Time, "starvation", func() { w.starvation(tree, e) })
		}
	}
}

// planOperation lists the rows of an operation's life. An operation that every tree
// refused has none, and its start is logged once it is in its trees. What falls into the
// time without a master is logged after it (ingest/trace/FORMAT.md §1.3).
func (w *writer) planOperation(op core.OperationID) {
	from, o := &w.Operations[op], &w.operations[op]
	if o.joined == 0 {
		return
	}
	tell := func(at core.Time, what string, do func(at core.Time)) {
		if at, ever := w.awake(at); ever {
			w.on(scheduler, at, what, func() { do(at) })
		}
	}
	plain := func(at core.Time, event string) {
		tell(at, event, func(at core.Time) { w.emitOperation(at, event, op, row{}) })
	}
	start, until, finish := max(from.StartTime.Value, o.joined), from.MaterializeTime.Or(w.lastTime), from.FinishTime.Value
	started := min(start+20000+core.Time(w.chance(45000, "started", int64(op))), start+(until-start)/2)
	tell(started, "operation_started", func(at core.Time) { w.emitOperation(at, "operation_started", op, w.describe(op)) })
	prepared := cmp.Or(o.prepared, min(start+950000+core.Time(w.chance(65000, "prepared", int64(op))), start+(until-start)*3/4))
	if finish == 0 || prepared < finish {
		plain(prepared, "operation_prepared")
	}
	if from.MaterializeTime.Set {
		plain(until, "operation_materialized")
	}
	if finish != 0 {
		tell(finish+1000+core.Time(w.chance(4000, "finished", int64(op))), "operation_finished", func(at core.Time) { w.operationFinished(at, op) })
	}
}

// planJob lists what becomes of a job. Its agent learns of the start with a later
// report of the node, the same for all jobs that began together, and of the end soon.
// A job that is shorter than that shows both at once (ingest/trace/FORMAT.md §4.4).
func (w *writer) planJob(tree int, j *trace.Job) {
	w.on(scheduler, j.Time, "start", func() { w.move(tree, j, j.Time, 1) })
	agent := 1 + agentOf(j.Op)
	told := j.Time + 500000 + core.Time(w.chance(5000000, "job started", int64(j.Node), int64(j.Time)))
	if j.FinishTime.Set && slices.Contains([]string{"completed", "failed", "aborted"}, j.EndKind) {
		finish := j.FinishTime.Value
		w.on(scheduler, finish, "end", func() { w.move(tree, j, finish, -1) })
		at := finish + 2000 + core.Time(w.chance(58000, "job finished", w.jobs))
		if !w.Age.old() || !w.endsWithOperation(j) {
			w.on(agent, at, "job_finished", func() { w.jobFinished(at, tree, j) })
		}
		told = min(told, at)
	}
	w.jobs++
	if j.StartedLogged && told <= w.lastTime {
		w.on(agent, told, "job_started", func() { w.emitJob(told, "job_started", tree, j, row{}) })
	}
}

// endsWithOperation reports whether a job was aborted because its operation ended: of
// those the older logs have no row (ingest/trace/FORMAT.md §1.9). One that its operation
// lost with a tree ends like any other.
func (w *writer) endsWithOperation(j *trace.Job) bool {
	over := w.Operations[j.Op].FinishTime.Value
	why, ok := strings.CutPrefix(j.AbortReason.Value, "operation_")
	return ok && slices.Contains([]string{"failed", "aborted", "completed", "finished"}, why) && j.EndKind == "aborted" && over != 0 && j.FinishTime.Value >= over
}

// planPeriodic lists the rows that the scheduler writes again and again, but for the
// time that it is without a master (ingest/trace/FORMAT.md §1.3).
func (w *writer) planPeriodic() {
	every := func(period, after core.Time, do func(at core.Time, i int64)) {
		for i, at := int64(0), w.Manifest.Window.From+after; at <= w.lastTime; i, at = i+1, at+period {
			if tells, ever := w.awake(at); ever && tells == at {
				do(at, i)
			}
		}
	}
	every(clusterPeriod, clusterPeriod, func(at core.Time, i int64) {
		at += core.Time(w.chance(400, "cluster", i))
		w.on(scheduler, at, "cluster_info", func() { w.emit(at, "cluster_info", row{}) })
	})
	every(nodesPeriod, core.Second, func(at core.Time, _ int64) {
		w.on(scheduler, at, "nodes_info", func() { w.nodesInfo(at) })
	})
	if w.Age.old() {
		return
	}
	every(accumulatedPeriod, accumulatedPeriod, func(at core.Time, i int64) {
		for t := range w.Trees {
			at := at + 500 + core.Time(w.chance(400, "accumulated", i, int64(t)))
			w.on(scheduler, at, "accumulated_usage_info", func() { w.accumulatedUsageInfo(at, t) })
		}
	})
}

// awake returns when the scheduler has a master first from a moment on, if it ever has.
func (w *writer) awake(at core.Time) (tells core.Time, ever bool) {
	tells, ever = at, true
	for i := range w.ProcessEvents {
		p := &w.ProcessEvents[i]
		switch {
		case p.Time > at && ever:
			return tells, ever
		case p.Event == "master_disconnected":
			ever = false
		case p.Event == "master_connected":
			tells, ever = max(p.Time, at), true
		}
	}
	return tells, ever
}
