package eventlogtest

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// poolsInfo writes the configuration of all pools of all trees, every option with its
// default, which is that of the sample's first pool; neither parents nor options of trees
// (ingest/trace/FORMAT.md §1.3). Options are left out that the trace's scheduler ignores.
func (w *writer) poolsInfo() {
	trees := map[string]any{}
	for i := range w.Trees {
		pools := map[string]any{}
		for _, id := range w.poolsOf(i) {
			known := row(w.attributesOf(w.configOf(id)))
			for _, name := range w.unknown {
				delete(known, name)
			}
			if guarantees, ok := known["integral_guarantees"].(map[string]any); ok {
				known["integral_guarantees"] = row(guarantees)
			}
			pools[w.Pools[id].Name] = w.record("pools_info.pools", known)
		}
		trees[w.Trees[i].Name] = pools
	}
	w.emit(w.now, "pools_info", row{"pools": trees})
}

// words splits a list that a column joins by commas.
func words(joined string) (all []any) {
	for word := range strings.SplitSeq(joined, ",") {
		if word = strings.TrimSpace(word); word != "" {
			all = append(all, word)
		}
	}
	return all
}

// configOf returns a pool's configuration. An ephemeral pool has the mode and the limits of counts that its
// parent's ephemeral_subpool_config says.
func (w *writer) configOf(pool core.PoolID) *trace.PoolConfig {
	if c := w.pools[pool]; c != nil {
		return c
	}
	c := &trace.PoolConfig{Pool: pool, Ephemeral: true}
	if parent := w.parent(pool); parent != noPool && w.pools[parent] != nil {
		v, _ := poolconf.ParseJSON([]byte(w.pools[parent].EphemeralSubpoolJSON.Value))
		options, _ := v.(map[string]any)
		says, _ := poolconf.PoolRow(pooltree.Attributes(options))
		c.Mode, c.MaxOperationCount, c.MaxRunningOperationCount = says.Mode, says.MaxOperationCount, says.MaxRunningOperationCount
	}
	return c
}

// names are those that options of pools and trees have in an age, where it is not the documented one.
var names = map[Age]map[string]string{
	Age2020: {
		"strong_guarantee_resources": "min_share_resources", "allow_aggressive_preemption": "allow_aggressive_starvation_preemption",
		"fair_share_starvation_timeout": "fair_share_preemption_timeout", "infer_weight_from_guarantees_share_multiplier": "infer_weight_from_min_share_ratio_multiplier",
		"max_unpreemptible_running_job_count":       "max_unpreemptable_running_job_count",
		"enable_fair_share_truncation_in_fifo_pool": "truncate_fifo_pool_unsatisfied_child_fair_share",
	},
	Age2025: {
		"job_interrupt_timeout": "allocation_preemption_timeout", "job_graceful_interrupt_timeout": "allocation_graceful_preemption_timeout",
		"running_job_statistics_update_period":     "running_allocation_statistics_update_period",
		"job_count_preemption_timeout_coefficient": "allocation_count_preemption_timeout_coefficient",
	},
}

// rename returns options by the names of the age.
func (a Age) rename(options pooltree.Attributes) map[string]any {
	renamed := map[string]any{}
	for name, x := range options {
		renamed[cmp.Or(names[a][name], name)] = x
	}
	return renamed
}

// attributesOf returns what is specified of a pool.
func (w *writer) attributesOf(c *trace.PoolConfig) map[string]any {
	a, _ := poolconf.PoolAttributes(c)
	return w.Age.rename(a)
}

// writeExports writes the export of the pool trees at the first row of the log, and one
// for every later moment at which a tree's own configuration changed.
func (w *writer) writeExports(dir string) error {
	moments := []core.Time{w.Manifest.Window.From}
	for i := range w.Trees {
		for j := range w.Trees[i].TreeConfigs {
			moments = append(moments, max(w.Trees[i].TreeConfigs[j].Time, moments[0]))
		}
	}
	slices.Sort(moments)
	for i, at := range slices.Compact(moments) {
		name, ending := "pool_trees."+string(w.Age), ".json"
		if i > 0 {
			name += time.UnixMicro(int64(at)).UTC().Format(".at20060102T150405")
		}
		v := w.exportAt(at)
		form := JSONL
		if w.Form == TextYSON || w.Form == BinaryYSON {
			form, ending = TextYSON, ".yson"
		}
		path := filepath.Join(dir, name+ending)
		if err := os.WriteFile(path, append(appendValue(nil, &v, form), '\n'), 0o666); err != nil {
			return err
		}
		if i == 0 {
			w.result.PoolTrees = path
		} else {
			w.result.LaterPoolTrees = append(w.result.LaterPoolTrees, Export{path, at})
		}
	}
	return nil
}

// exportAt returns the pool trees with their attributes (ingest/trace/FORMAT.md §1.4).
func (w *writer) exportAt(at core.Time) Value {
	trees := Value{kind: mapping}
	for i := range w.Trees {
		tree, config, pools := &w.Trees[i], w.trees[i], map[core.PoolID]*trace.PoolConfig{}
		for j := range tree.TreeConfigs {
			if c := &tree.TreeConfigs[j]; c.Time <= at {
				config = c
			}
		}
		for j := range tree.PoolConfigs {
			if c := &tree.PoolConfigs[j]; c.Time <= at {
				pools[c.Pool] = c
			}
		}
		a, _ := poolconf.TreeAttributes(config)
		attributes := w.Age.rename(a)
		if !w.Age.old() {
			attributes = map[string]any{"config": attributes}
		}
		attributes["id"] = guid("tree", tree.Name)
		v := w.exportChildren(tree.Name, pools, core.Optional[core.PoolID]{})
		trees.put(tree.Name, v.with(w.Age.of(attributes)))
	}
	return trees.with(w.Age.of(row{"default_tree": w.defaultTree}))
}

// exportChildren returns the pools right below one, or below the root. Ephemeral pools are no nodes of an export.
func (w *writer) exportChildren(tree string, pools map[core.PoolID]*trace.PoolConfig, parent core.Optional[core.PoolID]) Value {
	v := Value{kind: mapping}
	for i := range w.Pools {
		id := core.PoolID(i)
		c := pools[id]
		if c == nil || c.Deleted || c.Ephemeral || c.Parent != parent {
			continue
		}
		name, attributes := w.Pools[i].Name, w.attributesOf(c)
		attributes["id"] = guid("pool", tree, name)
		pool := w.exportChildren(tree, pools, core.Some(id)).with(w.Age.of(attributes))
		if strings.HasPrefix(name, "$") {
			name = "$" + name // a key that begins with $ is else one of an export's own
		}
		v.put(name, pool)
	}
	return v
}
