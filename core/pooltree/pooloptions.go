package pooltree

import (
	"fmt"
	"slices"

	"poolproof/core/resource"
)

// A PoolConfig holds the options of a pool (core/spec/scheduling.md §3.2). The zero
// value is a pool with default options.
type PoolConfig struct {
	Mode     Optional[Mode]
	FIFOSort []FIFOKey // nil: the default, weight then start time
	Weight   Optional[float64]

	MaxOperationCount        Optional[int64]
	MaxRunningOperationCount Optional[int64]
	ForbidImmediate          bool              // forbid_immediate_operations
	CreateSubpools           bool              // create_ephemeral_subpools
	Subpools                 Optional[Subpool] // ephemeral_subpool_config
	LightweightOps           Optional[bool]    // enable_lightweight_operations
	AlwaysAllowGangs         bool              // always_allow_gang_operations, current only

	ResourceLimits  resource.Partial
	Overcommit      resource.Partial // resource_limits_overcommit_tolerance
	MaxShareRatio   Optional[float64]
	StrongGuarantee resource.Partial
	Integral        IntegralConfig
	TagFilter       Formula // scheduling_tag_filter

	FairShareStarvationTolerance Optional[float64]
	FairShareStarvationTimeout   Optional[Milliseconds]
	MinSharePreemptionTimeout    Optional[Milliseconds]
	EnableAggressiveStarvation   Optional[bool]
	AllowAggressivePreemption    Optional[bool]
	AllowNormalPreemption        Optional[bool]
	AllowRegularJobsOnSSD        Optional[bool]
	NonPreemptibleThreshold      Optional[resource.Partial] // a map, even an empty one, replaces the parent's

	FIFOOrder        Optional[FIFOOrder]
	FIFOTruncation   Optional[bool]
	PoolSatisfaction Optional[bool]

	StepFunctionForGangs Optional[bool] // enable_step_function_for_gang_operations
	PriorityGuarantee    Optional[bool] // enable_priority_strong_guarantee_adjustment
	GuaranteeDonor       Optional[bool] // enable_priority_strong_guarantee_adjustment_donorship

	PriorityModules   bool              // enable_priority_scheduling_segment_module_assignment
	PromisedGuarantee bool              // compute_promised_guarantee_fair_share
	InferFromHistory  bool              // infer_children_weights_from_historic_usage
	HistoryAlpha      Optional[float64] // historic_usage_config: decay per second; absent: no history

	// Listed: a scheduler listed the pool's options. It leaves out what it does not know, so that it
	// ignores none of them.
	Listed bool

	Presets    []string // config_preset, or the list config_presets
	Offloading []Offload
	Owner      bool // abc is set
	Metering   bool // metering_tags are set
}

// mode returns the pool's mode.
func (c *PoolConfig) mode() Mode { return c.Mode.Or(FairShare) }

// IntegralConfig is the option integral_guarantees of a pool.
type IntegralConfig struct {
	Type         GuaranteeType
	Flow         resource.Partial  // resource_flow
	Burst        resource.Partial  // burst_guarantee_resources
	RelaxedLimit Optional[float64] // relaxed_share_multiplier_limit

	AcceptFreeVolume     Optional[bool] // can_accept_free_volume
	DistributeFreeVolume Optional[bool] // should_distribute_free_volume_among_children
}

// A Subpool is the option ephemeral_subpool_config: the settings of the
// ephemeral pools below a pool (core/spec/scheduling.md §5.1).
type Subpool struct {
	Mode                     Optional[Mode]
	MaxOperationCount        Optional[int64]
	MaxRunningOperationCount Optional[int64]
	ResourceLimits           resource.Partial
}

// config returns the settings of an ephemeral pool below the pool.
func (s *Subpool) config() PoolConfig {
	return PoolConfig{
		Mode: s.Mode, MaxOperationCount: s.MaxOperationCount,
		MaxRunningOperationCount: s.MaxRunningOperationCount, ResourceLimits: s.ResourceLimits,
	}
}

