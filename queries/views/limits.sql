-- What the audits of limits share: resource_limits of pools and operations, and
-- the numbers of operations that a pool may have.

-- The configured resource limits, one row per element and resource, with those that
-- occur in episodes, even if they were removed later.
CREATE OR REPLACE VIEW internal.resource_limits AS
WITH configured AS (
  SELECT tree, 'pool' AS element_kind, pool AS element, resource_limits_user_slots AS user_slots, resource_limits_cpu AS cpu,
    resource_limits_gpu AS gpu, resource_limits_memory AS memory, resource_limits_network AS network
  FROM pools
  UNION ALL
  SELECT tree, 'operation', operation, resource_limits_user_slots, resource_limits_cpu,
    resource_limits_gpu, resource_limits_memory, resource_limits_network
  FROM operations
), each AS (
  SELECT tree, element_kind, element, unnest([
    {'resource': 'user_slots', 'set': user_slots IS NOT NULL}, {'resource': 'cpu', 'set': cpu IS NOT NULL},
    {'resource': 'gpu', 'set': gpu IS NOT NULL}, {'resource': 'memory', 'set': memory IS NOT NULL},
    {'resource': 'network', 'set': network IS NOT NULL}]) AS one
  FROM configured
  WHERE user_slots IS NOT NULL OR cpu IS NOT NULL OR gpu IS NOT NULL OR memory IS NOT NULL OR network IS NOT NULL
)
SELECT tree, element_kind, element, one.resource AS resource FROM each WHERE one.set
UNION
SELECT tree, element_kind, coalesce(operation, pool), resource FROM limit_episodes
WHERE limit_kind = 'resource_limits';

-- The episodes over a configured resource limit with their verdicts: what the
-- audits of pools and of operations have in common (LIM-02).
CREATE OR REPLACE VIEW internal.resource_limit_episodes AS
SELECT
  e.tree, e.element_kind, e.pool, e.operation, e.resource, r.unit, e.from_time, e.to_time, e.clipped_from, e.clipped_to, e.window_from, e.began_as,
  e.cause, e.peak_time, e.jobs,
  internal.natural_amount(e.resource, e.limit_value, c.source_unit) AS limit_amount,
  internal.natural_amount(e.resource, e.value, c.source_unit) AS amount,
  span_seconds(e.from_time, e.to_time) AS seconds,
  e.doubtful_us,
  c.usage AS usage_state,
  j.job AS cause_job
FROM internal.whole_limit_episodes AS e
JOIN resources AS r USING (resource)
JOIN resource_coverage AS c ON c.tree = e.tree AND c.resource = e.resource
LEFT JOIN jobs AS j ON j.tree = e.tree AND j.job_ix = e.cause_job_ix
WHERE e.limit_kind = 'resource_limits';

-- Starts that exceeded a limit which may not have been known yet (LIM-01).
CREATE OR REPLACE VIEW internal.doubtful_starts AS
SELECT DISTINCT tree, job FROM decisions
WHERE decision = 'start' AND invariant = 'LIM-01' AND verdict IN ('suspect', 'excused');

-- Moments at which no step of an operation is violated that exceeded a limit of operations
-- (limit_kind), by the worst verdict on them.
CREATE OR REPLACE VIEW internal.doubtful_steps AS
SELECT tree, limit_kind, time, CASE WHEN bool_or(verdict = 'suspect') THEN 'suspect' ELSE 'excused' END AS verdict
FROM (
  SELECT tree, time, verdict, unnest(CASE invariant WHEN 'CNT-01' THEN ['max_operation_count'] WHEN 'CNT-02' THEN ['max_running_operation_count']
    ELSE ['max_operation_count', 'max_running_operation_count'] END) AS limit_kind
  FROM admissions
  WHERE invariant IN ('CNT-01', 'CNT-02', 'PEND-07')
) AS s
GROUP BY tree, limit_kind, time
HAVING bool_and(verdict IN ('suspect', 'excused'));

