package pooltree

import (
	"slices"

	"poolproof/core/resource"
)

// An OperationConfig holds an operation's own settings in one tree
// (core/spec/scheduling.md §3.3).
type OperationConfig struct {
	OperationSettings

	Pool            string // requested, "": the user's
	ResourceLimits  resource.Partial
	StrongGuarantee resource.Partial
	TagFilter       Formula

	Gang                bool     // is_gang
	Modules             []string // scheduling_segment_modules; nil: any
	Media               Media
	Graceful            bool // preemption_mode is graceful
	ApplyLimitsToDemand bool // apply_specified_resource_limits_to_demand
	EraseViolatedTrees  bool // erase_trees_with_pool_limit_violations
	ConsiderGuarantees  bool // consider_guarantees_for_single_tree
}

// OperationSettings are those of an operation's settings in a tree that a log may
// change one by one: what is absent stays as it was.
type OperationSettings struct {
	Weight        Optional[float64]
	MaxShareRatio Optional[float64]
	Segment       Optional[Segment] // scheduling_segment

	FairShareStarvationTolerance Optional[float64]
	FairShareStarvationTimeout   Optional[Milliseconds]
	MinSharePreemptionTimeout    Optional[Milliseconds]
	EnableAggressiveStarvation   Optional[bool]
	MaxUnpreemptibleJobs         Optional[int64]            // max_unpreemptible_job_count
	NonPreemptibleThreshold      Optional[resource.Partial] // non_preemptible_resource_usage_threshold; current only
	LimitingAncestorCheck        Optional[bool]             // enable_limiting_ancestor_check
	SeveralJobs                  Optional[bool]             // enable_multiple_jobs_in_allocation
}

// Override takes over what a change sets.
func (s *OperationSettings) Override(c *OperationSettings) {
	override(&s.Weight, c.Weight)
	override(&s.MaxShareRatio, c.MaxShareRatio)
	override(&s.Segment, c.Segment)
	override(&s.FairShareStarvationTolerance, c.FairShareStarvationTolerance)
	override(&s.FairShareStarvationTimeout, c.FairShareStarvationTimeout)
	override(&s.MinSharePreemptionTimeout, c.MinSharePreemptionTimeout)
	override(&s.EnableAggressiveStarvation, c.EnableAggressiveStarvation)
	override(&s.MaxUnpreemptibleJobs, c.MaxUnpreemptibleJobs)
	override(&s.NonPreemptibleThreshold, c.NonPreemptibleThreshold)
	override(&s.LimitingAncestorCheck, c.LimitingAncestorCheck)
	override(&s.SeveralJobs, c.SeveralJobs)
}

// DropIgnored makes absent what the scheduler of a profile ignores.
func (s *OperationSettings) DropIgnored(p Profile) {
	c := OperationConfig{OperationSettings: *s}
	dropIgnored(&c, operationOptions, p)
	*s = c.OperationSettings
}

func override[T any](to *Optional[T], by Optional[T]) {
	if by.Set {
		*to = by
	}
}

