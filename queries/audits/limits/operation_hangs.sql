-- @audit     operation_hangs
-- @title     Operation that no limit above it can hold a job of
-- @promise   No operation waits for long below a specified limit that cannot hold its smallest job.
-- @invariant LIM-10
-- @severity  info
-- @reads     hangs, operations, operation_intervals, pools, limit_episodes, trees, coverage
-- @needs     demand recorded|reconstructed — what operations wait for
-- @needs     smallest_jobs recorded — the smallest job that an operation waits for
-- @param     patience_s 300 s — operation_hangup_due_to_limiting_ancestor_safe_timeout
-- @param     slack_s 120 s — until the check for hung operations comes by
-- @source    spec/scheduling.md §5.9
-- @why       The scheduler fails such an operation unless the
--            check is off, by enable_limiting_ancestor_check. Usage does not matter: not even
--            an idle pool has room. One finding per operation and limit.
SELECT
  h.tree,
  coalesce(h.limit_pool, '') AS aspect,
  CASE WHEN max(h.excuse) <> '' THEN 'excused' ELSE 'violated' END AS verdict,
  'operation' AS subject_kind,
  h.operation AS subject,
  min(h.from_time) AS from_time,
  max(h.to_time) AS to_time,
  max(span_seconds(h.from_time, h.to_time)) AS magnitude,
  's' AS unit,
  printf('Operation %s waited for %s for a job of at least %s, and the limit of %s is %s.', h.operation, span_text(max(span_seconds(h.from_time, h.to_time))),
    amount_text(any_value(h.resource), natural_amount(any_value(h.resource), arg_max(h.needed_value, h.to_time - h.from_time), NULL)),
    coalesce('pool ' || h.limit_pool, 'the operation itself'),
    amount_text(any_value(h.resource), natural_amount(any_value(h.resource), arg_max(h.limit_value, h.to_time - h.from_time), NULL))) AS reason,
  'recomputed' AS judged,
  json_object('pool', any_value(h.pool), 'limit_pool', h.limit_pool, 'resource', any_value(h.resource), 'spans', count(*)) AS evidence
FROM hangs AS h
WHERE span_seconds(h.from_time, h.to_time) > $patience_s + $slack_s
GROUP BY h.tree, h.operation, h.limit_pool
ORDER BY h.tree, from_time, subject, aspect;
-- @seen
WITH ran AS (
  SELECT o.tree, o.operation, o.pool, p.path FROM operations AS o LEFT JOIN pools AS p USING (tree, pool) WHERE running_time IS NOT NULL
), limits AS (
  SELECT DISTINCT tree, element_kind, element FROM resource_limits
), limited AS (
  SELECT tree, operation FROM ran JOIN limits USING (tree) WHERE element_kind = 'operation' AND element = operation
  UNION
  SELECT tree, operation
  FROM (SELECT tree, operation, unnest(paths_above(path)) AS path FROM ran) AS each
  JOIN pools AS above USING (tree, path)
  JOIN limits USING (tree)
  WHERE element_kind = 'pool' AND element = above.pool
  UNION
  SELECT DISTINCT tree, operation FROM hangs
), counted AS (
  SELECT tree, count(*) AS operations FROM ran GROUP BY tree
)
SELECT trees.tree, count(limited.operation) AS seen, 'operations below a limit' AS unit,
  CASE
    WHEN count(limited.operation) > 0 THEN NULL
    WHEN any_value(operations) IS NULL THEN 'no operation ran'
    WHEN NOT bool_and(configured) THEN 'the log holds no configuration, and so no limits of pools'
    ELSE 'no operation that ran had resource_limits of its own or of a pool above it'
  END AS reason,
  count(limited.operation) = 0 AND (any_value(operations) IS NULL OR bool_and(configured)) AS idle
FROM trees LEFT JOIN limited USING (tree) LEFT JOIN counted USING (tree)
GROUP BY trees.tree
ORDER BY trees.tree;
