-- @audit     job_without_one_slot
-- @title     Job that does not take one user slot
-- @promise   Each job takes exactly one user slot.
-- @invariant LOG-06
-- @reads     jobs, trees, coverage
-- @needs     usage.user_slots recorded — user slots of jobs
-- @why       There is one finding per operation. Jobs that started before the window are
--            not judged.
SELECT
  jobs.tree,
  '' AS aspect,
  'violated' AS verdict,
  'operation' AS subject_kind,
  operation AS subject,
  min(start_time) AS from_time,
  CASE WHEN count(end_time) = count(*) THEN max(end_time) END AS to_time,
  count(*)::DOUBLE AS magnitude,
  'jobs' AS unit,
  printf('%s of operation %s took another number of user slots than one.', internal.count_text(count(*), 'job'), operation) AS reason,
  'recorded' AS judged,
  json_object('pool', any_value(jobs.pool), 'first_jobs', list({'job': job, 'user_slots': resources_user_slots} ORDER BY start_time, job)[1:20]) AS evidence
FROM jobs JOIN trees ON trees.tree = jobs.tree AND jobs.start_time >= trees.from_time
WHERE resources_user_slots < 1 OR resources_user_slots > 1 -- two ranges: DuckDB skips groups of rows by their least and greatest value
GROUP BY jobs.tree, operation
ORDER BY jobs.tree, from_time, operation;
-- @seen
SELECT tree, coalesce(sum(jobs) FILTER (in_window), 0)::BIGINT AS seen, 'jobs' AS unit,
  CASE WHEN coalesce(sum(jobs) FILTER (in_window), 0) = 0 THEN 'no job started in the window' END AS reason,
  coalesce(sum(jobs) FILTER (in_window), 0) = 0 AS idle
FROM trees LEFT JOIN internal.job_counts USING (tree)
GROUP BY tree
ORDER BY tree;
