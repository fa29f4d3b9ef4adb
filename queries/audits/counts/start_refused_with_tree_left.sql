-- @audit     start_refused_with_tree_left
-- @title     Start refused for counts although a tree was left
-- @promise   An operation with erase_trees_with_pool_limit_violations starts in those of its trees that have room.
-- @invariant CNT-07
-- @reads     tree_choices, admissions, trees
-- @why       This is a refusal with error 202 in several trees while one of them had room.
--            The table admissions holds the judgement of each tree. The cluster as a whole
--            must not have been full.
WITH refusals AS (
  SELECT c.tree, c.operation, c.time, c.trees, c.is_first, c.live_count, c.limit_value, a.verdict, a.limit_name, a.excuse
  FROM tree_choices AS c
  JOIN admissions AS a ON a.tree = c.tree AND a.operation = c.operation AND a.time = c.time AND a.action = 'rejected'
  WHERE c.action = 'rejected' AND c.error_code = 202 AND c.erases_full_trees AND coalesce(c.live_count < c.limit_value, true)
), judged AS (
  SELECT operation, time, any_value(trees) AS trees, min(tree) FILTER (is_first) AS tree,
    list(tree ORDER BY tree) FILTER (verdict IN ('violated', 'suspect', 'excused')) AS left_trees,
    bool_or(verdict = 'violated') AS sure, bool_or(verdict = 'suspect') AS doubted, max(excuse) AS excuse
  FROM refusals
  GROUP BY operation, time
)
SELECT
  tree, trees AS aspect, CASE WHEN sure THEN 'violated' WHEN doubted THEN 'suspect' ELSE 'excused' END AS verdict, 'operation' AS subject_kind, operation AS subject,
  time AS from_time, time AS to_time, len(left_trees)::DOUBLE AS magnitude, 'trees' AS unit,
  printf('Operation %s, which gives up trees that are full, was refused in %s for too many operations although %s had room.%s', operation,
    internal.trees_text(trees), internal.trees_text(array_to_string(left_trees, ',')),
    CASE WHEN sure THEN '' WHEN doubted THEN ' Another had left just before.' ELSE printf(' Excused: %s.', internal.excuse_text(excuse)) END) AS reason,
  'recorded' AS judged,
  json_object('trees', trees, 'with_room', left_trees) AS evidence,
  CASE WHEN NOT sure AND NOT doubted THEN internal.excuse_text(excuse) END AS excuse
FROM judged
WHERE len(left_trees) > 0 AND tree IS NOT NULL
ORDER BY tree, from_time, subject;
-- @seen
SELECT t.tree, count(c.operation) AS seen, 'refusals' AS unit,
  CASE WHEN count(c.operation) = 0 THEN 'the log records no refusal for counts of an operation that gives up full trees' END AS reason,
  count(c.operation) = 0 AS idle
FROM trees AS t LEFT JOIN tree_choices AS c ON c.tree = t.tree AND c.action = 'rejected' AND c.error_code = 202 AND c.erases_full_trees
GROUP BY t.tree
ORDER BY t.tree;
