package pooltree

// An OptionInfo is an option of a configuration as a person reads about it.
type OptionInfo struct {
	Holder  string // tree, pool, operation or cluster
	Name    string
	Aliases []string // other names that it goes by
	Meaning string   // a sentence without its full stop
}

// Options are all options that configurations and specs of operations are read for.
func Options() (all []OptionInfo) {
	all = appendOptions(all, "cluster", clusterOptions)
	all = appendOptions(all, "tree", treeOptions)
	all = appendOptions(all, "pool", poolOptions)
	all = appendOptions(all, "operation", operationOptions)
	all = appendOptions(all, "operation", treeSpecOptions)
	perTree := perTreeOptions()
	return append(all, OptionInfo{"operation", perTree[0], perTree[1:], optionMeanings[perTree[0]]})
}

func appendOptions[C any](all []OptionInfo, holder string, options []option[C]) []OptionInfo {
	for i := range options {
		o := &options[i]
		all = append(all, OptionInfo{holder, o.name, o.aliases, optionMeanings[o.name]})
	}
	return all
}

// optionMeanings say what options do; core/spec/scheduling.md has their types, defaults and
// rules.
var optionMeanings = map[string]string{
	"abc": "accounting data of the pool, which scheduling does not look at",
	"accumulated_resource_usage_update_period":        "how often the usage that operations accumulate is reported",
	"aggressive_preemption_satisfaction_threshold":    "part of its fair share that aggressive preemption leaves to an operation",
	"allow_aggressive_preemption":                     "whether jobs of operations in the pool may be preempted aggressively, that is, within their fair share",
	"allow_aggressive_preemption_for_gang_operations": "whether jobs of gangs may be preempted aggressively",
	"allow_gang_operations_only_in_fifo_pools":        "whether gangs may start in FIFO pools only",
	"allow_normal_preemption":                         "whether the normal stage may preempt jobs of operations in the pool",
	"allow_preemption_from_starving_operations":       "whether jobs of an operation that starves itself may be preempted",
	"allow_regular_jobs_on_ssd_nodes":                 "whether jobs without SSD may start on nodes of the SSD priority; any pool above that forbids it counts",
	"allowed_profiling_tags":                          "tags under which operations may report metrics",
	"allowed_resource_usage_staleness":                "how old a snapshot of the usage may be that scheduling goes by",
	"always_allow_gang_operations":                    "whether gangs may start in the pool though the tree confines them to FIFO pools",
	"apply_specified_resource_limits_to_demand":       "whether the demand of the operation is capped by its own resource limits",
	"batch_operation_scheduling":                      "how many operations a heartbeat considers before the others, and what it spares for them",
	"best_allocation_ratio_update_period":             "how often the largest share is computed that the nodes could give to an operation",
	"cached_job_preemption_statuses_update_period":    "how often the preemption lists of jobs are saved for operations that are disabled meanwhile",
	"check_operation_for_liveness_in_preschedule":     "whether a heartbeat passes over operations that have ended meanwhile",
	"compute_promised_guarantee_fair_share":           "whether the part of the fair share that guarantees promise is computed for the pool's subtree",
	"config_preset":                                   "preset of the tree whose options the pool takes over",
	"config_presets":                                  "presets of the tree whose options the pool takes over, the later over the earlier",
	"consider_guarantees_for_single_tree":             "whether the choice of a single tree looks at the guarantees of the pool in each",
	"create_ephemeral_subpools":                       "whether every user gets an own pool below this one",
	"default_parent_pool":                             "pool below which ephemeral pools are made",
	"default_tree":                                    "tree of operations that name none",
	"enable_aggressive_starvation":                    "whether what starves for long may starve aggressively",
	"enable_conditional_preemption":                   "whether a heartbeat preempts jobs only if these make room for the starving operation",
	"enable_fair_share_truncation_in_fifo_pool":       "whether an operation in a FIFO pool whose jobs cannot run with its share gets none",
	"enable_guarantee_priority_scheduling":            "whether operations below what their pools were promised go first",
	"enable_lightweight_operations":                   "whether operations that take few resources do not count against the limit of running operations",
	"enable_limiting_ancestor_check":                  "whether the operation fails if its smallest job exceeds a limit of its own or of a pool above it for long",
	"enable_pool_starvation":                          "whether pools may starve, and not only operations",
	"enable_resource_usage_snapshot":                  "whether scheduling goes by a snapshot of the usage",
	"enable_scheduling_tags":                          "whether filters of tags of pools and operations count",
	"ephemeral_subpool_config":                        "options of the pools that create_ephemeral_subpools makes",
	"erase_trees_with_pool_limit_violations":          "whether the operation starts in its other trees where its pool has no room in one",
	"fail_remote_copy_on_missing_resource_limits":     "whether a remote copy without required resource limits is refused",
	"fair_share_aggressive_starvation_timeout":        "time below the fair share until an operation or pool starves aggressively",
	"fair_share_starvation_timeout":                   "time below the fair share until an operation or pool starves",
	"fair_share_starvation_tolerance":                 "part of the fair share below which usage counts as too low",
	"fifo_pool_scheduling_order":                      "whether operations of FIFO pools are considered in the order of the pool or by satisfaction",
	"fifo_sort_parameters":                            "what the order of a FIFO pool goes by: start_time, weight, pending_job_count",
	"forbid_immediate_operations":                     "whether operations may run in pools below it only",
	"forbid_immediate_operations_in_root":             "whether operations may run in pools only, and not in the root",
	"historic_usage_config":                           "how usage of the past changes the weights of children",
	"infer_children_weights_from_historic_usage":      "whether usage of the past changes the weights of children",
	"infer_weight_from_guarantees_share_multiplier":   "factor from the share of its guarantees to the weight of a pool that names none",
	"integral_guarantees":                             "burst and relaxed guarantees, which accumulate volume by a flow of resources; of a tree, how volumes accumulate",
	"is_gang":                                         "whether the jobs of the operation run all together or not at all",
	"job_count_preemption_timeout_coefficient":        "factor that shortens the timeouts of operations with few jobs",
	"job_graceful_interrupt_timeout":                  "time that a job has to finish that is preempted gracefully",
	"job_interrupt_timeout":                           "time that a preempted job has to finish",
	"main_resource":                                   "resource that every strong guarantee names, and others are inferred from",
	"mapper":                                          "the mapper's resources and kind of job",
	"max_ephemeral_pools_per_user":                    "most ephemeral pools of a user",
	"max_operation_count":                             "most operations, waiting ones included",
	"max_operation_count_per_pool":                    "most operations of a pool that names no limit",
	"max_running_operation_count":                     "most running operations",
	"max_running_operation_count_per_pool":            "most running operations of a pool that names no limit",
	"max_schedulable_element_count_in_fifo_pool":      "most operations of a FIFO pool that are schedulable without a fair share",
	"max_share_ratio":                                 "largest share of the tree",
	"max_unpreemptible_job_count":                     "most jobs of the operation that are not preempted",
	"max_unpreemptible_running_job_count":             "most jobs of an operation that are not preempted: the user_slots of the threshold where it names none",
	"metering_tags":                                   "tags under which usage is metered",
	"min_child_heap_size":                             "number of children from which a pool keeps them in a heap",
	"min_share_preemption_timeout":                    "time below the strong guarantee until an operation or pool starves",
	"mode":                                            "how the pool shares among its children: fair_share or fifo",
	"nodes_filter":                                    "tags of the nodes that serve the tree",
	"non_preemptible_resource_usage_threshold":        "usage up to which jobs of an operation are not preempted",
	"non_tentative_operation_types":                   "types of operations that start in no tentative tree",
	"offloading_settings":                             "trees into which operations of the pool may start as well, and their pools there",
	"packing":                                         "how heartbeats prefer operations whose jobs leave little of a node unused",
	"pool":                                            "pool of the operation",
	"pool_config_presets":                             "options by name that pools may take over",
	"pool_trees":                                      "trees of the operation",
	"preemption_check_satisfaction":                   "whether preemption stops where it would reverse the order of satisfaction",
	"preemption_check_starvation":                     "whether preemption stops where an operation or a pool would starve by it",
	"preemption_mode":                                 "how jobs of the operation are preempted: normal or graceful",
	"preemption_satisfaction_threshold":               "part of its fair share that preemption leaves to an operation",
	"preemptive_scheduling_backoff":                   "least time between two preemptive attempts on a node",
	"probing_pool_tree":                               "tree in which the operation tries out a few jobs",
	"reduce_combiner":                                 "the combiner's resources and kind of job",
	"reducer":                                         "the reducer's resources and kind of job",
	"required_resource_limits_for_remote_copy":        "resource limits that a remote copy has to name",
	"resource_limits":                                 "most resources at a time",
	"running_job_statistics_update_period":            "how often statistics of running jobs are reported",
	"schedule_in_single_tree":                         "whether the operation keeps one tree of those that it names",
	"scheduling_options_per_pool_tree":                "options of the operation by tree",
	"scheduling_preemption_priority_scope":            "whether the starvation of pools above gives an operation the priority to preempt, or its own alone",
	"scheduling_segment":                              "segment of nodes that the operation runs in",
	"scheduling_segment_modules":                      "modules in which an operation of the segment large_gpu may run",
	"scheduling_segments":                             "how nodes are divided among operations with large GPU jobs and others",
	"scheduling_tag_filter":                           "tags that a node has to have for jobs to start there",
	"should_distribute_free_volume_among_children":    "whether volume that a pool cannot accumulate goes to others",
	"ssd_priority_preemption":                         "nodes on which jobs with SSD go before others, and their media",
	"strong_guarantee_resources":                      "resources that are guaranteed at any time",
	"tasks":                                           "tasks of a vanilla operation, with their resources and numbers of jobs",
	"tentative_pool_trees":                            "trees in which the operation may be banned",
	"tentative_tree_eligibility":                      "how the operation is judged in tentative trees",
	"tentative_tree_saturation_deactivation_period":   "for how long an operation is held back in a tentative tree that its jobs have saturated",
	"total_resource_limits_consider_delay":            "time from a start of the scheduler until totals of filtered nodes count",
	"use_default_tentative_pool_trees":                "whether the operation starts in the tentative trees of the cluster as well",
	"use_pool_satisfaction_for_scheduling":            "whether the order of pools goes by their own satisfaction and not by their worst operation",
	"use_resource_usage_with_precommit":               "whether usage includes what is about to start",
	"use_user_default_parent_pool_map":                "whether users have default parent pools of their own",
	"waiting_job_timeout":                             "time after which a node aborts a job that waits for resources",
	"weight":                                          "weight in the division of what is left among siblings",
	"trees":                                           "trees of the cluster",
	"fair_share_update_period":                        "how often fair shares are computed",
	"watchers_update_period":                          "how often configurations are read",
	"pending_by_pool_operation_scan_period":           "how often queues are scanned for operations that may run",
	"nodes_attributes_update_period":                  "how often the tags of nodes are read",
	"min_spare_job_resources_on_node":                 "what a node has to have left for a heartbeat to schedule more",
	"max_started_jobs_per_heartbeat":                  "most jobs that a heartbeat starts",
	"allowed_node_resources_overcommit_duration":      "how long a node may hold more than it has before jobs are taken away",
	"schedule_job_fail_backoff_time":                  "time for which an operation is passed over after it failed to schedule a job",
	"enable_job_abort_on_zero_user_slots":             "whether the jobs of a node without user slots are aborted",
	"node_heartbeat_timeout":                          "time without a heartbeat after which a node is lost with its jobs",
	"user_to_default_pool_map":                        "default parent pools by user",
	"default_tentative_pool_trees":                    "tentative trees of operations that ask for the default ones",
	"enable_schedule_in_single_tree":                  "whether operations may ask for a single tree",
	"template_pool_tree_config_map":                   "options that patch those of trees whose names match",
}
