package eventlogtest

import (
	"strings"

	"poolproof/core"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// rootName is the pool above all others of a tree.
const rootName = "<Root>"

// poolsInfo writes the configuration of all pools of all trees, every option with its
// default under its main name; neither parents nor options of trees
// (ingest/trace/FORMAT.md §1.3).
func (w *writer) poolsInfo(at core.Time) Value {
	trees := newMap(len(w.trees))
	for i := range w.trees {
		ids := w.poolsOf(i)
		pools := newMap(len(ids))
		for _, id := range ids {
			pools.put(w.pools[id].Name, w.wholeConfig(id))
		}
		trees.put(w.trees[i].name, pools)
	}
	v := newRow(at, "pools_info")
	v.put("pools", trees)
	return v
}

// wholeConfig returns a pool's configuration with the defaults filled in.
func (w *writer) wholeConfig(pool core.PoolID) Value {
	c := w.configOf(pool)
	v := newMap(20)
	v.put("resource_limits", partial(c.Limit))
	v.put(w.strongName(), partial(c.Strong))
	mode := c.Mode
	if mode == "" {
		mode = "fair_share"
	}
	v.put("mode", textOf(mode))
	v.put("fifo_sort_parameters", words(c.FIFOSortParameters.Or("weight,start_time")))
	v.put("forbid_immediate_operations", boolOf(c.ForbidImmediateOperations))
	v.put("create_ephemeral_subpools", boolOf(c.CreateEphemeralSubpools.Or(false)))
	v.put("infer_children_weights_from_historic_usage", boolOf(false))
	historic := newMap(2)
	historic.put("aggregation_mode", textOf("none"))
	historic.put("ema_alpha", realOf(1e-05))
	v.put("historic_usage_config", historic)
	v.put("allowed_profiling_tags", listOf())
	v.put("integral_guarantees", w.wholeIntegral(c))
	if !w.Age.old() {
		v.put("scheduling_tag_filter", textOf(c.SchedulingTagFilter.Or("")))
		v.put("enable_detailed_logs", boolOf(false))
		v.put("compute_promised_guarantee_fair_share", boolOf(false))
	}
	// What is left has no default, and stands where it is specified.
	specified := w.attributesOf(c)
	for i, key := range specified.keys {
		if v.at(key) == nil {
			v.put(key, specified.items[i])
		}
	}
	return v
}

func (w *writer) wholeIntegral(c *trace.PoolConfig) Value {
	v := newMap(5)
	kind := c.IntegralType
	if kind == "" {
		kind = "none"
	}
	v.put("guarantee_type", textOf(kind))
	v.put("burst_guarantee_resources", partial(c.Burst))
	v.put("resource_flow", partial(c.Flow))
	if !w.Age.old() {
		v.put("can_accept_free_volume", boolOf(true))
	}
	put(&v, "relaxed_share_multiplier_limit", c.RelaxedShareMultiplierLimit, realOf)
	return v
}

func words(joined string) Value {
	v := listOf()
	for word := range strings.SplitSeq(joined, ",") {
		if word = strings.TrimSpace(word); word != "" {
			v.items = append(v.items, textOf(word))
		}
	}
	return v
}

// configOf returns a pool's configuration. That of an ephemeral pool is what its
// parent's ephemeral_subpool_config says, the default where it says nothing.
func (w *writer) configOf(pool core.PoolID) *trace.PoolConfig {
	if c := w.poolNow[pool]; c != nil {
		return c
	}
	c := &trace.PoolConfig{Pool: pool, Ephemeral: true, Mode: "fair_share", IntegralType: "none"}
	parent, ok := w.parent(pool)
	if !ok || w.poolNow[parent] == nil || !w.poolNow[parent].EphemeralSubpoolJSON.Set {
		return c
	}
	a, err := poolconf.ParseJSON([]byte(w.poolNow[parent].EphemeralSubpoolJSON.Value))
	options, ok := a.(map[string]any)
	if err != nil || !ok {
		return c
	}
	if mode, ok := options["mode"].(string); ok {
		c.Mode = mode
	}
	if n, ok := options["max_operation_count"].(int64); ok {
		c.MaxOperationCount = core.Some(n)
	}
	if n, ok := options["max_running_operation_count"].(int64); ok {
		c.MaxRunningOperationCount = core.Some(n)
	}
	return c
}

func (w *writer) strongName() string { return w.Age.poolOption("strong_guarantee_resources") }

// poolOption returns the name of a pool's option in an age.
func (a Age) poolOption(name string) string {
	if !a.old() {
		return name
	}
	switch name {
	case "strong_guarantee_resources":
		return "min_share_resources"
	case "allow_aggressive_preemption":
		return "allow_aggressive_starvation_preemption"
	case "fair_share_starvation_timeout":
		return "fair_share_preemption_timeout"
	}
	return name
}

// treeOption returns the name of a tree's option in an age.
func (a Age) treeOption(name string) string {
	switch {
	case a.old() && name == "fair_share_starvation_timeout":
		return "fair_share_preemption_timeout"
	case a.old() && name == "infer_weight_from_guarantees_share_multiplier":
		return "infer_weight_from_min_share_ratio_multiplier"
	case a.old() && name == "max_unpreemptible_running_job_count":
		return "max_unpreemptable_running_job_count"
	case a.old() && name == "enable_fair_share_truncation_in_fifo_pool":
		return "truncate_fifo_pool_unsatisfied_child_fair_share"
	case a.newest() && name == "job_interrupt_timeout":
		return "allocation_preemption_timeout"
	case a.newest() && name == "job_graceful_interrupt_timeout":
		return "allocation_graceful_preemption_timeout"
	case a.newest() && name == "running_job_statistics_update_period":
		return "running_allocation_statistics_update_period"
	case a.newest() && name == "job_count_preemption_timeout_coefficient":
		return "allocation_count_preemption_timeout_coefficient"
	}
	return name
}

// attributesOf returns what is specified of a pool, by the names of the age.
func (w *writer) attributesOf(c *trace.PoolConfig) Value {
	a, _ := poolconf.PoolAttributes(c)
	if a["mode"] == "fair_share" {
		delete(a, "mode")
	}
	if a["forbid_immediate_operations"] == false {
		delete(a, "forbid_immediate_operations")
	}
	if g, ok := a["integral_guarantees"].(map[string]any); ok && len(g) == 1 && g["guarantee_type"] == "none" {
		delete(a, "integral_guarantees")
	}
	specified, renamed := anyOf(map[string]any(a)), newMap(8)
	for i, key := range specified.keys {
		renamed.put(w.Age.poolOption(key), specified.items[i])
	}
	return renamed
}
