-- @audit     preemption_concentrated
-- @title     Preemption that falls on one operation
-- @promise   No operation loses most of its jobs to preemption within an hour while the others of its pool lose none.
-- @invariant PRE-27
-- @reads     preemptions, jobs, trees
-- @param     lost_share 0.5 share — part of an operation's jobs that counts as most
-- @param     least_jobs 10 jobs — how many jobs it must have had in the hour
-- @why       This is legal, since decisions are made node by node. Operations of one pool
--            are compared that had that many jobs on nodes within the same hour of the log.
WITH lost AS (
  SELECT tree, operation, pool, time_bucket(INTERVAL 1 HOUR, time) AS hour, count(*) AS lost, sum(lost_us) AS lost_us
  FROM preemptions
  GROUP BY ALL
), losses AS (
  SELECT tree, min(hour) AS first_hour, max(hour) AS last_hour FROM lost GROUP BY tree
), alike AS ( -- jobs that began in one hour and ended in one
  SELECT tree, operation, pool, first_hour, last_hour, sum(jobs) AS jobs FROM internal.job_counts GROUP BY ALL
), spread AS ( -- over the hours between the first loss of the tree and the last
  SELECT tree, operation, pool, jobs, unnest(generate_series(greatest(a.first_hour, l.first_hour), least(a.last_hour, l.last_hour), INTERVAL 1 HOUR)) AS hour
  FROM alike AS a JOIN losses AS l USING (tree)
), hours AS (
  SELECT tree, operation, pool, hour, sum(jobs)::BIGINT AS jobs
  FROM spread
  GROUP BY ALL
  HAVING sum(jobs) >= $least_jobs
), joined AS (
  SELECT tree, pool, operation, hour, hours.jobs, lost.lost, lost.lost_us,
    count(*) FILTER (lost.lost IS NULL) OVER (PARTITION BY tree, pool, hour) AS spared
  FROM hours LEFT JOIN lost USING (tree, operation, pool, hour)
)
SELECT
  tree, '' AS aspect, 'violated' AS verdict, 'operation' AS subject_kind, operation AS subject,
  hour AS from_time, hour + INTERVAL 1 HOUR AS to_time, lost::DOUBLE AS magnitude, 'jobs' AS unit,
  printf('Operation %s in pool %s lost %d of its %d jobs within an hour, while %s of the pool lost none.',
    operation, pool, lost, jobs, internal.count_text(spared, 'operation')) AS reason,
  'recorded' AS judged,
  json_object('pool', pool, 'lost', lost, 'jobs', jobs, 'lost_seconds', lost_us / 1e6, 'operations_spared', spared) AS evidence
FROM joined
WHERE lost > $lost_share * jobs AND spared > 0
ORDER BY tree, from_time, subject;
-- @seen
SELECT tree, count(p.job) AS seen, 'preempted jobs' AS unit,
  CASE WHEN count(p.job) = 0 THEN 'no job was preempted' END AS reason,
  count(p.job) = 0 AND tree NOT IN (SELECT tree FROM coverage WHERE aspect = 'preemption_details' AND state = 'none') AS idle
FROM trees LEFT JOIN preemptions AS p USING (tree)
GROUP BY tree
ORDER BY tree;
