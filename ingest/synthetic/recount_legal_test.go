package synthetic

import (
	"path/filepath"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

// What a look-alike looks like is in its trace.
func init() {
	for kind, is := range map[string]func(w *world) bool{
		"legal_burst_exhausted": func(w *world) bool { return w.lacksBurst() },
		"legal_burst_limited":   func(w *world) bool { return w.lacksBurst() },
		"legal_relaxed_exhausted": func(w *world) bool {
			return w.anyPool("calm", func(r *trace.SnapPool) bool {
				return r.FairTotal.Value.CPU == 0 && r.DemandShare.Value.CPU > 0.5 && r.Time > w.at(290)
			})
		},
		"legal_tentative_tree": func(w *world) bool {
			b, jobs := w.second(), 0
			b.any(func(e *core.Event) bool {
				if e.Kind == core.JobStarted {
					jobs++
				}
				return false
			})
			return jobs == 3 && b.stepped(core.StepBanned, "a") && len(w.steps(w.names["a"])) > 0
		},
		"legal_offloading": func(w *world) bool {
			asks := false
			eachRow(w.t, filepath.Join(w.dir, "dim", "operations.parquet"), trace.Operations, func(r *trace.Operation) {
				asks = asks || strings.Contains(r.SpecJSON.Value, secondTree)
			})
			return !asks && w.second().any(func(e *core.Event) bool {
				return e.Kind == core.OperationChanged && e.Step == core.StepStarted && e.Role == core.RoleOffloading
			})
		},
		"legal_limit_lowered":          func(w *world) bool { return w.overLimit("limited") },
		"legal_pool_moved_under_limit": func(w *world) bool { return w.overLimit("limited") },
		"legal_limit_repair":           func(w *world) bool { return w.overLimit("limited") && w.takenFor("resource_limits_violated") },
		"legal_running_limit_lowered":  func(w *world) bool { return w.overCount("narrow", true) },
		"legal_pool_moved":             func(w *world) bool { return w.overCount("narrow", true) },
		"legal_revival":                func(w *world) bool { return w.overCount("narrow", true) && w.stepped(core.StepRevived, "a") },
		"legal_total_limit_lowered":    func(w *world) bool { return w.overCount("narrow", false) && w.stepped(core.StepRejected, "c") },
		"legal_start_before_limit_is_known": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				p := w.pools["limited"]
				return e.Kind == core.JobStarted && over(w.poolUsage(p).Add(e.Limits), w.config[p].ResourceLimits, e.Limits) && e.Time < w.at(66)
			})
		},
		"legal_queue_jump": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Step == core.StepRunning && e.Operation == w.names["c"] && w.live[w.names["b"]] && !w.running[w.names["b"]]
			})
		},
		"legal_lightweight": func(w *world) bool {
			return w.any(func(*core.Event) bool { return w.count(w.running, w.pools["services"]) > 3 })
		},
		"legal_rejection":                    func(w *world) bool { return w.stepped(core.StepRejected, "b") },
		"legal_preemption":                   func(w *world) bool { return w.takenFor("preemption") },
		"legal_aggressive_preemption":        func(w *world) bool { return w.takenFor("aggressive_preemption") },
		"legal_aggressive_outside_forbidden": func(w *world) bool { return w.takenFor("preemption") },
		"legal_conditional_preemption": func(w *world) bool {
			found := false
			w.jobRows(func(r *trace.Job) { found = found || r.Conditional.Value && r.Op == w.names["v"] })
			return found
		},
		"legal_node_shrinks": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.HeartbeatReceived && !w.nodeUsage(e.Node).FitsIn(e.Limits)
			})
		},
		"legal_node_lost": func(w *world) bool {
			return w.any(func(e *core.Event) bool { return e.Kind == core.JobFinished && e.Reason == "node_offline" })
		},
		"legal_node_without_slots": func(w *world) bool {
			aborted := w.any(func(e *core.Event) bool { return e.Kind == core.JobFinished && e.Reason == "node_with_disabled_jobs" })
			return aborted && !w.any(func(e *core.Event) bool { return e.Kind == core.JobPreempted })
		},
		"legal_node_moves": func(w *world) bool {
			other := newWorld(w.t, w.dir, w.tree+secondTree)
			return other.any(func(e *core.Event) bool {
				return e.Kind == core.NodeChanged && e.Online && w.nodes[e.Node] == w.tree+"-1"
			})
		},
		"legal_tag_changed": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Time > w.at(70) && len(w.jobsOf(w.names["a"])) == 8 && !w.tags[0].Has("fast")
			})
		},
		"legal_guarantee_not_demanded": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Time > w.at(60) && w.poolUsage(w.pools["rich"])[resource.CPU] == 100
			})
		},
		"legal_guarantee_behind_limit": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Time > w.at(400) && w.poolUsage(w.pools["rich"])[resource.CPU] == 400 && w.wants[w.names["a"]] > 0
			})
		},
		"legal_fragmentation": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return w.starves(w.names["b"]) && w.operationUsage(w.names["v"])[resource.CPU] == 3400
			})
		},
		"legal_unschedulable_unchecked": func(w *world) bool { return w.hangs(470) && w.jobStarted("a", 480) },
		"legal_unschedulable_ended":     func(w *world) bool { return w.hangs(390) && w.jobStarted("a", 400) },
		"legal_starvation":              func(w *world) bool { return w.hungry("b", "h", 70, 890) && w.declared("starving", 70, 120) },
		"legal_brief_starvation": func(w *world) bool {
			hungry := w.any(func(e *core.Event) bool {
				return e.Time > w.at(70) && w.wants[w.names["b"]] == 4 && len(w.jobsOf(w.names["h"])) == 20
			})
			return hungry && !w.declared("starving", 0, 1000)
		},
		"legal_fifo_too_big": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobStarted && e.Operation == w.names["y"] && w.wants[w.names["x"]] > 0
			})
		},
		"legal_pool_removed": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.PoolConfigured && e.Config.Deleted && len(w.jobsOf(w.names["a"])) > 0
			})
		},
		"legal_waiting_timeout": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobFinished && e.Operation == w.names["b"] && e.Reason == "waiting_timeout"
			})
		},
		"legal_segment_managed": func(w *world) bool {
			moved := core.NodeID(core.Unknown)
			return w.any(func(e *core.Event) bool {
				if e.Kind == core.NodeChanged && e.Segment == "large_gpu" && e.Time > w.at(300) {
					moved = e.Node
				}
				return e.Kind == core.JobStarted && e.Node == moved
			})
		},
		"legal_interrupted_slowly": func(w *world) bool {
			found := false
			w.jobRows(func(r *trace.Job) {
				found = found || r.PreemptMode.Value == "interrupt" && r.FinishTime.Value-r.PreemptTime.Value == 9*core.Second
			})
			return found
		},
	} {
		recounts[kind] = is
	}
}

