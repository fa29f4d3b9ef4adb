package synthetic

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

func init() {
	for kind, is := range map[string]func(w *world) bool{
		"lost_work_forgotten": func(w *world) bool { // six of twenty jobs are lost, and nobody wants them back
			return w.lost()["v"] == 6 && w.wants[w.names["v"]] == 0
		},
		"beneficiary_never_runs": func(w *world) bool {
			waits, runs := false, false
			w.any(func(e *core.Event) bool {
				waits = waits || e.Kind == core.JobReported && e.State == core.JobWaiting
				runs = runs || e.Kind == core.JobReported && e.State == core.JobRunning
				return false
			})
			return waits && !runs
		},
		"lost_work_passed_over": func(w *world) bool {
			named, lost, again := map[string]bool{}, 0, 0
			w.jobRows(func(r *trace.Job) { named[r.PredecessorJob.Value] = true })
			w.jobRows(func(r *trace.Job) {
				switch {
				case r.EndKind != "aborted" || !r.PreemptTime.Set:
				case named[r.ID]:
					again++
				default:
					lost++
				}
			})
			return lost == 1 && again > 0
		},
		"start_beside_waiting_job": func(w *world) bool {
			waiting := map[core.NodeID]core.JobID{}
			return w.any(func(e *core.Event) bool {
				switch {
				case e.Kind == core.JobReported && e.State == core.JobWaiting:
					waiting[e.Node] = e.Job
				case e.Kind == core.JobReported && e.State == core.JobRunning && waiting[e.Node] == e.Job:
					delete(waiting, e.Node)
				case e.Kind == core.JobStarted:
					_, waits := waiting[e.Node]
					return waits
				}
				return false
			})
		},
		"old_job_taken": func(w *world) bool {
			return w.anyJob(func(r *trace.Job) bool { return r.PreemptTime.Set && r.PreemptTime.Value-r.Time > 600*core.Second })
		},
		"job_in_two_places": func(w *world) bool {
			nodes := map[string]core.NodeID{}
			return w.anyJob(func(r *trace.Job) bool {
				node, twice := nodes[r.ID]
				nodes[r.ID] = r.Node
				return twice && node != r.Node
			})
		},
		"job_without_end": func(w *world) bool {
			return w.anyJob(func(r *trace.Job) bool { return r.EndKind == "unknown" })
		},
		"overcommitting_heartbeats": func(w *world) bool {
			return w.anyJob(func(r *trace.Job) bool { return r.AbortReason.Value == "scheduling_resource_overcommit" })
		},
		"graceful_started_above_share": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Time > w.at(115) && e.Kind == core.JobStarted && e.Operation == w.names["v"]
			})
		},
		"operation_unschedulable": func(w *world) bool { return w.hangs(470) },
	} {
		recounts[kind] = is
	}
}
