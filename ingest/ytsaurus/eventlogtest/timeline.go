package eventlogtest

import (
	"cmp"
	"hash/fnv"
	"slices"

	"poolproof/core"
)

// A step is what happens in the cluster, or is logged about it. At equal times the earlier
// kind comes first.
type step uint8

const (
	// What changes the world, at its true time.
	stepTree step = iota
	stepPool
	stepNode
	stepEvent
	stepEnd
	stepStart
	// Rows of the scheduler.
	rowProcess
	rowPools
	rowOperationStarted
	rowOperationPrepared
	rowOperationMaterialized
	rowParameters
	rowBanned
	rowStarvation
	rowOperationFinished
	rowSnapshot
	rowNodes
	rowCluster
	rowAccumulated
	// Rows of controller agents.
	rowJobStarted
	rowJobFinished
)

// A moment is a step at its time, which for a row is its timestamp.
type moment struct {
	at   core.Time
	step step
	tree int32
	ix   int32 // in the table that the step is about
}

// Processes that write a log: the scheduler and two controller agents.
const (
	scheduler = 0
	agents    = 2
)

// Periods of the rows that the scheduler writes again and again
// (ingest/trace/FORMAT.md §1.3).
const (
	nodesPeriod       = 30 * core.Second
	clusterPeriod     = core.Second
	accumulatedPeriod = 60 * core.Second
	flushPeriod       = core.Second
)

// chance returns a number in [0, n) that follows from the seed and what it is for.
func (w *writer) chance(n int64, what string, numbers ...int64) int64 {
	h := fnv.New64a()
	put := func(x int64) {
		var b [8]byte
		for i := range b {
			b[i] = byte(x >> (8 * i))
		}
		h.Write(b[:])
	}
	h.Write([]byte(what))
	put(w.Seed)
	for _, x := range numbers {
		put(x)
	}
	// The low bits of this hash follow the last bytes too closely.
	x := h.Sum64()
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	return int64(x % uint64(n))
}

// plan lists all steps, of each process in order.
func (w *writer) plan() (steps [1 + agents][]moment) {
	add := func(process int, at core.Time, s step, tree, ix int) {
		steps[process] = append(steps[process], moment{at, s, int32(tree), int32(ix)})
	}
	for i := range w.nodeStates {
		add(scheduler, w.nodeStates[i].Time, stepNode, 0, i)
	}
	for i := range w.processes {
		if isProcessRow(w.processes[i].Event) {
			add(scheduler, w.processes[i].Time, rowProcess, 0, i)
		}
		// A scheduler that begins tells all pools.
		if at := w.processes[i].Time; w.processes[i].Event == "master_connected" && !w.poolsTold[at] {
			w.poolsTold[at] = true
			add(scheduler, at, rowPools, 0, i)
		}
	}
	for t := range w.trees {
		w.planTree(t, add)
	}
	w.planOperations(add)
	for i := range w.jobs {
		w.planJob(i, add)
	}
	w.planPeriodic(add)
	for i := range steps {
		slices.SortStableFunc(steps[i], func(a, b moment) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step))
		})
	}
	return steps
}

type adder func(process int, at core.Time, s step, tree, ix int)

func (w *writer) planTree(tree int, add adder) {
	t := &w.trees[tree]
	for i := range t.configs {
		add(scheduler, t.configs[i].Time, stepTree, tree, i)
	}
	for i := range t.poolConfigs {
		at := t.poolConfigs[i].Time
		add(scheduler, at, stepPool, tree, i)
		if at > w.manifest.Window.From && !w.poolsTold[at] {
			w.poolsTold[at] = true
			add(scheduler, at, rowPools, tree, i)
		}
	}
	for i := range t.events {
		e := &t.events[i]
		add(scheduler, e.Time, stepEvent, tree, i)
		switch {
		case e.Event == "params_changed" || e.Event == "pool_changed":
			if who := (changed{e.Op, e.Time}); !w.parametersTold[who] {
				w.parametersTold[who] = true
				add(scheduler, e.Time, rowParameters, tree, i)
			}
		case e.Event == "banned_in_tree" && !w.Age.old():
			add(scheduler, e.Time, rowBanned, tree, i)
		case (e.Event == "starvation_started" || e.Event == "starvation_finished") && w.Age.newest() && w.Structured:
			add(scheduler, e.Time, rowStarvation, tree, i)
		}
	}
	for i := range t.snapshots {
		add(scheduler, t.snapshots[i].Time, rowSnapshot, tree, i)
	}
}

