-- @audit     pool_over_resource_limits
-- @title     Pool over its resource limits
-- @promise   A pool's jobs use no more than its resource_limits.
-- @invariant LIM-02
-- @severity  minor
-- @judges    resource_limits
-- @reads     limit_episodes, decisions, pools, pool_intervals, jobs, coverage
-- @param     use_s 10 s — how long reported usage may lag behind
-- @why       Usage is what started jobs were granted. Excused are episodes no
--            longer than the lag, and those that no start began: the limit
--            came down, a pool or an operation moved in or was revived, or
--            jobs grew, and those begun by a start that LIM-01 does not hold against
--            anybody: the limit had come down so lately that it was not known yet. Where the log knows only what jobs asked for, an
--            episode is suspect at most.
WITH doubtful_starts AS (
  SELECT DISTINCT tree, job FROM decisions
  WHERE decision = 'start' AND invariant = 'LIM-01' AND verdict IN ('suspect', 'excused')
), judged AS (
  SELECT e.tree, pool, operation, pool AS element, resource, unit, from_time, to_time, clipped_from, clipped_to, cause, peak_time, jobs,
    limit_amount, amount, seconds, usage_state, cause_job,
    CASE
      WHEN limit_excuse(cause) IS NOT NULL THEN limit_excuse(cause)
      WHEN cause <> 'job_started' THEN 'no start began it: an operation moved in or its jobs grew'
      WHEN seconds <= $use_s THEN 'usage may be reported so late'
      WHEN d.job IS NOT NULL THEN 'the start that began it was allowed by a limit of a moment before'
    END AS excuse
  FROM resource_limit_episodes AS e
  LEFT JOIN doubtful_starts AS d ON d.tree = e.tree AND d.job = e.cause_job
  WHERE element_kind = 'pool' AND usage_state IN ('recorded', 'requested')
)
SELECT
  tree,
  resource AS aspect,
  CASE WHEN excuse IS NOT NULL THEN 'excused' WHEN usage_state = 'recorded' THEN 'violated' ELSE 'suspect' END AS verdict,
  'pool' AS subject_kind,
  element AS subject,
  from_time,
  to_time,
  amount - limit_amount AS magnitude,
  unit,
  printf('Pool %s used up to %s with a limit of %s for %s.%s%s%s%s', element, amount_text(resource, amount), amount_text(resource, limit_amount),
    span_text(seconds),
    coalesce(printf(' The start of job %s took it over.', cause_job), ''),
    coalesce(printf(' Excused: %s.', excuse), ''),
    CASE WHEN usage_state = 'requested' THEN ' The log knows only what jobs asked for.' ELSE '' END,
    clip_text(clipped_from, clipped_to)) AS reason,
  CASE WHEN usage_state = 'recorded' THEN 'recorded' ELSE 'possible' END AS judged,
  json_object('pool', pool, 'operation', operation, 'resource', resource, 'unit', unit, 'limit', limit_amount, 'used', amount,
    'peak_time', time_text(peak_time), 'cause', cause, 'cause_job', cause_job, 'jobs_at_peak', id_list(jobs),
    'clipped_from', clipped_from, 'clipped_to', clipped_to) AS evidence
FROM judged
ORDER BY tree, from_time, element, resource;
-- @seen
WITH used AS (
  SELECT DISTINCT tree, pool AS element FROM pool_intervals
  WHERE usage_ratio_max > 0 OR resource_usage_user_slots > 0 OR resource_usage_cpu > 0 OR resource_usage_gpu > 0
    OR resource_usage_memory > 0 OR resource_usage_network > 0
  UNION
  SELECT tree, coalesce(operation, pool) FROM limit_episodes WHERE element_kind = 'pool' AND limit_kind = 'resource_limits'
), limited AS (
  SELECT tree,
    count(*) FILTER (usage IN ('recorded', 'requested')) AS known,
    count(DISTINCT element) FILTER (usage IN ('recorded', 'requested') AND used.element IS NOT NULL) AS judged,
    string_agg(DISTINCT resource, ', ' ORDER BY resource) FILTER (usage NOT IN ('recorded', 'requested')) AS not_judged
  FROM resource_limits
  JOIN resource_coverage USING (tree, resource)
  LEFT JOIN used USING (tree, element)
  WHERE element_kind = 'pool'
  GROUP BY tree
)
SELECT tree, coalesce(judged, 0) AS seen, 'pools with a limit and jobs' AS unit,
  CASE
    WHEN judged = 0 AND known > 0 THEN 'under no pool with resource_limits a job held resources'
    WHEN not_judged IS NOT NULL THEN 'not judged, since the log does not know the usage: ' || not_judged
    WHEN judged IS NULL THEN 'no pool has resource_limits'
  END AS reason
FROM trees LEFT JOIN limited USING (tree)
ORDER BY tree;
