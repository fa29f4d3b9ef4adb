package pooltree

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"poolproof/core/spec"
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

// Rules of configurations that are legal but hardly meant so (core/spec/invariants.md §2). No
// component refuses such a configuration.
const (
	GuaranteeAboveTotal Rule = "guarantee_above_total"
	WaitingTimeout      Rule = "waiting_timeout"
	NoDefaultParent     Rule = "no_default_parent"
	Oversubscribed      Rule = "oversubscribed"
	LimitBelowGuarantee Rule = "limit_below_guarantee"
	IgnoredOption       Rule = "ignored_option"
	IncompleteIntegral  Rule = "incomplete_integral"
	FlowRoundsToZero    Rule = "flow_rounds_to_zero"
	UnknownOption       Rule = "unknown_option"
)

// NotImportable is what a cluster may hold and an import does not take. Readers find it.
const NotImportable Rule = "not_importable"

// A statement is what is to be said of a rule.
type statement struct {
	invariant     string // its id in core/spec/rules.txt, "" if it has none
	severity      spec.Severity
	stopsUpdate   bool
	meaning       string // what it asks for, as the end of "pool p: "
	why, whatToDo string
}

// ofRule leaves the severity to the invariant.
const ofRule spec.Severity = ""

// Whether a set that breaks the rule is refused by the scheduler.
const (
	refused = true
	kept    = false
)

