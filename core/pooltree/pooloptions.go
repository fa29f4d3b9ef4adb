package pooltree

import (
	"fmt"

	"poolproof/core/resource"
)

// poolOptions are the options of a pool (core/spec/scheduling.md §3.2).
var poolOptions = []option[PoolConfig]{
	{name: "weight", set: setWeight},
	enumOption("mode", modeNames, func(c *PoolConfig) *Optional[Mode] { return &c.Mode }),
	plainOption("fifo_sort_parameters", func(c *PoolConfig) *[]FIFOKey { return &c.FIFOSort }, fifoKeys),
	enumOption("fifo_pool_scheduling_order", orderNames, func(c *PoolConfig) *Optional[FIFOOrder] { return &c.FIFOOrder }),
	countOption("max_operation_count", 0, func(c *PoolConfig) *Optional[int64] { return &c.MaxOperationCount }),
	countOption("max_running_operation_count", 0, func(c *PoolConfig) *Optional[int64] { return &c.MaxRunningOperationCount }),
	flagOption("forbid_immediate_operations", func(c *PoolConfig) *bool { return &c.ForbidImmediate }),
	flagOption("create_ephemeral_subpools", func(c *PoolConfig) *bool { return &c.CreateSubpools }),
	reader("ephemeral_subpool_config", func(c *PoolConfig) *Optional[Subpool] { return &c.Subpools }, subpool).of(names(subpoolOptions)...),
	flagOption("always_allow_gang_operations", func(c *PoolConfig) *bool { return &c.AlwaysAllowGangs }),
	boolOption("enable_lightweight_operations", func(c *PoolConfig) *Optional[bool] { return &c.LightweightOps }),
	plainOption("resource_limits", func(c *PoolConfig) *resource.Partial { return &c.ResourceLimits }, amounts),
	shareOption("max_share_ratio", func(c *PoolConfig) *Optional[float64] { return &c.MaxShareRatio }),
	plainOption(strongName, func(c *PoolConfig) *resource.Partial { return &c.StrongGuarantee }, amounts).also("min_share_resources"),
	plainOption(integralName, func(c *PoolConfig) *IntegralConfig { return &c.Integral }, integral).also("integral-guarantees").of(names(integralOptions)...),
	plainOption("scheduling_tag_filter", func(c *PoolConfig) *Formula { return &c.TagFilter }, tagFilter).also("scheduling_tag"),
	durationOption("fair_share_starvation_timeout", func(c *PoolConfig) *Optional[Milliseconds] { return &c.FairShareStarvationTimeout }).also("fair_share_preemption_timeout"),
	durationOption("min_share_preemption_timeout", func(c *PoolConfig) *Optional[Milliseconds] { return &c.MinSharePreemptionTimeout }),
	shareOption("fair_share_starvation_tolerance", func(c *PoolConfig) *Optional[float64] { return &c.FairShareStarvationTolerance }),
	boolOption("enable_aggressive_starvation", func(c *PoolConfig) *Optional[bool] { return &c.EnableAggressiveStarvation }),
	boolOption("allow_aggressive_preemption", func(c *PoolConfig) *Optional[bool] { return &c.AllowAggressivePreemption }).also("allow_aggressive_starvation_preemption"),
	boolOption("allow_normal_preemption", func(c *PoolConfig) *Optional[bool] { return &c.AllowNormalPreemption }),
	boolOption("allow_regular_jobs_on_ssd_nodes", func(c *PoolConfig) *Optional[bool] { return &c.AllowRegularJobsOnSSD }).also("allow_regular_allocations_on_ssd_nodes"),
	{name: thresholdName, set: setPoolThreshold},
	boolOption("use_pool_satisfaction_for_scheduling", func(c *PoolConfig) *Optional[bool] { return &c.PoolSatisfaction }),
	boolOption("enable_fair_share_truncation_in_fifo_pool", func(c *PoolConfig) *Optional[bool] { return &c.FIFOTruncation }).also("truncate_fifo_pool_unsatisfied_child_fair_share"),
	flagOption("compute_promised_guarantee_fair_share", func(c *PoolConfig) *bool { return &c.PromisedGuarantee }),
	plainOption("config_preset", func(c *PoolConfig) *[]string { return &c.Presets }, oneText),
	{name: "config_presets", set: setPresetList},
	plainOption("offloading_settings", func(c *PoolConfig) *[]Offload { return &c.Offloading }, offloading),
	flagOption("infer_children_weights_from_historic_usage", func(c *PoolConfig) *bool { return &c.InferFromHistory }),
	plainOption("historic_usage_config", func(c *PoolConfig) *Optional[float64] { return &c.HistoryAlpha }, historicUsage).of("aggregation_mode", "ema_alpha"),
	plainOption("abc", func(c *PoolConfig) *bool { return &c.Owner }, isThere),
	plainOption("metering_tags", func(c *PoolConfig) *bool { return &c.Metering }, isThere),
	checked[PoolConfig]("allowed_profiling_tags", profilingTags),
}

