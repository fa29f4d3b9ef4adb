package synthetic

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

func init() {
	for kind, is := range map[string]func(w *world) bool{
		"legal_timeout_raised":          func(w *world) bool { return !w.declared("starving", 0, 150) && w.declared("starving", 150, 200) },
		"legal_aggressive_switched_off": func(w *world) bool { return w.became("b", "aggressively_starving", "starving", 195) },
		"legal_status_frozen": func(w *world) bool {
			return w.anyPool("waiting", func(r *trace.SnapPool) bool {
				return r.StarvationStatus == "starving" && r.UsageShare.Value.CPU >= r.DemandShare.Value.CPU && r.Time > w.at(260)
			})
		},
		"legal_aggressive_from_gang": func(w *world) bool { return w.takenFor("aggressive_preemption") },
		"legal_flow_lowered": func(w *world) bool { // a core of twenty for a minute
			return w.anyPool("calm", func(r *trace.SnapPool) bool { return r.Time > w.at(100) && r.AccumulatedRatioVolume.Value > 60*0.05 })
		},
		"legal_fifo_first_limited": func(w *world) bool {
			first := w.anyOp("x", func(r *trace.SnapOp) bool {
				return r.FairTotal.Value.CPU < 0.11 && r.DemandShare.Value.CPU > 0.4 && r.Time > w.at(30)
			})
			return first && w.anyOp("y", func(r *trace.SnapOp) bool { return r.FairTotal.Value.CPU > 0.4 && r.Time > w.at(30) })
		},
		"legal_fifo_order_changed": func(w *world) bool {
			before := w.anyOp("y", func(r *trace.SnapOp) bool { return r.FIFOIndex.Value == 1 && r.Time < w.at(60) })
			return before && w.anyOp("y", func(r *trace.SnapOp) bool { return r.FIFOIndex.Set && r.FIFOIndex.Value == 0 && r.Time > w.at(66) })
		},
		"legal_fifo_order_after_restart": func(w *world) bool {
			back := w.stepped(core.StepRevived, "x") && w.stepped(core.StepRevived, "y")
			return back && w.anyOp("x", func(r *trace.SnapOp) bool { return r.FIFOIndex.Set && r.FIFOIndex.Value == 0 && r.Time > w.at(130) })
		},
		"legal_graceful_just_below": func(w *world) bool {
			second, had := core.Time(0), 0
			return w.any(func(e *core.Event) bool {
				if now := e.Time / core.Second; now != second {
					second, had = now, len(w.jobsOf(w.names["v"]))
				}
				return e.Kind == core.JobStarted && e.Operation == w.names["v"] && had >= 30
			})
		},
		"legal_taken_before_forbidden": func(w *world) bool { return w.takenFor("preemption") },
		"legal_promise_behind_limit": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobStarted && e.Operation == w.names["x"] && w.wants[w.names["p"]] > 0 && len(w.jobsOf(w.names["p"])) == 3
			})
		},
		"legal_fifo_beyond_budget": func(w *world) bool {
			first := w.anyOp("x", func(r *trace.SnapOp) bool { return !r.UnschedulableReason.Set && r.Time > w.at(30) })
			return first && w.anyOp("y", func(r *trace.SnapOp) bool {
				return !r.UnschedulableReason.Set && r.FairTotal.Value.CPU > 0.4 && r.Time > w.at(30)
			})
		},
		"legal_start_just_suspended": func(w *world) bool {
			suspended := false
			return w.any(func(e *core.Event) bool {
				suspended = suspended || e.Kind == core.OperationChanged && e.Step == core.StepSuspended
				return suspended && e.Kind == core.JobStarted && e.Operation == w.names["a"] && e.Time < w.at(42)
			})
		},
		"legal_start_just_asked": func(w *world) bool {
			return w.any(func(e *core.Event) bool { return e.Kind == core.JobStarted && e.Time < w.at(41) })
		},
		"legal_limits_of_before": func(w *world) bool {
			return w.anyPool("capped", func(r *trace.SnapPool) bool { return r.Limits.Value.CPUMilli == 10_000 && r.Time >= w.at(60) })
		},
		"legal_preempted_after_restart": func(w *world) bool {
			before, after := map[int32]bool{}, false
			w.jobRows(func(r *trace.Job) {
				if r.PreemptTime.Set && r.PreemptTime.Value < w.at(160) {
					before[int32(r.Node)] = true
				}
			})
			w.jobRows(func(r *trace.Job) {
				after = after || r.PreemptTime.Set && r.PreemptTime.Value > w.at(225) && before[int32(r.Node)]
			})
			return after
		},
	} {
		recounts[kind] = is
	}
}

// became reports whether an operation is recorded in one state before a second and in
// another after it.
func (w *world) became(name, from, to string, at int64) bool {
	before := w.anyOp(name, func(r *trace.SnapOp) bool { return r.StarvationStatus == from && r.Time < w.at(at) })
	return before && w.anyOp(name, func(r *trace.SnapOp) bool { return r.StarvationStatus == to && r.Time > w.at(at+6) })
}
