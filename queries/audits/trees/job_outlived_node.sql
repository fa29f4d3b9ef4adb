-- @audit     job_outlived_node
-- @title     Job went on after its node had changed tree
-- @promise   When a node changes tree, its jobs are aborted.
-- @invariant TREE-04
-- @reads     nodes, jobs, excuse_windows, trees
-- @param     slack_s 16 s — a heartbeat of 6 s and 10 s to abort
-- @param     gap_s 60 s — longest time between leaving one tree and serving another that still counts as a change of tree
-- @why       A node that merely goes offline is no change of tree. A job whose end the log
--            does not record ends with its node; a change of tree is not judged for it,
--            unless another job went on.
WITH spans AS (
  SELECT tree, node, to_time, clipped_to, lead(from_time) OVER (PARTITION BY tree, node ORDER BY from_time) AS next_time FROM nodes
), ends AS ( -- for each other tree that had the node at any time
  SELECT l.tree, l.node, l.to_time, n.tree AS other
  FROM spans AS l
  JOIN (SELECT DISTINCT tree, node FROM nodes) AS n ON n.node = l.node AND n.tree <> l.tree
  WHERE NOT l.clipped_to AND (l.next_time IS NULL OR l.next_time > l.to_time)
), leaves AS (
  SELECT l.tree, l.node, l.to_time AS left_time, min(l.other) AS new_tree
  FROM ends AS l
  ASOF JOIN (FROM nodes WHERE NOT is_undescribed) AS o ON o.tree = l.other AND o.node = l.node AND o.from_time <= l.to_time + to_seconds($gap_s)
  WHERE o.from_time >= l.to_time - to_seconds($slack_s) AND o.to_time > l.to_time
  GROUP BY l.tree, l.node, l.to_time
), late AS (
  SELECT l.tree, l.node, l.left_time, l.new_tree, j.job, j.end_time
  FROM leaves AS l
  JOIN jobs AS j ON j.tree = l.tree AND j.node = l.node AND j.start_time < l.left_time AND j.end_time > l.left_time + to_seconds($slack_s)
), excused AS (
  SELECT l.*, CASE WHEN b.to_time > l.left_time THEN internal.window_text(b.cause) END AS excuse
  FROM late AS l ASOF LEFT JOIN excuse_windows AS b ON b.tree = l.tree AND b.from_time < l.end_time
)
SELECT
  tree, new_tree AS aspect, CASE WHEN bool_and(excuse IS NOT NULL) THEN 'excused' ELSE 'violated' END AS verdict,
  'node' AS subject_kind, node AS subject, left_time AS from_time, max(end_time) AS to_time, count(*)::DOUBLE AS magnitude, 'jobs' AS unit,
  printf('Node %s left for tree %s at %s, and %s of this tree went on for up to %s.%s', node, new_tree, internal.clock_text(left_time),
    internal.count_text(count(*), 'job'), internal.span_text(span_seconds(left_time, max(end_time))),
    CASE WHEN bool_and(excuse IS NOT NULL) THEN printf(' Excused: %s.', min(excuse)) ELSE '' END) AS reason,
  'recorded' AS judged,
  json_object('jobs', list(job ORDER BY job)[1:20], 'new_tree', new_tree) AS evidence,
  CASE WHEN bool_and(excuse IS NOT NULL) THEN min(excuse) END AS excuse
FROM excused
GROUP BY tree, node, left_time, new_tree
ORDER BY tree, from_time, subject;
-- @seen
WITH ends AS (
  SELECT e.tree, e.node, e.to_time, n.tree AS other
  FROM nodes AS e
  JOIN (SELECT DISTINCT tree, node FROM nodes) AS n ON n.node = e.node AND n.tree <> e.tree
  WHERE NOT e.clipped_to
), moves AS (
  SELECT DISTINCT e.tree, e.node, e.to_time
  FROM ends AS e
  ASOF JOIN (FROM nodes WHERE NOT is_undescribed) AS o ON o.tree = e.other AND o.node = e.node AND o.from_time <= e.to_time + to_seconds($gap_s)
  WHERE o.from_time >= e.to_time - to_seconds($slack_s)
), told AS (
  SELECT m.tree, m.node, m.to_time,
    count(*) FILTER (j.end_kind = 'unknown' AND j.end_time IS NULL) AS unknown,
    count(*) FILTER (j.end_time > m.to_time + to_seconds($slack_s)) AS late
  FROM moves AS m LEFT JOIN jobs AS j ON j.tree = m.tree AND j.node = m.node AND j.start_time < m.to_time
  GROUP BY m.tree, m.node, m.to_time
)
SELECT tree, count(node) FILTER (unknown = 0 OR late > 0) AS seen, 'changes of tree' AS unit,
  CASE
    WHEN (SELECT count(*) FROM trees) = 1 THEN 'the run has only one tree'
    WHEN count(node) = 0 THEN 'no node left the tree for another'
    WHEN sum(unknown) > 0 THEN printf('the log does not record how long %s stayed', internal.count_text(sum(unknown), 'job'))
  END AS reason,
  count(node) = 0 AS idle
FROM trees LEFT JOIN told USING (tree)
GROUP BY tree
ORDER BY tree;