var statements = map[Rule]statement{
	NameEmpty: {"CFG-01", ofRule, refused,
		"a name must not be empty",
		"Pools and trees are addressed by their names.",
		"Give it a name."},
	NameReserved: {"CFG-01", ofRule, refused,
		"the name <Root> is the root's",
		"The root of every tree has that name, and cannot be configured as a pool.",
		"Choose another name; what is meant for the root is an option of the tree."},
	NameTooLong: {"CFG-01", ofRule, kept,
		"a name has at most 100 characters",
		"A cluster stores no longer name.",
		"Shorten the name."},
	NamePattern: {"CFG-01", spec.Info, kept,
		"the name has characters that the default pattern of names does not have",
		"By default a cluster takes the characters a-z, 0-9, - and _, of administrators also A-Z, the colon and, since 25.2, the dot; $ separates a pool from its user's subpool. The pattern is a setting of the cluster, so that the name can be legal. A name in a log is.",
		"Check the pattern of the cluster, or rename it."},
	DuplicateName: {"CFG-01", ofRule, refused,
		"the tree has a pool of that name",
		"A pool is named without its path, so a name stands once in its whole tree, at whatever depth. The second one was left out of all other checks.",
		"Rename one of the two."},
	DuplicateTree: {"", spec.Critical, kept,
		"there is a tree of that name",
		"Names identify trees.",
		"Rename one of the two."},
	NoSuchTree: {"", spec.Major, kept,
		"there is no such tree",
		"An object belongs to a tree that is there.",
		"Create the tree first, or mend its name."},
	NoSuchPool: {"", spec.Major, kept,
		"there is no such pool",
		"Only a pool that is there can be changed.",
		"Create the pool first, or mend its name."},
	NoSuchParent: {"", spec.Critical, refused,
		"there is no such parent",
		"A pool stands under a pool of its tree, or under the root. In a trace the parent may be missing because its row is.",
		"Create the parent first, or mend its name."},
	Depth: {"CFG-15", ofRule, kept,
		"pools stand at most 30 levels deep",
		"A cluster takes no deeper tree of explicit pools.",
		"Move the pool up."},
	SubtreeSize: {"CFG-15", ofRule, kept,
		"the top-level pool would hold too many pools",
		"The scheduler bounds what hangs below one top-level pool (max_scheduler_pool_subtree_size, 1000 by default).",
		"Split the top-level pool, or raise the bound of the cluster."},
	MoveIntoDescendant: {"", spec.Critical, refused,
		"a pool cannot stand below itself",
		"The pools would form a ring that no root holds.",
		"Move the pool elsewhere."},
	MoveBetweenTrees: {"", spec.Major, kept,
		"a pool cannot move to another tree",
		"Pools of two trees are unrelated, whatever their names.",
		"Create the pool in the other tree and remove it here."},
	WrongType: {"", spec.Major, refused,
		"the value has the wrong type",
		"The value is of another type than the option. A cluster keeps the value it had.",
		"Write a value of the type that is named."},
	OutOfRange: {"CFG-07", ofRule, refused,
		"the value is out of range",
		"The value means nothing to the scheduler: a share is from 0 to 1, a count is not negative, a weight is in the range of its profile.",
		"Write a value in the range that is named."},
	BadFormula: {"", spec.Major, refused,
		"the value is no formula of tags",
		"A filter of node tags has names, !, &, |, brackets, %true and %false. The position counts bytes from 1.",
		"Write at that position what is expected there."},
	AliasConflict: {"CFG-08", ofRule, refused,
		"the option and its alias cannot both be set",
		"Both names are of one option, and which of the values counts is not defined.",
		"Keep one of the two."},
	NullThreshold: {"", spec.Major, refused,
		"the threshold may be empty, but not null",
		"A null would leave open whether anything is protected.",
		"Write {} to protect nothing, or remove the option."},
	NotATreeAttribute: {"", spec.Minor, kept,
		"this is an attribute of pools",
		"The option is of pools, and does nothing on a tree.",
		"Set it on the pools that it is meant for."},
	RunningAboveTotal: {"CFG-03", ofRule, refused,
		"max_running_operation_count exceeds max_operation_count",
		"An operation counts in both limits, so the lower one would always be first. Only what the pool itself sets is compared.",
		"Lower max_running_operation_count, or raise max_operation_count."},
	FIFOEphemeral: {"CFG-02", ofRule, refused,
		"a FIFO pool cannot create ephemeral subpools",
		"A FIFO pool orders operations; it cannot order the pools of its users.",
		"Remove create_ephemeral_subpools, or the mode fifo."},
	FIFOWithChildren: {"CFG-02", ofRule, refused,
		"a FIFO pool cannot have child pools",
		"A FIFO pool orders operations; it has no pools below.",
		"Move the pool elsewhere, or make its parent a fair_share pool."},
	GuaranteeWithoutParent: {"CFG-04", ofRule, kept,
		"the parent has no guarantee of this resource",
		"A pool can only pass on what its parent is guaranteed. Even a guarantee of 0 counts.",
		"Guarantee the resource to the parent as well, or remove it here."},
	GuaranteeSum: {"CFG-04", ofRule, kept,
		"the children's guarantees exceed the parent's",
		"What the parent is guaranteed is divided among its children; they cannot be promised more. Nothing is compared with the root.",
		"Lower the children's guarantees, or raise the parent's."},
	MainResource: {"CFG-05", ofRule, kept,
		"a strong guarantee must name the tree's main resource",
		"Weights and ratios of guarantees are computed from the tree's main resource.",
		"Add the main resource to the guarantee; 0 will do."},
	IntegralUnderIntegral: {"CFG-06", ofRule, kept,
		"a pool below a burst or relaxed pool cannot have a flow or a burst guarantee",
		"One pool accumulates for its whole subtree.",
		"Remove the flow or burst guarantee here, or the guarantee_type above."},
	BurstOnRelaxed: {"CFG-06", ofRule, refused,
		"a relaxed pool cannot have a burst guarantee",
		"A relaxed pool spends what it accumulated without a fixed burst.",
		"Remove burst_guarantee_resources, or make the type burst."},
	MeteringWithoutOwner: {"", spec.Minor, kept,
		"metering_tags need abc",
		"Usage is metered for the service that owns the pool.",
		"Set abc, or remove metering_tags."},
	ThresholdOrder: {"CFG-07", ofRule, refused,
		"aggressive_preemption_satisfaction_threshold exceeds preemption_satisfaction_threshold",
		"Aggressive preemption takes jobs that ordinary preemption must leave, never the other way round.",
		"Lower the aggressive threshold, or raise preemption_satisfaction_threshold."},
	TimeoutOrder: {"CFG-07", ofRule, refused,
		"fair_share_aggressive_starvation_timeout is less than fair_share_starvation_timeout",
		"Who starves aggressively has starved before. Where only one of the two is set, it is compared with the other's default.",
		"Raise the aggressive timeout, or lower fair_share_starvation_timeout."},
	SSDFilterRequired: {"", spec.Major, refused,
		"ssd_priority_preemption needs a node_tag_filter",
		"Without a filter every node would be reserved for SSD operations.",
		"Set ssd_priority_preemption/node_tag_filter, or turn enable off."},
	UnknownPreset: {"CFG-12", ofRule, refused,
		"the tree has no preset of that name",
		"The store takes the name; the scheduler then refuses all pools of the tree.",
		"Add the preset to pool_config_presets, or mend the name."},
	PresetOption: {"CFG-12", ofRule, refused,
		"a preset cannot hold this option",
		"A preset holds options of starvation and preemption only. The scheduler refuses all pools of the tree.",
		"Move the option to the pools that use the preset."},
	NoDefaultTree: {"", spec.Major, refused,
		"the default tree does not exist",
		"The scheduler refuses the whole set of trees while the default tree is missing from it.",
		"Create the tree, or name another in default_tree."},
	OverlappingFilters: {"TREE-01", ofRule, refused,
		"a node belongs to several trees",
		"A node serves one tree. One that several claim goes offline, and a set of trees that would claim a known node twice is refused.",
		"Change one of the filters, or the tags of the node."},
	GuaranteeAboveTotal: {"CFG-09", ofRule, kept,
		"the top-level pools are guaranteed more than the tree has",
		"The scheduler scales such guarantees down, all of them. Up to 2 % is taken for a node that is away.",
		"Lower the guarantees, or add nodes."},
	WaitingTimeout: {"CFG-10", ofRule, kept,
		"waiting_job_timeout is less than job_interrupt_timeout",
		"A job that waits for the room of an interrupted one gives up before that has left.",
		"Raise waiting_job_timeout to job_interrupt_timeout (10000 ms by default) or more."},
	NoDefaultParent: {"CFG-11", ofRule, kept,
		"default_parent_pool does not exist, so that ephemeral pools stand under the root",
		"Operations without a pool get one under the root instead.",
		"Create the pool, or mend default_parent_pool."},
	Oversubscribed: {"CFG-13", ofRule, kept,
		"the children may have more operations than the pool itself",
		"The limit of a pool may stop its children before their own limits do, so the children cannot count on theirs.",
		"Nothing, if no child was promised its number; otherwise lower theirs, or raise the pool's."},
	LimitBelowGuarantee: {"CFG-14", ofRule, kept,
		"resource_limits are below the strong guarantee, which they make void",
		"The pool can never use what it is guaranteed.",
		"Raise the limit, or lower the guarantee."},
	IgnoredOption: {"CFG-16", ofRule, kept,
		"the scheduler of this profile ignores the option",
		"Schedulers of another age know it, as baseline and current know no starvation for the strong guarantee.",
		"Remove it, or judge by another --profile."},
	IncompleteIntegral: {"CFG-17", ofRule, kept,
		"the integral guarantee lacks an amount, which counts as zero",
		"A burst pool needs resource_flow and burst_guarantee_resources, a relaxed one resource_flow; what is missing counts as zero, and the guarantee gives nothing.",
		"Set what is missing, or the guarantee_type none."},
	FlowRoundsToZero: {"CFG-18", ofRule, kept,
		"the flow is so small that rounding leaves nothing of it",
		"A volume of cpu is kept in hundredths of a core·second and rounded at each update, so that a flow below 0.005 by the update period in seconds adds nothing. The capacity of a volume is rounded to whole units of each resource, and one of 0 holds the integral share at 0.",
		"Raise resource_flow, or make fair_share_update_period longer."},
	UnknownOption: {"", spec.Info, kept,
		"no option that is known here has the name, so that it has no effect",
		"The scheduler goes by its default instead of an option whose name is mistyped, and raises an alert since 25.1. An unknown attribute of a pool is a custom one, and is listed only if it resembles an option.",
		"Correct the name. If a newer scheduler has the option, results leave its effect out."},
	NotImportable: {"", spec.Major, kept,
		"an import does not take this",
		"A cluster may take it for a custom attribute. An import refuses the file, because a mistyped option would promise nothing without notice.",
		"Mend it as it says, or remove it."},
}

