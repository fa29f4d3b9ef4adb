package eventlogtest

import (
	"fmt"
	"os"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A writer writes one log.
type writer struct {
	Options
	*world
	lives          []life          // by number of the operation
	firstParams    [][]firstParams // the same: what its first events asked for, per tree
	lastTime       core.Time       // of anything that the trace records
	poolsTold      map[core.Time]bool
	parametersTold map[changed]bool
	starving       map[starver]*trace.OpEvent // since when
	cursors        []snapshotCursors          // by tree
	out            *output
}

type firstParams struct {
	tree   int
	params params
}

type changed struct {
	op core.OperationID
	at core.Time
}

type starver struct {
	op   core.OperationID
	tree int
}

type snapshotCursors struct {
	pools      *cursor[trace.SnapPool]
	operations *cursor[trace.SnapOp]
}

// Write writes the trace at tracePath as an event log into outDir, which it makes. An
// error is of input, of output, or of options that do not go together.
func Write(tracePath, outDir string, o Options) (Result, error) {
	result := Result{Rows: map[string]int64{}, Operations: map[string]string{}, Jobs: map[string]string{}, Nodes: map[string]string{}}
	if err := o.check(); err != nil {
		return result, fmt.Errorf("write event log: %w", err)
	}
	s, err := readSource(tracePath, &result)
	if err != nil {
		return result, fmt.Errorf("write event log: %w", err)
	}
	if err := os.MkdirAll(outDir, 0o777); err != nil {
		return result, fmt.Errorf("write event log: %w", err)
	}
	w := &writer{
		Options: o, world: newWorld(s), lastTime: s.manifest.Window.To, poolsTold: map[core.Time]bool{},
		parametersTold: map[changed]bool{}, starving: map[starver]*trace.OpEvent{},
	}
	w.readLives()
	if err := w.writeExports(outDir); err != nil {
		return result, fmt.Errorf("write pool trees: %w", err)
	}
	if err := w.writeLog(outDir); err != nil {
		return result, fmt.Errorf("write event log: %w", err)
	}
	return result, nil
}

func (w *writer) writeLog(dir string) (err error) {
	if w.out, err = newOutput(dir, &w.Options, w.result); err != nil {
		return err
	}
	defer func() {
		if closing := w.out.close(); err == nil {
			err = closing
		}
	}()
	for i := range w.trees {
		folder := w.folder(i)
		c := snapshotCursors{newCursor(trace.SnapPools, folder), newCursor(trace.SnapOps, folder)}
		defer c.pools.stop()
		defer c.operations.stop()
		w.cursors = append(w.cursors, c)
	}
	return w.flushAll(w.plan())
}

// flushAll writes what the processes collected, flush by flush. Each flushes once a
// second, at its own phase, newest first (ingest/trace/FORMAT.md §1.1).
func (w *writer) flushAll(steps [1 + agents][]moment) error {
	var phase [1 + agents]core.Time
	for p := range phase {
		phase[p] = core.Time(w.chance(int64(flushPeriod), "phase", int64(p)))
	}
	for {
		next, at := -1, core.Time(0)
		for p := range steps {
			if len(steps[p]) == 0 {
				continue
			}
			if flush := flushAfter(steps[p][0].at, phase[p]); next < 0 || flush < at {
				next, at = p, flush
			}
		}
		if next < 0 {
			return nil
		}
		n := 0
		for n < len(steps[next]) && steps[next][n].at <= at {
			n++
		}
		if err := w.flush(next, steps[next][:n]); err != nil {
			return err
		}
		steps[next] = steps[next][n:]
	}
}

// flushAfter returns the first flush at or after a moment.
func flushAfter(at, phase core.Time) core.Time {
	late := (at - phase) % flushPeriod
	if late == 0 {
		return at
	}
	if late < 0 {
		late += flushPeriod
	}
	return at - late + flushPeriod
}

func (w *writer) flush(process int, steps []moment) error {
	var rows []Value
	for _, m := range steps {
		if err := w.take(m, func(row Value) { rows = append(rows, row) }); err != nil {
			return err
		}
	}
	return w.out.write(process, rows)
}

// take brings the world up to a step, or emits the rows that it stands for.
func (w *writer) take(m moment, emit func(Value)) error {
	tree, ix := int(m.tree), int(m.ix)
	w.now = m.at
	switch m.step {
	case stepTree:
		w.treeConfig[tree] = &w.trees[tree].configs[ix]
	case stepPool:
		w.poolChanged(&w.trees[tree].poolConfigs[ix])
	case stepNode:
		w.nodeChanged(&w.nodeStates[ix])
	case stepEvent:
		w.happened(tree, &w.trees[tree].events[ix])
	case stepStart:
		w.started(&w.jobs[ix])
	case stepEnd:
		w.ended(&w.jobs[ix])
	case rowSnapshot:
		return w.fairShareInfo(tree, &w.trees[tree].snapshots[ix], emit)
	case rowNodes:
		w.nodesInfo(m.at, emit)
	default:
		emit(w.row(m, tree, ix))
	}
	return nil
}

// row returns the row that a step stands for.
func (w *writer) row(m moment, tree, ix int) Value {
	op := core.OperationID(ix)
	switch m.step {
	case rowProcess:
		v := newRow(m.at, w.processes[ix].Event)
		v.put("address", orNull(w.processes[ix].Address, textOf))
		return v
	case rowPools:
		return w.poolsInfo(m.at)
	case rowOperationStarted:
		return w.operationStarted(m.at, op)
	case rowOperationPrepared:
		v := w.operationRow(m.at, "operation_prepared", op)
		v.put("unrecognized_spec", newMap(0))
		return v
	case rowOperationMaterialized:
		return w.operationRow(m.at, "operation_materialized", op)
	case rowParameters:
		e := &w.trees[tree].events[ix]
		return w.runtimeParametersInfo(m.at, e.Op, e.Who.Or(w.operations[e.Op].User))
	case rowBanned:
		v := w.operationRow(m.at, "operation_banned_in_tree", w.trees[tree].events[ix].Op)
		v.put("tree_id", textOf(w.trees[tree].name))
		return v
	case rowStarvation:
		return w.starvation(m.at, tree, &w.trees[tree].events[ix])
	case rowOperationFinished:
		return w.operationFinished(m.at, op)
	case rowCluster:
		return w.clusterInfo(m.at)
	case rowAccumulated:
		return w.accumulatedUsageInfo(m.at, tree)
	case rowJobStarted:
		return w.jobStarted(m.at, &w.jobs[ix])
	}
	return w.jobFinished(m.at, &w.jobs[ix])
}
