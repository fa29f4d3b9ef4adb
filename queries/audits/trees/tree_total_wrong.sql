-- @audit     tree_total_wrong
-- @title     Recorded total of a tree is not that of its nodes
-- @promise   A tree's total is the sum over its online nodes.
-- @invariant TREE-08
-- @reads     total_episodes, nodes, shared_nodes, excuse_windows, coverage, trees
-- @param     slack_s 16 s — while nodes come and go: 15 s of node attributes and a record's period
-- @param     sampled_s 35 s — additional slack where the log samples nodes: the time between two samples, and their writing
-- @why       Before the first row of nodes nothing is judged, and where the log samples nodes
--            no difference that ends in its first half minute: which nodes were online then
--            is unknown. A finding is more than 1 % off, in records over more than the slack,
--            outside the global excuse windows. A shorter span is suspect, and so is one in
--            which the log does not settle which tree a node served. It is undecidable where
--            the log does not record the capacity of nodes.
WITH episodes AS (
  SELECT e.*, internal.natural_amount(e.resource, e.recorded_amount, c.source_unit) AS recorded, internal.natural_amount(e.resource, e.recomputed_amount, c.source_unit) AS recomputed,
    internal.longest_outside(e.from_time, e.last_time, windows).seconds > $slack_s + CASE WHEN n.sampled THEN $sampled_s ELSE 0 END AS over,
    CASE WHEN NOT over THEN internal.window_text(internal.windows_within(e.from_time, e.to_time, windows)[1].cause) END AS blind,
    internal.windows_within(e.from_time, e.to_time, u.spans)[1].reason AS doubt
  FROM total_episodes AS e
  JOIN resource_coverage AS c ON c.tree = e.tree AND c.resource = e.resource
  JOIN internal.excuse_lists AS b ON b.tree = e.tree
  JOIN internal.node_states AS n ON n.tree = e.tree
  JOIN internal.uncertain_nodes AS u ON u.tree = e.tree
  WHERE c.capacity <> 'unknown'
)
SELECT
  tree, resource AS aspect,
  CASE WHEN blind IS NOT NULL THEN 'excused' WHEN over AND doubt IS NULL THEN 'violated' ELSE 'suspect' END AS verdict,
  'tree' AS subject_kind, tree AS subject, from_time, to_time, abs(recorded - recomputed)::DOUBLE AS magnitude, r.unit AS unit,
  printf('The scheduler recorded %s as the total of tree %s, whose online nodes had %s, in %s.%s%s', internal.amount_text(resource, recorded), tree,
    internal.amount_text(resource, recomputed), internal.count_text(record_count, 'record'), coalesce(printf(' Excused: %s.', blind), ''),
    coalesce(' ' || doubt, '')) AS reason,
  'recomputed' AS judged,
  json_object('recorded', recorded, 'recomputed', recomputed, 'records', record_count, 'clipped_to', clipped_to) AS evidence,
  blind AS excuse
FROM episodes JOIN resources AS r USING (resource)
ORDER BY tree, from_time, aspect;
-- @seen
WITH sized AS (SELECT tree, bool_or(capacity <> 'unknown') AS known FROM resource_coverage GROUP BY tree)
SELECT tree, CASE WHEN known THEN coalesce(seen, 0) ELSE 0 END AS seen, 'records' AS unit,
  CASE
    WHEN coalesce(seen, 0) = 0 THEN 'the log holds no record of the tree''s total since its first row of nodes'
    WHEN NOT known THEN 'the log does not record what nodes have'
  END AS reason
FROM sized LEFT JOIN (SELECT tree, max(seen) AS seen FROM coverage WHERE aspect = 'tree_totals' GROUP BY tree) AS c USING (tree)
ORDER BY tree;