-- The findings of the episodes of a kind, 'pool' or 'operation', over its
-- resource_limits (LIM-02). Usage is what started jobs were granted. Excused are
-- episodes no longer than use_s, those that no start began, and those begun by a
-- start that LIM-01 allows. An episode is suspect at most where the log records only what
-- jobs asked for, or does not record that they were there for so long, or where the start lies
-- before the window and another limit may have been in force.
CREATE OR REPLACE MACRO internal.resource_limits_findings(of_kind, use_s) AS TABLE
WITH judged AS (
  SELECT e.*, coalesce(operation, pool) AS element,
    usage_state = 'recorded' AND seconds - doubtful_us / 1e6 > use_s AND coalesce(began_as <> 'suspect', true) AS sure,
    CASE
      WHEN internal.limit_excuse(cause) IS NOT NULL THEN internal.limit_excuse(cause)
      WHEN cause <> 'job_started' THEN 'no start began it: an operation moved in or its jobs grew'
      WHEN seconds <= use_s THEN 'usage may be reported that late'
      WHEN d.job IS NOT NULL OR began_as = 'excused' THEN 'the start that began it was allowed by a limit of a moment before'
    END AS excuse
  FROM internal.resource_limit_episodes AS e
  LEFT JOIN internal.doubtful_starts AS d ON d.tree = e.tree AND d.job = e.cause_job
  WHERE element_kind = of_kind AND usage_state IN ('recorded', 'requested')
)
SELECT
  tree,
  resource AS aspect,
  CASE WHEN excuse IS NOT NULL THEN 'excused' WHEN sure THEN 'violated' ELSE 'suspect' END AS verdict,
  element_kind AS subject_kind,
  element AS subject,
  from_time,
  to_time,
  amount - limit_amount AS magnitude,
  unit,
  printf('%s %s used up to %s with a limit of %s for %s.%s%s%s%s', upper(element_kind[1]) || element_kind[2:], element,
    internal.amount_text(resource, amount), internal.amount_text(resource, limit_amount), internal.span_text(seconds),
    coalesce(printf(' The start of job %s exceeded the limit.', cause_job), ''),
    coalesce(printf(' Excused: %s.', excuse), ''),
    CASE WHEN usage_state = 'requested' THEN ' The log records only what jobs requested.' ELSE '' END ||
    CASE WHEN excuse IS NULL AND began_as = 'suspect' THEN ' Whether the start that began it was allowed is uncertain: it lies before the window.' ELSE '' END,
    internal.doubt_text(doubtful_us) || internal.parts_text(from_time, to_time, window_from) || internal.clip_text(clipped_from, clipped_to)) AS reason,
  CASE WHEN sure OR excuse IS NOT NULL AND usage_state = 'recorded' THEN 'recorded' ELSE 'possible' END AS judged,
  json_object('pool', pool, 'operation', operation, 'resource', resource, 'unit', unit, 'limit', limit_amount, 'used', amount,
    'peak_time', internal.time_text(peak_time), 'cause', cause, 'cause_job', cause_job, 'jobs_at_peak', internal.id_list(jobs),
    'clipped_from', clipped_from, 'clipped_to', clipped_to) AS evidence,
  excuse
FROM judged;

-- Pools that used resources and operations that had jobs, once or more.
CREATE OR REPLACE VIEW internal.users_of_resources AS
SELECT tree, 'pool' AS element_kind, pool AS element FROM internal.pool_uses WHERE used
UNION
SELECT DISTINCT tree, 'operation', operation FROM internal.job_counts
UNION
SELECT tree, element_kind, coalesce(operation, pool) FROM limit_episodes WHERE limit_kind = 'resource_limits';

-- How many of a kind, 'pool' or 'operation', have resource_limits and used
-- anything of them, by tree.
CREATE OR REPLACE MACRO internal.resource_limits_seen(of_kind, use_s) AS TABLE
WITH limited AS (
  SELECT tree,
    count(*) FILTER (usage IN ('recorded', 'requested')) AS known,
    count(DISTINCT element) FILTER (usage IN ('recorded', 'requested') AND u.element IS NOT NULL) AS judged,
    string_agg(DISTINCT resource, ', ' ORDER BY resource) FILTER (usage NOT IN ('recorded', 'requested')) AS not_judged
  FROM internal.resource_limits
  JOIN resource_coverage USING (tree, resource)
  LEFT JOIN internal.users_of_resources AS u USING (tree, element_kind, element)
  WHERE element_kind = of_kind
  GROUP BY tree
)
SELECT tree, coalesce(judged, 0) AS seen, of_kind || 's with a limit and jobs' AS unit,
  CASE
    WHEN judged = 0 AND known > 0 THEN CASE of_kind WHEN 'pool' THEN 'under no pool with resource_limits a job held resources' ELSE 'no operation with resource_limits had a job' END
    WHEN not_judged IS NOT NULL THEN 'not judged, since the log does not record the usage: ' || not_judged
    WHEN judged IS NULL THEN printf('no %s has resource_limits', of_kind)
  END AS reason,
  judged = 0 AND known > 0 AND not_judged IS NULL OR judged IS NULL AND (configured OR of_kind = 'operation') AS idle
FROM trees LEFT JOIN limited USING (tree);

