package synthetic

import (
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/trace"
)

func init() {
	started := func(w *world, e *core.Event) bool {
		return e.Kind == core.OperationChanged && e.Step == core.StepStarted && e.Operation == w.names["b"]
	}
	for kind, is := range map[string]func(w *world) bool{
		"moved_without_room": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				p := w.pools["narrow"]
				return e.Step == core.StepPoolChanged && e.Pool == p && w.count(w.running, p) >= w.config[p].MaxRunningOperationCount.Value
			})
		},
		"moved_left_pending": func(w *world) bool {
			b := w.names["b"]
			return w.any(func(e *core.Event) bool { return e.Time > w.at(90) && w.in[b] == w.pools["roomy"] && !w.running[b] })
		},
		"lightweight_over_total": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				p := w.pools["services"]
				return started(w, e) && w.count(w.live, p) >= w.config[p].MaxOperationCount.Value
			})
		},
		"operation_in_root": func(w *world) bool {
			return w.any(func(e *core.Event) bool { return started(w, e) && e.Pool == core.RootPool })
		},
		"gang_outside_fifo": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return started(w, e) && e.Params.Gang.Value && w.treeNow.GangsInFIFOOnly.Value && w.config[e.Pool].Mode.Value != core.FIFO
			})
		},
		"children_oversubscribed": func(w *world) bool {
			return w.misconfigured(func(c *core.PoolConfig) bool { return c.MaxRunningOperationCount == core.Some[int64](8) })
		},
		"pools_too_deep": func(w *world) bool {
			return w.any(func(*core.Event) bool {
				depth := 0
				for p := w.pools["deep31"]; w.config[p] != nil && strings.HasPrefix(w.poolName(p), "deep"); p = w.config[p].Parent {
					depth++
				}
				return depth > 30
			})
		},
		"ephemeral_elsewhere": func(w *world) bool {
			return w.anyPool("guest", func(r *trace.SnapPool) bool { return r.Parent.Set && r.Parent.Value != w.pools["home"] })
		},
		"ephemeral_options_ignored": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.PoolConfigured && e.Config.Ephemeral && e.Config.MaxRunningOperationCount.Value > w.config[w.pools["home"]].Subpools.Value.MaxRunningOperationCount.Value
			})
		},
		"ephemeral_outlives_operations": func(w *world) bool {
			var gone core.Time
			w.any(func(e *core.Event) bool {
				if e.Step == core.StepCompleted && e.Operation == w.names["a"] {
					gone = e.Time
				}
				return false
			})
			return gone != 0 && w.anyPool("guest", func(r *trace.SnapPool) bool { return r.Time > gone+10*core.Second })
		},
		"subpool_without_hub": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return started(w, e) && e.Pool == w.pools["plain$guest"] && !w.config[w.pools["plain"]].CreateSubpools
			})
		},
		"legal_ephemeral_pools": func(w *world) bool {
			home := w.pools["home"]
			return w.anyPool("guest", func(r *trace.SnapPool) bool { return r.Parent.Value == home }) &&
				w.anyPool("hub$guest", func(r *trace.SnapPool) bool { return r.Mode == "fifo" && r.Time < w.at(62) }) &&
				!w.anyPool("hub$guest", func(r *trace.SnapPool) bool { return r.Time > w.at(70) })
		},
		"legal_moved_by_user": func(w *world) bool {
			return w.any(func(e *core.Event) bool { return e.Time > w.at(60) && w.in[w.names["b"]] == w.pools["other"] })
		},
		"lightweight_many_jobs": func(w *world) bool {
			return w.any(func(*core.Event) bool { return len(w.jobsOf(w.names["b"])) > 1 })
		},
		"ignored_operation_timeout": func(w *world) bool {
			return w.any(func(e *core.Event) bool { return started(w, e) && e.Params.FairShareStarvationTimeout.Set })
		},
		"option_under_two_names": func(w *world) bool {
			return w.any(func(e *core.Event) bool { return e.Kind == core.PoolConfigured && len(e.Doubled) > 0 })
		},
		"ignored_timeout": func(w *world) bool {
			return w.misconfigured(func(c *core.PoolConfig) bool { return c.MinSharePreemptionTimeout.Set })
		},
	} {
		recounts[kind] = is
	}
}

func (w *world) poolName(id core.PoolID) string {
	for name, p := range w.pools {
		if p == id {
			return name
		}
	}
	return pooltree.RootName
}
