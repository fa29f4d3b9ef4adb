-- @audit     job_without_end
-- @title     Job without a known end
-- @promise   Every started job ends exactly once.
-- @invariant LOG-02
-- @severity  minor
-- @reads     jobs
-- @why       A job that still runs when the log ends has the end "running"; a
--            row here means that the log lost the job, so its usage is unknown
--            from some moment on.
SELECT
  tree,
  '' AS aspect,
  'suspect' AS verdict,
  'job' AS subject_kind,
  job AS subject,
  start_time AS from_time,
  end_time AS to_time,
  1.0 AS magnitude,
  'jobs' AS unit,
  printf('Job %s of operation %s started and the log does not say how it ended.', job, operation) AS reason,
  'recorded' AS judged,
  json_object('operation', operation, 'pool', pool, 'node', node) AS evidence
FROM jobs
WHERE end_kind = 'unknown'
ORDER BY tree, start_time, job;
-- @seen
SELECT tree, count(jobs.job) AS seen, 'jobs' AS unit, 'no job started' AS reason
FROM trees LEFT JOIN jobs USING (tree)
GROUP BY tree
ORDER BY tree;
