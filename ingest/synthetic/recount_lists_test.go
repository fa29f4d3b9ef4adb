package synthetic

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

func init() {
	for kind, is := range map[string]func(w *world) bool{
		// Its fair share is ten of twenty cores, of which five jobs are half.
		"too_many_protected": func(w *world) bool {
			return w.anyOp("v", func(r *trace.SnapOp) bool {
				return r.Usage.CPUMilli == 20_000 && r.FairTotal.Value.CPU < 0.51 && r.PreemptibleJobs.Value+r.AggressivePreemptible.Value < 10
			})
		},
		"legal_threshold_protects": func(w *world) bool {
			return w.anyOp("v", func(r *trace.SnapOp) bool {
				return r.Usage.CPUMilli == 20_000 && r.FairTotal.Value.CPU < 0.51 && r.PreemptibleJobs.Value+r.AggressivePreemptible.Value < 10
			})
		},
		"older_job_less_protected": func(w *world) bool {
			return w.levels(func(weak, strong *trace.Job) bool { return weak.Time < strong.Time })
		},
		"order_lost_in_restart": func(w *world) bool {
			return w.levels(func(weak, strong *trace.Job) bool {
				return weak.Time < strong.Time && strong.Time < w.at(100) && strong.PreemptTime.Value > w.at(103)
			})
		},
		"legal_started_together": func(w *world) bool {
			return w.levels(func(weak, strong *trace.Job) bool {
				return weak.Time == strong.Time && strong.PreemptTime.Value > w.at(103)
			})
		},
	} {
		recounts[kind] = is
	}
}

// levels reports whether two jobs that were taken at one moment from one node, one
// preemptible and one better protected, are as asked.
func (w *world) levels(are func(weak, strong *trace.Job) bool) bool {
	type place struct {
		at   core.Time
		node core.NodeID
	}
	better := map[place]trace.Job{}
	w.jobRows(func(r *trace.Job) {
		if r.PreemptionLevel.Value == "aggressively_preemptible" && r.PreemptTime.Set {
			better[place{r.PreemptTime.Value, r.Node}] = *r
		}
	})
	return w.anyJob(func(r *trace.Job) bool {
		strong, taken := better[place{r.PreemptTime.Value, r.Node}]
		return taken && r.PreemptionLevel.Value == "preemptible" && are(r, &strong)
	})
}
