-- @audit     scheduling_overcommit_aborts
-- @title     Jobs aborted because heartbeats overtook each other
-- @promise   Less than one started job in a hundred is aborted because it no longer fits the limits it was started under.
-- @invariant HB-11
-- @severity  info
-- @reads     jobs, trees
-- @param     share 0.01 share — part of the started jobs from which on it is told
-- @why       Concurrent heartbeats may start jobs for one limit (abort reason
--            scheduling_resource_overcommit); legal while it is rare.
WITH aborted AS (
  SELECT tree, count(*) AS jobs, count(*) FILTER (end_reason LIKE '%scheduling%overcommit%') AS lost, min(start_time) AS from_time, max(coalesce(end_time, start_time)) AS to_time
  FROM jobs
  GROUP BY tree
)
SELECT
  tree, '' AS aspect, 'violated' AS verdict, 'tree' AS subject_kind, tree AS subject, from_time, to_time,
  lost::DOUBLE AS magnitude, 'jobs' AS unit,
  printf('%d of %s were aborted because concurrent heartbeats had used up their limits.', lost, count_text(jobs, 'job')) AS reason,
  'recorded' AS judged, json_object('aborted', lost, 'jobs', jobs) AS evidence
FROM aborted
WHERE lost >= $share * jobs AND lost > 0
ORDER BY tree;
-- @seen
SELECT tree, count(jobs.job) AS seen, 'job starts' AS unit, CASE WHEN count(jobs.job) = 0 THEN 'no job started' END AS reason,
  count(jobs.job) = 0 AS idle
FROM trees LEFT JOIN jobs USING (tree)
GROUP BY tree
ORDER BY tree;