// operationOptions are the options of a spec that scheduling looks at, beyond
// those of its trees.
var operationOptions = slices.Concat(mediumOptions(), []option[OperationConfig]{
	plainOption("pool", func(c *OperationConfig) *string { return &c.Pool }, text).says("pool of the operation"),
	custom("weight", realIn(0, maxFinite).Value, setOperationWeight),
	shareOption("max_share_ratio", func(c *OperationConfig) *Optional[float64] { return &c.MaxShareRatio }).ignoredBy(Current),
	custom("resource_limits", amounts.Value, setOperationLimits),
	plainOption(strongName, func(c *OperationConfig) *resource.Partial { return &c.StrongGuarantee }, amounts).also("min_share_resources"),
	plainOption("scheduling_tag_filter", func(c *OperationConfig) *Formula { return &c.TagFilter }, tagFilter).also("scheduling_tag"),
	shareOption("fair_share_starvation_tolerance", func(c *OperationConfig) *Optional[float64] { return &c.FairShareStarvationTolerance }),
	durationOption("fair_share_starvation_timeout", func(c *OperationConfig) *Optional[Milliseconds] { return &c.FairShareStarvationTimeout }).also("fair_share_preemption_timeout"),
	durationOption("min_share_preemption_timeout", func(c *OperationConfig) *Optional[Milliseconds] { return &c.MinSharePreemptionTimeout }).ignoredBy(Baseline, Current),
	boolOption("enable_aggressive_starvation", func(c *OperationConfig) *Optional[bool] { return &c.EnableAggressiveStarvation }).ignoredBy(Current),
	custom("max_unpreemptible_job_count", countFrom(0).Value, setUnpreemptible).also("max_unpreemptible_allocation_count").says("most jobs of the operation that are not preempted"),
	custom(thresholdName, Value{Type: Amounts, Replaces: true}, setOperationThreshold),
	custom("is_gang", boolean.Value, setGang).says("whether the jobs of the operation run all together or not at all"),
	plainOption("preemption_mode", func(c *OperationConfig) *bool { return &c.Graceful }, choice(graceNames...)).says("how jobs of the operation are preempted: normal or graceful"),
	flagOption("apply_specified_resource_limits_to_demand", func(c *OperationConfig) *bool { return &c.ApplyLimitsToDemand }).says("whether the demand of the operation is capped by its own resource limits"),
	boolOption("enable_limiting_ancestor_check", func(c *OperationConfig) *Optional[bool] { return &c.LimitingAncestorCheck }),
	boolOption("enable_multiple_jobs_in_allocation", func(c *OperationConfig) *Optional[bool] { return &c.SeveralJobs }).says("whether an allocation serves one job after another"),
	flagOption("erase_trees_with_pool_limit_violations", func(c *OperationConfig) *bool { return &c.EraseViolatedTrees }).says("whether the operation starts in its other trees where its pool has no room in one"),
	flagOption("consider_guarantees_for_single_tree", func(c *OperationConfig) *bool { return &c.ConsiderGuarantees }).says("whether the choice of a single tree looks at the guarantees of the pool in each"),
	enumOption("scheduling_segment", segmentNames, func(c *OperationConfig) *Optional[Segment] { return &c.Segment }).says("segment of nodes that the operation runs in"),
	plainOption("scheduling_segment_modules", func(c *OperationConfig) *[]string { return &c.Modules }, texts).also("scheduling_modules").says("modules in which an operation of the segment large_gpu may run"),
})

// setGang reads is_gang. Tasks with gang_options make a gang, too.
func setGang(c *OperationConfig, v any, _ Profile) *fault {
	gang, wrong := readBoolean(v)
	c.Gang = c.Gang || gang
	return wrong
}

func setOperationWeight(c *OperationConfig, v any, p Profile) *fault {
	w, wrong := realIn(p.weightRange()).read(v)
	if wrong == nil {
		c.Weight = Some(w)
	}
	return wrong
}

// setOperationLimits replaces the limits by those of a tree where the latter
// name any (core/spec/fair-share.md §2.4).
func setOperationLimits(c *OperationConfig, v any, _ Profile) *fault {
	limits, wrong := readAmounts(v)
	if wrong == nil && !limits.IsEmpty() {
		c.ResourceLimits = limits
	}
	return wrong
}

// setUnpreemptible reads the number of protected jobs; current takes none but zero
// (core/spec/scheduling.md §15 (8)).
func setUnpreemptible(c *OperationConfig, v any, p Profile) *fault {
	n, wrong := countFrom(0).read(v)
	if wrong != nil {
		return wrong
	}
	if p == Current {
		if n != 0 {
			return outOfRange("zero: "+thresholdName+" has taken its place", v)
		}
		return nil
	}
	c.MaxUnpreemptibleJobs = Some(n)
	return nil
}

func setOperationThreshold(c *OperationConfig, v any, _ Profile) *fault {
	if v == nil {
		return nil
	}
	threshold, wrong := readAmounts(v)
	if wrong == nil {
		c.NonPreemptibleThreshold = Some(threshold)
	}
	return wrong
}

// ParseOperation reads an operation's settings in a tree: the spec, then over
// it the tree's entry of scheduling_options_per_pool_tree. Names and aliases
// are resolved in each map by itself (core/spec/scheduling.md §17.2).
func ParseOperation(p Profile, spec Attributes, tree string) (OperationConfig, []*RuleError) {
	var c OperationConfig
	errs := parseAttributes(&c, operationOptions, spec, p)
	for _, name := range perTreeOptions() {
		trees, _ := attributeMap(spec[name])
		if options, ok := attributeMap(trees[tree]); ok {
			return c, append(errs, parseAttributes(&c, operationOptions, options, p)...)
		}
	}
	return c, errs
}