// An Offload is an entry of offloading_settings (core/spec/scheduling.md §2.4).
type Offload struct {
	Tree string
	Pool string // "": the pool the operation has at home
}

// poolOptions are the options of a pool (core/spec/scheduling.md §3.2).
var poolOptions = slices.Concat(
	group("shares",
		custom("weight", realIn(0, maxFinite).Value, setWeight).says("weight in the division of what is left among siblings"),
		plainOption(strongName, func(c *PoolConfig) *resource.Partial { return &c.StrongGuarantee }, amounts).also("min_share_resources").says("resources that are guaranteed at any time"),
		boolOption("enable_priority_strong_guarantee_adjustment", func(c *PoolConfig) *Optional[bool] { return &c.PriorityGuarantee }).says("whether the strong guarantee is scaled down after those of other pools").ignoredBy(beforeCurrent...),
		boolOption("enable_priority_strong_guarantee_adjustment_donorship", func(c *PoolConfig) *Optional[bool] { return &c.GuaranteeDonor }).says("whether priority pools below this one take what others below it lose").ignoredBy(beforeCurrent...),
		boolOption("enable_step_function_for_gang_operations", func(c *PoolConfig) *Optional[bool] { return &c.StepFunctionForGangs }).says("whether gangs directly in the pool have a fair share of all or nothing, where the tree has it so").ignoredBy(beforeCurrent...),
		plainOption(integralName, func(c *PoolConfig) *IntegralConfig { return &c.Integral }, mapOf(integralOptions)).also("integral-guarantees"),
	),
	group("limits",
		plainOption("resource_limits", func(c *PoolConfig) *resource.Partial { return &c.ResourceLimits }, amounts).says("most resources at a time"),
		plainOption("resource_limits_overcommit_tolerance", func(c *PoolConfig) *resource.Partial { return &c.Overcommit }, amounts).also("specified_resource_limits_overcommit_tolerance").says("resources by which starts that preempt may exceed resource_limits"),
		shareOption("max_share_ratio", func(c *PoolConfig) *Optional[float64] { return &c.MaxShareRatio }).says("largest share of the tree").ignoredBy(Current),
		countOption("max_operation_count", 0, func(c *PoolConfig) *Optional[int64] { return &c.MaxOperationCount }),
		countOption("max_running_operation_count", 0, func(c *PoolConfig) *Optional[int64] { return &c.MaxRunningOperationCount }),
		boolOption(lightweightName, func(c *PoolConfig) *Optional[bool] { return &c.LightweightOps }).says("whether operations that take few resources do not count against the limit of running operations").inPresets(),
	),
	group("order",
		enumOption("mode", modeNames, func(c *PoolConfig) *Optional[Mode] { return &c.Mode }).says("how the pool shares among its children: fair_share or fifo"),
		plainOption("fifo_sort_parameters", func(c *PoolConfig) *[]FIFOKey { return &c.FIFOSort }, reader[[]FIFOKey]{Value{Type: WordList, Words: []string{keyNames[ByStartTime], keyNames[ByWeight], keyNames[ByPendingJobs], pendingAllocations}}, fifoKeys}).says("what the order of a FIFO pool goes by: start_time, weight, pending_job_count"),
		enumOption("fifo_pool_scheduling_order", orderNames, func(c *PoolConfig) *Optional[FIFOOrder] { return &c.FIFOOrder }).ignoredBy(Current),
		boolOption("enable_fair_share_truncation_in_fifo_pool", func(c *PoolConfig) *Optional[bool] { return &c.FIFOTruncation }).also("truncate_fifo_pool_unsatisfied_child_fair_share"),
	),
	group("starvation",
		durationOption("fair_share_starvation_timeout", func(c *PoolConfig) *Optional[Milliseconds] { return &c.FairShareStarvationTimeout }).also("fair_share_preemption_timeout").inPresets(),
		shareOption("fair_share_starvation_tolerance", func(c *PoolConfig) *Optional[float64] { return &c.FairShareStarvationTolerance }).inPresets(),
		durationOption("min_share_preemption_timeout", func(c *PoolConfig) *Optional[Milliseconds] { return &c.MinSharePreemptionTimeout }).inPresets().ignoredBy(Baseline, Current),
		boolOption("enable_aggressive_starvation", func(c *PoolConfig) *Optional[bool] { return &c.EnableAggressiveStarvation }).inPresets(),
	),
	group("preemption",
		boolOption("allow_normal_preemption", func(c *PoolConfig) *Optional[bool] { return &c.AllowNormalPreemption }).says("whether the normal stage may preempt jobs of operations in the pool").inPresets(),
		boolOption("allow_aggressive_preemption", func(c *PoolConfig) *Optional[bool] { return &c.AllowAggressivePreemption }).also("allow_aggressive_starvation_preemption").says("whether jobs of operations in the pool may be preempted aggressively, that is, within their fair share").inPresets(),
		custom(thresholdName, Value{Type: Amounts, Replaces: true}, setPoolThreshold),
	),
	group("placement",
		plainOption("scheduling_tag_filter", func(c *PoolConfig) *Formula { return &c.TagFilter }, tagFilter).also("scheduling_tag").says("tags that a node has to have for jobs to start there"),
		flagOption("forbid_immediate_operations", func(c *PoolConfig) *bool { return &c.ForbidImmediate }).says("whether operations may run in pools below it only"),
		flagOption("create_ephemeral_subpools", func(c *PoolConfig) *bool { return &c.CreateSubpools }).says("whether every user gets an own pool below this one"),
		optional("ephemeral_subpool_config", func(c *PoolConfig) *Optional[Subpool] { return &c.Subpools }, mapOf(subpoolOptions)).says("options of the pools that create_ephemeral_subpools makes"),
	),
	group("other",
		plainOption("abc", func(c *PoolConfig) *bool { return &c.Owner }, by(isThere)).says("accounting data of the pool, which scheduling does not look at"),
		checked[PoolConfig]("allow_idle_cpu_policy", boolean).says("whether operations of the pool may ask for the policy of idle cpu"),
		boolOption("allow_regular_jobs_on_ssd_nodes", func(c *PoolConfig) *Optional[bool] { return &c.AllowRegularJobsOnSSD }).also("allow_regular_allocations_on_ssd_nodes").says("whether jobs without SSD may start on nodes of the SSD priority; any pool above that forbids it counts").inPresets(),
		checked[PoolConfig]("allowed_profiling_tags", by(profilingTags)).says("tags under which operations may report metrics"),
		flagOption("always_allow_gang_operations", func(c *PoolConfig) *bool { return &c.AlwaysAllowGangs }).says("whether gangs may start in the pool though the tree confines them to FIFO pools"),
		flagOption("compute_promised_guarantee_fair_share", func(c *PoolConfig) *bool { return &c.PromisedGuarantee }).says("whether the part of the fair share that guarantees promise is computed for the pool's subtree"),
		plainOption("config_preset", func(c *PoolConfig) *[]string { return &c.Presets }, reader[[]string]{text.Value, oneText}).says("preset of the tree whose options the pool takes over"),
		custom("config_presets", Value{}, setPresetList).says("presets of the tree whose options the pool takes over, the later over the earlier"),
		checked[PoolConfig]("enable_detailed_logs", boolean).says("whether the scheduler logs in detail what it does for the pool"),
		flagOption("enable_priority_scheduling_segment_module_assignment", func(c *PoolConfig) *bool { return &c.PriorityModules }).says("whether operations of the pool are assigned modules before others"),
		plainOption("historic_usage_config", func(c *PoolConfig) *Optional[float64] { return &c.HistoryAlpha }, reader[Optional[float64]]{mapOf(historyOptions).Value, historicUsage}).says("how usage of the past changes the weights of children"),
		flagOption("infer_children_weights_from_historic_usage", func(c *PoolConfig) *bool { return &c.InferFromHistory }).says("whether usage of the past changes the weights of children"),
		plainOption("metering_tags", func(c *PoolConfig) *bool { return &c.Metering }, by(isThere)),
		plainOption("offloading_settings", func(c *PoolConfig) *[]Offload { return &c.Offloading }, by(offloading)).says("trees into which operations of the pool may start as well, and their pools there"),
		boolOption("use_pool_satisfaction_for_scheduling", func(c *PoolConfig) *Optional[bool] { return &c.PoolSatisfaction }).ignoredBy(Current),
	),
)

