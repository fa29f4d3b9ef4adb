-- @audit     pool_over_operation_count
-- @title     Pool over max_operation_count
-- @promise   A pool has no more than max_operation_count operations.
-- @invariant CNT-05
-- @severity  minor
-- @judges    max_operation_count
-- @reads     limit_episodes, pool_intervals, pools
-- @why       A limit that came down below what is there forbids new ones and
--            touches none of the old; pools are moved and operations revived
--            without looking at it. All these are excused. A limit that
--            nothing but a default of the profile states is no promise and is
--            not judged.
SELECT
  e.tree,
  '' AS aspect,
  CASE WHEN limit_excuse(e.cause) IS NULL THEN 'violated' ELSE 'excused' END AS verdict,
  'pool' AS subject_kind,
  e.pool AS subject,
  e.from_time,
  e.to_time,
  (e.value - e.limit_value)::DOUBLE AS magnitude,
  'operations' AS unit,
  printf('Pool %s had up to %s with a max_operation_count of %d for %s.%s%s', e.pool, count_text(e.value, 'operation'), e.limit_value,
    span_text(span_seconds(e.from_time, e.to_time)),
    coalesce(printf(' Excused: %s.', limit_excuse(e.cause)), ''), clip_text(e.clipped_from, e.clipped_to)) AS reason,
  'recorded' AS judged,
  json_object('pool', e.pool, 'path', p.path, 'limit', e.limit_value, 'count', e.value, 'peak_time', time_text(e.peak_time),
    'cause', e.cause, 'clipped_from', e.clipped_from, 'clipped_to', e.clipped_to) AS evidence
FROM limit_episodes AS e
LEFT JOIN pools AS p ON p.tree = e.tree AND p.pool = e.pool
WHERE e.element_kind = 'pool' AND e.limit_kind = 'max_operation_count'
ORDER BY e.tree, e.from_time, e.pool;
-- @seen
WITH limited AS (
  SELECT tree, pool, operation_count > 0 AS used FROM pool_intervals WHERE max_operation_count IS NOT NULL
  UNION ALL
  SELECT tree, pool, false FROM pools WHERE max_operation_count IS NOT NULL
  UNION ALL
  SELECT tree, pool, true FROM limit_episodes WHERE element_kind = 'pool' AND limit_kind = 'max_operation_count'
)
SELECT tree, count(DISTINCT pool) FILTER (used) AS seen, 'pools with a limit and operations' AS unit,
  CASE
    WHEN count(pool) = 0 THEN 'no pool has max_operation_count'
    WHEN count(pool) FILTER (used) = 0 THEN 'no pool with max_operation_count had an operation'
  END AS reason
FROM trees LEFT JOIN limited USING (tree)
GROUP BY tree
ORDER BY tree;
