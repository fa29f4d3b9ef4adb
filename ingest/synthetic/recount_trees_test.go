package synthetic

import (
	"path/filepath"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// second is the plant's second tree.
func (w *world) second() *world { return newWorld(w.t, w.dir, w.tree+secondTree) }

// clusters are the versions of the settings above all trees.
func (w *world) clusters() (list []trace.ClusterConfig) {
	eachRow(w.t, filepath.Join(w.dir, "global", "cluster_config.parquet"), trace.ClusterConfigs, func(r *trace.ClusterConfig) { list = append(list, *r) })
	return list
}

// steps are those of an operation in the tree.
func (w *world) steps(o core.OperationID) (list []core.Step) {
	for i := range w.events {
		if e := &w.events[i]; e.Kind == core.OperationChanged && e.Operation == o {
			list = append(list, e.Step)
		}
	}
	return list
}

func init() {
	for kind, is := range map[string]func(w *world) bool{
		"removed_tree_keeps_operation": func(w *world) bool {
			last := w.clusters()[len(w.clusters())-1]
			removed := !slices.Contains(strings.Split(last.Trees, ","), w.tree+secondTree) && last.Time == w.at(30)
			steps := w.second().steps(w.names["a"])
			return removed && slices.Contains(steps, core.StepStarted) && !slices.Contains(steps, core.StepErased) && !slices.Contains(steps, core.StepAborted)
		},
		"started_without_default_tree": func(w *world) bool {
			last := w.clusters()[len(w.clusters())-1]
			return !last.DefaultTree.Set && last.Time < w.at(60) && slices.Contains(w.steps(w.names["b"]), core.StepStarted)
		},
		"kept_two_trees": func(w *world) bool {
			a := w.names["a"]
			return slices.Contains(w.steps(a), core.StepMaterialized) && slices.Contains(w.second().steps(a), core.StepMaterialized)
		},
		"job_in_tree_not_asked_for": func(w *world) bool {
			asks := ""
			eachRow(w.t, filepath.Join(w.dir, "dim", "operations.parquet"), trace.Operations, func(r *trace.Operation) { asks += r.SpecJSON.Value })
			b := w.second()
			return !strings.Contains(asks, b.tree) && b.any(func(e *core.Event) bool { return e.Kind == core.JobStarted })
		},
		"refused_with_tree_left": func(w *world) bool {
			steps := w.second().steps(w.names["b"])
			return slices.Equal(steps, []core.Step{core.StepRejected})
		},
		"started_in_full_cluster": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				most := core.Optional[int64]{}
				for _, c := range w.clusters() {
					if c.Time <= e.Time {
						most = c.MaxOperationCount
					}
				}
				return e.Kind == core.OperationChanged && e.Step == core.StepStarted && most.Set && int64(len(w.live)) >= most.Value
			})
		},
		"job_on_shared_node": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobStarted && e.Time > w.at(90) && slices.Contains(w.tags[e.Node], w.tree) && slices.Contains(w.tags[e.Node], w.tree+"_b")
			})
		},
		"job_in_banned_tree": func(w *world) bool {
			banned := core.Time(0)
			return w.second().any(func(e *core.Event) bool {
				if e.Kind == core.OperationChanged && e.Step == core.StepBanned {
					banned = e.Time
				}
				return e.Kind == core.JobStarted && banned > 0 && e.Time > banned+10*core.Second
			})
		},
		"legal_filters_overlap": func(w *world) bool {
			return w.second().any(func(e *core.Event) bool {
				return e.Kind == core.TreeConfigured && strings.Contains(e.Tree.NodesFilter.String(), "|")
			})
		},
	} {
		recounts[kind] = is
	}
}
