package trace

import "strings"

// vocabulary has the words of the columns that hold enumerations (ingest/trace/FORMAT.md §3.2), by what they are
// of. A source may have others, which are kept verbatim: they are texts of a stranger.
var vocabulary = map[string]string{
	"how a row is known":       "recorded reconstructed sampled snapshot derived export event assumed nodes_info heartbeat",
	"states of allocations":    "scheduled waiting running finishing finished",
	"changes of allocations":   "state start preempt abort usage",
	"ends":                     "completed failed aborted running unknown lost",
	"states of operations":     "none starting orphaned waiting_for_agent initializing preparing materializing revive_initializing reviving reviving_jobs pending running completing completed aborting aborted failing failed",
	"events of operations":     "started prepared materialized running pending suspended resumed pool_changed params_changed rejected erased_from_tree banned_in_tree revived starvation_started starvation_finished completed failed aborted",
	"events of processes":      "scheduler_started master_connected master_disconnected alert_raised alert_cleared",
	"types of operations":      "map merge erase sort reduce map_reduce remote_copy join_reduce vanilla",
	"types of jobs":            "map partition_map sorted_merge ordered_merge unordered_merge partition simple_sort final_sort sorted_reduce partition_reduce reduce_combiner remote_copy intermediate_sort ordered_map join_reduce vanilla shallow_merge scheduler_unknown",
	"competitions of jobs":     "none speculative probing experiment layer_probing",
	"how jobs continue others": "preemption interruption job_split job_lost lost",
	"modes of preemption":      "abort interrupt graceful normal",
	"reasons of interruptions": "none preemption user_request job_split unknown jobs_disabled_on_node",
	"reasons of preemptions": "preemption aggressive_preemption ssd_preemption ssd_aggressive_preemption default_gpu_full_host_preemption graceful_preemption " +
		"resource_overcommit resource_limits_violated incompatible_scheduling_segment full_host_aggressive_preemption eviction_from_scheduling_module " +
		"operation_bound_to_other_module node_unschedulable operation_unregistered unexpected_allocation",
	"reasons of aborts": "none scheduler failed_chunks resource_overdraft other preemption user_request node_offline waiting_timeout account_limit_exceeded " +
		"get_spec_failed unknown revival_confirmation_timeout intermediate_chunk_limit_exceeded node_banned speculative_run_won speculative_run_lost " +
		"chunk_mapping_invalidated node_with_disabled_jobs node_scheduling_segment_changed node_fair_share_tree_changed job_on_unexpected_node " +
		"shallow_merge_failed inconsistent_job_state job_statistics_wait_timeout operation_failed job_revival_disabled banned_in_tentative_tree " +
		"disappeared_from_node unconfirmed operation_suspended probing_run_won probing_run_lost probing_to_unsuccessful_job job_proxy_failed " +
		"interruption_timeout node_resource_overcommit probing_competitor_result_lost speculative_competitor_result_lost job_treatment_failed " +
		"job_treatment_result_lost job_treatment_to_unsuccessful_job job_treatment_run_lost job_treatment_run_won operation_completed " +
		"operation_aborted operation_finished job_memory_thrashing interruption_unsupported abandoned job_settlement_timed_out " +
		"nonexistent_pool_tree wrong_scheduling_segment_module unresolved_node_id root_volume_preparation_failed scheduling_timeout " +
		"scheduling_resource_overcommit scheduling_operation_suspended scheduling_job_spec_throttling scheduling_other " +
		"scheduling_operation_disabled scheduling_operation_is_not_alive",
	"priorities of preemption": "none normal aggressive ssd_normal ssd_aggressive default_gpu_full_host",
	"levels of preemption":     "ssd_non_preemptible ssd_aggressively_preemptible non_preemptible aggressively_preemptible preemptible",
	"stages of scheduling": "regular_high_priority regular_medium_priority regular_packing_fallback non_preemptive packing_fallback preemptive " +
		"preemptive_normal preemptive_aggressive preemptive_ssd_normal preemptive_ssd_aggressive preemptive_default_gpu_full_host",
	"starvation": "non_starving starving aggressively_starving",
	"why operations cannot get jobs": "is_not_running suspended no_pending_jobs no_pending_allocations max_schedule_job_calls_violated " +
		"max_schedule_allocation_calls_violated fifo_schedulable_element_count_limit_reached",
	"alerts": "update_pools update_config update_fair_share update_archive_version sync_cluster_directory unrecognized_config_options " +
		"operations_archivation jobs_archivation update_nodes_failed nodes_without_pool_tree scheduler_cannot_connect " +
		"invalid_pool_tree_template_config_set too_few_controller_agents_alive update_user_to_default_pool_map update_default_user_pools_failed " +
		"operation_alert_archivation manage_scheduling_segments update_ssd_priority_preemption_media found_nodes_with_unsupported_preemption archive_is_outdated",
	"scheduling segments": "default large_gpu",
	"modes of pools":      "fair_share fifo",
	"integral guarantees": "none burst relaxed",
	"resources":           "user_slots cpu gpu memory network",
}

// Words are the words of the format's enumerations and the names of its columns.
func Words() (words []string) {
	for _, text := range vocabulary {
		words = append(words, strings.Fields(text)...)
	}
	for _, table := range Tables {
		for _, c := range table.Columns {
			words = append(words, c.Name)
		}
	}
	return words
}
