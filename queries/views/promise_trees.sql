-- What the settings of a tree promise: those that an audit judges.

-- The settings that trees state, one row per version and setting. value is the number
-- that is promised; a switch is there only where it promises something.
CREATE OR REPLACE VIEW internal.tree_settings AS
WITH each AS (
  SELECT tree, from_time, to_time, unnest([
    {'kind': 'max_operation_count', 'value': max_operation_count::DOUBLE},
    {'kind': 'max_running_operation_count', 'value': max_running_operation_count::DOUBLE},
    {'kind': 'max_operation_count_per_pool', 'value': max_operation_count_per_pool::DOUBLE},
    {'kind': 'max_running_operation_count_per_pool', 'value': max_running_operation_count_per_pool::DOUBLE},
    {'kind': 'max_ephemeral_pools_per_user', 'value': max_ephemeral_pools_per_user::DOUBLE},
    {'kind': 'fair_share_starvation_timeout', 'value': fair_share_starvation_timeout_ms / 1e3},
    {'kind': 'min_share_preemption_timeout', 'value': min_share_preemption_timeout_ms / 1e3},
    {'kind': 'fair_share_aggressive_starvation_timeout', 'value': fair_share_aggressive_starvation_timeout_ms / 1e3},
    {'kind': 'preemption_satisfaction_threshold', 'value': preemption_satisfaction_threshold},
    {'kind': 'aggressive_preemption_satisfaction_threshold', 'value': aggressive_preemption_satisfaction_threshold},
    {'kind': 'preemption_check_starvation', 'value': CASE WHEN preemption_check_starvation THEN 1 END},
    {'kind': 'allow_aggressive_preemption_for_gang_operations', 'value': CASE WHEN NOT allow_aggressive_preemption_for_gang_operations THEN 0 END},
    {'kind': 'allow_gang_operations_only_in_fifo_pools', 'value': CASE WHEN allow_gang_operations_only_in_fifo_pools THEN 1 END},
    {'kind': 'preemptive_scheduling_backoff', 'value': preemptive_scheduling_backoff_ms / 1e3},
    {'kind': 'job_interrupt_timeout', 'value': job_interrupt_timeout_ms / 1e3},
    {'kind': 'job_graceful_interrupt_timeout', 'value': job_graceful_interrupt_timeout_ms / 1e3},
    {'kind': 'enable_guarantee_priority_scheduling', 'value': CASE WHEN enable_guarantee_priority_scheduling THEN 1 END},
    {'kind': 'max_schedulable_element_count_in_fifo_pool', 'value': max_schedulable_element_count_in_fifo_pool::DOUBLE}]) AS one
  FROM tree_versions
  WHERE NOT assumed
)
SELECT tree, from_time, to_time, one.kind AS kind, one.value AS value FROM each WHERE one.value IS NOT NULL;

-- The most operations that a pool had to which a limit of the tree applies, one row per
-- limit and version of the pool or, if it has none, of the tree.
CREATE OR REPLACE VIEW internal.tree_crowds AS
SELECT s.tree, s.kind, f.from_time, f.to_time, max(f.operations) AS operations
FROM internal.promise_scopes AS s
JOIN (
  SELECT tree, pool, from_time, to_time, operations FROM internal.pool_facts
  UNION ALL
  SELECT tree, pool, from_time, to_time, operations FROM internal.loose_facts
) AS f ON f.tree = s.tree AND f.pool = s.pool
WHERE s.subject = '' AND starts_with(s.kind, 'max_')
GROUP BY s.tree, s.kind, f.from_time, f.to_time;

