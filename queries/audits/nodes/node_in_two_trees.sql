-- @audit     node_in_two_trees
-- @title     Node in two trees at once
-- @promise   A node serves at most one tree at a time.
-- @invariant TREE-01
-- @judges    nodes_filter
-- @reads     nodes, shared_nodes, coverage, trees
-- @param     slack_s 21 s — overlap while a change of tags or filters travels: twice the 3 s of configuration and 15 s of node attributes
-- @why       Several trees had the node online at once, or its tags matched the filters of
--            several while one had it. Spans that meet are one. Each of the trees gets a
--            finding with the others as its aspect, because each has promised its own nodes
--            and is graded by that, also where the other is not replayed. All trees of the
--            log are compared, replayed or not. A shorter span that the log cuts may have
--            lasted longer, and is suspect.
WITH opened AS (
  SELECT tree, node, shared_by, from_time, to_time, clipped_from OR clipped_to AS cut, other_trees, tags,
    coalesce(from_time <> lag(to_time) OVER (PARTITION BY tree, node, shared_by, CASE shared_by WHEN 'tags' THEN other_trees END ORDER BY from_time), true) AS opens
  FROM shared_nodes
  WHERE online
), stretches AS (
  SELECT *, sum(opens::INT) OVER (PARTITION BY tree, node, shared_by, CASE shared_by WHEN 'tags' THEN other_trees END ORDER BY from_time) AS stretch
  FROM opened
), shared AS (
  SELECT tree, node, shared_by, min(from_time) AS from_time, max(to_time) AS to_time, min(tags) AS tags,
    CASE WHEN span_seconds(min(from_time), max(to_time)) > $slack_s THEN 'violated' ELSE 'suspect' END AS verdict,
    list_sort(list_distinct(flatten(list(string_split(other_trees, ','))))) AS others,
    list(json_object('from_time', internal.time_text(from_time), 'to_time', internal.time_text(to_time), 'other_trees', other_trees) ORDER BY from_time) AS spans
  FROM stretches
  GROUP BY tree, node, shared_by, stretch, CASE shared_by WHEN 'tags' THEN other_trees END
  HAVING bool_or(cut) OR span_seconds(min(from_time), max(to_time)) > $slack_s
), presence AS ( -- reach is until when any of those lasts that began so far
  SELECT node, from_time, max(to_time) OVER (PARTITION BY node ORDER BY from_time) AS reach FROM shared WHERE shared_by = 'presence' AND verdict = 'violated'
)
SELECT
  c.tree,
  concat_ws(' ', CASE shared_by WHEN 'tags' THEN 'tags' END, array_to_string(others, ', ')) AS aspect,
  verdict,
  'node' AS subject_kind,
  c.node AS subject,
  c.from_time,
  c.to_time,
  span_seconds(c.from_time, to_time) AS magnitude,
  's' AS unit,
  CASE shared_by
    WHEN 'tags' THEN printf('Node %s was online while its tags (%s) matched this tree and %s, for %s.',
      c.node, tags, array_to_string(others, ' and '), internal.span_text(span_seconds(c.from_time, to_time)))
    ELSE printf('Node %s served the trees %s at once for %s.',
      c.node, array_to_string(list_sort(list_append(others, c.tree)), ' and '), internal.span_text(span_seconds(c.from_time, to_time)))
  END || CASE verdict WHEN 'suspect' THEN ' The log holds no more of that span, and a change of tags or filters may have been on its way.' ELSE '' END AS reason,
  'recorded' AS judged,
  json_object('other_trees', others, 'tags', tags, 'spans', spans) AS evidence
FROM shared AS c
ASOF LEFT JOIN presence AS p ON p.node = c.node AND p.from_time < c.to_time
WHERE shared_by = 'presence' OR coalesce(p.reach <= c.from_time, true)
ORDER BY c.tree, c.from_time, subject, aspect;
-- @seen
WITH beside AS (
  SELECT tree, coalesce(max(seen) FILTER (aspect = 'other_trees'), 0) AS trees FROM coverage GROUP BY tree
)
SELECT tree, CASE WHEN coalesce(any_value(beside.trees), 0) > 0 THEN count(DISTINCT node) ELSE 0 END AS seen, 'nodes' AS unit,
  CASE
    WHEN coalesce(any_value(beside.trees), 0) = 0 THEN 'the log has only one tree'
    WHEN count(node) = 0 THEN 'no node of the tree is in the log'
  END AS reason,
  coalesce(any_value(beside.trees), 0) = 0 AND tree NOT IN (SELECT tree FROM tree_sets WHERE contains(trees, ',')) AS idle
FROM trees
LEFT JOIN (SELECT tree, node FROM nodes UNION SELECT tree, node FROM shared_nodes) AS n USING (tree)
LEFT JOIN beside USING (tree)
GROUP BY tree
ORDER BY tree;
-- @tested
SELECT tree, NULL AS kind, tree AS subject, from_time, to_time, NULL AS missing FROM trees
WHERE tree IN (SELECT tree FROM coverage WHERE aspect = 'other_trees' AND seen > 0)
  AND tree IN (SELECT tree FROM nodes UNION ALL SELECT tree FROM shared_nodes);
