-- @audit     node_in_two_trees
-- @title     Node in two trees at once
-- @promise   A node serves at most one tree at a time.
-- @invariant TREE-01
-- @severity  major
-- @judges    nodes_filter
-- @reads     nodes, shared_nodes, coverage, trees
-- @param     slack_s 21 s — overlap while a change of tags or filters travels: twice the 3 s of configuration and 15 s of node attributes
-- @why       A sweep over the ends of all spans of a node counts how many trees
--            it serves; spans of one tree that meet change nothing. Each of the
--            trees has the finding, with the others as its aspect.
WITH ends AS (
  SELECT node, from_time AS at, 1 AS step FROM nodes
  UNION ALL
  SELECT node, to_time, -1 FROM nodes
), instants AS (
  SELECT node, at, sum(sum(step)) OVER (PARTITION BY node ORDER BY at) AS trees_at_once
  FROM ends
  GROUP BY node, at
), segments AS (
  SELECT node, at AS from_time, lead(at) OVER (PARTITION BY node ORDER BY at) AS to_time, trees_at_once
  FROM instants
), shared AS (
  SELECT node, from_time, to_time,
    coalesce(from_time <> lag(to_time) OVER (PARTITION BY node ORDER BY from_time), true) AS opens
  FROM segments
  WHERE trees_at_once > 1
), numbered AS (
  SELECT node, from_time, to_time, sum(opens::INT) OVER (PARTITION BY node ORDER BY from_time) AS stretch
  FROM shared
), doubles AS (
  SELECT node, min(from_time) AS from_time, max(to_time) AS to_time
  FROM numbered
  GROUP BY node, stretch
  HAVING span_seconds(min(from_time), max(to_time)) > $slack_s
), named AS (
  SELECT o.node, o.from_time, o.to_time, list_sort(list(DISTINCT n.tree)) AS trees,
    list(json_object('tree', n.tree, 'from_time', time_text(n.from_time), 'to_time', time_text(n.to_time)) ORDER BY n.tree, n.from_time) AS spans
  FROM doubles AS o JOIN nodes AS n ON n.node = o.node
  WHERE n.from_time < o.to_time AND o.from_time < n.to_time
  GROUP BY ALL
), sided AS (
  SELECT unnest(trees) AS tree, node, from_time, to_time, trees, spans FROM named
), claimed AS (
  SELECT tree, node, other_trees, min(from_time) AS from_time, max(to_time) AS to_time, sum(span_seconds(from_time, to_time)) AS seconds, min(tags) AS tags
  FROM (
    SELECT *, sum(opens::INT) OVER (PARTITION BY tree, node, other_trees ORDER BY from_time) AS stretch
    FROM (
      SELECT *, coalesce(from_time <> lag(to_time) OVER (PARTITION BY tree, node, other_trees ORDER BY from_time), true) AS opens
      FROM shared_nodes
      WHERE online
    )
  )
  GROUP BY tree, node, other_trees, stretch
  HAVING span_seconds(min(from_time), max(to_time)) > $slack_s
)
SELECT
  tree,
  array_to_string(list_filter(trees, other -> other <> tree), ', ') AS aspect,
  'violated' AS verdict,
  'node' AS subject_kind,
  node AS subject,
  from_time,
  to_time,
  span_seconds(from_time, to_time) AS magnitude,
  's' AS unit,
  printf('Node %s served the trees %s at once for %s.', node, array_to_string(trees, ' and '), span_text(span_seconds(from_time, to_time))) AS reason,
  'recorded' AS judged,
  json_object('trees', trees, 'spans', spans) AS evidence
FROM sided
UNION ALL
SELECT tree, 'tags ' || other_trees, 'violated', 'node', node, from_time, to_time, seconds, 's',
  printf('Node %s was online while its tags (%s) matched this tree and %s, for %s.', node, tags, replace(other_trees, ',', ' and '), span_text(seconds)),
  'recorded', json_object('tags', tags, 'other_trees', other_trees)
FROM claimed AS c
WHERE NOT EXISTS (FROM doubles AS d WHERE d.node = c.node AND d.from_time < c.to_time AND c.from_time < d.to_time)
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, CASE WHEN (SELECT count(*) FROM trees) > 1 THEN count(DISTINCT node) ELSE 0 END AS seen, 'nodes' AS unit,
  CASE
    WHEN (SELECT count(*) FROM trees) = 1 THEN 'the run has only one tree'
    WHEN count(node) = 0 THEN 'no node of the tree is in the log'
  END AS reason
FROM trees LEFT JOIN (SELECT tree, node FROM nodes UNION SELECT tree, node FROM shared_nodes) AS n USING (tree)
GROUP BY tree
ORDER BY tree;
-- @tested
SELECT tree, tree AS subject, from_time, to_time, NULL AS missing FROM trees
WHERE (SELECT count(*) FROM trees) > 1 AND tree IN (SELECT tree FROM nodes UNION ALL SELECT tree FROM shared_nodes);
