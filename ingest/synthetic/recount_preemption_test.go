package synthetic

import (
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

func init() {
	for kind, is := range map[string]func(w *world) bool{
		"placed_in_wrong_pool": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Step == core.StepStarted && e.Operation == w.names["b"] && e.Pool == w.pools["other"]
			})
		},
		"placed_in_forbidden_pool": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Step == core.StepStarted && w.config[e.Pool] != nil && w.config[e.Pool].ForbidImmediate
			})
		},
		"too_many_ephemeral_pools": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				own := map[core.PoolID]bool{}
				for o := range w.live {
					if p := w.in[o]; w.config[p] == nil && w.users[o] == w.tree+"-u" {
						own[p] = true
					}
				}
				return len(own) > 1
			})
		},

		"node_in_two_trees": func(w *world) bool {
			// Both trees say that it serves them at the same time.
			other := newWorld(w.t, w.dir, w.tree+secondTree)
			spans := func(w *world) (list []core.Span) {
				w.any(func(e *core.Event) bool {
					if e.Kind == core.NodeChanged && w.nodes[e.Node] == strings.TrimSuffix(w.tree, secondTree)+"-1" {
						if n := len(list); n > 0 && list[n-1].To == 0 {
							list[n-1].To = e.Time
						}
						if e.Online {
							list = append(list, core.Span{From: e.Time})
						}
					}
					return false
				})
				return list
			}
			for _, a := range spans(w) {
				for _, b := range spans(other) {
					if (a.To == 0 || b.From < a.To) && (b.To == 0 || a.From < b.To) {
						return true
					}
				}
			}
			return false
		},
		"node_moved_with_jobs": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Time > w.at(61) && w.nodeUsage(e.Node)[resource.CPU] > 0 && e.Node >= 0 && w.nodes[e.Node] == w.tree+"-1"
			})
		},
		"job_outside_pool_filter": onSlow, "job_outside_operation_filter": onSlow,
		"start_on_skipped_heartbeat": func(w *world) bool {
			wrong := false
			w.heartbeatRows(func(r *trace.Heartbeat) { wrong = wrong || r.Skipped.Value && r.Started > 0 })
			return wrong
		},
		"wrong_tree_total": func(w *world) bool {
			wrong := false
			w.snapTree(func(r *trace.SnapTree) { wrong = wrong || r.Limits.CPUMilli != 20_000 })
			return wrong
		},

		"beneficiary_not_starving": func(w *world) bool {
			wanted := core.Time(0)
			return w.any(func(e *core.Event) bool {
				if e.Kind == core.DemandChanged && e.Operation == w.names["b"] && wanted == 0 {
					wanted = e.Time
				}
				return e.Kind == core.JobPreempted && e.Preemptor == w.names["b"] && e.Time < wanted+15*core.Second
			})
		},
		"older_victim_first": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				if e.Kind != core.JobPreempted {
					return false
				}
				for _, j := range w.jobsOf(e.Operation) {
					if j.Node == e.Node && j.Time > w.jobs[e.Job].Time {
						return true
					}
				}
				return false
			})
		},
		"too_many_victims": func(w *world) bool {
			victims, starts := w.perInstant()
			for at, n := range victims {
				if n > starts[at] {
					return true
				}
			}
			return false
		},
		"two_started_with_preemption": func(w *world) bool {
			_, starts := w.perInstant()
			for _, n := range starts {
				if n > 1 {
					return true
				}
			}
			return false
		},
		"preempted_in_backoff": func(w *world) bool {
			last, wrong := map[core.NodeID]core.Time{}, false
			w.heartbeatRows(func(r *trace.Heartbeat) {
				if r.WithPreemption.Value {
					wrong = wrong || last[r.Node] > 0 && r.Time-last[r.Node] <= 60*core.Second
					last[r.Node] = r.Time
				}
			})
			return wrong
		},
		"preempted_without_beneficiary": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Reason == "preemption" && e.Preemptor < 0 && w.nodeUsage(e.Node).FitsIn(w.limits[e.Node])
			})
		},
		"preempted_with_room": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Preemptor >= 0 &&
					w.nodeUsage(e.Node).Add(resource.Vector{resource.UserSlots: 1, resource.CPU: 100}).FitsIn(w.limits[e.Node])
			})
		},
		"starving_victim": func(w *world) bool {
			return w.any(func(e *core.Event) bool { return e.Kind == core.JobPreempted && w.starves(e.Operation) })
		},
		"victim_within_fair_share": func(w *world) bool {
			return w.any(func(e *core.Event) bool { // what b leaves to v is 38 of 40 cores
				return e.Kind == core.JobPreempted && e.Reason == "preemption" && w.operationUsage(e.Operation)[resource.CPU] <= 3800
			})
		},
		"aggressive_forbidden": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				allow := w.config[w.pools["poor"]]
				return e.Kind == core.JobPreempted && e.Reason == "aggressive_preemption" && !allow.AllowAggressivePreemption.Or(true)
			})
		},
		"aggressive_from_gang": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Reason == "aggressive_preemption" && w.params[e.Operation].Gang.Value &&
					!w.treeNow.AggressivePreemptionForGangs.Or(true)
			})
		},
		"normal_forbidden": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Reason == "preemption" && !w.config[w.in[e.Operation]].AllowNormalPreemption.Or(true)
			})
		},
		"graceful_victim": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Reason == "preemption" && w.params[e.Operation].Graceful.Value
			})
		},
		"small_operation_preempted": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Operation == w.names["w"] && w.operationUsage(e.Operation)[resource.CPU] < 800
			})
		},
		"conditional_for_outsider": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Operation == w.names["v"] && e.Preemptor == w.names["b"]
			})
		},
		"preempted_job_lingers": func(w *world) bool {
			wrong := false
			w.jobRows(func(r *trace.Job) {
				wrong = wrong || r.PreemptTime.Set && r.FinishTime.Set && r.FinishTime.Value-r.PreemptTime.Value > 15*core.Second
			})
			return wrong
		},
	} {
		recounts[kind] = is
	}
}

// onSlow reports whether a job of a runs on the node without the tag.
func onSlow(w *world) bool {
	return w.any(func(e *core.Event) bool {
		return e.Kind == core.JobStarted && w.nodes[e.Node] == w.tree+"-slow-0"
	})
}

// perInstant counts by instant the victims that made room and the starts with
// preemption.
func (w *world) perInstant() (victims, starts map[core.Time]int) {
	victims, starts = map[core.Time]int{}, map[core.Time]int{}
	w.jobRows(func(r *trace.Job) {
		if r.PreemptTime.Set && r.PreemptedFor.Set {
			victims[r.PreemptTime.Value]++
		}
		if strings.HasPrefix(r.SchedulingStage.Value, "preemptive") {
			starts[r.Time]++
		}
	})
	return victims, starts
}

// starves reports whether the log says that an operation starves.
func (w *world) starves(o core.OperationID) bool { return w.starving[o] != "" }
