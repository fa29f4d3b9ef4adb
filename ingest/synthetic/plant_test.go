package synthetic

import (
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/coretest/sweep"
	"poolproof/core/spec"
	"poolproof/ingest/trace"
)

// recounts say by a count of their own whether the fault of a kind is in a
// trace. The same cluster without the fault must not have it.
var recounts = map[string]func(w *world) bool{
	"start_over_pool_limit": startOverPool, "start_over_ancestor_limit": startOverPool,
	"start_over_operation_limit": func(w *world) bool {
		return w.any(func(e *core.Event) bool {
			return e.Kind == core.JobStarted &&
				over(w.operationUsage(e.Operation).Add(e.Limits), w.params[e.Operation].ResourceLimits.Value, e.Limits)
		})
	},
	"start_under_violated_limit": func(w *world) bool {
		return w.any(func(e *core.Event) bool {
			p := w.pools["limited"]
			return e.Kind == core.JobStarted && over(w.poolUsage(p), w.config[p].ResourceLimits, e.Limits)
		})
	},
	"start_over_node": func(w *world) bool {
		return w.any(func(e *core.Event) bool {
			return e.Kind == core.JobStarted && !w.nodeUsage(e.Node).Add(e.Limits).FitsIn(w.limits[e.Node])
		})
	},
	"start_beyond_demand": func(w *world) bool {
		return w.any(func(e *core.Event) bool { return e.Kind == core.JobStarted && w.wants[e.Operation] <= 0 })
	},
	"start_of_suspended": func(w *world) bool {
		return w.any(func(e *core.Event) bool { return e.Kind == core.JobStarted && w.suspended[e.Operation] })
	},
	"start_of_completed": func(w *world) bool {
		return w.any(func(e *core.Event) bool { return e.Kind == core.JobStarted && !w.live[e.Operation] })
	},
	"needless_limit_repair": func(w *world) bool {
		return w.any(func(e *core.Event) bool {
			return e.Kind == core.JobPreempted && e.Reason == "resource_limits_violated" && len(w.config) == 1 && w.config[w.pools["free"]].ResourceLimits.IsEmpty()
		})
	},
	"overcommit_without_cause": func(w *world) bool {
		return w.any(func(e *core.Event) bool {
			return e.Kind == core.JobPreempted && e.Reason == "resource_overcommit" && w.nodeUsage(e.Node).FitsIn(w.limits[e.Node])
		})
	},

	"running_over_pool_limit": runningOver, "running_over_ancestor_limit": runningOver,
	"started_over_total_limit": func(w *world) bool {
		return w.any(func(e *core.Event) bool {
			p := w.pools["full"]
			return e.Kind == core.OperationChanged && e.Step == core.StepStarted && w.count(w.live, p) >= w.config[p].MaxOperationCount.Value
		})
	},
	"rejected_with_room": func(w *world) bool {
		return w.any(func(e *core.Event) bool {
			return e.Kind == core.OperationChanged && e.Step == core.StepRejected && e.Operation == w.names["b"] &&
				w.count(w.live, w.pools["roomy"]) < w.config[w.pools["roomy"]].MaxOperationCount.Value
		})
	},
	"pending_with_room": func(w *world) bool { return w.waits("b", "roomy") > 120*core.Second },
	"room_not_used":     func(w *world) bool { return w.waits("b", "narrow") > 120*core.Second },
	"pending_overtaken": func(w *world) bool {
		return w.any(func(e *core.Event) bool {
			return e.Step == core.StepRunning && e.Operation == w.names["c"] && w.live[w.names["b"]] && !w.running[w.names["b"]]
		})
	},
	"lightweight_other_type": func(w *world) bool {
		wrong := false
		w.snapPools(func(r *trace.SnapPool) {
			wrong = wrong || r.Pool == w.pools["services"] && r.LightweightRunning.Value > 0
		})
		return wrong
	},
	"lightweight_left_pending": func(w *world) bool {
		return w.any(func(e *core.Event) bool { return e.Step == core.StepPending && e.Operation == w.names["b"] })
	},
}

func startOverPool(w *world) bool {
	return w.any(func(e *core.Event) bool {
		p := w.pools["limited"]
		return e.Kind == core.JobStarted && over(w.poolUsage(p).Add(e.Limits), w.config[p].ResourceLimits, e.Limits)
	})
}

func runningOver(w *world) bool {
	return w.any(func(e *core.Event) bool {
		p := w.pools["narrow"]
		return e.Kind == core.OperationChanged && e.Step == core.StepRunning && w.count(w.running, p) >= w.config[p].MaxRunningOperationCount.Value
	})
}

// waits is how long an operation waits while its pool has room.
func (w *world) waits(name, pool string) (longest core.Time) {
	o, p := w.names[name], w.pools[pool]
	since := core.Time(0)
	w.any(func(e *core.Event) bool {
		waiting := w.live[o] && !w.running[o] && w.count(w.running, p) < w.config[p].MaxRunningOperationCount.Value
		switch {
		case !waiting:
			since = 0
		case since == 0:
			since = e.Time
		default:
			longest = max(longest, e.Time-since)
		}
		return false
	})
	return longest
}

// seeds is how many are tried; raise it after a change of the plants.
const seeds = 1

func TestSweepEveryPlantIsInItsTraceAndNowhereElse(t *testing.T) {
	part := sweep.Take(t, 4)
	for i, p := range Plants() {
		is := recounts[p.Kind]
		if is == nil {
			t.Errorf("nothing recounts %s", p.Kind)
		}
		if is == nil || !part.Has(i) {
			continue
		}
		t.Run(p.Kind, func(t *testing.T) {
			t.Parallel()
			for seed := uint64(1); seed <= seeds; seed++ {
				guilty, s := generate(t, Options{Plants: []string{p.Kind}, Seed: seed})
				if len(s.Planted) != 1 || s.Planted[0].Kind != p.Kind || s.Planted[0].Subject == "" {
					t.Errorf("planted is %+v", s.Planted)
				}
				if !is(newWorld(t, guilty, p.treeName())) {
					t.Errorf("seed %d: the fault is not in the trace", seed)
				}
				if again, _ := generate(t, Options{Plants: []string{p.Kind}, Seed: seed}); differing(t, guilty, again) > 0 {
					t.Errorf("seed %d: it does something else the second time", seed)
				}
				innocent, _ := generate(t, Options{Plants: []string{p.Kind}, Seed: seed, Innocent: true})
				if p.HasTwin() && is(newWorld(t, innocent, p.treeName())) {
					t.Errorf("seed %d: the fault is in the trace of the innocent cluster, too", seed)
				}
			}
		})
	}
}

func TestKindsAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Plants() {
		if seen[p.Kind] {
			t.Errorf("%s is there twice", p.Kind)
		}
		seen[p.Kind] = true
		if legal := strings.HasPrefix(p.Kind, "legal_"); legal == (len(p.Invariants) > 0) {
			t.Errorf("%s breaks %v", p.Kind, p.Invariants)
		}
		for _, id := range slices.Concat(p.Invariants, p.Consequences, p.Excused, p.Suspected, p.Noted) {
			if spec.Of(id).ID == "" {
				t.Errorf("%s: unknown rule %s", p.Kind, id)
			}
		}
		if p.From >= p.To || p.Sentence == "" || !strings.HasSuffix(p.Sentence, ".") || strings.Contains(p.Kind, " ") {
			t.Errorf("%s: %v to %v, %q", p.Kind, p.From, p.To, p.Sentence)
		}
	}
}
