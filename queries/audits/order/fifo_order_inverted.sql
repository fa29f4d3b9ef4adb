-- @audit     fifo_order_inverted
-- @title     FIFO order inverted
-- @promise   In a FIFO pool no later operation starts a job where an earlier one could have started one.
-- @invariant FIFO-03
-- @severity  minor
-- @judges    fifo_order
-- @reads     jobs, trees, coverage
-- @needs     demand recorded|snapshots|reconstructed — which operations waited for resources
-- @why       One finding per pair of operations. Violated if a job of the
--            overtaken operation would have fitted in the started job's place
--            at least once; suspect if the log does not tell the node or the
--            size of the job; where none would have fitted there is no finding.
WITH overtakings AS (
  SELECT tree, pool, operation, overtook_operation,
    count(*) AS starts,
    count(*) FILTER (overtook_fits) AS fitting,
    min(start_time) FILTER (overtook_fits IS NOT FALSE) AS from_time,
    max(start_time) FILTER (overtook_fits IS NOT FALSE) AS to_time,
    list({'job': job, 'node': node, 'start_time': time_text(start_time), 'fits': overtook_fits}
      ORDER BY overtook_fits DESC NULLS LAST, start_time, job) FILTER (overtook_fits IS NOT FALSE) AS examples
  FROM jobs
  WHERE overtook_operation IS NOT NULL
  GROUP BY tree, pool, operation, overtook_operation
  HAVING count(*) FILTER (overtook_fits IS NOT FALSE) > 0
)
SELECT
  tree,
  overtook_operation AS aspect,
  CASE WHEN fitting > 0 THEN 'violated' ELSE 'suspect' END AS verdict,
  'operation' AS subject_kind,
  operation AS subject,
  from_time,
  to_time,
  (CASE WHEN fitting > 0 THEN fitting ELSE starts END)::DOUBLE AS magnitude,
  'jobs' AS unit,
  CASE
    WHEN fitting > 0 THEN printf('Operation %s started %s in FIFO pool %s where operation %s, earlier in its order, could have started one.',
      operation, count_text(fitting, 'job'), pool, overtook_operation)
    ELSE printf('Operation %s started %s in FIFO pool %s while operation %s, earlier in its order, waited; the log does not tell whether one of its jobs fitted there.',
      operation, count_text(starts, 'job'), pool, overtook_operation)
  END AS reason,
  CASE WHEN fitting > 0 THEN 'recomputed' ELSE 'possible' END AS judged,
  json_object('pool', pool, 'overtaken', overtook_operation, 'starts', starts, 'starts_that_fitted', fitting, 'first_starts', examples[1:20]) AS evidence
FROM overtakings
ORDER BY tree, from_time, operation, overtook_operation;
-- @seen
WITH starts AS (
  SELECT jobs.tree, count(*) AS jobs
  FROM jobs
  JOIN trees ON trees.tree = jobs.tree AND jobs.start_time >= trees.from_time
  WHERE jobs.in_fifo_order
  GROUP BY jobs.tree
)
SELECT tree, coalesce(jobs, 0) AS seen, 'job starts in FIFO pools' AS unit,
  CASE WHEN jobs IS NULL THEN 'no job started in a FIFO pool that is known to schedule in order' END AS reason
FROM trees LEFT JOIN starts USING (tree)
ORDER BY tree;
-- @tested
SELECT j.tree, NULL AS kind, j.pool AS subject, v.from_time, v.to_time,
  CASE WHEN NOT bool_or(j.in_fifo_order) THEN 'the log does not tell that its jobs start in the order of its queue' END AS missing
FROM (SELECT tree, pool, start_time, in_fifo_order FROM jobs WHERE (tree, pool) IN (SELECT (tree, pool) FROM pool_versions WHERE mode = 'fifo')) AS j
ASOF JOIN pool_versions AS v ON v.tree = j.tree AND v.pool = j.pool AND v.from_time <= j.start_time
WHERE v.mode = 'fifo' AND j.start_time < v.to_time
GROUP BY ALL;