-- When something tested the promises that only trees make, other than limits of counts.
CREATE OR REPLACE VIEW internal.tree_tests AS
SELECT tree, 'fair_share_aggressive_starvation_timeout' AS kind, '' AS subject, aggressive_time AS from_time, to_time FROM starvation_episodes WHERE aggressive_time IS NOT NULL
UNION ALL
SELECT tree, unnest(['preemption_satisfaction_threshold', 'preemption_check_starvation', 'preemptive_scheduling_backoff', 'job_interrupt_timeout']), '', min(time), max(time)
FROM preemptions GROUP BY tree
UNION ALL
SELECT tree, unnest(['aggressive_preemption_satisfaction_threshold', 'allow_aggressive_preemption_for_gang_operations']), '', min(time), max(time)
FROM preemptions WHERE contains(reason, 'aggressive') GROUP BY tree
UNION ALL
SELECT tree, 'job_graceful_interrupt_timeout', '', min(time), max(time) FROM preemptions WHERE contains(reason, 'graceful') GROUP BY tree
UNION ALL
SELECT tree, 'max_ephemeral_pools_per_user', '', min(first_seen), NULL FROM pools WHERE is_ephemeral GROUP BY tree
UNION ALL
SELECT tree, 'enable_guarantee_priority_scheduling', '', min(start_time), max(start_time) FROM jobs GROUP BY tree
UNION ALL
SELECT s.tree, s.kind, '', f.from_time, f.to_time
FROM internal.tree_settings AS s JOIN internal.pool_facts AS f ON f.tree = s.tree JOIN pools AS p ON p.tree = f.tree AND p.pool = f.pool
WHERE s.kind = 'max_schedulable_element_count_in_fifo_pool' AND p.mode = 'fifo' AND f.operations > s.value
UNION ALL
SELECT tree, 'allow_gang_operations_only_in_fifo_pools', '', min(time), max(time) FROM admissions WHERE fifo_only AND action IN ('started', 'revived') GROUP BY tree;

-- When something tested the promises of pools and trees that are no limits of counts, for
-- ASOF joins (span_reach). This is a table, since each of the many views that use it would
-- be planned anew with all of it.
CREATE OR REPLACE TABLE internal.promise_tests AS
WITH tests AS (
  SELECT tree, kind, subject, from_time, to_time FROM internal.timeout_tests
  UNION ALL
  SELECT tree, kind, subject, from_time, to_time FROM internal.pool_setting_spans
  UNION ALL
  SELECT tree, kind, subject, from_time, to_time FROM internal.tree_tests
)
SELECT tree, kind, subject, from_time, reach FROM internal.span_reach('tests');

