-- @audit     preemption_names_nobody
-- @title     Preemption whose record cannot be right
-- @promise   A preemption names a job that exists, and the scheduler's sentence about it agrees with its codes.
-- @invariant PRE-25
-- @reads     preemptions, jobs, coverage, trees
-- @why       The job that a preemption names is looked up among all jobs of the run. A
--            finding is suspect where the log holds no heartbeats, since it may record jobs
--            only when they end and this one may still run. In the scheduler's sentence on
--            a preemption, the job, operation, level, priorities and condition are compared
--            with the columns that the log fills. A sentence of another form is not judged.
WITH heartbeats AS (
  SELECT tree FROM coverage WHERE aspect = 'heartbeats' AND state IN ('recorded', 'sampled')
), nameless AS (
  SELECT p.tree, p.operation, p.pool, p.job, p.time, p.beneficiary, p.beneficiary_job, h.tree IS NOT NULL AS told
  FROM internal.absent_beneficiaries AS p
  LEFT JOIN heartbeats AS h ON h.tree = p.tree
  WHERE len(p.in_trees) = 0 AND NOT p.beneficiary_job_inferred
)
SELECT
  tree, 'PRE-25' AS aspect, CASE WHEN any_value(told) THEN 'violated' ELSE 'suspect' END AS verdict,
  'operation' AS subject_kind, operation AS subject,
  min(time) AS from_time, max(time) AS to_time, count(*)::DOUBLE AS magnitude, 'preemptions' AS unit,
  printf('%s of operation %s in pool %s for a job that the log does not hold: %s.', internal.count_text(count(*), 'preemption'), operation,
    first(pool ORDER BY time, job), first(beneficiary_job ORDER BY time, job)) AS reason,
  CASE WHEN any_value(told) THEN 'recorded' ELSE 'possible' END AS judged,
  json_object('pool', first(pool ORDER BY time, job), 'first_cases', list({'time': internal.time_text(time), 'job': job,
    'beneficiary': beneficiary, 'beneficiary_job': beneficiary_job} ORDER BY time, job)[1:10]) AS evidence
FROM nameless
GROUP BY tree, operation
UNION ALL
SELECT
  tree, 'PRE-25 explanation' AS aspect, 'violated' AS verdict, 'operation' AS subject_kind, operation AS subject,
  min(time) AS from_time, max(time) AS to_time, count(*)::DOUBLE AS magnitude, 'preemptions' AS unit,
  printf('%s of operation %s in pool %s is explained in words that contradict the log''s codes: %s of job %s.', internal.count_text(count(*), 'preemption'), operation,
    first(pool ORDER BY time, job), replace(first(contradicts ORDER BY time, job), ',', ', '), first(job ORDER BY time, job)) AS reason,
  'recorded' AS judged,
  json_object('pool', first(pool ORDER BY time, job), 'first_cases', list({'time': internal.time_text(time), 'job': job,
    'columns': contradicts, 'explanation': explanation} ORDER BY time, job)[1:10]) AS evidence
FROM preemptions
WHERE contradicts <> ''
GROUP BY tree, operation
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, count(p.job) AS seen, 'preempted jobs that name another or are explained' AS unit,
  CASE WHEN count(p.job) = 0 THEN 'no preemption names a job that it made room for, or is explained in words' END AS reason,
  count(p.job) = 0 AND tree NOT IN (SELECT tree FROM preemptions UNION SELECT tree FROM coverage WHERE aspect = 'preemption_details' AND state = 'none') AS idle
FROM trees LEFT JOIN (SELECT tree, job FROM preemptions WHERE beneficiary_job <> '' AND NOT beneficiary_job_inferred OR explained) AS p USING (tree)
GROUP BY tree
ORDER BY tree;
