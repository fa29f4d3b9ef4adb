-- Why promises could not be kept at all, whatever the scheduler did.

-- The faults of configurations in force that make a promise void, one row per pool,
-- kind of promise and span. A fault of a set of children stands at their parent, or
-- at the tree.
CREATE OR REPLACE VIEW internal.void_promises AS
WITH faults AS (
  SELECT tree, from_time, to_time,
    rule IN ('guarantee_above_total', 'guarantee_sum') AS of_children,
    CASE rule WHEN 'guarantee_above_total' THEN '<Root>' ELSE nullif(pool, '') END AS at,
    meaning || printf(' (%s)', concat_ws(': ', nullif(pool, ''), nullif(detail, ''))) AS reason,
    unnest(CASE option_name WHEN 'strong_guarantee_resources' THEN ['strong_guarantee'] ELSE ['burst_guarantee', 'relaxed_guarantee'] END) AS kind
  FROM configuration_faults
  WHERE NOT refused AND rule IN ('guarantee_above_total', 'guarantee_sum', 'guarantee_without_parent', 'integral_under_integral', 'flow_rounds_to_zero')
), guaranteed AS (
  SELECT tree, pool, parent, from_time, to_time, unnest([
    CASE WHEN coalesce(strong_guarantee_user_slots, strong_guarantee_cpu, strong_guarantee_gpu, strong_guarantee_memory, strong_guarantee_network) IS NOT NULL THEN 'strong' END,
    CASE WHEN integral_guarantee_type <> 'none' THEN integral_guarantee_type::VARCHAR END]) || '_guarantee' AS kind
  FROM pool_versions
), places AS ( -- where a fault that concerns them may stand
  SELECT tree, pool, kind, from_time, to_time, false AS of_children, pool AS at FROM guaranteed
  UNION ALL
  SELECT tree, pool, kind, from_time, to_time, true, parent FROM guaranteed
)
SELECT f.tree, v.pool, v.from_time AS version, v.kind, f.from_time, f.to_time, f.reason
FROM faults AS f
JOIN places AS v ON v.tree = f.tree AND v.kind = f.kind AND v.of_children = f.of_children AND v.at = f.at
  AND f.from_time < v.to_time AND f.to_time > v.from_time;

-- What is void of each version's guarantees, one row per version and kind of promise:
-- for how many seconds, and why. Faults that overlap count twice: this is an upper bound.
CREATE OR REPLACE VIEW internal.void_seconds AS
SELECT p.tree, p.pool, p.version, p.kind, string_agg(DISTINCT reason, '; ' ORDER BY reason) AS reason,
  max(overlap_seconds(p.from_time, p.to_time, v.from_time, v.to_time)) AS seconds
FROM internal.void_promises AS p
JOIN pool_versions AS v ON v.tree = p.tree AND v.pool = p.pool AND v.from_time = p.version
GROUP BY p.tree, p.pool, p.version, p.kind;

-- Why a strong guarantee could not be kept whatever the scheduler did, one row
-- per version and reason, beyond the faults of the configuration.
CREATE OR REPLACE VIEW internal.impossible_guarantees AS
SELECT g.tree, g.pool, g.from_time, printf('pool %s is limited to %s', held.pool, internal.amount_text(g.resource, held.limit_amount)) AS reason
FROM (SELECT tree, pool, resource, guarantee, from_time, unnest(paths_above(path)) AS path FROM internal.pool_resources WHERE guarantee > 0) AS g
ASOF JOIN internal.pool_resources AS held ON held.tree = g.tree AND held.resource = g.resource AND held.path = g.path AND held.from_time <= g.from_time
WHERE held.to_time > g.from_time AND g.guarantee > held.limit_amount
UNION ALL
SELECT p.tree, p.pool, p.from_time, printf('a max_share_ratio of %.4g of pool %s is below its share of %.4g', held.max_share_ratio, held.pool, p.min_share_ratio)
FROM (
  SELECT f.tree, f.pool, f.from_time, f.min_share_ratio, unnest(paths_above(v.path)) AS path
  FROM internal.pool_facts AS f
  JOIN pool_versions AS v ON v.tree = f.tree AND v.pool = f.pool AND v.from_time = f.from_time
) AS p
ASOF JOIN pool_versions AS held ON held.tree = p.tree AND held.path = p.path AND held.from_time <= p.from_time
WHERE held.to_time > p.from_time AND held.max_share_ratio < p.min_share_ratio - 1e-4
UNION ALL
SELECT f.tree, f.pool, f.from_time, 'what its operations demanded most of was never a resource that it is guaranteed'
FROM internal.pool_facts AS f
WHERE f.min_share_ratio > 0 AND f.demand_ratio > 0 AND NOT f.guaranteed_dominates;

