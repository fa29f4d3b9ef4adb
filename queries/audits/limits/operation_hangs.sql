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
--            check is off, by enable_limiting_ancestor_check; then nothing is judged. Usage
--            does not matter: not even an idle pool has room. One finding per operation and limit.
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
  SELECT o.tree, o.operation, o.pool, o.hang_check, p.path FROM operations AS o LEFT JOIN pools AS p USING (tree, pool) WHERE running_time IS NOT NULL
), limits AS (
  SELECT DISTINCT tree, element_kind, element FROM resource_limits
), limited AS (
  SELECT tree, operation, hang_check FROM ran JOIN limits USING (tree) WHERE element_kind = 'operation' AND element = operation
  UNION
  SELECT tree, operation, hang_check
  FROM (SELECT tree, operation, hang_check, unnest(paths_above(path)) AS path FROM ran) AS each
  JOIN pools AS above USING (tree, path)
  JOIN limits USING (tree)
  WHERE element_kind = 'pool' AND element = above.pool
  UNION
  SELECT DISTINCT tree, operation, 'on' FROM hangs
), counted AS (
  SELECT tree, count(*) AS operations FROM ran GROUP BY tree
), looked AS (
  SELECT trees.tree, bool_and(configured) AS configured, any_value(operations) AS ran, count(limited.operation) AS limited,
    count(*) FILTER (hang_check = 'on') AS checked,
    count(*) FILTER (hang_check = 'unsized') AS unsized,
    count(*) FILTER (hang_check = 'off') AS off
  FROM trees LEFT JOIN limited USING (tree) LEFT JOIN counted USING (tree)
  GROUP BY trees.tree
)
SELECT tree, checked AS seen, 'operations that waited below a limit' AS unit,
  CASE
    WHEN unsized > 0 THEN printf('the log does not tell the smallest job of %s below a limit', count_text(unsized, 'operation'))
    WHEN checked > 0 THEN NULL
    WHEN ran IS NULL THEN 'no operation ran'
    WHEN limited = 0 AND NOT configured THEN 'the log holds no configuration, and so no limits of pools'
    WHEN limited = 0 THEN 'no operation that ran had resource_limits of its own or of a pool above it'
    WHEN off > 0 THEN 'enable_limiting_ancestor_check was off for all operations that waited below a limit'
    ELSE 'no operation below a limit waited for jobs'
  END AS reason,
  checked + unsized = 0 AND (ran IS NULL OR limited > 0 OR configured) AS idle
FROM looked
ORDER BY tree;
