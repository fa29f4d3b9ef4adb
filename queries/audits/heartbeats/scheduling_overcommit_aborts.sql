-- @audit     scheduling_overcommit_aborts
-- @title     Jobs aborted because heartbeats overtook each other
-- @promise   Less than one started job in a hundred is aborted because it no longer fits the limits it was started under.
-- @invariant HB-11
-- @reads     jobs, trees
-- @param     share 0.01 share — part of the started jobs from which on it is reported
-- @why       Concurrent heartbeats may start jobs under the same limit (abort reason
--            scheduling_resource_overcommit). That is legal while it is rare. It is
--            undecidable where the aborted jobs without a reason and the jobs without a
--            known end could exceed the share.
WITH aborted AS (
  SELECT tree, sum(jobs)::BIGINT AS jobs, sum(overcommitted)::BIGINT AS lost, min(from_time) AS from_time, max(to_time) AS to_time
  FROM internal.job_counts
  GROUP BY tree
)
SELECT
  tree, '' AS aspect, 'violated' AS verdict, 'tree' AS subject_kind, tree AS subject, from_time, to_time,
  lost::DOUBLE AS magnitude, 'jobs' AS unit,
  printf('%d of %s were aborted because concurrent heartbeats had used up their limits.', lost, internal.count_text(jobs, 'job')) AS reason,
  'recorded' AS judged, json_object('aborted', lost, 'jobs', jobs) AS evidence
FROM aborted
WHERE lost >= $share * jobs AND lost > 0
ORDER BY tree;
-- @seen
WITH ends AS (
  SELECT tree, sum(jobs)::BIGINT AS jobs, sum(overcommitted)::BIGINT AS lost,
    sum(jobs) FILTER (end_kind = 'aborted')::BIGINT AS aborted, sum(jobs - without_reason) FILTER (end_kind = 'aborted')::BIGINT AS told,
    sum(without_reason) FILTER (end_kind IN ('aborted', 'unknown'))::BIGINT AS silent
  FROM internal.job_counts
  GROUP BY tree
)
SELECT tree,
  CASE WHEN lost > 0 AND lost >= $share * jobs THEN jobs WHEN told = 0 OR lost + silent >= $share * jobs THEN 0 ELSE jobs END AS seen,
  'job starts' AS unit,
  CASE
    WHEN jobs IS NULL THEN 'no job started'
    WHEN aborted = 0 AND silent = 0 THEN 'no job was aborted'
    WHEN silent > 0 THEN printf('the log does not record why %s ended', internal.count_text(silent, 'job'))
  END AS reason,
  jobs IS NULL OR aborted = 0 AND silent = 0 AS idle
FROM (SELECT tree, jobs, coalesce(lost, 0) AS lost, coalesce(aborted, 0) AS aborted, coalesce(told, 0) AS told, coalesce(silent, 0) AS silent FROM trees LEFT JOIN ends USING (tree))
ORDER BY tree;
