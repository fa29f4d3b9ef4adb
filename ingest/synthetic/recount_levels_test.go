package synthetic

import (
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

func init() {
	for kind, is := range map[string]func(w *world) bool{
		"aggressive_below_threshold": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Reason == "aggressive_preemption" && e.Operation == w.names["v"] &&
					w.operationUsage(e.Operation)[resource.CPU] < 200
			})
		},
		"protected_job_taken": func(w *world) bool { // its fair share is of fourteen cores
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && slices.IndexFunc(w.jobsOf(w.names["v"]), func(s *core.Event) bool { return s.Job == e.Job }) < 6 && e.Operation == w.names["v"]
			})
		},
		"too_little_freed": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobStarted && !w.nodeUsage(e.Node).Add(e.Limits).FitsIn(w.limits[e.Node]) && w.freed(e) == 100
			})
		},
		"stage_above_priority": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Reason == "aggressive_preemption" && w.starving[w.names["b"]] == "starving"
			})
		},
		"overcommit_takes_kept": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				if e.Kind != core.JobPreempted || e.Reason != "resource_overcommit" {
					return false
				}
				first := slices.IndexFunc(w.jobsOf(w.names["v"]), func(s *core.Event) bool { return s.Node == e.Node })
				return w.jobsOf(w.names["v"])[first].Job == e.Job
			})
		},
		"burst_share_withheld": func(w *world) bool { // sixteen of twenty cores
			return w.anyPool("peaks", func(r *trace.SnapPool) bool {
				return r.DemandShare.Value.CPU > 0.79 && r.FairTotal.Value.CPU < 0.4
			})
		},
		"relaxed_share_withheld": func(w *world) bool {
			return w.anyPool("calm", func(r *trace.SnapPool) bool { return r.DemandShare.Value.CPU > 0 && r.FairTotal.Value.CPU == 0 })
		},
		"spare_not_left": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobStarted && w.limits[e.Node][resource.CPU]-w.nodeUsage(e.Node)[resource.CPU] < 100
			})
		},
		"job_outside_nodes_filter": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobStarted && len(w.tags[e.Node]) > 0 && !slices.Contains(w.tags[e.Node], w.tree)
			})
		},
		"newcomer_overtakes": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Step == core.StepRunning && e.Operation == w.names["c"] && w.live[w.names["b"]] && !w.running[w.names["b"]]
			})
		},
		"other_among_lightweight": func(w *world) bool {
			return w.any(func(*core.Event) bool { return w.count(w.running, w.pools["services"]) == 2 })
		},
	} {
		recounts[kind] = is
	}
}

// freed is the CPU that was taken on a node in the instant of a start.
func (w *world) freed(start *core.Event) (cpu int64) {
	for i := range w.events {
		if e := &w.events[i]; e.Kind == core.JobPreempted && e.Time == start.Time && e.Node == start.Node {
			cpu += 100
		}
	}
	return cpu
}
