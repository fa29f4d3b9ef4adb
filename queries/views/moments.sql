-- The state at a moment, and what changed between two. A moment is a TIMESTAMP in UTC, or a
-- text that is one: '2025-03-03 08:05:00'.

-- The state of every pool at a moment, one row per pool that was there. Ratios are those
-- when the span of the moment opened, which the run's resolution (0.001) keeps.
-- @param   moment UTC — the moment
-- @columns tree, pool, path
-- @column  since_time UTC — since when its shares hardly moved
-- @columns usage_ratio, demand_ratio, fair_share_ratio, min_share_ratio
-- @column  satisfaction ratio — usage by fair share; null without a fair share
-- @column  starvation_status — non_starving, starving or aggressively_starving
-- @column  running_operation_count operations — operations marked running in the pool's subtree
-- @column  operation_count operations — operations registered in the pool's subtree
-- @column  max_running_operation_count operations — limit in force; null if nothing states one
-- @column  max_operation_count operations — limit in force; null if nothing states one
-- @column  usage_user_slots slots — user slots that its jobs held
-- @column  usage_cpu cores — cores that its jobs held
-- @column  usage_gpu devices — GPUs that its jobs held
-- @column  usage_memory bytes — memory that its jobs held
-- @column  demand_user_slots slots — usage and unmet need of user slots
-- @column  demand_cpu cores — usage and unmet need of cores
-- @column  demand_gpu devices — usage and unmet need of GPUs
-- @column  demand_memory bytes — usage and unmet need of memory
-- @example SELECT path, usage_ratio, fair_share_ratio, starvation_status FROM pools_at('2025-03-03 08:05:00') ORDER BY path
CREATE OR REPLACE MACRO pools_at(moment) AS TABLE
SELECT i.tree, i.pool, CASE i.pool WHEN '<Root>' THEN '' ELSE p.path END AS path, i.from_time AS since_time, i.usage_ratio, i.demand_ratio, i.fair_share_ratio, i.min_share_ratio,
  i.usage_ratio / nullif(i.fair_share_ratio, 0) AS satisfaction, i.starvation_status,
  i.running_operation_count, i.operation_count, i.max_running_operation_count, i.max_operation_count,
  i.resource_usage_user_slots AS usage_user_slots, i.resource_usage_cpu AS usage_cpu, i.resource_usage_gpu AS usage_gpu, i.resource_usage_memory AS usage_memory,
  i.resource_demand_user_slots AS demand_user_slots, i.resource_demand_cpu AS demand_cpu, i.resource_demand_gpu AS demand_gpu, i.resource_demand_memory AS demand_memory
FROM (SELECT * FROM pool_intervals WHERE from_time <= moment::TIMESTAMP AND to_time > moment::TIMESTAMP) AS i
LEFT JOIN pools AS p ON p.tree = i.tree AND p.pool = i.pool;

-- The state of every operation at a moment, one row per operation that was there.
-- @param   moment UTC — the moment
-- @columns tree, operation, user_name, pool
-- @column  since_time UTC — since when its shares hardly moved
-- @column  running — whether it could get jobs
-- @column  job_count jobs — jobs that it had
-- @columns usage_ratio, demand_ratio, fair_share_ratio
-- @column  satisfaction ratio — usage by fair share; null without a fair share
-- @column  starvation_status — non_starving, starving or aggressively_starving
-- @column  usage_user_slots slots — user slots that its jobs held
-- @column  usage_cpu cores — cores that its jobs held
-- @column  usage_gpu devices — GPUs that its jobs held
-- @column  usage_memory bytes — memory that its jobs held
-- @example SELECT operation, pool, running, job_count, usage_cpu FROM operations_at('2025-03-03 08:05:00') ORDER BY usage_ratio DESC
CREATE OR REPLACE MACRO operations_at(moment) AS TABLE
SELECT i.tree, i.operation, o.user_name, i.pool, i.from_time AS since_time, i.running, i.job_count, i.usage_ratio, i.demand_ratio, i.fair_share_ratio,
  i.usage_ratio / nullif(i.fair_share_ratio, 0) AS satisfaction, i.starvation_status,
  i.resource_usage_user_slots AS usage_user_slots, i.resource_usage_cpu AS usage_cpu, i.resource_usage_gpu AS usage_gpu, i.resource_usage_memory AS usage_memory
FROM (SELECT * FROM operation_intervals WHERE from_time <= moment::TIMESTAMP AND to_time > moment::TIMESTAMP) AS i
LEFT JOIN operations AS o ON o.tree = i.tree AND o.operation = i.operation;

-- The pools at two moments side by side, one row per pool that was there at either.
-- @param   before UTC — the first moment
-- @param   later UTC — the second moment
-- @columns tree, pool, path
-- @column  usage_ratio_before share — dominant usage share at the first moment; null if the pool was not there
-- @column  usage_ratio_after share — the same at the second moment
-- @column  demand_ratio_before share — dominant demand share at the first moment
-- @column  demand_ratio_after share — the same at the second moment
-- @column  fair_share_ratio_before share — dominant fair share at the first moment
-- @column  fair_share_ratio_after share — the same at the second moment
-- @column  min_share_ratio_before share — dominant strong guarantee share at the first moment
-- @column  min_share_ratio_after share — the same at the second moment
-- @column  starvation_status_before — how it starved at the first moment
-- @column  starvation_status_after — the same at the second moment
-- @example SELECT path, usage_ratio_after - usage_ratio_before AS moved FROM pools_compared('2025-03-03 08:02:00', '2025-03-03 08:06:00') ORDER BY abs(moved) DESC
CREATE OR REPLACE MACRO pools_compared(before, later) AS TABLE
SELECT coalesce(a.tree, b.tree) AS tree, coalesce(a.pool, b.pool) AS pool, coalesce(a.path, b.path) AS path,
  b.usage_ratio AS usage_ratio_before, a.usage_ratio AS usage_ratio_after, b.demand_ratio AS demand_ratio_before, a.demand_ratio AS demand_ratio_after,
  b.fair_share_ratio AS fair_share_ratio_before, a.fair_share_ratio AS fair_share_ratio_after, b.min_share_ratio AS min_share_ratio_before, a.min_share_ratio AS min_share_ratio_after,
  b.starvation_status AS starvation_status_before, a.starvation_status AS starvation_status_after
