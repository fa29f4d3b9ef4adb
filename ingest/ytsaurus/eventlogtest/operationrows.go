package eventlogtest

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// newRow begins a row: every one has these two columns.
func newRow(at core.Time, event string) Value {
	v := newMap(16)
	v.put("timestamp", timeOf(at))
	v.put("event_type", textOf(event))
	return v
}

func (w *writer) operationRow(at core.Time, event string, op core.OperationID) Value {
	v := newRow(at, event)
	v.put("operation_id", textOf(w.operationID(op)))
	return v
}

func (w *writer) operationStarted(at core.Time, op core.OperationID) Value {
	v := w.operationRow(at, "operation_started", op)
	w.describe(&v, op, false)
	return v
}

// describe adds what rows of starts and of ends have in common.
func (w *writer) describe(v *Value, op core.OperationID, over bool) {
	o, now := &w.operations[op], &w.operation[op]
	v.put("operation_type", textOf(o.Type))
	v.put("spec", w.specOf(op))
	if !w.Age.old() {
		v.put("experiment_assignments", listOf())
		v.put("experiment_assignment_names", listOf())
	}
	v.put("authenticated_user", textOf(o.User))
	if w.Age.old() && over {
		return
	}
	info, used := newMap(len(now.trees)), newMap(len(now.trees))
	for i := range now.trees {
		t := &now.trees[i]
		if !t.joined || t.erased {
			continue
		}
		name := w.trees[t.tree].name
		if name == w.defaultTree {
			v.put("pool", textOf(w.poolName(t.pool)))
		}
		place, path := newMap(2), listOf()
		for _, p := range w.path(t.pool) {
			path.items = append(path.items, textOf(w.pools[p].Name))
		}
		place.put("pool", textOf(w.poolName(t.pool)))
		place.put("ancestor_pools", path)
		info.put(name, place)
		volumeNow := trace.Volume{}
		if over {
			volumeNow = t.report(w.finishOf(op))
		}
		used.put(name, volume(volumeNow))
	}
	if !w.Age.old() {
		v.put("scheduling_info_per_tree", info)
		v.put("accumulated_resource_usage_per_tree", used)
	}
}

func (w *writer) operationFinished(at core.Time, op core.OperationID) Value {
	o, now := &w.operations[op], &w.operation[op]
	state := w.stateOf(op)
	v := w.operationRow(at, "operation_"+state, op)
	w.describe(&v, op, true)
	v.put("start_time", timeOf(w.startOf(op)))
	v.put("finish_time", timeOf(w.finishOf(op)))
	v.put("error", errorOf(state, o))
	if !w.Age.old() {
		v.put("runtime_parameters", w.runtimeParameters(op))
	}
	v.put("progress", progressOf(now))
	return v
}

// errorOf is the error of an operation that is over; one that completed has none.
func errorOf(state string, o *trace.Operation) Value {
	code, message := int64(0), ""
	switch state {
	case "failed":
		code, message = 1, "Operation failed"
	case "aborted":
		code, message = 1, "Operation aborted by user request"
	}
	return errorValue(int64(o.ErrorCode.Or(int32(code))), o.ErrorMessage.Or(message))
}

func errorValue(code int64, message string) Value {
	v := newMap(3)
	v.put("code", intOf(code))
	v.put("message", textOf(message))
	v.put("attributes", newMap(0))
	return v
}

func progressOf(now *operationNow) Value {
	total := func(n int64) Value {
		v := newMap(1)
		v.put("total", intOf(n))
		return v
	}
	jobs := newMap(4)
	jobs.put("total", intOf(now.total))
	jobs.put("completed", total(now.completed))
	jobs.put("failed", intOf(now.bad))
	jobs.put("aborted", total(now.taken))
	v := newMap(1)
	v.put("jobs", jobs)
	return v
}

func (w *writer) runtimeParameters(op core.OperationID) Value {
	v := newMap(6)
	v.put("owners", Value{})
	v.put("acl", listOf())
	v.put("options_per_job_shell", newMap(0))
	erased, trees := listOf(), newMap(2)
	for i := range w.operation[op].trees {
		t := &w.operation[op].trees[i]
		if !t.joined {
			continue
		}
		name := textOf(w.trees[t.tree].name)
		if t.erased {
			erased.items = append(erased.items, name)
			continue
		}
		trees.put(name.text, w.treeOptions(t))
	}
	v.put("erased_trees", erased)
	v.put("controller_agent_tag", textOf("default"))
	v.put("scheduling_options_per_pool_tree", trees)
	return v
}

func (w *writer) treeOptions(t *operationTree) Value {
	v := newMap(8)
	v.put("pool", textOf(w.poolName(t.pool)))
	v.put("resource_limits", partial(t.params.limit))
	v.put("enable_detailed_logs", boolOf(false))
	v.put("tentative", boolOf(t.params.tentative))
	put(&v, "weight", t.params.weight, realOf)
	if !w.Age.old() {
		v.put("probing", boolOf(t.params.probing))
		v.put("offloading", boolOf(t.params.offloading))
	}
	return v
}

// runtimeParametersInfo tells of a change. Older logs do not say of whom
// (ingest/trace/FORMAT.md §1.9).
func (w *writer) runtimeParametersInfo(at core.Time, op core.OperationID, who string) Value {
	if w.Age.old() {
		v := newRow(at, "runtime_parameters_info")
		v.put("runtime_params", w.runtimeParameters(op))
		return v
	}
	v := w.operationRow(at, "runtime_parameters_info", op)
	v.put("authenticated_user", textOf(who))
	v.put("runtime_parameters", w.runtimeParameters(op))
	v.put("runtime_params", w.runtimeParameters(op))
	return v
}

// starvation tells that an operation began or ceased to starve, which only the newest
// clusters do, and only in structured logs.
func (w *writer) starvation(at core.Time, tree int, e *trace.OpEvent) Value {
	v := w.operationRow(at, "operation_"+e.Event, e.Op)
	v.put("tree_id", textOf(w.trees[tree].name))
	v.put("starvation_status", textOf(e.StarvationStatus.Or("non_starving")))
	began := w.starving[starver{e.Op, tree}]
	if e.Event == "starvation_started" {
		began = e
		w.starving[starver{e.Op, tree}] = e
	}
	if began == nil {
		began = e
	}
	v.put("starving_since", timeOf(began.Time))
	v.put("current_fair_share", shares(e.FairShare.Or(trace.Shares{})))
	v.put("current_usage", shares(e.Usage.Or(trace.Shares{})))
	if e.Event == "starvation_finished" {
		v.put("fair_share_on_starvation_start", shares(began.FairShare.Or(trace.Shares{})))
		v.put("usage_on_starvation_start", shares(began.Usage.Or(trace.Shares{})))
	}
	return v
}
