-- @audit     operation_options_ignored
-- @title     Options of operations that nobody heeds
-- @promise   What an operation sets for its own starvation has an effect.
-- @invariant CFG-16
-- @severity  info
-- @reads     operations, trees
-- @why       Schedulers of the profiles baseline and current go by the timeouts and the
--            tolerance of pools and trees alone. One finding per pool and options.
SELECT
  tree, ignored_options AS aspect, 'violated' AS verdict, 'pool' AS subject_kind, pool AS subject,
  min(start_time) AS from_time, max(coalesce(finish_time, trees.to_time)) AS to_time,
  count(*)::DOUBLE AS magnitude, 'operations' AS unit,
  printf('%s of pool %s set %s, of which schedulers of the profile %s take no notice.',
    count_text(count(*), 'operation'), pool, replace(ignored_options, ',', ' and '), any_value(trees.profile)) AS reason,
  'recorded' AS judged,
  json_object('options', ignored_options, 'operations', count(*), 'example', min(operation)) AS evidence
FROM operations JOIN trees USING (tree)
WHERE ignored_options <> ''
GROUP BY tree, pool, ignored_options
ORDER BY tree, from_time, pool, ignored_options;
-- @seen
SELECT tree, count(operation) AS seen, 'operations' AS unit, CASE WHEN count(operation) = 0 THEN 'the log holds no operation' END AS reason,
  count(operation) = 0 AS idle
FROM trees LEFT JOIN operations USING (tree)
GROUP BY tree
ORDER BY tree;
