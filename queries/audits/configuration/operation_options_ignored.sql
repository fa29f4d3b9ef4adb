-- @audit     operation_options_ignored
-- @title     Operation options without effect
-- @promise   What an operation sets for its own starvation has an effect.
-- @invariant CFG-16
-- @reads     operations, trees, coverage
-- @why       Schedulers of the profiles baseline and current use the timeouts and the
--            tolerance of pools and trees alone. There is one finding per pool and set of
--            options.
SELECT
  tree, ignored_options AS aspect, 'violated' AS verdict, 'pool' AS subject_kind, pool AS subject,
  min(start_time) AS from_time, max(coalesce(finish_time, trees.to_time)) AS to_time,
  count(*)::DOUBLE AS magnitude, 'operations' AS unit,
  printf('%s of pool %s set %s, which a scheduler of profile %s ignores.',
    internal.count_text(count(*), 'operation'), pool, replace(ignored_options, ',', ' and '), any_value(trees.profile)) AS reason,
  'recorded' AS judged,
  json_object('options', ignored_options, 'operations', count(*), 'example', min(operation)) AS evidence
FROM operations JOIN trees USING (tree)
WHERE ignored_options <> ''
GROUP BY tree, pool, ignored_options
ORDER BY tree, from_time, pool, ignored_options;
-- @seen
-- What an operation sets stands in its spec; a row of its start that names nothing tells nothing.
WITH told AS (
  SELECT operations.tree, count(*) AS operations, count(*) FILTER (state = 'recorded' OR ignored_options <> '') AS seen
  FROM operations LEFT JOIN coverage AS c ON c.tree = operations.tree AND c.aspect = 'specs'
  GROUP BY operations.tree
)
SELECT tree, coalesce(seen, 0) AS seen, 'operations' AS unit,
  CASE WHEN told.tree IS NULL THEN 'the log holds no operation' WHEN seen = 0 THEN 'the log holds no spec that says what an operation sets' END AS reason,
  told.tree IS NULL AS idle
FROM trees LEFT JOIN told USING (tree)
ORDER BY tree;
