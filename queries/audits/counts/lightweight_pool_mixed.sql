-- @audit     lightweight_pool_mixed
-- @title     Ordinary operations among lightweight ones
-- @promise   A pool with lightweight operations holds no others.
-- @invariant LW-07
-- @reads     pool_intervals, pool_versions, trees
-- @why       This is legal, and a trap: the ordinary operations obey
--            max_running_operation_count and may wait while lightweight ones pass by. The
--            mode that the pool had at that time counts. An ephemeral pool has no
--            lightweight operations (core/spec/scheduling.md §5.7).
WITH spans AS (
  SELECT i.tree, i.pool, greatest(i.from_time, v.from_time) AS from_time, least(i.to_time, v.to_time) AS to_time, v.mode,
    i.running_operation_count AS others, i.lightweight_running_operation_count AS lightweight
  FROM pool_intervals AS i
  JOIN pool_versions AS v ON v.tree = i.tree AND v.pool = i.pool AND v.from_time < i.to_time AND v.to_time > i.from_time
  WHERE i.lightweight_running_operation_count > 0 AND i.running_operation_count > 0
), mixed AS (
  SELECT tree, pool, min(from_time) AS from_time, max(to_time) AS to_time, sum(span_seconds(from_time, to_time)) AS seconds, max(others) AS others, max(lightweight) AS lightweight
  FROM spans
  WHERE mode = 'fifo'
  GROUP BY tree, pool
)
SELECT tree, '' AS aspect, 'violated' AS verdict, 'pool' AS subject_kind, pool AS subject, from_time, to_time,
  others::DOUBLE AS magnitude, 'operations' AS unit,
  printf('Pool %s ran up to %s besides up to %s for %s.', pool, internal.count_text(others, 'ordinary operation'), internal.count_text(lightweight, 'lightweight one'), internal.span_text(seconds)) AS reason,
  'recomputed' AS judged,
  json_object('others', others, 'lightweight', lightweight, 'seconds', seconds) AS evidence
FROM mixed
ORDER BY tree, from_time, pool;
-- @seen
SELECT tree, count(DISTINCT pool) AS seen, 'pools with lightweight operations' AS unit,
  CASE WHEN count(pool) = 0 THEN 'no pool had lightweight operations' END AS reason,
  count(pool) = 0 AS idle
FROM trees LEFT JOIN (SELECT tree, pool FROM pool_intervals WHERE lightweight_running_operation_count > 0 AND pool <> '<Root>') AS i USING (tree)
GROUP BY tree
ORDER BY tree;