-- The promises of trees, one row per version and setting, in the columns of
-- promise_terms.
CREATE OR REPLACE VIEW internal.tree_promises AS
WITH crowds AS (
  SELECT s.tree, s.kind, s.from_time, max(c.operations) AS operations
  FROM internal.tree_settings AS s
  JOIN internal.tree_crowds AS c ON c.tree = s.tree AND c.kind = s.kind AND c.from_time < s.to_time AND c.to_time > s.from_time -- few per tree
  GROUP BY s.tree, s.kind, s.from_time
), tested AS (
  SELECT s.tree, s.kind, s.from_time
  FROM internal.tree_settings AS s
  ASOF JOIN internal.promise_tests AS x ON x.tree = s.tree AND x.kind = s.kind AND x.subject = '' AND x.from_time < s.to_time
  WHERE x.reach >= s.from_time
)
SELECT
  s.tree, s.kind,
  CASE s.kind
    WHEN 'max_operation_count' THEN printf('Tree %s has at most %s.', s.tree, internal.count_text(internal.whole(value), 'operation'))
    WHEN 'max_running_operation_count' THEN printf('Tree %s has at most %s.', s.tree, internal.count_text(internal.whole(value), 'running operation'))
    WHEN 'max_operation_count_per_pool' THEN printf('A pool of tree %s without a limit of its own has at most %s.', s.tree, internal.count_text(internal.whole(value), 'operation'))
    WHEN 'max_running_operation_count_per_pool' THEN printf('A pool of tree %s without a limit of its own has at most %s.', s.tree, internal.count_text(internal.whole(value), 'running operation'))
    WHEN 'max_ephemeral_pools_per_user' THEN printf('A user has at most %s in tree %s.', internal.count_text(internal.whole(value), 'ephemeral pool'), s.tree)
    WHEN 'fair_share_starvation_timeout' THEN printf('What is below its fair share in tree %s for %s is declared starving.', s.tree, internal.span_text(value))
    WHEN 'min_share_preemption_timeout' THEN printf('What is below its strong guarantee in tree %s for %s is declared starving.', s.tree, internal.span_text(value))
    WHEN 'fair_share_aggressive_starvation_timeout' THEN printf('Nothing in tree %s is declared aggressively starving before it was below its fair share for %s.', s.tree, internal.span_text(value))
    WHEN 'preemption_satisfaction_threshold' THEN printf('Preemption leaves operations of tree %s %s of their fair share.', s.tree, internal.share_text(value))
    WHEN 'aggressive_preemption_satisfaction_threshold' THEN printf('Aggressive preemption leaves operations of tree %s %s of their fair share.', s.tree, internal.share_text(value))
    WHEN 'preemption_check_starvation' THEN printf('What starves in tree %s loses no job to preemption.', s.tree)
    WHEN 'allow_aggressive_preemption_for_gang_operations' THEN printf('No gang operation of tree %s is preempted aggressively.', s.tree)
    WHEN 'allow_gang_operations_only_in_fifo_pools' THEN printf('Gang operations of tree %s start in FIFO pools only.', s.tree)
    WHEN 'preemptive_scheduling_backoff' THEN printf('Preemptive attempts on a node of tree %s are %s apart.', s.tree, internal.span_text(value))
    WHEN 'job_interrupt_timeout' THEN printf('A job of tree %s that is preempted has %s to finish.', s.tree, internal.span_text(value))
    WHEN 'enable_guarantee_priority_scheduling' THEN printf('On a node of tree %s operations of pools below their guarantees go first.', s.tree)
    WHEN 'max_schedulable_element_count_in_fifo_pool' THEN printf('Without a fair share no more than %s of a FIFO pool of tree %s may get jobs.', internal.count_text(internal.whole(value), 'operation'), s.tree)
    WHEN 'job_graceful_interrupt_timeout' THEN printf('A job of tree %s that is preempted gracefully has %s to finish.', s.tree, internal.span_text(value))
  END AS statement,
  CASE
    WHEN s.kind = 'min_share_preemption_timeout' AND t.profile IN ('baseline', 'current') OR s.kind = 'allow_gang_operations_only_in_fifo_pools' AND t.profile <> 'current'
      THEN printf('schedulers of the profile %s ignore it', t.profile)
  END AS impossible,
  CASE
    WHEN s.kind IN ('max_operation_count', 'max_running_operation_count') THEN
      CASE WHEN coalesce(c.operations, 0) < value THEN printf('it never had more than %s', internal.count_text(coalesce(c.operations, 0), 'operation')) END
    WHEN s.kind IN ('max_operation_count_per_pool', 'max_running_operation_count_per_pool') THEN
      CASE WHEN coalesce(c.operations, 0) < value THEN printf('no such pool had more than %s', internal.count_text(coalesce(c.operations, 0), 'operation')) END
    WHEN x.kind IS NOT NULL THEN NULL
    WHEN s.kind = 'fair_share_starvation_timeout' THEN 'nothing in it was below its fair share'
    WHEN s.kind = 'min_share_preemption_timeout' THEN 'nothing in it demanded its guarantee'
    WHEN s.kind = 'fair_share_aggressive_starvation_timeout' THEN 'nothing in it was below its fair share for so long'
    WHEN s.kind = 'max_ephemeral_pools_per_user' THEN 'no user had an ephemeral pool'
    WHEN s.kind = 'allow_gang_operations_only_in_fifo_pools' THEN 'no gang operation started'
    WHEN s.kind = 'enable_guarantee_priority_scheduling' THEN 'no job started'
    WHEN s.kind = 'max_schedulable_element_count_in_fifo_pool' THEN 'no FIFO pool had so many operations'
    WHEN s.kind = 'job_graceful_interrupt_timeout' THEN 'no job was preempted gracefully'
    WHEN s.kind IN ('aggressive_preemption_satisfaction_threshold', 'allow_aggressive_preemption_for_gang_operations') THEN 'no job was preempted aggressively'
    ELSE 'no job was preempted'
  END AS untested,
  s.from_time, s.to_time
FROM internal.tree_settings AS s
JOIN trees AS t USING (tree)
LEFT JOIN crowds AS c ON c.tree = s.tree AND c.kind = s.kind AND c.from_time = s.from_time
LEFT JOIN tested AS x ON x.tree = s.tree AND x.kind = s.kind AND x.from_time = s.from_time
UNION ALL
SELECT v.tree, 'non_preemptible_resource_usage_threshold',
  printf('An operation of tree %s that uses less than %s loses no job to preemption.', v.tree, threshold), NULL,
  CASE WHEN coalesce(x.reach < v.from_time, true) THEN 'no job was preempted' END,
  v.from_time, v.to_time
FROM (
  SELECT *, internal.threshold_text(non_preemptible_user_slots, non_preemptible_cpu, non_preemptible_gpu, non_preemptible_memory, non_preemptible_network) AS threshold
  FROM tree_versions WHERE NOT assumed
) AS v
ASOF LEFT JOIN (
  SELECT tree, from_time, reach FROM internal.promise_tests WHERE kind = 'non_preemptible_resource_usage_threshold' AND subject = ''
) AS x ON x.tree = v.tree AND x.from_time < v.to_time
WHERE threshold <> '';
