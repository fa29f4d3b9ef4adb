-- @audit     preemption_of_protected_job
-- @title     Preemption of a protected job
-- @promise   No job is preempted that its list, its operation, a pool above it or a threshold protects from the stage.
-- @invariant PRE-06, PRE-07, PRE-08, PRE-09, PRE-10, PRE-15, PRE-16, PRE-17, PRE-18, PRE-20, LST-03, LST-05
-- @judges    preemption_satisfaction_threshold:PRE-16,
--            aggressive_preemption_satisfaction_threshold:PRE-15,
--            preemption_check_starvation:PRE-08,
--            allow_aggressive_preemption_for_gang_operations:PRE-18,
--            allow_aggressive_preemption:PRE-17,
--            non_preemptible_resource_usage_threshold:LST-05
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @from      decisions
-- @source    core/spec/scheduling.md §8, §10.3
-- @why       Lists and satisfaction are recomputed. One job and 1 % of reported usage
--            either way are within doubt. Checks that the tree switched off and stages for
--            SSD are excused.
-- @tested
SELECT tree, kind, subject, from_time, to_time, missing FROM internal.decisions_tested([
  {'kind': 'preemption_satisfaction_threshold', 'invariant': 'PRE-16'},
  {'kind': 'aggressive_preemption_satisfaction_threshold', 'invariant': 'PRE-15'},
  {'kind': 'preemption_check_starvation', 'invariant': 'PRE-08'},
  {'kind': 'allow_aggressive_preemption_for_gang_operations', 'invariant': 'PRE-18'}])
UNION ALL
SELECT tree, kind, subject, from_time, to_time, missing FROM internal.protections_tested([
  {'kind': 'allow_aggressive_preemption', 'invariant': 'PRE-17'}, {'kind': 'non_preemptible_resource_usage_threshold', 'invariant': 'LST-05'}]);
