-- @audit     job_on_shared_node
-- @title     Job started on a node that several trees claim
-- @promise   A node whose tags match several trees starts nothing.
-- @invariant TREE-02
-- @breaks    nodes_filter
-- @reads     shared_nodes, jobs, excuse_windows, coverage, trees
-- @param     slack_s 21 s — while a change of tags or filters travels: twice the 3 s of configuration and 15 s of node attributes
-- @why       The scheduler takes such a node offline. It is judged where the log holds both
--            tags and filters.
WITH shared AS (
  SELECT tree, node, from_time, to_time, other_trees, tags FROM shared_nodes WHERE shared_by = 'tags'
), starts AS (
  SELECT j.tree, j.node, j.job, j.start_time, s.from_time AS since, s.other_trees, s.tags,
    CASE WHEN b.to_time > j.start_time THEN internal.window_text(b.cause) END AS excuse
  FROM (SELECT tree, node, job, start_time FROM jobs WHERE (tree, node) IN (SELECT (tree, node) FROM shared)) AS j
  ASOF JOIN shared AS s ON s.tree = j.tree AND s.node = j.node AND s.from_time <= j.start_time
  ASOF LEFT JOIN excuse_windows AS b ON b.tree = j.tree AND b.from_time <= j.start_time
  WHERE j.start_time < s.to_time
), judged AS (
  SELECT *, CASE WHEN excuse IS NOT NULL THEN 'excused' WHEN start_time < since + to_seconds($slack_s) THEN 'suspect' ELSE 'violated' END AS verdict FROM starts
)
SELECT
  tree, concat_ws(' ', verdict, min(other_trees)) AS aspect, verdict, 'node' AS subject_kind, node AS subject,
  min(start_time) AS from_time, max(start_time) AS to_time, count(*)::DOUBLE AS magnitude, 'jobs' AS unit,
  printf('%s started on node %s while its tags (%s) matched tree %s, too.%s', internal.count_text(count(*), 'job'), node, min(tags), min(other_trees),
    CASE verdict
      WHEN 'excused' THEN printf(' Excused: %s.', min(excuse))
      WHEN 'suspect' THEN ' They had begun to do so just before.'
      ELSE ''
    END) AS reason,
  'recorded' AS judged,
  json_object('jobs', list(job ORDER BY start_time, job)[1:20], 'tags', min(tags), 'since', internal.time_text(since)) AS evidence,
  min(excuse) AS excuse
FROM judged
GROUP BY tree, node, verdict, since
ORDER BY tree, from_time, subject, aspect;
-- @seen
WITH known AS (
  SELECT tree, coalesce(max(seen) FILTER (aspect = 'nodes_filter' AND state = 'recorded'), 0) AS starts,
    coalesce(max(seen) FILTER (aspect = 'other_trees'), 0) AS others, bool_or(aspect = 'other_trees' AND state = 'recorded') AS filters
  FROM coverage
  GROUP BY tree
)
SELECT tree, CASE WHEN filters THEN starts ELSE 0 END AS seen, 'starts' AS unit,
  CASE
    WHEN coalesce(others, 0) = 0 THEN 'the log has only one tree'
    WHEN NOT filters OR starts = 0 THEN 'the log does not have the nodes_filter and the tags of nodes of several trees'
  END AS reason,
  coalesce(others, 0) = 0 AND tree NOT IN (SELECT tree FROM tree_sets WHERE contains(trees, ',')) AS idle
FROM trees LEFT JOIN known USING (tree)
ORDER BY tree;
