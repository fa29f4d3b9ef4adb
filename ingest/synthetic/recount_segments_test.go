package synthetic

import (
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
)

func init() {
	for kind, is := range map[string]func(w *world) bool{
		"start_in_other_segment": func(w *world) bool {
			return w.anyStart(func(e *core.Event) bool { return e.Limits[resource.GPU] == 8 && w.segment[e.Node] != "large_gpu" })
		},
		"start_in_other_module": func(w *world) bool {
			return w.anyStart(func(e *core.Event) bool {
				modules := w.params[e.Operation].Modules
				return modules != nil && !slices.Contains(*modules, w.module[e.Node])
			})
		},
		"jobs_in_two_modules": func(w *world) bool {
			return w.anyStart(func(e *core.Event) bool {
				return slices.ContainsFunc(w.jobsOf(e.Operation), func(j *core.Event) bool { return w.module[j.Node] != w.module[e.Node] })
			})
		},
		"node_moved_without_need": func(w *world) bool { return w.moved() },
		"legal_segment_rebalanced": func(w *world) bool {
			forced := false
			w.any(func(e *core.Event) bool {
				forced = forced || e.Kind == core.JobPreempted && e.Preemption.Forced.Value && e.Preemption.Level != "preemptible"
				return false
			})
			return forced && w.moved()
		},
		"legal_segment_of_spec": func(w *world) bool {
			return w.anyStart(func(e *core.Event) bool { return e.Limits[resource.GPU] == 1 && w.segment[e.Node] == "large_gpu" })
		},
		"regular_job_on_ssd_node": func(w *world) bool {
			return w.anyStart(func(e *core.Event) bool { return w.regularOnSSD(e) && w.strict(e) })
		},
		"legal_ssd_node_shared": func(w *world) bool {
			return w.anyStart(func(e *core.Event) bool { return w.regularOnSSD(e) && !w.strict(e) })
		},
		"ssd_job_taken_normally": func(w *world) bool {
			return w.takenFor("preemption") && w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Reason == "preemption" && len(w.params[e.Operation].Media.Every) > 0 && len(w.params[e.Preemptor].Media.Some) == 0
			})
		},
		"ssd_stage_for_regular_job": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Reason == "ssd_preemption" && len(w.params[e.Preemptor].Media.Some) == 0
			})
		},
		"legal_ssd_preemption": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Reason == "ssd_preemption" && len(w.params[e.Preemptor].Media.Some) > 0 && e.Preemption.Level == "non_preemptible"
			})
		},
	} {
		recounts[kind] = is
	}
}

func (w *world) anyStart(is func(e *core.Event) bool) bool {
	return w.any(func(e *core.Event) bool { return e.Kind == core.JobStarted && is(e) })
}

// moved reports whether a node goes from the default segment to that of modules.
func (w *world) moved() bool {
	return w.any(func(e *core.Event) bool {
		return e.Kind == core.NodeChanged && e.Segment == "large_gpu" && w.segment[e.Node] == "default"
	})
}

// regularOnSSD reports whether a job starts on a node with SSDs and asks for none.
func (w *world) regularOnSSD(e *core.Event) bool {
	return w.treeNow.SSD.Filter.Match(w.tags[e.Node]) && len(w.params[e.Operation].Media.Some) == 0
}

// strict reports whether the pool of a started job wants SSDs kept for others.
func (w *world) strict(e *core.Event) bool {
	return !w.config[w.in[e.Operation]].AllowRegularJobsOnSSD.Or(true)
}