// Rules returns all rules, sorted.
func Rules() []Rule { return slices.Sorted(maps.Keys(statements)) }

// Invariant returns the rule's id in core/spec/rules.txt, "" if it has none.
func (r Rule) Invariant() string { return statements[r].invariant }

// Severity returns how much it matters that the rule is broken.
func (r Rule) Severity() spec.Severity {
	return cmp.Or(statements[r].severity, spec.Of(statements[r].invariant).Severity)
}

// StopsUpdate reports whether the scheduler itself refuses a set of pools, or of trees, that
// breaks the rule, and keeps the old set (core/spec/scheduling.md §2.3, §4.4, §4.5). The store of
// the configuration alone enforces the other rules, or no component does.
func (r Rule) StopsUpdate() bool { return statements[r].stopsUpdate }

// Meaning says what the rule asks for.
func (r Rule) Meaning() string { return statements[r].meaning }

// Why says why it is a rule.
func (r Rule) Why() string { return statements[r].why }

// WhatToDo says how to mend what breaks the rule.
func (r Rule) WhatToDo() string { return statements[r].whatToDo }

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
	b.WriteString(e.Rule.Meaning())
	if e.Detail != "" {
		fmt.Fprintf(&b, " (%s)", e.Detail)
	}
	return b.String()
}
