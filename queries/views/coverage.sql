-- What the log tells of each resource, one row per tree and resource: how node
-- sizes and what jobs take are known, how many job starts each was seen at, and
-- the unit that the source counts it in.
CREATE OR REPLACE VIEW resource_coverage AS
SELECT
  tree,
  resource,
  coalesce(any_value(state) FILTER (aspect = 'capacity.' || resource), 'unknown') AS capacity,
  coalesce(max(seen) FILTER (aspect = 'capacity.' || resource), 0) AS capacity_seen,
  coalesce(any_value(state) FILTER (aspect = 'usage.' || resource), 'unknown') AS usage,
  coalesce(max(seen) FILTER (aspect = 'usage.' || resource), 0) AS usage_seen,
  coalesce(any_value(state) FILTER (aspect = 'unit.' || resource), 'unknown') AS source_unit
FROM (SELECT tree FROM trees) AS t
CROSS JOIN resources
LEFT JOIN coverage USING (tree)
GROUP BY ALL;

-- What refused share updates do to judgements of shares: all_refused, so that
-- there are none, or stale for some time; the reason says so, null if neither.
CREATE OR REPLACE VIEW refused_updates AS
SELECT
  tree,
  all_refused,
  NOT all_refused AND refused_us > 0 AS stale,
  CASE
    WHEN all_refused THEN printf('all %d share updates were refused: see the problems', update_count)
    WHEN refused_us > 0 THEN printf('for %s the shares were older than what they follow, since %d of %d share updates were refused: see the problems',
      span_text(refused_us / 1e6), refused_update_count, update_count)
  END AS reason
FROM (
  SELECT tree, refused_us, refused_update_count, update_count, update_count > 0 AND refused_update_count = update_count AS all_refused
  FROM trees
) AS t;

-- The configured resource limits, one row per element and resource; the limits
-- that episodes tell of are among them, even if they were taken away later.
CREATE OR REPLACE VIEW resource_limits AS
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
CREATE OR REPLACE VIEW resource_limit_episodes AS
SELECT
  e.tree, e.element_kind, e.pool, e.operation, e.resource, r.unit, e.from_time, e.to_time, e.clipped_from, e.clipped_to,
  e.cause, e.peak_time, e.jobs,
  natural_amount(e.resource, e.limit_value, c.source_unit) AS limit_amount,
  natural_amount(e.resource, e.value, c.source_unit) AS amount,
  span_seconds(e.from_time, e.to_time) AS seconds,
  c.usage AS usage_state,
  j.job AS cause_job
FROM limit_episodes AS e
JOIN resources AS r USING (resource)
JOIN resource_coverage AS c ON c.tree = e.tree AND c.resource = e.resource
LEFT JOIN jobs AS j ON j.tree = e.tree AND j.job_ix = e.cause_job_ix
WHERE e.limit_kind = 'resource_limits';
