-- @audit     job_misplaced
-- @title     Job where trees or tags forbid it
-- @promise   A job runs on a node of its tree, where the tag filters of its operation and pools match, in a tree that the operation has.
-- @invariant TREE-03, TREE-05, TREE-11
-- @judges    scheduling_tag_filter:TREE-11
-- @reads     misplaced_jobs, nodes, jobs, operations, tree_checks, coverage, trees
-- @param     slack_s 21 s — while a change of tags or filters travels: twice the 3 s of configuration and 15 s of node attributes
-- @why       A node belongs to a tree by its tags and the tree's nodes_filter, where the
--            log has both. Else it belongs to the tree that had it online, if this tree had
--            not. An operation has the trees that its spec asks for, and those to which its
--            pool offloads it, until it loses them.
WITH elsewhere AS ( -- starts on nodes that another tree had, at any time
  SELECT j.tree, j.job, j.operation, j.node, j.start_time, n.tree AS other
  FROM jobs AS j
  JOIN (SELECT DISTINCT tree, node FROM nodes) AS n ON n.node = j.node AND n.tree <> j.tree
), strays AS (
  SELECT j.tree, j.job, j.operation, j.node, j.start_time, j.other
  FROM elsewhere AS j
  ASOF JOIN (FROM nodes WHERE NOT is_undescribed) AS n ON n.tree = j.other AND n.node = j.node AND n.from_time + to_seconds($slack_s) <= j.start_time
  ASOF LEFT JOIN nodes AS own ON own.tree = j.tree AND own.node = j.node AND own.from_time <= j.start_time
  JOIN trees AS t ON t.tree = j.tree
  WHERE j.start_time >= t.from_time AND j.start_time < n.to_time AND coalesce(j.start_time >= own.to_time + to_seconds($slack_s), true)
), strangers AS ( -- operations in trees that they have not; few, if any
  SELECT r.tree, r.verdict, r.judged, r.excuse, r.operation, r.expected_trees, t.from_time
  FROM tree_checks AS r
  JOIN trees AS t ON t.tree = r.tree
  WHERE r.invariant = 'TREE-05' AND r.verdict IN ('excused', 'suspect', 'violated') AND NOT list_contains(string_split(r.expected_trees, ','), r.tree)
), foreigners AS (
  SELECT r.tree, r.verdict, r.judged, r.excuse, r.operation, r.expected_trees, j.node, j.job, j.start_time
  FROM strangers AS r
  JOIN jobs AS j ON j.tree = r.tree AND j.operation = r.operation AND j.start_time >= r.from_time
), starts AS (
  SELECT tree, invariant, verdict, operation, coalesce(node, '') AS node, time, job, judged, excuse, filter_pool,
    CASE invariant
      WHEN 'TREE-03' THEN 'which the nodes_filter of the tree does not match'
      WHEN 'TREE-11' THEN 'which a tag filter of the operation or of its pools does not match'
      ELSE 'in a tree that the operation had lost'
    END AS fault
  FROM misplaced_jobs
  WHERE invariant IN ('TREE-03', 'TREE-05', 'TREE-11')
  UNION ALL
  SELECT s.tree, 'TREE-03', 'violated', operation, node, start_time, job, 'recorded', '', NULL, printf('which tree %s had online and this one had not', min(other))
  FROM strays AS s
  WHERE NOT EXISTS (FROM misplaced_jobs AS m WHERE m.tree = s.tree AND m.job = s.job AND m.time = s.start_time AND m.invariant = 'TREE-03')
  GROUP BY s.tree, operation, node, start_time, job
  UNION ALL
  SELECT tree, 'TREE-05', verdict, operation, coalesce(node, ''), start_time, job, judged, excuse, NULL, printf('in a tree that it does not ask for (it asks for %s)', internal.trees_text(expected_trees))
  FROM foreigners
)
SELECT
  tree, invariant, concat_ws(' ', invariant, verdict, node) AS aspect, verdict, 'operation' AS subject_kind, operation AS subject,
  min(time) AS from_time, max(time) AS to_time, count(*)::DOUBLE AS magnitude, 'jobs' AS unit,
  printf('%s of operation %s started on node %s, %s.%s', internal.count_text(count(*), 'job'), operation, coalesce(nullif(node, ''), 'unknown'), min(fault),
    CASE verdict
      WHEN 'excused' THEN printf(' Excused: %s.', internal.excuse_text(min(excuse)))
      WHEN 'suspect' THEN ' What forbids it had begun just before or ended just after, or the operation may have been offloaded.'
      ELSE ''
    END) AS reason,
  min(judged) AS judged,  -- a text here: the weakest comes first
  json_object('jobs', list(job ORDER BY time, job)[1:20], 'node', node,
    -- Whose filter it is; the operation's own filter is no promise of a pool.
    'promised', CASE WHEN invariant = 'TREE-11' THEN list_transform(list_sort(list_distinct(list(filter_pool) FILTER (filter_pool IS NOT NULL))), p -> {'pool': p, 'verdict': verdict}) END) AS evidence,
  CASE verdict WHEN 'excused' THEN internal.excuse_text(min(excuse)) END AS excuse
FROM starts
GROUP BY tree, invariant, verdict, operation, node
ORDER BY tree, from_time, subject, aspect;
-- @seen
WITH parts AS (
  SELECT tree,
    coalesce(max(seen) FILTER (aspect = 'nodes_filter'), 0) AS by_filter,
    coalesce(max(seen) FILTER (aspect = 'placement'), 0) AS placed,
    coalesce(max(seen) FILTER (aspect = 'tag_filters'), 0) AS by_tags
  FROM coverage
  GROUP BY tree
), lost AS (
  SELECT tree, count(*) AS operations
  FROM (
    SELECT tree, operation FROM operations WHERE final_state IN ('erased', 'banned')
    UNION
    SELECT tree, operation FROM tree_checks WHERE invariant = 'TREE-05' AND verdict <> 'undecidable'
  )
  GROUP BY tree
), judged AS (
  SELECT tree, greatest(coalesce(by_filter, 0), CASE WHEN (SELECT count(*) FROM trees) > 1 THEN coalesce(placed, 0) ELSE 0 END) AS starts,
    coalesce(by_tags, 0) AS by_tags, coalesce(by_filter, 0) AS by_filter, coalesce(operations, 0) AS lost
  FROM trees LEFT JOIN parts USING (tree) LEFT JOIN lost USING (tree)
)
SELECT tree, (starts + by_tags + lost)::BIGINT AS seen, 'starts and choices of trees' AS unit,
  CASE
    WHEN starts + by_tags + lost = 0 THEN 'the log holds no filters with the tags of nodes, no other tree, and no operation that has a spec or lost this tree'
    WHEN by_filter = 0 THEN 'the log has no nodes_filter with the tags of nodes'
  END AS reason
FROM judged
ORDER BY tree;
-- @tested
SELECT tree, kind, subject, from_time, to_time, missing FROM internal.starts_tested('scheduling_tag_filter');
