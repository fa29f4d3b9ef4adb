package synthetic

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

func init() {
	for kind, is := range map[string]func(w *world) bool{
		"guarantee_ignored":  func(w *world) bool { return w.hungry("b", "v", 120, 720) },
		"starvation_ignored": func(w *world) bool { return w.hungry("b", "v", 130, 820) },
		"burst_ignored":      func(w *world) bool { return w.hungry("b", "v", 190, 780) },
		"fifo_inversion": func(w *world) bool {
			moments := map[core.Time]bool{}
			w.any(func(e *core.Event) bool {
				if e.Kind == core.JobStarted && e.Operation == w.names["y"] && w.wants[w.names["x"]] > 0 {
					moments[e.Time] = true
				}
				return false
			})
			return len(moments) >= 4
		},
		"less_satisfied_passed_over": func(w *world) bool {
			// y has half of the tree and x nothing, or much less.
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobStarted && e.Operation == w.names["y"] && w.wants[w.names["x"]] > 0 && e.Time > w.at(50) &&
					len(w.jobsOf(w.names["y"])) > 5+len(w.jobsOf(w.names["x"]))
			})
		},
		"share_below_guarantee": func(w *world) bool {
			return w.anyPool("rich", func(r *trace.SnapPool) bool {
				return r.FairTotal.Value.CPU < min(r.StrongShare.Value.CPU, r.DemandShare.Value.CPU)-1e-6
			})
		},
		"share_over_demand": func(w *world) bool {
			return w.anyPool("rich", func(r *trace.SnapPool) bool { return r.FairTotal.Value.CPU > r.DemandShare.Value.CPU+1e-6 })
		},
		"share_over_limit": func(w *world) bool {
			return w.anyPool("capped", func(r *trace.SnapPool) bool { return r.FairTotal.Value.CPU > 0.1+1e-6 })
		},
		"relaxed_flow_withheld": func(w *world) bool { // a flow of a fifth of the tree
			return w.anyPool("calm", func(r *trace.SnapPool) bool {
				return r.FairTotal.Value.CPU < 0.1 && r.DemandShare.Value.CPU > 0.5 && r.Time > w.at(65)
			})
		},
		"volume_grows_slowly": func(w *world) bool { // its flow is a tenth of the tree
			return w.anyPool("peaks", func(r *trace.SnapPool) bool {
				return r.Time > w.at(60) && r.AccumulatedRatioVolume.Value < 0.06*float64(r.Time-w.at(0))/1e6
			})
		},
		"volume_over_capacity": func(w *world) bool { // a tenth of the tree for a day
			return w.anyPool("peaks", func(r *trace.SnapPool) bool { return r.AccumulatedRatioVolume.Value > 86_400*0.1 })
		},
		"counters_torn": func(w *world) bool {
			return w.anyPool("rich", func(r *trace.SnapPool) bool { return r.RunningOperations.Value > 1 })
		},
		"configuration_gap": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.TreeConfigured && e.Tree.Assumed && e.Time == w.at(60)
			})
		},
		"wrong_lists": func(w *world) bool {
			return w.anyOp("r", func(r *trace.SnapOp) bool { return r.PreemptibleJobs.Value > 3 })
		},
		"usage_not_of_jobs": func(w *world) bool {
			return w.anyPool("rich", func(r *trace.SnapPool) bool { return r.Usage.CPUMilli > 1000*r.Usage.UserSlots })
		},
		"fifo_index_inverted": func(w *world) bool {
			return w.anyOp("x", func(r *trace.SnapOp) bool { return r.FIFOIndex.Value > 0 })
		},
		"fifo_share_inverted": func(w *world) bool {
			return w.anyOp("x", func(r *trace.SnapOp) bool {
				return r.FairTotal.Value.CPU == 0 && r.DemandShare.Value.CPU > 0 && r.Time > w.at(20)
			})
		},
		"job_of_two_slots": func(w *world) bool {
			return w.any(func(e *core.Event) bool { return e.Kind == core.JobStarted && e.Limits[resource.UserSlots] != 1 })
		},

		"starving_too_early": func(w *world) bool { return w.declared("starving", 0, 85) },
		"starving_too_late":  func(w *world) bool { return !w.declared("starving", 0, 150) },
		"starving_kept": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return w.starves(w.names["b"]) && len(w.jobsOf(w.names["b"])) == 4 && e.Time > w.at(260)
			})
		},
		"aggressive_too_early":     func(w *world) bool { return w.declared("aggressively_starving", 0, 150) },
		"aggressive_where_off":     func(w *world) bool { return w.declared("aggressively_starving", 0, 1000) },
		"starving_without_pending": func(w *world) bool { return w.declared("starving", 290, 1000) },

		"counts_out_of_order": func(w *world) bool {
			return w.misconfigured(func(c *core.PoolConfig) bool {
				return c.MaxOperationCount.Set && c.MaxRunningOperationCount.Value > c.MaxOperationCount.Value
			})
		},
		"guarantees_oversubscribed": func(w *world) bool {
			return w.any(func(*core.Event) bool {
				sum := int64(0)
				for _, name := range []string{"left", "right"} {
					if c := w.config[w.pools[name]]; c != nil {
						sum += c.StrongGuarantee.Amounts[resource.CPU]
					}
				}
				return sum > 800
			})
		},
		"fifo_with_pools": func(w *world) bool {
			return w.misconfigured(func(c *core.PoolConfig) bool { return c.Mode.Value == core.FIFO })
		},
		"guarantee_without_main_resource": func(w *world) bool {
			return w.misconfigured(func(c *core.PoolConfig) bool {
				return c.StrongGuarantee.Set[resource.Memory] && !c.StrongGuarantee.Set[resource.CPU]
			})
		},
		"burst_resources_of_relaxed": func(w *world) bool {
			return w.misconfigured(func(c *core.PoolConfig) bool { return c.Integral.Type == core.Relaxed && !c.Integral.Burst.IsEmpty() })
		},
		"burst_without_flow": func(w *world) bool {
			return w.misconfigured(func(c *core.PoolConfig) bool { return c.Integral.Type == core.Burst && c.Integral.Flow.IsEmpty() })
		},
		"limit_below_guarantee": func(w *world) bool {
			return w.misconfigured(func(c *core.PoolConfig) bool {
				return c.ResourceLimits.Set[resource.CPU] && c.ResourceLimits.Amounts[resource.CPU] < c.StrongGuarantee.Amounts[resource.CPU]
			})
		},
		"guarantees_over_cluster": func(w *world) bool {
			return w.misconfigured(func(c *core.PoolConfig) bool { return c.StrongGuarantee.Amounts[resource.CPU]+800 > 2000 })
		},
		"timeouts_out_of_order": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.TreeConfigured && e.Tree.AggressiveStarvationTimeout.Set &&
					e.Tree.AggressiveStarvationTimeout.Value < e.Tree.FairShareStarvationTimeout.Or(30_000)
			})
		},
	} {
		recounts[kind] = is
	}
}