// subpoolOptions are the options of ephemeral_subpool_config.
var subpoolOptions = []option[Subpool]{
	enumOption("mode", modeNames, func(c *Subpool) *Optional[Mode] { return &c.Mode }),
	countOption("max_operation_count", 0, func(c *Subpool) *Optional[int64] { return &c.MaxOperationCount }),
	countOption("max_running_operation_count", 0, func(c *Subpool) *Optional[int64] { return &c.MaxRunningOperationCount }),
	plainOption("resource_limits", func(c *Subpool) *resource.Partial { return &c.ResourceLimits }, amounts),
}

// integralOptions are the options of integral_guarantees.
var integralOptions = []option[IntegralConfig]{
	plainOption("guarantee_type", func(c *IntegralConfig) *GuaranteeType { return &c.Type }, word[GuaranteeType](guaranteeNames)),
	plainOption("burst_guarantee_resources", func(c *IntegralConfig) *resource.Partial { return &c.Burst }, amounts),
	plainOption("resource_flow", func(c *IntegralConfig) *resource.Partial { return &c.Flow }, amounts),
	realOption("relaxed_share_multiplier_limit", 1, 10, func(c *IntegralConfig) *Optional[float64] { return &c.RelaxedLimit }),
	boolOption("can_accept_free_volume", func(c *IntegralConfig) *Optional[bool] { return &c.AcceptFreeVolume }),
	boolOption("should_distribute_free_volume_among_children", func(c *IntegralConfig) *Optional[bool] { return &c.DistributeFreeVolume }),
}