-- The integral guarantees, one row per version that has one: what it was promised, and
-- why it could not be kept (CFG-17: what is missing is taken as zero; CFG-09 for
-- amounts that the tree does not have).
CREATE OR REPLACE VIEW internal.integral_promises AS
WITH each AS (
  SELECT p.tree, p.pool, p.path, p.from_time, p.to_time, p.integral_guarantee_type AS type, unnest([
    {'resource': 'user_slots', 'flow': resource_flow_user_slots, 'burst': burst_guarantee_user_slots, 'total': total_user_slots},
    {'resource': 'cpu', 'flow': resource_flow_cpu, 'burst': burst_guarantee_cpu, 'total': total_cpu},
    {'resource': 'gpu', 'flow': resource_flow_gpu, 'burst': burst_guarantee_gpu, 'total': total_gpu},
    {'resource': 'memory', 'flow': resource_flow_memory, 'burst': burst_guarantee_memory, 'total': total_memory},
    {'resource': 'network', 'flow': resource_flow_network, 'burst': burst_guarantee_network, 'total': total_network}]) AS one
  FROM pool_versions AS p
  JOIN trees AS t USING (tree)
  WHERE p.integral_guarantee_type <> 'none'
), turns AS ( -- what is promised comes and goes
  SELECT tree, one.resource AS resource, from_time AS time, one.flow AS flow, one.burst AS burst FROM each
  UNION ALL
  SELECT tree, one.resource, to_time, -one.flow, -one.burst FROM each
), together AS ( -- of all that is in force from a moment on
  SELECT DISTINCT tree, resource, time, sum(flow) OVER since AS flow, sum(burst) OVER since AS burst
  FROM turns
  WINDOW since AS (PARTITION BY tree, resource ORDER BY time)
), amounts AS (
  SELECT e.tree, e.pool, e.path, e.type, e.from_time, e.to_time, e.one.resource AS resource,
    internal.column_amount(c.resource, e.one.flow, c.source_unit) AS flow, internal.column_amount(c.resource, e.one.burst, c.source_unit) AS burst,
    internal.column_amount(c.resource, e.one.total, c.source_unit) AS total,
    internal.column_amount(c.resource, t.flow, c.source_unit) AS all_flow, internal.column_amount(c.resource, t.burst, c.source_unit) AS all_burst
  FROM each AS e
  JOIN resource_coverage AS c ON c.tree = e.tree AND c.resource = e.one.resource
  JOIN together AS t ON t.tree = e.tree AND t.resource = e.one.resource AND t.time = e.from_time
)
SELECT
  tree, pool, path, type, from_time, to_time,
  string_agg(internal.amount_text(resource, flow), ', ' ORDER BY resource) FILTER (flow > 0) AS flow,
  string_agg(internal.amount_text(resource, burst), ', ' ORDER BY resource) FILTER (burst > 0) AS burst,
  CASE WHEN bool_and(coalesce(total, 0) = 0) FILTER (flow > 0) THEN string_agg(resource, ', ' ORDER BY resource) FILTER (flow > 0) END AS sizeless,
  string_agg(printf('pools are promised a flow of %s, and the tree has %s', internal.amount_text(resource, all_flow), internal.amount_text(resource, total)), '; ' ORDER BY resource)
    FILTER (flow > 0 AND total > 0 AND all_flow > total * 1.02) AS flow_oversold,
  string_agg(printf('pools are promised bursts of %s, and the tree has %s', internal.amount_text(resource, all_burst), internal.amount_text(resource, total)), '; ' ORDER BY resource)
    FILTER (burst > 0 AND total > 0 AND all_burst > total * 1.02) AS burst_oversold