// subpoolOptions are the options of ephemeral_subpool_config.
var subpoolOptions = []option[Subpool]{
	enumOption("mode", modeNames, func(c *Subpool) *Optional[Mode] { return &c.Mode }),
	countOption("max_operation_count", 0, func(c *Subpool) *Optional[int64] { return &c.MaxOperationCount }),
	countOption("max_running_operation_count", 0, func(c *Subpool) *Optional[int64] { return &c.MaxRunningOperationCount }),
	plainOption("resource_limits", func(c *Subpool) *resource.Partial { return &c.ResourceLimits }, amounts),
}

// integralOptions are the options of integral_guarantees.
var integralOptions = []option[IntegralConfig]{
	plainOption("guarantee_type", func(c *IntegralConfig) *GuaranteeType { return &c.Type }, func(v any) (GuaranteeType, *fault) {
		e, wrong := enum(v, guaranteeNames)
		return GuaranteeType(e), wrong
	}),
	plainOption("resource_flow", func(c *IntegralConfig) *resource.Partial { return &c.Flow }, amounts),
	plainOption("burst_guarantee_resources", func(c *IntegralConfig) *resource.Partial { return &c.Burst }, amounts),
	realOption("relaxed_share_multiplier_limit", 1, 10, func(c *IntegralConfig) *Optional[float64] { return &c.RelaxedLimit }),
	boolOption("can_accept_free_volume", func(c *IntegralConfig) *Optional[bool] { return &c.AcceptFreeVolume }),
	boolOption("should_distribute_free_volume_among_children", func(c *IntegralConfig) *Optional[bool] { return &c.DistributeFreeVolume }),
}

// isPoolOption reports whether a pool has an option of the name.
func isPoolOption(name string) bool { return hasOption(poolOptions, name) }

func setWeight(c *PoolConfig, v any, p Profile) *fault {
	w, wrong := realIn(p.weightRange())(v)
	if wrong == nil {
		c.Weight = Some(w)
	}
	return wrong
}

// setPoolThreshold reads the threshold; null leaves it to the parent.
func setPoolThreshold(c *PoolConfig, v any, _ Profile) *fault {
	if v == nil {
		return nil
	}
	p, wrong := amounts(v)
	if wrong == nil {
		c.NonPreemptibleThreshold = Some(p)
	}
	return wrong
}

// setPresetList reads the list of presets, a custom attribute where pools have one
// preset at most (core/spec/scheduling.md §4.4).
func setPresetList(c *PoolConfig, v any, p Profile) *fault {
	if !p.listsPresets() {
		return nil
	}
	names, wrong := texts(v)
	if wrong == nil {
		c.Presets = names
	}
	return wrong
}

// pendingAllocations is what newer schedulers call pending_job_count in fifo_sort_parameters.
const pendingAllocations = "pending_allocation_count"

func fifoKeys(v any) ([]FIFOKey, *fault) {
	l, wrong := list(v)
	if wrong != nil {
		return nil, wrong
	}
	if len(l) == 0 {
		return nil, outOfRange("at least one parameter", "none")
	}
	var keys []FIFOKey
	for _, item := range l {
		if item == pendingAllocations {
			item = keyNames[ByPendingJobs]
		}
		k, wrong := enum(item, keyNames)
		if wrong != nil {
			return nil, wrong
		}
		keys = append(keys, FIFOKey(k))
	}
	return keys, nil
}

