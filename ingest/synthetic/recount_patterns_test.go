package synthetic

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

func init() {
	for kind, is := range map[string]func(w *world) bool{
		"node_left_idle": func(w *world) bool { // of one of the two nodes, ten ended and nothing began
			began, ended := map[core.NodeID]int{}, map[core.NodeID]int{}
			w.any(func(e *core.Event) bool {
				switch within := e.Time >= w.at(62) && e.Time < w.at(595); {
				case within && e.Kind == core.JobStarted:
					began[e.Node]++
				case within && e.Kind == core.JobFinished:
					ended[e.Node]++
				}
				return false
			})
			for node, n := range ended {
				if n > 8 && began[node] == 0 {
					return true
				}
			}
			return false
		},
		"guaranteed_pool_unnoticed": func(w *world) bool {
			starves := w.anyPool("waiting", func(r *trace.SnapPool) bool { return r.StarvationStatus != "non_starving" && r.Time < w.at(195) })
			return w.hungry("b", "h", 70, 195) && !starves
		},
		"fifo_budget_ignored": func(w *world) bool {
			return w.anyOp("y", func(r *trace.SnapOp) bool {
				return !r.UnschedulableReason.Set && r.FairTotal.Value.CPU == 0 && r.DemandShare.Value.CPU > 0 && r.Time > w.at(65)
			})
		},
		"guarantee_passed_over": func(w *world) bool { // p wants ten cores of twenty, and x nobody promised any
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobStarted && e.Operation == w.names["x"] && w.wants[w.names["p"]] > 0 && len(w.jobsOf(w.names["p"])) < 10
			})
		},
		"starvation_flaps": func(w *world) bool {
			times := 0
			w.any(func(e *core.Event) bool {
				if e.Step == core.StepStarvationStarted && e.Operation == w.names["b"] {
					times++
				}
				return false
			})
			return times >= 10
		},
		"preemption_concentrated": func(w *world) bool {
			n := w.lost()
			return n["v"] > 6 && n["w"] == 0
		},
		"preemption_ping_pong": func(w *world) bool { n := w.lost(); return n["v"] > 0 && n["b"] > 0 },
	} {
		recounts[kind] = is
	}
}

// lost counts the jobs that operations lost to preemption, by their names.
func (w *world) lost() map[string]int {
	n := map[string]int{}
	w.any(func(e *core.Event) bool {
		for name, id := range w.names {
			if e.Kind == core.JobPreempted && e.Operation == id {
				n[name]++
			}
		}
		return false
	})
	return n
}
