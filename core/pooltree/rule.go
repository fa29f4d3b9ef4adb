package pooltree

import (
	"fmt"
	"strings"
)

// A Rule names what a configuration must obey (core/spec/scheduling.md §4).
type Rule string

// Rules of names and shape (§4.1).
const (
	NameEmpty          Rule = "name_empty"
	NameReserved       Rule = "name_reserved"
	NameTooLong        Rule = "name_too_long"
	NamePattern        Rule = "name_pattern"
	DuplicateName      Rule = "duplicate_name"
	DuplicateTree      Rule = "duplicate_tree"
	NoSuchTree         Rule = "no_such_tree"
	NoSuchPool         Rule = "no_such_pool"
	NoSuchParent       Rule = "no_such_parent"
	Depth              Rule = "depth"
	SubtreeSize        Rule = "subtree_size"
	MoveIntoDescendant Rule = "move_into_descendant"
	MoveBetweenTrees   Rule = "move_between_trees"
)

// Rules of values (§3, §4.2).
const (
	WrongType         Rule = "wrong_type"
	OutOfRange        Rule = "out_of_range"
	BadFormula        Rule = "bad_formula"
	AliasConflict     Rule = "alias_conflict"
	NullThreshold     Rule = "null_threshold"
	NotATreeAttribute Rule = "not_a_tree_attribute"
)

// Rules between options and between pools (§3.1, §4.2 to §4.4).
const (
	RunningAboveTotal      Rule = "running_above_total"
	FIFOEphemeral          Rule = "fifo_ephemeral"
	FIFOWithChildren       Rule = "fifo_with_children"
	GuaranteeWithoutParent Rule = "guarantee_without_parent"
	GuaranteeSum           Rule = "guarantee_sum"
	MainResource           Rule = "main_resource"
	IntegralUnderIntegral  Rule = "integral_under_integral"
	BurstOnRelaxed         Rule = "burst_on_relaxed"
	MeteringWithoutOwner   Rule = "metering_without_owner"
	ThresholdOrder         Rule = "threshold_order"
	TimeoutOrder           Rule = "timeout_order"
	SSDFilterRequired      Rule = "ssd_filter_required"
	UnknownPreset          Rule = "unknown_preset"
	PresetOption           Rule = "preset_option"
)

// Rules between trees (§2.3).
const (
	NoDefaultTree      Rule = "no_default_tree"
	OverlappingFilters Rule = "overlapping_filters"
)

// Rules of what is legal and yet not what its writer can have meant
// (core/spec/invariants.md §2). Nobody refuses such a configuration.
const (
	GuaranteeAboveTotal Rule = "guarantee_above_total"
	WaitingTimeout      Rule = "waiting_timeout"
	NoDefaultParent     Rule = "no_default_parent"
	Oversubscribed      Rule = "oversubscribed"
	LimitBelowGuarantee Rule = "limit_below_guarantee"
	IgnoredTimeout      Rule = "ignored_timeout"
	IncompleteIntegral  Rule = "incomplete_integral"
)

// meanings say what a rule asks for, as the end of "pool p: ".
var meanings = map[Rule]string{
	NameEmpty:              "a name must not be empty",
	NameReserved:           "the name <Root> is the root's",
	NameTooLong:            "a name has at most 100 characters",
	NamePattern:            "the name has characters that names may not have",
	DuplicateName:          "the tree has a pool of that name",
	DuplicateTree:          "there is a tree of that name",
	NoSuchTree:             "there is no such tree",
	NoSuchPool:             "there is no such pool",
	NoSuchParent:           "there is no such parent",
	Depth:                  "pools stand at most 30 levels deep",
	SubtreeSize:            "the top-level pool would hold too many pools",
	MoveIntoDescendant:     "a pool cannot stand below itself",
	MoveBetweenTrees:       "a pool cannot move to another tree",
	WrongType:              "the value has the wrong type",
	OutOfRange:             "the value is out of range",
	BadFormula:             "the value is no formula of tags",
	AliasConflict:          "the option and its alias cannot both be set",
	NullThreshold:          "the threshold may be empty, but not null",
	NotATreeAttribute:      "this is an attribute of pools",
	RunningAboveTotal:      "max_running_operation_count exceeds max_operation_count",
	FIFOEphemeral:          "a FIFO pool cannot create ephemeral subpools",
	FIFOWithChildren:       "a FIFO pool cannot have child pools",
	GuaranteeWithoutParent: "the parent has no guarantee of this resource",
	GuaranteeSum:           "the children's guarantees exceed the parent's",
	MainResource:           "a strong guarantee must name the tree's main resource",
	IntegralUnderIntegral:  "a pool below a burst or relaxed pool cannot have a flow or a burst guarantee",
	BurstOnRelaxed:         "a relaxed pool cannot have a burst guarantee",
	MeteringWithoutOwner:   "metering_tags need abc",
	ThresholdOrder:         "aggressive_preemption_satisfaction_threshold exceeds preemption_satisfaction_threshold",
	TimeoutOrder:           "fair_share_aggressive_starvation_timeout is less than fair_share_starvation_timeout",
	SSDFilterRequired:      "ssd_priority_preemption needs a node_tag_filter",
	UnknownPreset:          "the tree has no preset of that name",
	PresetOption:           "a preset cannot hold this option",
	NoDefaultTree:          "the default tree does not exist",
	OverlappingFilters:     "a node belongs to several trees",
	GuaranteeAboveTotal:    "the top-level pools are guaranteed more than the tree has",
	WaitingTimeout:         "waiting_job_timeout is less than job_interrupt_timeout",
	NoDefaultParent:        "default_parent_pool does not exist, so that ephemeral pools stand under the root",
	Oversubscribed:         "the children may have more operations than the pool itself",
	LimitBelowGuarantee:    "resource_limits are below the strong guarantee, which they make void",
	IgnoredTimeout:         "min_share_preemption_timeout means nothing to this scheduler",
	IncompleteIntegral:     "the integral guarantee lacks an amount, which counts as zero",
}

// StopsUpdate reports whether the scheduler itself refuses a set of pools, or
// of trees, that breaks the rule, and keeps the old set (core/spec/scheduling.md
// §2.3, §4.4, §4.5). The other rules are kept by the store of the configuration
// alone, or by nobody.
func (r Rule) StopsUpdate() bool {
	switch r {
	case NameEmpty, NameReserved, DuplicateName, NoSuchParent, MoveIntoDescendant,
		WrongType, OutOfRange, BadFormula, AliasConflict,
		NullThreshold, RunningAboveTotal, FIFOEphemeral, FIFOWithChildren, BurstOnRelaxed,
		ThresholdOrder, TimeoutOrder, SSDFilterRequired, UnknownPreset, PresetOption, NoDefaultTree, OverlappingFilters:
		return true
	}
	return false
}

// A RuleError is one illegal spot of a configuration.
type RuleError struct {
	Rule   Rule
	Tree   string // "" where only one is meant
	Pool   string // "" for the tree itself
	Option string // the attribute, "" for the object as a whole
	Detail string // what was found, "" if the rule says it all
}

func (e *RuleError) Error() string {
	var b strings.Builder
	if e.Tree != "" {
		fmt.Fprintf(&b, "tree %s: ", e.Tree)
	}
	if e.Pool != "" {
		fmt.Fprintf(&b, "pool %s: ", e.Pool)
	}
	if e.Option != "" {
		fmt.Fprintf(&b, "%s: ", e.Option)
	}
	b.WriteString(meanings[e.Rule])
	if e.Detail != "" {
		fmt.Fprintf(&b, " (%s)", e.Detail)
	}
	return b.String()
}