// nested reads a map by options of its own. The first fault is its fault.
func nested[C any](v any, options []option[C]) (c C, wrong *fault) {
	m, wrong := mapping(v)
	if wrong != nil {
		return c, wrong
	}
	if errs := parseAttributes(&c, options, m, 0); len(errs) > 0 {
		e := errs[0]
		return c, &fault{e.Rule, e.Option + ": " + e.Detail}
	}
	return c, nil
}

func integral(v any) (IntegralConfig, *fault) { return nested(v, integralOptions) }

func subpool(v any) (Subpool, *fault) { return nested(v, subpoolOptions) }

// historicUsage reads historic_usage_config: the decay per second of the
// exponential moving average, absent where the aggregation mode is none
// (core/spec/fair-share.md §2.2).
func historicUsage(v any) (Optional[float64], *fault) {
	const defaultAlpha = 1.0 / 86400
	m, wrong := mapping(v)
	if wrong != nil {
		return Optional[float64]{}, wrong
	}
	mode := 0
	if name, set := m["aggregation_mode"]; set && name != nil {
		if mode, wrong = enum(name, averageNames); wrong != nil {
			return Optional[float64]{}, wrong
		}
	}
	alpha := defaultAlpha
	if x, set := m["ema_alpha"]; set && x != nil {
		if alpha, wrong = realIn(0, maxFinite)(x); wrong != nil {
			return Optional[float64]{}, wrong
		}
	}
	return Optional[float64]{alpha, mode == 1}, nil
}

func oneText(v any) ([]string, *fault) {
	s, wrong := text(v)
	return []string{s}, wrong
}

func isThere(any) (bool, *fault) { return true, nil }

func profilingTags(v any) ([]string, *fault) {
	tags, wrong := texts(v)
	if wrong == nil && len(tags) > 200 {
		wrong = outOfRange("at most 200 tags", len(tags))
	}
	return tags, wrong
}

func offloading(v any) ([]Offload, *fault) {
	m, wrong := mapping(v)
	if wrong != nil {
		return nil, wrong
	}
	var out []Offload
	for _, tree := range sortedNames(m) {
		settings, wrong := mapping(m[tree])
		if wrong != nil {
			return nil, wrong
		}
		o := Offload{Tree: tree}
		if pool, set := settings["pool"]; set && pool != nil {
			if o.Pool, wrong = text(pool); wrong != nil {
				return nil, wrong
			}
		}
		out = append(out, o)
	}
	return out, nil
}

// ParsePool reads the options of a pool. The configuration is usable where
// options are at fault: they stay absent.
func ParsePool(p Profile, a Attributes) (PoolConfig, []*RuleError) {
	var c PoolConfig
	errs := parseAttributes(&c, poolOptions, a, p)
	return c, append(errs, c.check()...)
}

// check returns where options of the pool contradict each other
// (core/spec/scheduling.md §4.2, §4.3). Only explicit values are compared.
func (c *PoolConfig) check() (errs []*RuleError) {
	add := func(r Rule, option, detail string) {
		errs = append(errs, &RuleError{Rule: r, Option: option, Detail: detail})
	}
	if running, all := c.MaxRunningOperationCount, c.MaxOperationCount; running.Set && all.Set && running.Value > all.Value {
		add(RunningAboveTotal, "max_running_operation_count", fmt.Sprintf("%d above %d", running.Value, all.Value))
	}
	if c.mode() == FIFO && c.CreateSubpools {
		add(FIFOEphemeral, "create_ephemeral_subpools", "")
	}
	if c.Integral.Type == Relaxed && !c.Integral.Burst.IsEmpty() {
		add(BurstOnRelaxed, integralName, "")
	}
	if c.Metering && !c.Owner {
		add(MeteringWithoutOwner, "metering_tags", "")
	}
	return errs
}