// hungry reports whether an operation has no job and wants some for a span, in
// seconds, in which another has all of the tree.
func (w *world) hungry(name, other string, from, to int64) bool {
	fed, full := false, false
	w.any(func(e *core.Event) bool {
		if e.Time >= w.at(from) && e.Time < w.at(to) {
			fed = fed || len(w.jobsOf(w.names[name])) > 0
			full = full || len(w.jobsOf(w.names[other])) > 18
		}
		return false
	})
	return full && !fed
}

func (w *world) anyPool(name string, is func(*trace.SnapPool) bool) (found bool) {
	w.snapPools(func(r *trace.SnapPool) { found = found || r.Pool == w.pools[name] && is(r) })
	return found
}

func (w *world) anyOp(name string, is func(*trace.SnapOp) bool) (found bool) {
	w.snapOps(func(r *trace.SnapOp) { found = found || r.Op == w.names[name] && is(r) })
	return found
}

// declared reports whether b is declared to be in a state within a span, in
// seconds.
func (w *world) declared(status string, from, to int64) bool {
	return w.any(func(e *core.Event) bool {
		return e.Step == core.StepStarvationStarted && e.Operation == w.names["b"] && e.Status == status && e.Time >= w.at(from) && e.Time < w.at(to)
	})
}

func (w *world) misconfigured(is func(*core.PoolConfig) bool) bool {
	return w.any(func(e *core.Event) bool { return e.Kind == core.PoolConfigured && is(e.Config) })
}
