-- @audit     lightweight_operation_large
-- @title     Lightweight operation with many jobs
-- @promise   Lightweight operations have few jobs.
-- @invariant LW-06
-- @reads     admissions, jobs, trees
-- @param     jobs 1 jobs — a lightweight operation may have so many at once
-- @why       This is legal, since no limit of running operations applies to a lightweight
--            operation. A pool of such operations is meant for many small ones.
WITH light AS (
  SELECT tree, operation, arg_min(pool, time) AS pool
  FROM admissions
  WHERE lightweight AND action IN ('started', 'revived', 'running', 'materialized', 'pool_changed')
  GROUP BY tree, operation
), turns AS (
  SELECT j.tree, j.operation, l.pool, j.start_time AS time, 1 AS turn
  FROM jobs AS j JOIN light AS l ON l.tree = j.tree AND l.operation = j.operation
  UNION ALL
  SELECT j.tree, j.operation, l.pool, j.end_time, -1
  FROM jobs AS j JOIN light AS l ON l.tree = j.tree AND l.operation = j.operation
  WHERE j.end_time IS NOT NULL
), running AS (
  SELECT tree, operation, pool, time,
    sum(turn) OVER (PARTITION BY tree, operation ORDER BY time, turn ROWS UNBOUNDED PRECEDING)::BIGINT AS jobs
  FROM turns
)
SELECT tree, '' AS aspect, 'violated' AS verdict, 'operation' AS subject_kind, operation AS subject,
  min(time) AS from_time, max(time) AS to_time, max(jobs)::DOUBLE AS magnitude, 'jobs' AS unit,
  printf('Operation %s, lightweight in pool %s, had up to %s at once.', operation, any_value(pool), internal.count_text(max(jobs), 'job')) AS reason,
  'recorded' AS judged,
  json_object('pool', any_value(pool), 'jobs', max(jobs)) AS evidence
FROM running
WHERE jobs > $jobs
GROUP BY tree, operation
ORDER BY tree, from_time, operation;
-- @seen
SELECT tree, count(DISTINCT operation) AS seen, 'lightweight operations' AS unit,
  CASE WHEN count(operation) = 0 THEN 'no operation was lightweight' END AS reason,
  count(operation) = 0 AS idle
FROM trees LEFT JOIN (SELECT tree, operation FROM admissions WHERE lightweight) AS l USING (tree)
GROUP BY tree
ORDER BY tree;
