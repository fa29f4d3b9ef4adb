-- @audit     operation_unschedulable
-- @title     Operation whose smallest job exceeds a limit above it
-- @promise   No operation waits for long below a specified limit that cannot hold its smallest job.
-- @invariant LIM-10
-- @reads     unschedulable_episodes, excuse_windows, operations, operation_intervals, pools, limit_episodes, trees, coverage
-- @needs     demand recorded|snapshots|reconstructed — what operations wait for
-- @needs     smallest_jobs recorded — the smallest job that an operation waits for
-- @param     patience_s 300 s — operation_hangup_due_to_limiting_ancestor_safe_timeout
-- @param     slack_s 120 s — until the next check for hung operations
-- @source    core/spec/scheduling.md §5.9
-- @why       The scheduler fails such an operation. If enable_limiting_ancestor_check turns
--            that off, nothing is judged. Usage does not matter: not even an idle pool has
--            room. Time within the global excuse windows does not count. There is one
--            finding per operation and pool, with the numbers of the longest span.
WITH long AS (
  SELECT h.*, span_seconds(from_time, to_time) AS whole, internal.longest_outside(from_time, to_time, windows) AS part, internal.windows_within(from_time, to_time, windows)[1].cause AS cause
  FROM internal.whole_unschedulable_episodes AS h JOIN internal.excuse_lists USING (tree)
), judged AS (
  SELECT *, part.seconds > $patience_s + $slack_s AS over,
    CASE WHEN over THEN part ELSE {'seconds': whole, 'from_time': from_time, 'to_time': to_time} END AS told
  FROM long
  WHERE whole > $patience_s + $slack_s
), worst AS (
  SELECT tree, operation, limit_pool, bool_or(over) AS over FROM judged GROUP BY ALL
)
SELECT
  h.tree,
  coalesce(h.limit_pool, '') AS aspect,
  CASE WHEN worst.over THEN 'violated' ELSE 'excused' END AS verdict,
  'operation' AS subject_kind,
  h.operation AS subject,
  min(told.from_time) AS from_time,
  max(told.to_time) AS to_time,
  max(told.seconds) AS magnitude,
  's' AS unit,
  printf('Operation %s waited for %s for a job of at least %s, and the limit of %s is %s.%s', h.operation, internal.span_text(max(told.seconds)),
    internal.amount_text(arg_max(h.resource, told.seconds), internal.natural_amount(arg_max(h.resource, told.seconds), arg_max(h.needed_value, told.seconds), NULL)),
    coalesce('pool ' || h.limit_pool, 'the operation itself'),
    internal.amount_text(arg_max(h.resource, told.seconds), internal.natural_amount(arg_max(h.resource, told.seconds), arg_max(h.limit_value, told.seconds), NULL)),
    CASE WHEN worst.over THEN '' ELSE printf(' Excused: %s.', internal.window_text(min(h.cause))) END) ||
    internal.parts_text(min(told.from_time), max(told.to_time), any_value(window_from)) AS reason,
  'recomputed' AS judged,
  json_object('pool', any_value(h.pool), 'limit_pool', h.limit_pool, 'resource', arg_max(h.resource, told.seconds), 'spans', count(*)) AS evidence,
  CASE WHEN NOT worst.over THEN internal.window_text(min(h.cause)) END AS excuse
FROM judged AS h
JOIN worst ON worst.tree = h.tree AND worst.operation = h.operation AND worst.limit_pool IS NOT DISTINCT FROM h.limit_pool AND worst.over = h.over
GROUP BY h.tree, h.operation, h.limit_pool, worst.over
ORDER BY h.tree, from_time, subject, aspect;
-- @seen
WITH ran AS (
  SELECT o.tree, o.operation, o.pool, o.unschedulable_check, p.path FROM operations AS o LEFT JOIN pools AS p USING (tree, pool) WHERE running_time IS NOT NULL
), limits AS (
  SELECT DISTINCT tree, element_kind, element FROM internal.resource_limits
), limited AS (
  SELECT tree, operation, unschedulable_check FROM ran JOIN limits USING (tree) WHERE element_kind = 'operation' AND element = operation
  UNION
  SELECT tree, operation, unschedulable_check
  FROM (SELECT tree, operation, unschedulable_check, unnest(paths_above(path)) AS path FROM ran) AS each
  JOIN pools AS above USING (tree, path)
  JOIN limits USING (tree)
  WHERE element_kind = 'pool' AND element = above.pool
  UNION
  SELECT DISTINCT tree, operation, 'on' FROM unschedulable_episodes
), counted AS (
  SELECT tree, count(*) AS operations FROM ran GROUP BY tree
), looked AS (
  SELECT trees.tree, bool_and(configured) AS configured, any_value(operations) AS ran, count(limited.operation) AS limited,
    count(*) FILTER (unschedulable_check = 'on') AS checked,
    count(*) FILTER (unschedulable_check = 'unsized') AS unsized,
    count(*) FILTER (unschedulable_check = 'off') AS off
  FROM trees LEFT JOIN limited USING (tree) LEFT JOIN counted USING (tree)
  GROUP BY trees.tree
)
SELECT tree, checked AS seen, 'operations that waited below a limit' AS unit,
  CASE
    WHEN unsized > 0 THEN printf('the log does not record the smallest job of %s below a limit', internal.count_text(unsized, 'operation'))
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
