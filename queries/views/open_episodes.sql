-- Episodes that the window cuts.

-- The episodes that an end of the window cuts so that what lies beyond it is not known, one row
-- per episode and end (cut: end or beginning). From counted_from to counted_to lasts what
-- counts against the thresholds that bound names; both are null if nothing does. row_json is
-- the row of the table episodes, with what was joined to it: the next night joins it with its
-- own. audit is empty if no audit judges how long the episode lasts.
CREATE OR REPLACE VIEW internal.open_episodes AS
WITH cut AS (
  SELECT e.tree, 'guarantee_episodes' AS episodes,
    CASE guarantee_kind WHEN 'strong' THEN 'strong_guarantee_unmet' ELSE 'integral_guarantee_unmet' END AS audit, audit || '.sla_s' AS bound,
    'pool' AS subject_kind, pool AS subject, guarantee_kind::VARCHAR AS aspect, from_time, to_time, clipped_from, clipped_to,
    preemptible_since_time AS since_time, preemptible_until_time AS until_time, [pool] AS pools,
    printf('Pool %s was below its %s guarantee, and preemption could have made room for one of its jobs,', pool, guarantee_kind) AS what, to_json(e) AS row_json
  FROM internal.whole_guarantee_episodes AS e
  WHERE clipped_from OR clipped_to
  UNION ALL
  SELECT e.tree, 'starvation_episodes', 'starving_too_long', 'starving_too_long.bound_s', 'operation', operation, '', from_time, to_time, clipped_from, clipped_to,
    preemptible_since_time, preemptible_until_time, [pool],
    printf('Operation %s of pool %s starved, and preemption could have made room for one of its jobs,', operation, pool), to_json(e)
  FROM internal.whole_starvation_episodes AS e
  WHERE element_kind = 'operation' AND (clipped_from OR clipped_to)
  UNION ALL
  SELECT e.tree, 'limit_episodes', CASE WHEN limit_kind <> 'resource_limits' OR cause <> 'job_started' THEN '' ELSE printf('%s_over_resource_limits', element_kind) END,
    printf('%s_over_resource_limits.use_s', element_kind), element_kind::VARCHAR, coalesce(node, operation, pool), coalesce(resource::VARCHAR, ''), from_time, to_time, clipped_from, clipped_to,
    from_time, to_time, [pool], printf('%s%s %s was over its limit', upper(element_kind[1]), element_kind[2:], coalesce(node, operation, pool)), to_json(e)
  FROM internal.begun_limit_episodes AS e
  WHERE clipped_from OR clipped_to
  UNION ALL
  SELECT e.tree, 'unschedulable_episodes', 'operation_unschedulable', 'operation_unschedulable.patience_s+operation_unschedulable.slack_s', 'operation', operation, coalesce(limit_pool, ''),
    from_time, to_time, clipped_from, clipped_to, from_time, to_time, [pool], printf('Operation %s waited below a limit that cannot hold its smallest job', operation), to_json(e)
  FROM internal.whole_unschedulable_episodes AS e
  WHERE clipped_from OR clipped_to
  UNION ALL
  SELECT e.tree, 'pending_episodes', 'pending_with_room', 'pending_with_room.scan_s+pending_with_room.slack_s', 'operation', operation, 'PEND-01', from_time, to_time, clipped_from, clipped_to,
    due_since_time, due_until_time, list_distinct([pool, coalesce(longest_due_pool, pool)]), printf('Operation %s of pool %s stood first in its queue with room in all pools above it', operation, pool), to_json(e)
  FROM internal.whole_pending_episodes AS e
  WHERE clipped_to AND due_since_time IS NOT NULL OR clipped_from AND due_until_time IS NOT NULL
), ends AS (
  SELECT tree, episodes, audit, bound, subject_kind, subject, aspect, from_time, to_time, 'end' AS cut, since_time AS counted_from, to_time AS counted_to, pools, what, row_json
  FROM cut WHERE clipped_to
  UNION ALL
  SELECT tree, episodes, audit, bound, subject_kind, subject, aspect, from_time, to_time, 'beginning', from_time, until_time, pools, what, NULL
  FROM cut WHERE clipped_from AND until_time IS NOT NULL
  UNION ALL -- what excuses a part of them
  SELECT e.tree, 'excuse_windows', '', '', 'tree', e.tree, cause::VARCHAR, e.from_time, e.to_time, 'end', NULL, NULL, [], '', to_json(e)
  FROM internal.whole_excuse_windows AS e
  JOIN (SELECT tree, min(from_time) AS since FROM cut WHERE clipped_to GROUP BY tree) AS o ON o.tree = e.tree AND e.to_time > o.since
)
SELECT tree, episodes, audit, bound, subject_kind, subject, aspect, from_time, to_time, cut, counted_from, counted_to, pools, what, row_json
FROM ends;
