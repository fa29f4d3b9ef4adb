-- @audit     job_in_banned_tree
-- @title     New job in a tree that banned its operation
-- @promise   A tree that banned an operation gets no new jobs of it.
-- @invariant TREE-09
-- @reads     misplaced_jobs, operations, trees
-- @why       A heartbeat that had begun when the ban came goes on, so that a start within 6
--            s is suspect.
SELECT
  tree, verdict AS aspect, verdict, 'operation' AS subject_kind, operation AS subject, min(time) AS from_time, max(time) AS to_time,
  count(*)::DOUBLE AS magnitude, 'jobs' AS unit,
  printf('%s of operation %s started after the tree had banned it at %s.%s', internal.count_text(count(*), 'job'), operation, internal.clock_text(min(since)),
    CASE verdict
      WHEN 'excused' THEN printf(' Excused: %s.', internal.excuse_text(min(excuse)))
      WHEN 'suspect' THEN ' That was just before.'
      ELSE ''
    END) AS reason,
  max(judged) AS judged,
  json_object('jobs', list(job ORDER BY time, job)[1:20], 'banned', internal.time_text(min(since))) AS evidence,
  CASE verdict WHEN 'excused' THEN internal.excuse_text(min(excuse)) END AS excuse
FROM misplaced_jobs
WHERE invariant = 'TREE-09'
GROUP BY tree, verdict, operation
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, greatest(count(DISTINCT o.operation), count(DISTINCT m.operation)) AS seen, 'banned operations' AS unit,
  CASE WHEN count(o.operation) + count(m.operation) = 0 THEN 'the tree banned no operation' END AS reason,
  count(o.operation) + count(m.operation) = 0 AS idle
FROM trees
LEFT JOIN (SELECT tree, operation FROM operations WHERE final_state = 'banned') AS o USING (tree)
LEFT JOIN (SELECT tree, operation FROM misplaced_jobs WHERE invariant = 'TREE-09') AS m USING (tree)
GROUP BY tree
ORDER BY tree;
