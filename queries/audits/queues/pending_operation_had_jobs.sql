-- @audit     pending_operation_had_jobs
-- @title     Pending operation with jobs
-- @promise   A pending operation has no jobs.
-- @invariant PEND-05
-- @reads     pending_episodes, excuse_windows, coverage, trees
-- @why       The state at the moment of the job counts. A finding is suspect at most where
--            the log never records that the operation waited, since it may have been
--            running when its job started. The same goes for rows that may be out of order:
--            the operation is recorded as running shortly after the start of the job, or as
--            waiting shortly before the end of its jobs.
WITH busy AS (
  SELECT e.*, s.assumed OR NOT e.recorded AS inferred, inferred OR e.unordered AS doubtful,
    internal.window_text(internal.windows_within(CASE ended WHEN 'job_started' THEN e.to_time ELSE e.from_time END, e.to_time + INTERVAL 1 MICROSECOND, windows)[1].cause) AS blind
  FROM pending_episodes AS e
  JOIN internal.operation_states AS s ON s.tree = e.tree
  JOIN internal.excuse_lists AS b ON b.tree = e.tree
  WHERE e.job_count > 0
)
SELECT
  tree, '' AS aspect,
  CASE WHEN blind IS NOT NULL THEN 'excused' WHEN doubtful THEN 'suspect' ELSE 'violated' END AS verdict,
  'operation' AS subject_kind, operation AS subject, from_time, to_time, job_count::DOUBLE AS magnitude, 'jobs' AS unit,
  printf('Operation %s of pool %s was pending for %s %s.%s%s', operation, pool, internal.span_text(span_seconds(from_time, to_time)),
    CASE ended WHEN 'job_started' THEN 'until a job of it started' ELSE printf('and held %s', internal.count_text(job_count, 'job')) END,
    coalesce(printf(' Excused: %s.', blind), ''),
    CASE
      WHEN blind IS NOT NULL THEN ''
      WHEN inferred THEN ' The log does not record that it waited: that follows from full pools when it was ready.'
      WHEN unordered THEN ' The log records both within moments and may have their order wrong.'
      ELSE '' END) AS reason,
  CASE WHEN doubtful THEN 'possible' ELSE 'recorded' END AS judged,
  json_object('pool', pool, 'blocking_pool', blocking_pool, 'ended', ended, 'clipped_from', clipped_from, 'clipped_to', clipped_to) AS evidence,
  blind AS excuse
FROM busy
ORDER BY tree, from_time, subject;
-- @seen
SELECT tree, count(operation) AS seen, 'waits' AS unit,
  CASE WHEN count(operation) = 0 THEN 'no operation waited for admission' END AS reason,
  count(operation) = 0 AND tree NOT IN (SELECT tree FROM internal.operation_states WHERE assumed) AS idle
FROM trees LEFT JOIN pending_episodes USING (tree)
GROUP BY tree
ORDER BY tree;