FROM pools_at(before) AS b FULL JOIN pools_at(later) AS a ON a.tree = b.tree AND a.pool = b.pool;

-- What each version of a configuration changed, one row per pool or tree and version but the
-- first ones of the log. pool is null of the tree's own settings. detail is 'added' of a new
-- pool, 'weight from 1 to 2; mode from fair_share to fifo' of settings, empty if none of them is
-- another.
CREATE OR REPLACE VIEW internal.configuration_changes AS
WITH versions AS (
  SELECT tree, pool, from_time, to_json(v) AS settings, from_time > min(from_time) OVER (PARTITION BY tree) AS later FROM pool_versions AS v
  UNION ALL
  SELECT tree, NULL, from_time, to_json(v), from_time > min(from_time) OVER (PARTITION BY tree) FROM tree_versions AS v
), settings AS (
  SELECT tree, pool, from_time, later, settings, unnest(json_keys(settings)) AS setting, generate_subscripts(json_keys(settings), 1) AS place
  FROM versions
), texts AS (
  SELECT tree, pool, from_time, later, setting, place, json_type(settings, setting) AS type, json_extract_string(settings, setting) AS text
  FROM settings
  WHERE setting NOT IN ('tree', 'pool', 'path', 'depth', 'is_ephemeral', 'configured', 'first_seen', 'last_seen', 'from_time', 'to_time', 'clipped_from', 'clipped_to', 'assumed')
), compared AS (
  SELECT tree, pool, from_time, later, setting, place, value, lag(value) OVER (PARTITION BY tree, pool, setting ORDER BY from_time) AS before
  FROM (
    SELECT tree, pool, from_time, later, setting, place, CASE
      WHEN text IS NULL THEN 'unset' WHEN text = '' THEN 'none' WHEN type = 'DOUBLE' THEN regexp_replace(text, '\.0$', '') ELSE text END AS value
    FROM texts
  )
)
SELECT tree, pool, from_time AS time,
  CASE WHEN bool_and(before IS NULL) THEN 'added' ELSE coalesce(string_agg(printf('%s from %s to %s', setting, before, value), '; ' ORDER BY place) FILTER (value <> before), '') END AS detail
FROM compared
WHERE later
GROUP BY tree, pool, from_time;

-- What happened after one moment and up to another, in order: operations that started or
-- ended, pools and trees whose settings changed, pools that were removed, nodes that came,
-- changed or left, and elements that began or ceased to starve.
-- @param   before UTC — the first moment
-- @param   later UTC — the second moment
-- @columns tree
-- @column  time UTC — when it happened
-- @column  change — started, ended, configured, removed, came, resized, left, starved or recovered
-- @column  subject_kind — operation, pool, tree or node
-- @column  subject — name or id of that
-- @column  detail — pool and user of an operation that started, its final state, each setting that was configured with its old and its new value (`weight from 1 to 2`), `added` of a new pool, how the starving ended; empty of others
-- @example SELECT time, change, subject_kind, subject, detail FROM changes_between('2025-03-03 08:02:00', '2025-03-03 08:06:00') ORDER BY time
CREATE OR REPLACE MACRO changes_between(before, later) AS TABLE
WITH presences AS (
  SELECT tree, node, from_time, to_time, clipped_from, clipped_to,
    coalesce(lag(to_time) OVER w = from_time, false) AS follows, coalesce(lead(from_time) OVER w = to_time, false) AS followed
  FROM nodes
  WINDOW w AS (PARTITION BY tree, node ORDER BY from_time)
), changes AS (
  SELECT tree, start_time AS time, 'started' AS change, 'operation' AS subject_kind, operation AS subject, concat_ws(', ', pool, nullif(user_name, '')) AS detail FROM operations
  UNION ALL
  SELECT tree, finish_time, 'ended', 'operation', operation, final_state FROM operations
  UNION ALL
  SELECT tree, time, 'configured', CASE WHEN pool IS NULL THEN 'tree' ELSE 'pool' END, coalesce(pool, tree), detail FROM internal.configuration_changes
  UNION ALL
  SELECT tree, last_seen, 'removed', 'pool', pool, '' FROM pools
  UNION ALL
  SELECT tree, from_time, CASE WHEN follows THEN 'resized' ELSE 'came' END, 'node', node, '' FROM presences WHERE NOT clipped_from
  UNION ALL
  SELECT tree, to_time, 'left', 'node', node, '' FROM presences WHERE NOT clipped_to AND NOT followed
  UNION ALL
  SELECT tree, from_time, 'starved', element_kind, element, '' FROM starvation_spans WHERE NOT clipped_from
  UNION ALL
  SELECT tree, to_time, 'recovered', element_kind, element, end_cause FROM starvation_spans WHERE NOT clipped_to
)
SELECT tree, time, change, subject_kind, subject, detail
FROM changes
WHERE time > before::TIMESTAMP AND time <= later::TIMESTAMP;
