package synthetic

import "poolproof/core"

func init() {
	for kind, is := range map[string]func(w *world) bool{
		"beneficiary_never_runs": func(w *world) bool {
			waits, runs := false, false
			w.any(func(e *core.Event) bool {
				waits = waits || e.Kind == core.JobReported && e.State == core.JobWaiting
				runs = runs || e.Kind == core.JobReported && e.State == core.JobRunning
				return false
			})
			return waits && !runs
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
	} {
		recounts[kind] = is
	}
}
