-- @audit     fifo_order_inverted
-- @title     FIFO order inverted
-- @promise   In a FIFO pool no later operation starts a job where an earlier one could have started one.
-- @invariant FIFO-03
-- @judges    fifo_order
-- @reads     jobs, trees, coverage
-- @needs     demand recorded|snapshots|reconstructed — which operations waited for resources
-- @param     declines 2 declines — how often its controller may have had no job for a node
-- @param     backoff_s 0.1 s — how long it is left alone after that (schedule_job_fail_backoff_time)
-- @why       There is one finding per pair of operations, if a job of the overtaken
--            operation would have fitted in place of the started job, or may have. The log
--            does not record that a controller declined (locality, disks, ports); an
--            operation that declined is passed over on all nodes until its backoff is over.
--            So a few overtakings are suspect. The finding is violated if the operation was
--            overtaken, by any operation, at more moments than that many declines with
--            their backoffs explain. It is suspect as well where the log does not record
--            the node or the size of the job, where the last record of what the operation
--            waited for is more than a moment old, where packing may have passed it over,
--            and where the pool got its order or an operation its weight shortly before.
WITH overtaking AS MATERIALIZED (
  SELECT tree, pool, operation, job, node, start_time, overtook_operation, overtook_fits FROM jobs WHERE overtook_operation IS NOT NULL
),
moments AS (
  SELECT DISTINCT tree, overtook_operation, epoch_us(start_time) // greatest(1, ($backoff_s * 1000000)::BIGINT) AS moment
  FROM overtaking
  WHERE overtook_fits
),
-- One backoff covers two moments in a row at most.
runs AS (
  SELECT tree, overtook_operation, ceil(count(*) / 2) AS declines
  FROM (
    SELECT tree, overtook_operation, moment - row_number() OVER (PARTITION BY tree, overtook_operation ORDER BY moment) AS run
    FROM moments
  )
  GROUP BY tree, overtook_operation, run
),
declined AS (
  SELECT tree, overtook_operation, sum(declines)::BIGINT AS declines
  FROM runs
  GROUP BY tree, overtook_operation
),
overtakings AS (
  SELECT tree, pool, operation, overtook_operation,
    count(*) AS starts,
    count(*) FILTER (overtook_fits) AS fitting,
    min(start_time) FILTER (overtook_fits IS NOT FALSE) AS from_time,
    max(start_time) FILTER (overtook_fits IS NOT FALSE) AS to_time,
    list({'job': job, 'node': node, 'start_time': internal.time_text(start_time), 'fits': overtook_fits}
      ORDER BY overtook_fits DESC NULLS LAST, start_time, job) FILTER (overtook_fits IS NOT FALSE) AS examples
  FROM overtaking
  GROUP BY tree, pool, operation, overtook_operation
  HAVING count(*) FILTER (overtook_fits IS NOT FALSE) > 0
)
SELECT
  tree,
  overtook_operation AS aspect,
  CASE WHEN fitting > 0 AND declines > $declines THEN 'violated' ELSE 'suspect' END AS verdict,
  'operation' AS subject_kind,
  operation AS subject,
  from_time,
  to_time,
  (CASE WHEN fitting > 0 THEN fitting ELSE starts END)::DOUBLE AS magnitude,
  'jobs' AS unit,
  CASE
    WHEN fitting > 0 THEN printf('Operation %s started %s in FIFO pool %s where operation %s, earlier in its order, could have started one%s.',
      operation, internal.count_text(fitting, 'job'), pool, overtook_operation,
      CASE WHEN declines > $declines THEN printf('; its controller would have had to decline %d times', declines) ELSE ', unless its controller declined' END)
    ELSE printf('Operation %s started %s in FIFO pool %s while operation %s, earlier in its order, waited; the log does not record whether one of its jobs could have started there.',
      operation, internal.count_text(starts, 'job'), pool, overtook_operation)
  END AS reason,
  CASE WHEN fitting > 0 THEN 'recomputed' ELSE 'possible' END AS judged,
  json_object('pool', pool, 'overtaken', overtook_operation, 'starts', starts, 'starts_that_fitted', fitting, 'declines', coalesce(declines, 0), 'first_starts', examples[1:20]) AS evidence
FROM overtakings LEFT JOIN declined USING (tree, overtook_operation)
ORDER BY tree, from_time, operation, overtook_operation;
-- @seen
WITH starts AS (
  SELECT tree, sum(in_fifo_order)::BIGINT AS jobs
  FROM internal.job_counts
  WHERE in_window AND in_fifo_order > 0
  GROUP BY tree
)
SELECT tree, coalesce(jobs, 0) AS seen, 'job starts in FIFO pools' AS unit,
  CASE WHEN jobs IS NULL THEN 'no job started in a FIFO pool that is known to schedule in order' END AS reason,
  jobs IS NULL AND configured AS idle
FROM trees LEFT JOIN starts USING (tree)
ORDER BY tree;
-- @tested
SELECT j.tree, NULL AS kind, j.pool AS subject, v.from_time, v.to_time,
  CASE WHEN NOT bool_or(j.in_fifo_order) THEN 'the log does not record that its jobs start in the order of its queue' END AS missing
FROM (SELECT tree, pool, start_time, in_fifo_order FROM jobs WHERE (tree, pool) IN (SELECT (tree, pool) FROM pool_versions WHERE mode = 'fifo')) AS j
ASOF JOIN pool_versions AS v ON v.tree = j.tree AND v.pool = j.pool AND v.from_time <= j.start_time
WHERE v.mode = 'fifo' AND j.start_time < v.to_time
GROUP BY ALL;