// overLimit reports whether a pool uses more than its limits at any time.
func (w *world) overLimit(name string) bool {
	return w.any(func(*core.Event) bool {
		p := w.pools[name]
		usage := w.poolUsage(p)
		return w.config[p] != nil && over(usage, w.config[p].ResourceLimits, usage)
	})
}

// overCount reports whether a pool has more operations than its limit: running
// ones, or all.
func (w *world) overCount(name string, running bool) bool {
	return w.any(func(*core.Event) bool {
		p := w.pools[name]
		c := w.config[p]
		if c == nil {
			return false
		}
		if running {
			return w.count(w.running, p) > c.MaxRunningOperationCount.Or(50)
		}
		return w.count(w.live, p) > c.MaxOperationCount.Or(50)
	})
}

func (w *world) takenFor(reason string) bool {
	return w.any(func(e *core.Event) bool { return e.Kind == core.JobPreempted && e.Reason == reason })
}

func (w *world) stepped(step core.Step, name string) bool {
	return w.any(func(e *core.Event) bool {
		return e.Kind == core.OperationChanged && e.Step == step && e.Operation == w.names[name]
	})
}

// lacksBurst reports whether, late, the pool peaks has much less than the 16 cores
// of its burst guarantee, and wants them.
func (w *world) lacksBurst() bool {
	return w.any(func(e *core.Event) bool {
		return e.Time > w.at(700) && w.wants[w.names["b"]] > 0 && w.poolUsage(w.pools["peaks"])[resource.CPU] < 600
	})
}

// hangs reports whether operation a waits for its jobs of 4 cores at a moment, and its
// pool may use 2.
func (w *world) hangs(seconds int64) bool {
	return w.any(func(e *core.Event) bool {
		return e.Time > w.at(seconds) && w.wants[w.names["a"]] == 3 && w.config[w.pools["limited"]].ResourceLimits.Amounts[resource.CPU] == 200
	})
}

// jobStarted reports whether an operation starts a job, and that from a moment on only.
func (w *world) jobStarted(name string, seconds int64) bool {
	early, late := false, false
	w.any(func(e *core.Event) bool {
		if e.Kind == core.JobStarted && e.Operation == w.names[name] {
			early, late = early || e.Time < w.at(seconds), late || e.Time >= w.at(seconds)
		}
		return false
	})
	return late && !early
}
