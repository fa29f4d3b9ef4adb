package synthetic

import (
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

func init() {
	for kind, is := range map[string]func(w *world) bool{
		"graceful_asked_too_soon": func(w *world) bool { return w.takenFor("graceful_preemption") },
		"graceful_aborted_early": func(w *world) bool {
			return w.anyJob(func(r *trace.Job) bool {
				return r.PreemptMode.Value == "graceful" && r.EndKind == "aborted" && r.FinishTime.Value < r.PreemptTime.Value+60*core.Second
			})
		},
		"aborted_before_deadline": func(w *world) bool {
			return w.anyJob(func(r *trace.Job) bool {
				return r.PreemptMode.Value == "interrupt" && r.EndKind == "aborted" && r.FinishTime.Value < r.PreemptTime.Value+10*core.Second
			})
		},
		"ssd_reason_elsewhere": func(w *world) bool { return w.takenFor("ssd_preemption") },
		"beneficiary_job_unknown": func(w *world) bool {
			ids := map[string]bool{}
			w.anyJob(func(r *trace.Job) bool { ids[r.ID] = true; return false })
			return w.anyJob(func(r *trace.Job) bool { return r.PreemptedForJob.Set && !ids[r.PreemptedForJob.Value] })
		},
		"explanation_contradicts_codes": func(w *world) bool {
			return w.anyJob(func(r *trace.Job) bool {
				return r.Explanation.Set && !strings.Contains(r.Explanation.Value, `target priority was "`+r.TargetPriority.Value+`"`)
			})
		},
		"limit_not_repaired": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Time > w.at(180) && w.poolUsage(w.pools["limited"])[resource.CPU] == 800
			})
		},
		"limit_repair_overshoots": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Time > w.at(61) && w.poolUsage(w.pools["limited"])[resource.CPU] < 1400
			})
		},
		"overcommit_not_repaired": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Time > w.at(180) && e.Kind == core.HeartbeatReceived && !w.nodeUsage(e.Node).FitsIn(e.Limits)
			})
		},
		"start_of_pending": func(w *world) bool {
			return w.any(func(e *core.Event) bool { return e.Kind == core.JobStarted && !w.running[e.Operation] })
		},
		"lightweight_pool_mixed": func(w *world) bool {
			return w.any(func(*core.Event) bool { return w.count(w.running, w.pools["services"]) == 2 })
		},
		"job_in_erased_tree": func(w *world) bool {
			erased := false
			return w.any(func(e *core.Event) bool {
				erased = erased || e.Kind == core.OperationChanged && (e.Step == core.StepErased || e.Step == core.StepBanned)
				return erased && e.Kind == core.JobStarted && e.Operation == w.names["a"]
			})
		},
		"relaxed_share_over_cap": func(w *world) bool { // three times a twentieth
			return w.anyPool("calm", func(r *trace.SnapPool) bool { return r.FairIntegral.Value.CPU > 0.15+1e-6 })
		},
		"wrong_limits": func(w *world) bool {
			return w.anyPool("capped", func(r *trace.SnapPool) bool { return r.Limits.Value.CPUMilli != 2000 })
		},
		"weight_ignored": func(w *world) bool {
			return w.anyPool("heavy", func(r *trace.SnapPool) bool { return r.Weight != 3 && r.FairTotal.Value.CPU < 0.51 })
		},
		"timeout_not_taken_over": func(w *world) bool {
			return w.anyPool("waiting", func(r *trace.SnapPool) bool { return r.StarvationTimeoutMS.Value != 20_000 })
		},
		"pool_starving_where_off": func(w *world) bool {
			return w.anyPool("waiting", func(r *trace.SnapPool) bool { return r.StarvationStatus != "non_starving" })
		},
		"unknown_preset": func(w *world) bool {
			return w.misconfigured(func(c *core.PoolConfig) bool { return len(c.Presets) > 0 })
		},
		"bad_pool_name": func(w *world) bool {
			id, known := w.pools["<Root>"]
			return known && w.any(func(e *core.Event) bool { return e.Kind == core.PoolConfigured && e.Pool == id && !e.Config.Deleted })
		},
		"waiting_shorter_than_interrupting": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.TreeConfigured && e.Tree.WaitingJobTimeout.Set && e.Tree.WaitingJobTimeout.Value < e.Tree.JobInterruptTimeout.Or(10_000)
			})
		},
		"default_parent_unknown": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.TreeConfigured && e.Tree.DefaultParentPool == "nowhere"
			})
		},
	} {
		recounts[kind] = is
	}
}

func (w *world) anyJob(is func(*trace.Job) bool) (found bool) {
	w.jobRows(func(r *trace.Job) { found = is(r) || found })
	return found
}