// isPoolOption reports whether a pool has an option of the name.
func isPoolOption(name string) bool { return optionOf(poolOptions, name) != nil }

func setWeight(c *PoolConfig, v any, p Profile) *fault {
	w, wrong := realIn(p.weightRange()).read(v)
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
	p, wrong := readAmounts(v)
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
	names, wrong := readTexts(v)
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

// A usageHistory is the option historic_usage_config.
type usageHistory struct {
	averages bool // aggregation_mode is exponential_moving_average
	alpha    Optional[float64]
}

var historyOptions = []option[usageHistory]{
	plainOption("aggregation_mode", func(h *usageHistory) *bool { return &h.averages }, choice(averageNames...)),
	realOption("ema_alpha", 0, maxFinite, func(h *usageHistory) *Optional[float64] { return &h.alpha }),
}

// historicUsage reads historic_usage_config: the decay per second of the
// exponential moving average, absent where the aggregation mode is none
// (core/spec/fair-share.md §2.2).
func historicUsage(v any) (Optional[float64], *fault) {
	const defaultAlpha = 1.0 / 86400
	h, wrong := mapOf(historyOptions).read(v)
	if wrong != nil {
		return Optional[float64]{}, wrong
	}
	return Optional[float64]{h.alpha.Or(defaultAlpha), h.averages}, nil
}

func oneText(v any) ([]string, *fault) {
	s, wrong := readText(v)
	return []string{s}, wrong
}

func isThere(any) (bool, *fault) { return true, nil }

func profilingTags(v any) ([]string, *fault) {
	tags, wrong := readTexts(v)
	if wrong == nil && len(tags) > 200 {
		wrong = outOfRange("at most 200 tags", len(tags))
	}
	return tags, wrong
}

func offloading(v any) ([]Offload, *fault) {
	m, wrong := readMap(v)
	if wrong != nil {
		return nil, wrong
	}
	var out []Offload
	for _, tree := range sortedNames(m) {
		settings, wrong := readMap(m[tree])
		if wrong != nil {
			return nil, wrong
		}
		o := Offload{Tree: tree}
		if pool, set := settings["pool"]; set && pool != nil {
			if o.Pool, wrong = readText(pool); wrong != nil {
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