-- The findings of the episodes of pools over a limit of operations: option is
-- max_operation_count or max_running_operation_count. An episode is excused if a lowered
-- limit, a moved pool or a revival left it. It is as excused or suspect as the step that
-- began it (CNT-01, CNT-02, PEND-07), since an earlier limit may have been in force. For
-- running operations it is suspect at most where the log does not record who runs and who
-- waits.
CREATE OR REPLACE MACRO internal.count_limits_findings(option) AS TABLE
WITH states AS (
  SELECT trees.tree, option = 'max_running_operation_count' AND coalesce(bool_or(c.state = 'assumed'), false) AS assumed
  FROM trees LEFT JOIN coverage AS c ON c.tree = trees.tree AND c.aspect = 'operation_states'
  GROUP BY trees.tree
)
SELECT
  e.tree,
  '' AS aspect,
  CASE WHEN e.cause = 'operation' AND e.from_time < e.window_from THEN e.began_as ELSE a.verdict END AS began,
  coalesce(internal.limit_excuse(e.cause), CASE began WHEN 'excused' THEN 'the step that began it is excused' END) AS excuse,
  CASE WHEN excuse IS NOT NULL THEN 'excused' WHEN began = 'suspect' OR s.assumed OR e.doubtful_us >= epoch_us(e.to_time) - epoch_us(e.from_time) THEN 'suspect' ELSE 'violated' END AS verdict,
  'pool' AS subject_kind,
  e.pool AS subject,
  e.from_time,
  e.to_time,
  (e.value - e.limit_value)::DOUBLE AS magnitude,
  'operations' AS unit,
  printf('Pool %s had up to %s with a %s of %d for %s.%s%s', e.pool, internal.count_text(e.value, CASE option WHEN 'max_running_operation_count' THEN 'running operation' ELSE 'operation' END), option, e.limit_value,
    internal.span_text(span_seconds(e.from_time, e.to_time)),
    coalesce(printf(' Excused: %s.', excuse), ''),
    internal.parts_text(e.from_time, e.to_time, e.window_from) || internal.clip_text(e.clipped_from, e.clipped_to)) ||
    CASE WHEN began = 'suspect' THEN ' What began it is suspect, too.' ELSE '' END ||
    CASE WHEN e.doubtful_us > 0 THEN ' The log may record the end of another operation that much too late.' ELSE '' END ||
    CASE WHEN s.assumed THEN ' The log does not distinguish what waited from what could run: all that was submitted is counted.' ELSE '' END AS reason,
  CASE WHEN s.assumed OR e.doubtful_us > 0 OR began = 'suspect' THEN 'possible' ELSE 'recorded' END AS judged,
  json_object('pool', e.pool, 'path', p.path, 'limit', e.limit_value, 'count', e.value, 'peak_time', internal.time_text(e.peak_time),
    'cause', e.cause, 'clipped_from', e.clipped_from, 'clipped_to', e.clipped_to) AS evidence
FROM internal.whole_limit_episodes AS e
LEFT JOIN pools AS p ON p.tree = e.tree AND p.pool = e.pool
JOIN states AS s ON s.tree = e.tree
LEFT JOIN internal.doubtful_steps AS a ON a.tree = e.tree AND a.limit_kind = e.limit_kind AND a.time = CASE WHEN e.cause = 'operation' AND NOT e.clipped_from THEN e.from_time END
WHERE e.element_kind = 'pool' AND e.limit_kind = option;

-- Limit episodes, with the verdict on the start or step that began them also where that lies in
-- the window: what the next night is to know of it.
CREATE OR REPLACE VIEW internal.begun_limit_episodes AS
SELECT e.tree, e.element_kind, e.node, e.pool, e.operation, e.limit_kind, e.resource, e.from_time, e.to_time, e.clipped_from, e.clipped_to, e.limit_value, e.value, e.peak_time,
  e.cause, e.cause_job_ix, e.jobs, e.job_count, e.allowed_us, e.interval_us, e.doubtful_us, e.unanswered_us,
  coalesce(e.began_as, CASE WHEN d.job IS NOT NULL THEN 'excused' END, s.verdict, 'violated') AS began_as, e.window_from
FROM internal.whole_limit_episodes AS e
LEFT JOIN jobs AS j ON j.tree = e.tree AND j.job_ix = e.cause_job_ix
LEFT JOIN internal.doubtful_starts AS d ON d.tree = e.tree AND d.job = j.job
LEFT JOIN internal.doubtful_steps AS s ON s.tree = e.tree AND s.limit_kind = e.limit_kind AND s.time = CASE WHEN e.cause = 'operation' AND NOT e.clipped_from THEN e.from_time END;

-- How many pools have a limit of operations, and an operation, by tree.
CREATE OR REPLACE MACRO internal.count_limits_seen(option) AS TABLE
WITH limited AS (
  SELECT tree, pool, operations > 0 AS used
  FROM (SELECT tree, pool, CASE option WHEN 'max_operation_count' THEN limited_operations ELSE limited_running_operations END AS operations FROM internal.pool_uses)
  WHERE operations IS NOT NULL
  UNION ALL
  SELECT tree, pool, false FROM pools
  WHERE CASE option WHEN 'max_operation_count' THEN max_operation_count ELSE max_running_operation_count END IS NOT NULL
  UNION ALL
  SELECT tree, pool, true FROM limit_episodes WHERE element_kind = 'pool' AND limit_kind = option
)
SELECT tree, count(DISTINCT pool) FILTER (used) AS seen, 'pools with a limit and operations' AS unit,
  CASE
    WHEN count(pool) = 0 THEN printf('no pool has %s', option)
    WHEN count(pool) FILTER (used) = 0 THEN printf('no pool with %s had an operation', option)
  END AS reason,
  count(pool) FILTER (used) = 0 AND bool_and(configured) AS idle
FROM trees LEFT JOIN limited USING (tree)
GROUP BY tree;