// planOperations lists the rows of operations' lives. An operation that every tree
// refused has none, and its start is logged once it is in its trees. What falls into the
// time without a master is logged after it (ingest/trace/FORMAT.md §1.3).
func (w *writer) planOperations(add adder) {
	for i := range w.operations {
		op := core.OperationID(i)
		life := &w.lives[i]
		if !life.started {
			continue
		}
		tell := func(at core.Time, row step) {
			if at, ever := w.awake(at); ever {
				add(scheduler, at, row, 0, i)
			}
		}
		start, until := max(w.startOf(op), life.joined), w.lastTime
		row := start + 20000 + core.Time(w.chance(45000, "started", int64(i)))
		if life.materialized != 0 {
			until = life.materialized
		}
		row = min(row, start+(until-start)/2)
		tell(row, rowOperationStarted)
		prepared := min(start+950000+core.Time(w.chance(65000, "prepared", int64(i))), start+(until-start)*3/4)
		if life.prepared != 0 {
			prepared = life.prepared
		}
		if life.finished == 0 || prepared < life.finished {
			tell(prepared, rowOperationPrepared)
		}
		if life.materialized != 0 {
			tell(life.materialized, rowOperationMaterialized)
		}
		if life.finished != 0 {
			tell(life.finished+1000+core.Time(w.chance(4000, "finished", int64(i))), rowOperationFinished)
		}
	}
}

// planJob lists what becomes of a job. Its agent learns of the start with a later
// report of the node, the same for all jobs that began together, and of the end soon.
// A job that is shorter than that shows both at once (ingest/trace/FORMAT.md §4.4).
func (w *writer) planJob(i int, add adder) {
	j := &w.jobs[i]
	add(scheduler, j.start, stepStart, j.tree, i)
	agent := 1 + agentOf(j.op)
	told := j.start + 500000 + core.Time(w.chance(5000000, "job started", int64(j.node), int64(j.start)))
	if j.end != "" {
		add(scheduler, j.finish, stepEnd, j.tree, i)
		row := j.finish + 2000 + core.Time(w.chance(58000, "job finished", int64(i)))
		if !w.Age.old() || !w.endsWithOperation(j) {
			add(agent, row, rowJobFinished, j.tree, i)
		}
		told = min(told, row)
	}
	if j.told && told <= w.lastTime {
		add(agent, told, rowJobStarted, j.tree, i)
	}
}

// endsWithOperation reports whether a job was aborted because its operation ended: of
// those the older logs have no row (ingest/trace/FORMAT.md §1.9). One that its operation
// lost with a tree ends like any other.
func (w *writer) endsWithOperation(j *job) bool {
	switch j.reason {
	case "operation_failed", "operation_aborted", "operation_completed", "operation_finished":
		over := w.finishOf(j.op)
		return j.end == "aborted" && over != 0 && j.finish >= over
	}
	return false
}

// planPeriodic lists the rows that the scheduler writes again and again, but for the
// time that it is without a master (ingest/trace/FORMAT.md §1.3).
func (w *writer) planPeriodic(add adder) {
	every := func(period, after core.Time, row func(at core.Time, i int)) {
		i := 0
		for at := w.manifest.Window.From + after; at <= w.lastTime; at += period {
			if !w.blind(at) {
				row(at, i)
			}
			i++
		}
	}
	every(clusterPeriod, clusterPeriod, func(at core.Time, i int) {
		add(scheduler, at+core.Time(w.chance(400, "cluster", int64(i))), rowCluster, 0, i)
	})
	every(nodesPeriod, core.Second, func(at core.Time, i int) { add(scheduler, at, rowNodes, 0, i) })
	if w.Age.old() {
		return
	}
	every(accumulatedPeriod, accumulatedPeriod, func(at core.Time, i int) {
		for t := range w.trees {
			add(scheduler, at+500+core.Time(w.chance(400, "accumulated", int64(i), int64(t))), rowAccumulated, t, i)
		}
	})
}

// blind reports whether the scheduler is without a master at a moment.
func (w *writer) blind(at core.Time) bool {
	tells, ever := w.awake(at)
	return !ever || tells != at
}

// awake returns when the scheduler has a master first from a moment on, if it ever has.
func (w *writer) awake(at core.Time) (tells core.Time, ever bool) {
	tells, ever = at, true
	for i := range w.processes {
		p := &w.processes[i]
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

func isProcessRow(event string) bool {
	return event == "scheduler_started" || event == "master_connected" || event == "master_disconnected"
}
