-- @audit     job_without_end
-- @title     Job without a known end
-- @promise   Every started job ends exactly once, and the log says how.
-- @invariant LOG-02
-- @reads     coverage, jobs, nodes, operations, trees
-- @param     slack_s 16 s — how long before the end of the log a node or an operation may be lost without the ends of its jobs: a heartbeat of 6 s and 10 s to abort
-- @why       A job that still runs when the log ends has the end "running". A finding means
--            that the log lost the job, so that its usage is unknown from some moment on. A
--            log without the end of any job is not judged, and neither is a job whose node
--            or operation is gone just before the log ends (log truncation,
--            core/spec/invariants.md LOG-02). Jobs that started before the window warm the
--            replay up and are not judged. Where the source says that it does not record when
--            some jobs ended, or some row of an end is lost and which cannot be told (coverage job_ends), nothing is decided. There is one finding per operation.
WITH telling AS ( -- of the ends of some jobs, and not of all
  SELECT tree FROM internal.job_counts GROUP BY tree
  HAVING bool_or(end_kind NOT IN ('unknown', 'running', 'preempted')) AND bool_or(end_kind = 'unknown')
), started AS (
  SELECT jobs.tree, pool, operation, job, node, start_time, end_time, end_kind
  FROM jobs JOIN telling USING (tree) JOIN trees ON trees.tree = jobs.tree AND jobs.start_time >= trees.from_time
), cut AS ( -- nodes that went when the log was about to end
  SELECT n.tree, n.node, max(n.to_time) AS left_time
  FROM (SELECT *, lead(from_time) OVER (PARTITION BY tree, node ORDER BY from_time) AS next_time FROM nodes) AS n JOIN trees USING (tree)
  WHERE NOT n.clipped_to AND (n.next_time IS NULL OR n.next_time > n.to_time) AND n.to_time > trees.to_time - to_seconds($slack_s)
  GROUP BY n.tree, n.node
), lost AS (
  SELECT tree, pool, operation, count(*) AS jobs, min(start_time) AS from_time,
    CASE WHEN count(end_time) = count(*) THEN max(end_time) END AS to_time,
    list({'job': job, 'node': node, 'start_time': internal.time_text(start_time)} ORDER BY start_time, job) AS examples
  FROM started AS s
  WHERE end_kind = 'unknown'
    AND NOT EXISTS (FROM cut AS c WHERE c.tree = s.tree AND c.node = s.node AND s.start_time < c.left_time)
    AND NOT EXISTS (FROM operations AS o JOIN trees AS t ON t.tree = o.tree WHERE o.tree = s.tree AND o.operation = s.operation AND o.finish_time > t.to_time - to_seconds($slack_s))
  GROUP BY tree, pool, operation
)
SELECT
  tree,
  pool AS aspect,
  CASE WHEN (tree) IN (SELECT tree FROM coverage WHERE aspect = 'job_ends' AND state = 'partial') THEN 'undecidable' ELSE 'violated' END AS verdict,
  'operation' AS subject_kind,
  operation AS subject,
  from_time,
  to_time,
  jobs::DOUBLE AS magnitude,
  'jobs' AS unit,
  CASE
    WHEN jobs = 1 THEN printf('Job %s of operation %s started, and the log does not record how it ended.', examples[1].job, operation)
    ELSE printf('%s of operation %s started, and the log does not record how they ended.', internal.count_text(jobs, 'job'), operation)
  END AS reason,
  'recorded' AS judged,
  json_object('pool', pool, 'jobs', jobs, 'first_jobs', examples[1:100]) AS evidence
FROM lost
ORDER BY tree, from_time, operation;
-- @seen
WITH counted AS (
  SELECT tree, coalesce(sum(jobs) FILTER (in_window), 0)::BIGINT AS started,
    coalesce(bool_or(end_kind NOT IN ('unknown', 'running', 'preempted')) OR bool_and(end_kind <> 'unknown'), false) AS told
  FROM trees LEFT JOIN internal.job_counts USING (tree)
  GROUP BY tree
)
SELECT tree, CASE WHEN told THEN started ELSE 0 END AS seen, 'jobs' AS unit,
  CASE
    WHEN started = 0 THEN 'no job started in the window'
    WHEN NOT told THEN 'the log records the end of no job'
  END AS reason,
  started = 0 AS idle
FROM counted
ORDER BY tree;
