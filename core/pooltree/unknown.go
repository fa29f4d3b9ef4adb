package pooltree

import (
	"fmt"
	"slices"

	"poolproof/core/spelling"
)

// names are all names of options, other names included.
func names[C any](options []option[C]) []string { return appendNames(nil, options) }

// withoutEffect are options of today's scheduler that nothing here goes by
// (core/spec/scheduling.md §3.5). A name that a pool or an operation holds may be the user's own:
// these are not.
var withoutEffect = []string{
	// Of trees.
	"use_precommit_for_preemption", "enable_improved_fair_share_by_fit_factor_computation_distribution_gap",
	"enable_fast_fifo_fair_share_by_fit_factor_computation", "max_discretized_steps",
	"enable_preliminary_resource_limits_check", "min_job_resource_limits", "max_job_resource_limits", "guaranteed_job_resources",
	"min_node_resource_limits", "min_node_resource_limits_check_period", "allow_single_job_large_gpu_operations_in_multiple_trees",
	"enable_absolute_fair_share_starvation_tolerance", "enable_unrecognized_alert", "enable_detailed_starvation_logs",
	"enable_detailed_logs_for_starving_operations", "enable_detailed_logs_for_single_allocation_vanilla_operations",
	"sparsify_fair_share_profiling", "max_event_log_pool_batch_size", "max_event_log_operation_batch_size",
	// Of pools.
	"waiting_for_resources_on_node_timeout", "historic_usage_aggregation_period", "redirect_to_cluster", "enable_by_user_profiling",
	// Of operations.
	"allow_offloading", "require_specified_pools_existence",
}

// OptionOfToday returns an option in a tree's attributes, or in a pool's, that schedulers of 2023 and
// before do not have, the first by the alphabet, or "" if there is none. New names of older options do
// not count: an export with them means the same.
func OptionOfToday(a Attributes, ofTree bool) string {
	if ofTree {
		return optionOfToday(treeOptions, a)
	}
	return optionOfToday(poolOptions, a)
}

func optionOfToday[C any](options []option[C], a Attributes) string {
	for _, name := range sortedNames(a) {
		if o := optionOf(options, name); o != nil && slices.Contains(o.ignoring, Baseline) && !slices.Contains(o.ignoring, Current) {
			return name
		}
	}
	return ""
}

// describeUnknown says of a name that no option has what was meant by it, or who knows it.
func describeUnknown(name string, known []string) string {
	if slices.Contains(withoutEffect, name) {
		return fmt.Sprintf("%q is an option of newer schedulers that is not modelled", name)
	}
	if near := spelling.Near(name, known); len(near) > 0 {
		return fmt.Sprintf("%q; did you mean %s?", name, spelling.Either(near))
	}
	return fmt.Sprintf("%q", name)
}

// UnknownTreeOptions returns the names in a tree's attributes, and in those of them that are
// maps, that no option has. In the old layout the attributes that a cluster keeps of every object
// stand beside the options.
func UnknownTreeOptions(a Attributes, oldLayout bool) []*RuleError {
	besides := names(poolOptions) // told by NotATreeAttribute
	if oldLayout {
		besides = append(besides, objectAttributes...)
	}
	return unknown(treeOptions, a, besides, func(string) bool { return true })
}

// UnknownPoolOptions returns the same of a pool. An unknown attribute of a pool is a custom one
// (core/spec/scheduling.md §3.2), unless it is close to the name of an option.
func UnknownPoolOptions(a Attributes) []*RuleError {
	known := names(poolOptions)
	return unknown(poolOptions, a, objectAttributes, func(name string) bool { return isSuspect(name, known) })
}

// UnknownInside returns the same of the value of one option of a tree or a pool that is a map.
func UnknownInside(option string, v any) []*RuleError {
	a := Attributes{option: v}
	if IsTreeOption(option) {
		return UnknownTreeOptions(a, false)
	}
	return UnknownPoolOptions(a)
}

// UnknownSpecOption says what an operation's spec may have meant by a name, "" if the name is an
// option or not close to one: a spec holds much that scheduling does not ask for.
func UnknownSpecOption(name string) string {
	if known := SpecOptions(); !slices.Contains(known, name) && !slices.Contains(specKeys, name) && isSuspect(name, known) {
		return describeUnknown(name, known)
	}
	return ""
}

// isSuspect reports whether a name that may be a user's own is likely meant as an option.
func isSuspect(name string, known []string) bool {
	return slices.Contains(withoutEffect, name) || isTypo(name, known)
}

// isTypo reports whether a name differs from a known one by a few letters.
func isTypo(name string, known []string) bool {
	const shortest = 6 // shorter names resemble others by chance
	return len(name) >= shortest && len(spelling.Near(name, known)) > 0
}

// unknown returns the names in attributes that are neither of an option nor among those besides,
// and that count.
func unknown[C any](options []option[C], a Attributes, besides []string, counts func(name string) bool) (errs []*RuleError) {
	known := names(options)
	for _, name := range sortedNames(a) {
		o := optionOf(options, name)
		switch {
		case o != nil:
			errs = append(errs, unknownKeys(name, a[name], o.inside)...)
		case !slices.Contains(besides, name) && counts(name):
			errs = append(errs, &RuleError{Rule: UnknownOption, Option: name, Detail: describeUnknown(name, known)})
		}
	}
	return errs
}

// unknownKeys returns the keys of an option's value that it does not have.
func unknownKeys(option string, v any, inside []string) (errs []*RuleError) {
	m, ok := attributeMap(v)
	if !ok || inside == nil {
		return nil
	}
	for _, key := range sortedNames(m) {
		if !slices.Contains(inside, key) {
			errs = append(errs, &RuleError{Rule: UnknownOption, Option: option, Detail: describeUnknown(key, inside)})
		}
	}
	return errs
}

// objectAttributes are attributes that a cluster keeps of every tree or pool.
var objectAttributes = []string{
	"access_counter", "access_time", "account", "acl", "attribute_revision", "builtin", "child_count", "config", "content_revision",
	"count", "creation_time", "effective_acl", "ephemeral_ref_counter", "estimated_creation_time", "external", "folder_id", "foreign",
	"full_path", "id", "inherit_acl", "key", "life_stage", "lock_count", "lock_mode", "locks", "modification_time", "name",
	"native_cell_tag", "opaque", "opaque_attribute_keys", "owner", "parent_id", "parent_name", "path", "pool_count", "ref_counter",
	"resource_usage", "revision", "sharded_id", "type", "user_attribute_keys", "user_attributes", "weak_ref_counter",
}

// specKeys are keys of specs that resemble options of scheduling and are not.
var specKeys = []string{
	"job_count", "max_failed_job_count", "max_speculative_job_count_per_task", "max_stderr_count", "resource_limits", "scheduling_options",
	"time_limit", "max_job_count", "min_job_count", "data_weight_per_job", "user_slots", "input_table_paths", "output_table_paths",
	"partition_job_count", "sort_job_count", "merge_job_count", "map_job_count", "reduce_job_count", "reduce_by", "partition_by", "suspend_on_job_failure",
}
