-- What pools were like in the time of a promise: what tested it.

-- What a pool was like while a version of its settings was in force, one row per
-- version: whether anything tested what it was promised. A table, since a dozen views
-- ask for it; each would look through all spans of all pools again.
CREATE OR REPLACE TABLE internal.version_facts AS
SELECT
  v.tree,
  v.pool,
  v.from_time,
  v.to_time,
  max(demand_ratio_max) AS demand_ratio,
  max(min_share_ratio) AS min_share_ratio,
  max(operation_count) AS operations,
  -- Whether it demanded while a strong guarantee had a share, was owed some of an
  -- integral one, or had jobs.
  bool_or(min_share_ratio > 0 AND demand_ratio_max > 0) AS asked_guarantee,
  bool_or(integral_share_ratio > 0) AS owed_integral,
  bool_or(usage_ratio_max > 0 OR resource_usage_user_slots > 0 OR resource_usage_cpu > 0 OR resource_usage_gpu > 0
    OR resource_usage_memory > 0 OR resource_usage_network > 0) AS used,
  -- For how long; excused time is compared with it.
  sum(overlap_seconds(i.from_time, i.to_time, v.from_time, v.to_time)) FILTER (min_share_ratio > 0 AND demand_ratio_max > 0) AS asked_guarantee_s,
  sum(overlap_seconds(i.from_time, i.to_time, v.from_time, v.to_time)) FILTER (integral_share_ratio > 0 OR resource_flow_ratio > 0 AND demand_ratio_max > min_share_ratio) AS owed_integral_s,
  sum(overlap_seconds(i.from_time, i.to_time, v.from_time, v.to_time)) FILTER (usage_ratio_max > 0 OR resource_usage_user_slots > 0 OR resource_usage_cpu > 0 OR resource_usage_gpu > 0
    OR resource_usage_memory > 0 OR resource_usage_network > 0) AS used_s,
  sum(overlap_seconds(i.from_time, i.to_time, v.from_time, v.to_time)) FILTER (operation_count > 0) AS operations_s,
  -- Whether the resource that demand takes most of was ever a guaranteed one.
  bool_or(demand_ratio > 0 AND (
    demand_share_user_slots >= demand_ratio AND strong_guarantee_share_user_slots > 0 OR
    demand_share_cpu >= demand_ratio AND strong_guarantee_share_cpu > 0 OR
    demand_share_gpu >= demand_ratio AND strong_guarantee_share_gpu > 0 OR
    demand_share_memory >= demand_ratio AND strong_guarantee_share_memory > 0 OR
    demand_share_network >= demand_ratio AND strong_guarantee_share_network > 0)) AS guaranteed_dominates,
  -- Whether demand ever reached what limits leave of the tree.
  bool_or(
    demand_share_user_slots >= limits_share_user_slots AND limits_share_user_slots < 1 OR
    demand_share_cpu >= limits_share_cpu AND limits_share_cpu < 1 OR
    demand_share_gpu >= limits_share_gpu AND limits_share_gpu < 1 OR
    demand_share_memory >= limits_share_memory AND limits_share_memory < 1 OR
    demand_share_network >= limits_share_network AND limits_share_network < 1) AS demand_reached_limits,
  -- Whether it ever had less than its fair share, beyond the tolerance of shares.
  bool_or(usage_ratio_min < fair_share_ratio_max - 1e-4) AS lacked,
  max(resource_demand_user_slots) AS demand_user_slots,
  max(resource_demand_cpu) AS demand_cpu,
  max(resource_demand_gpu) AS demand_gpu,
  max(resource_demand_memory) AS demand_memory,
  max(resource_demand_network) AS demand_network
FROM pool_versions AS v
JOIN pool_intervals AS i ON i.tree = v.tree AND i.pool = v.pool AND i.from_time < v.to_time AND i.to_time > v.from_time
GROUP BY v.tree, v.pool, v.from_time, v.to_time;

-- The same under the name that queries know.
CREATE OR REPLACE VIEW internal.pool_facts AS
SELECT tree, pool, from_time, to_time, demand_ratio, min_share_ratio, operations, asked_guarantee, owed_integral, used,
  asked_guarantee_s, owed_integral_s, used_s, operations_s, guaranteed_dominates, demand_reached_limits, lacked,
  demand_user_slots, demand_cpu, demand_gpu, demand_memory, demand_network
FROM internal.version_facts;

-- What pools were promised of each resource, one row per version and configured resource.
-- A table, since five queries ask for it.
CREATE OR REPLACE TABLE internal.resource_versions AS
WITH each AS (
  SELECT p.tree, p.pool, p.path, p.parent, p.from_time, p.to_time, c.resource, c.source_unit, c.usage,
    internal.of_resource(c.resource, strong_guarantee_user_slots, strong_guarantee_cpu, strong_guarantee_gpu, strong_guarantee_memory, strong_guarantee_network) AS guarantee,
    internal.of_resource(c.resource, resource_limits_user_slots, resource_limits_cpu, resource_limits_gpu, resource_limits_memory, resource_limits_network) AS "limit",
    internal.of_resource(c.resource, demand_user_slots, demand_cpu, demand_gpu, demand_memory, demand_network) AS demand,
    internal.of_resource(c.resource, total_user_slots, total_cpu, total_gpu, total_memory, total_network) AS total
  FROM pool_versions AS p
  JOIN trees AS t USING (tree)
  JOIN resource_coverage AS c USING (tree)
  LEFT JOIN internal.pool_facts AS f ON f.tree = p.tree AND f.pool = p.pool AND f.from_time = p.from_time
)
SELECT
  tree, pool, path, parent, from_time, to_time, resource,
  internal.column_amount(resource, guarantee, source_unit) AS guarantee,
  internal.column_amount(resource, "limit", source_unit) AS limit_amount,
  internal.column_amount(resource, demand, source_unit) AS demand,
  nullif(internal.column_amount(resource, total, source_unit), 0) AS total,
  usage AS usage_state
FROM each
WHERE guarantee IS NOT NULL OR "limit" IS NOT NULL;

-- The same under the name that queries know.
CREATE OR REPLACE VIEW internal.pool_resources AS
SELECT tree, pool, path, parent, from_time, to_time, resource, guarantee, limit_amount, demand, total, usage_state
FROM internal.resource_versions;

-- The same of the root and of ephemeral pools, which have no version of their own:
-- one row per version of the tree. A table, too: three queries ask for it.
CREATE OR REPLACE TABLE internal.loose_version_facts AS
SELECT i.tree, i.pool, v.from_time, v.to_time, max(i.operation_count) AS operations
FROM (SELECT tree, pool, from_time, operation_count FROM pool_intervals ANTI JOIN (SELECT DISTINCT tree, pool FROM pool_versions) AS p USING (tree, pool)) AS i
ASOF JOIN tree_versions AS v ON v.tree = i.tree AND v.from_time <= i.from_time
GROUP BY i.tree, i.pool, v.from_time, v.to_time;

-- The same under the name that queries know.
CREATE OR REPLACE VIEW internal.loose_facts AS
SELECT tree, pool, from_time, to_time, operations FROM internal.loose_version_facts;