FROM amounts
GROUP BY tree, pool, path, type, from_time, to_time;

-- The limits of operation counts, one row per version and kind, with what tested
-- them and why the configuration does not leave that much room (CFG-13).
CREATE OR REPLACE VIEW internal.count_promises AS
WITH limits AS (
  SELECT tree, pool, path, parent, from_time, to_time, 'max_running_operation_count' AS kind, max_running_operation_count AS most,
    own_max_running_operation_count IS NOT NULL AND NOT is_ephemeral AS stated
  FROM pool_versions
  UNION ALL
  SELECT tree, pool, path, parent, from_time, to_time, 'max_operation_count', max_operation_count, own_max_operation_count IS NOT NULL AND NOT is_ephemeral FROM pool_versions
  UNION ALL -- of the tree as a whole, which is no row of pools
  SELECT tree, pool, '', NULL, from_time, to_time, 'max_running_operation_count', max_running_operation_count, false FROM pool_intervals WHERE pool = '<Root>'
  UNION ALL
  SELECT tree, pool, '', NULL, from_time, to_time, 'max_operation_count', max_operation_count, false FROM pool_intervals WHERE pool = '<Root>'
), stated AS ( -- what only a default says is no promise
  SELECT tree, pool, path, parent, from_time, to_time, kind, most FROM limits WHERE stated AND most IS NOT NULL
), above AS (
  SELECT s.tree, s.pool, s.kind, s.from_time, any_value(l.pool) AS parent, any_value(l.most) AS most
  FROM stated AS s
  ASOF JOIN ( -- of the pools and the time that are asked for alone: the join sorts what it is given
    SELECT l.tree, l.pool, l.kind, l.from_time, l.to_time, l.most
    FROM limits AS l
    JOIN (SELECT tree, parent, kind, max(from_time) AS last_time FROM stated GROUP BY ALL) AS a ON a.tree = l.tree AND a.parent = l.pool AND a.kind = l.kind AND l.from_time <= a.last_time
  ) AS l ON l.tree = s.tree AND l.pool = s.parent AND l.kind = s.kind AND l.from_time <= s.from_time
  WHERE l.to_time > s.from_time AND l.most IS NOT NULL
  GROUP BY ALL
), turns AS ( -- siblings come and go
  SELECT tree, parent, kind, from_time AS time, most, 1 AS pools FROM stated
  UNION ALL
  SELECT tree, parent, kind, to_time, -most, -1 FROM stated
), siblings AS ( -- those in force from a moment on
  SELECT DISTINCT tree, parent, kind, time, least(sum(most) OVER since, 9223372036854775807)::BIGINT AS promised, sum(pools) OVER since AS pools
  FROM turns
  WINDOW since AS (PARTITION BY tree, parent, kind ORDER BY time)
)
SELECT
  s.tree, s.pool, s.path, s.kind, s.most, s.from_time, s.to_time,
  CASE
    WHEN above.most < s.most THEN printf('its parent %s allows only %d', above.parent, above.most)
    WHEN above.most < b.promised AND b.pools > 1 THEN printf('it and its siblings allow %d together, and their parent %s allows %d', b.promised, above.parent, above.most)
  END AS impossible,
  coalesce(f.operations, 0) AS operations
FROM stated AS s
LEFT JOIN above ON above.tree = s.tree AND above.pool = s.pool AND above.kind = s.kind AND above.from_time = s.from_time
LEFT JOIN siblings AS b ON b.tree = s.tree AND b.parent = s.parent AND b.kind = s.kind AND b.time = s.from_time
LEFT JOIN internal.pool_facts AS f ON f.tree = s.tree AND f.pool = s.pool AND f.from_time = s.from_time;
