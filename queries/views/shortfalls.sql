-- What pools lacked of their guarantees, whoever is to blame: what was delivered is the rest.

-- The strong guarantees of the pools right below the root, of each resource, together: one row
-- for each moment from which on they are as much.
CREATE OR REPLACE VIEW internal.top_guarantees AS
WITH turns AS (
  SELECT tree, resource, from_time AS time, guarantee FROM internal.pool_resources WHERE guarantee > 0 AND parent = '<Root>'
  UNION ALL
  SELECT tree, resource, to_time, -guarantee FROM internal.pool_resources WHERE guarantee > 0 AND parent = '<Root>'
)
SELECT DISTINCT tree, resource, time, sum(guarantee) OVER (PARTITION BY tree, resource ORDER BY time) AS guaranteed FROM turns;

-- The most that a tree had of each resource in the window.
CREATE OR REPLACE VIEW internal.largest_totals AS
WITH each AS (
  SELECT tree, unnest([
    {'resource': 'user_slots', 'total': max(resource_limits_user_slots)::DOUBLE}, {'resource': 'cpu', 'total': max(resource_limits_cpu)},
    {'resource': 'gpu', 'total': max(resource_limits_gpu)::DOUBLE}, {'resource': 'memory', 'total': max(resource_limits_memory)::DOUBLE},
    {'resource': 'network', 'total': max(resource_limits_network)::DOUBLE}]) AS one
  FROM pool_intervals
  WHERE pool = '<Root>'
  GROUP BY tree
)
SELECT e.tree, c.resource, internal.column_amount(c.resource, e.one.total, c.source_unit) AS total
FROM each AS e
JOIN resource_coverage AS c ON c.tree = e.tree AND c.resource = e.one.resource;

-- The spans of pools, cut where a new version of the pool begins, with the start of the version
-- in force. The table has the columns tree, pool, from_time and to_time; spans of one pool do not
-- overlap. Nor do versions, so that a part begins where a span or a version begins, and an ASOF
-- join finds both. Time in no version is left out.
CREATE OR REPLACE MACRO internal.version_spans(spans) AS TABLE
  WITH starts AS (
    SELECT tree, pool, from_time FROM query_table(spans)
    UNION
    SELECT tree, pool, from_time FROM pool_versions
  )
  SELECT s.* REPLACE (t.from_time AS from_time, least(s.to_time, v.to_time) AS to_time), v.from_time AS version
  FROM starts AS t
  ASOF JOIN (FROM query_table(spans) WHERE from_time < to_time) AS s ON s.tree = t.tree AND s.pool = t.pool AND s.from_time <= t.from_time
  ASOF JOIN (SELECT tree, pool, from_time, to_time FROM pool_versions WHERE from_time < to_time) AS v
    ON v.tree = t.tree AND v.pool = t.pool AND v.from_time <= t.from_time
  WHERE s.to_time > t.from_time AND v.to_time > t.from_time;

-- Pools while they demanded more of a guaranteed resource than the guarantee in force gives,
-- since that is less than what is configured: it was scaled down or cut by limits
-- (core/spec/fair-share.md §5.2, §5.3). One row per span and resource. A row of pool_intervals
-- may be off by its resolution, so that less than 1 % of what is owed is not missed.
CREATE OR REPLACE VIEW internal.cut_guarantees AS
WITH guaranteed AS (
  SELECT tree, pool, resource, guarantee, from_time AS version FROM internal.pool_resources WHERE guarantee > 0
), demanding AS (
  SELECT i.* FROM pool_intervals AS i SEMI JOIN guaranteed USING (tree, pool)
  WHERE demand_ratio > 0 -- and shares were computed, which limits them
    AND greatest(limits_share_user_slots, limits_share_cpu, limits_share_gpu, limits_share_memory, limits_share_network) > 0
), spans AS (
  SELECT tree, pool, version, from_time, to_time, unnest([
    {'resource': 'user_slots', 'demand': resource_demand_user_slots::DOUBLE, 'demand_share': demand_share_user_slots, 'usage': usage_share_user_slots,
      'strong': strong_guarantee_share_user_slots, 'fair': fair_share_user_slots, 'limits': limits_share_user_slots},
    {'resource': 'cpu', 'demand': resource_demand_cpu, 'demand_share': demand_share_cpu, 'usage': usage_share_cpu,
      'strong': strong_guarantee_share_cpu, 'fair': fair_share_cpu, 'limits': limits_share_cpu},
    {'resource': 'gpu', 'demand': resource_demand_gpu::DOUBLE, 'demand_share': demand_share_gpu, 'usage': usage_share_gpu,
      'strong': strong_guarantee_share_gpu, 'fair': fair_share_gpu, 'limits': limits_share_gpu},
    {'resource': 'memory', 'demand': resource_demand_memory::DOUBLE, 'demand_share': demand_share_memory, 'usage': usage_share_memory,
      'strong': strong_guarantee_share_memory, 'fair': fair_share_memory, 'limits': limits_share_memory},
    {'resource': 'network', 'demand': resource_demand_network::DOUBLE, 'demand_share': demand_share_network, 'usage': usage_share_network,
      'strong': strong_guarantee_share_network, 'fair': fair_share_network, 'limits': limits_share_network}]) AS one
  FROM internal.version_spans('demanding')
), held AS (
  SELECT s.tree, s.pool, g.resource, s.from_time, s.to_time,
    g.guarantee, one.demand_share AS demand, one.usage AS usage, one.strong AS strong, one.fair AS fair, one.limits AS limits,
    internal.column_amount(g.resource, one.demand, c.source_unit) / one.demand_share AS total
  FROM spans AS s
  JOIN guaranteed AS g ON g.tree = s.tree AND g.pool = s.pool AND g.version = s.version AND g.resource = s.one.resource
  JOIN resource_coverage AS c ON c.tree = g.tree AND c.resource = g.resource
  WHERE one.demand > 0 AND one.demand_share > 0
), owed AS (
  SELECT *, least(guarantee / total, demand) AS owed, least(strong, demand) AS in_force FROM held
), judged AS ( -- in what it can use more of (core/spec/scheduling.md §1.4)
  SELECT *, coalesce(bool_and(usage < 0.99 * owed) FILTER (fair < demand) OVER span, bool_or(usage < 0.99 * owed) OVER span) AS unmet FROM owed
  WINDOW span AS (PARTITION BY tree, pool, from_time, to_time)
)
SELECT tree, pool, resource, from_time, to_time, guarantee, total, limits, owed, owed - greatest(usage, in_force) AS gap
FROM judged
WHERE unmet AND in_force < 0.99 * owed AND usage < 0.99 * owed;

-- The same in one row per span: of the resource that lacks most, with why so little is in force.
CREATE OR REPLACE VIEW internal.cut_spans AS
WITH worst AS (
  SELECT tree, pool, from_time, to_time, arg_max(resource, gap) AS resource, arg_max(guarantee, gap) AS guarantee, arg_max(total, gap) AS total,
    arg_max(limits, gap) AS limits, max(gap) AS gap
  FROM internal.cut_guarantees
  GROUP BY tree, pool, from_time, to_time
), marked AS (
  SELECT *, coalesce(from_time <> lag(to_time) OVER (PARTITION BY tree, pool ORDER BY from_time), true) AS begins FROM worst
), numbered AS (
  SELECT *, sum(begins::INT) OVER (PARTITION BY tree, pool ORDER BY from_time) AS nth FROM marked
), lasting AS ( -- shares follow nodes and settings with the next update
  SELECT * FROM numbered QUALIFY span_seconds(min(from_time) OVER (PARTITION BY tree, pool, nth), max(to_time) OVER (PARTITION BY tree, pool, nth)) > 5
)
SELECT c.tree, c.pool, c.from_time, c.to_time, c.resource, c.gap, c.total,
  CASE
    WHEN c.limits < least(c.guarantee / c.total, 1) - 1e-4 THEN printf('its limits, or the nodes of its tag filter, leave it %s of the %s guaranteed',
      internal.amount_text(c.resource, c.limits * c.total), internal.amount_text(c.resource, c.guarantee))
    WHEN t.guaranteed > c.total * (1 + 1e-6) AND c.total < m.total * (1 - 1e-6) AND t.guaranteed <= m.total * (1 + 1e-6) THEN printf('nodes had left: the top-level pools are guaranteed %s and the tree had %s',
      internal.amount_text(c.resource, t.guaranteed), internal.amount_text(c.resource, c.total))
    WHEN t.guaranteed > c.total * (1 + 1e-6) THEN printf('the configuration guarantees the top-level pools %s and the tree had %s',
      internal.amount_text(c.resource, t.guaranteed), internal.amount_text(c.resource, c.total))
    ELSE 'the pools beside it are guaranteed more than the pool above them'
  END AS excuse
FROM lasting AS c
ASOF LEFT JOIN internal.top_guarantees AS t ON t.tree = c.tree AND t.resource = c.resource AND t.time <= c.from_time
LEFT JOIN internal.largest_totals AS m ON m.tree = c.tree AND m.resource = c.resource;

-- Pools while their integral guarantee gave them less than the flow, and less than 95 % of it,
-- though they demanded more than their strong guarantee, in shares of the dominant resource. A burst
-- guarantee gives the flow at least, unless it is less itself (core/spec/fair-share.md §6.4).
-- Means are taken over each span, since what it began with may be old.
CREATE OR REPLACE VIEW internal.dry_spans AS
WITH flowing AS (
  SELECT tree, pool, from_time, to_time, resource_flow_ratio, burst_ratio, span_seconds(from_time, to_time) AS seconds,
    min_share_ratio, demand_ratio_seconds, greatest(usage_ratio_seconds, fair_share_ratio_seconds) AS got_seconds,
    least(CASE WHEN demand_share_user_slots > 0 THEN limits_share_user_slots ELSE 1 END, CASE WHEN demand_share_cpu > 0 THEN limits_share_cpu ELSE 1 END,
      CASE WHEN demand_share_gpu > 0 THEN limits_share_gpu ELSE 1 END, CASE WHEN demand_share_memory > 0 THEN limits_share_memory ELSE 1 END,
      CASE WHEN demand_share_network > 0 THEN limits_share_network ELSE 1 END) - min_share_ratio AS room,
    coalesce(accumulated_resource_ratio_volume, 0) AS volume
  FROM pool_intervals
  WHERE resource_flow_ratio > 0
), flows AS (
  SELECT i.tree, i.pool, v.integral_guarantee_type::VARCHAR AS type, i.from_time, i.to_time, i.room, i.volume,
    CASE v.integral_guarantee_type WHEN 'burst' THEN least(i.resource_flow_ratio, i.burst_ratio) ELSE i.resource_flow_ratio END AS flow,
    i.demand_ratio_seconds / 1e9 / i.seconds - i.min_share_ratio AS wanted, i.got_seconds / 1e9 / i.seconds - i.min_share_ratio AS got
  FROM internal.version_spans('flowing') AS i
  JOIN pool_versions AS v ON v.tree = i.tree AND v.pool = i.pool AND v.from_time = i.version AND v.from_time < v.to_time
  WHERE v.integral_guarantee_type <> 'none'
), owed AS (
  SELECT *, least(flow, wanted) AS owed FROM flows
), dry AS (
  SELECT *, owed - greatest(got, 0) AS gap, coalesce(from_time <> lag(to_time) OVER (PARTITION BY tree, pool, type ORDER BY from_time), true) AS begins
  FROM owed
  WHERE owed > 1e-9 AND greatest(got, 0) < 0.95 * owed
), numbered AS (
  SELECT *, sum(begins::INT) OVER (PARTITION BY tree, pool, type ORDER BY from_time) AS nth FROM dry
), lasting AS ( -- shares follow demand with the next update
  SELECT * FROM numbered QUALIFY span_seconds(min(from_time) OVER (PARTITION BY tree, pool, type, nth), max(to_time) OVER (PARTITION BY tree, pool, type, nth)) > 5
), rounded AS (
  SELECT tree, rule AS kind, pool AS subject, from_time, to_time FROM configuration_faults WHERE rule = 'flow_rounds_to_zero'
)
SELECT l.tree, l.pool, l.type, l.from_time, l.to_time, l.gap,
  CASE
    WHEN room < owed * 0.95 THEN 'its limits leave it less than its flow'
    WHEN f.reach > l.from_time THEN 'the configuration gives it a flow of which rounding leaves nothing'
    WHEN volume < 60 * owed THEN 'its volume did not pay for more' -- by the usual smooth_period
    ELSE 'limits above it, or the guarantees of other pools, left it no more'
  END AS excuse
FROM lasting AS l
ASOF LEFT JOIN internal.span_reach('rounded') AS f ON f.tree = l.tree AND f.subject = l.pool AND f.from_time < l.to_time;

-- The time in which pools had less than they were guaranteed and demanded: what was in force and
-- not met, and what the configuration guarantees and was not in force, with the reason as excuse.
-- Rows of one pool and kind do not overlap but for those of the two. lacked is in share·s,
-- amount in the unit times seconds, most the greatest gap in that unit.
CREATE OR REPLACE VIEW internal.guarantee_shortfalls AS
WITH roots AS (
  SELECT tree, from_time, unnest([
    {'resource': 'user_slots', 'total': resource_limits_user_slots::DOUBLE}, {'resource': 'cpu', 'total': resource_limits_cpu},
    {'resource': 'gpu', 'total': resource_limits_gpu::DOUBLE}, {'resource': 'memory', 'total': resource_limits_memory::DOUBLE},
    {'resource': 'network', 'total': resource_limits_network::DOUBLE}]) AS one
  FROM pool_intervals
  WHERE pool = '<Root>' AND tree IN (SELECT tree FROM pool_versions WHERE integral_guarantee_type <> 'none' UNION SELECT tree FROM guarantee_episodes)
), totals AS (
  SELECT r.tree, r.from_time, c.resource, internal.column_amount(c.resource, r.one.total, c.source_unit) AS total
  FROM roots AS r
  JOIN resource_coverage AS c ON c.tree = r.tree AND c.resource = r.one.resource
), unmet AS (
  SELECT e.tree, e.pool, e.guarantee_kind || '_guarantee' AS kind, e.from_time, e.to_time, e.resource,
    (e.owed_share_seconds - e.delivered_share_seconds) / 1e9 AS lacked, e.gap, t.total, NULL AS excuse
  FROM guarantee_episodes AS e
  ASOF LEFT JOIN totals AS t ON t.tree = e.tree AND t.resource = e.resource AND t.from_time <= e.gap_time
), dry AS (
  SELECT d.tree, d.pool, d.type || '_guarantee' AS kind, d.from_time, d.to_time, trees.main_resource AS resource,
    d.gap * span_seconds(d.from_time, d.to_time) AS lacked, d.gap, d.excuse
  FROM internal.dry_spans AS d
  JOIN trees ON trees.tree = d.tree
), spans AS (
  SELECT tree, pool, kind, from_time, to_time, resource, lacked, gap, total, excuse FROM unmet
  UNION ALL
  SELECT tree, pool, 'strong_guarantee', from_time, to_time, resource, gap * span_seconds(from_time, to_time), gap, total, excuse FROM internal.cut_spans
  UNION ALL
  SELECT d.tree, d.pool, d.kind, d.from_time, d.to_time, d.resource, d.lacked, d.gap, t.total, d.excuse
  FROM dry AS d
  ASOF LEFT JOIN totals AS t ON t.tree = d.tree AND t.resource = d.resource AND t.from_time <= d.from_time
)
SELECT tree, pool, kind, from_time, to_time, resource, lacked, lacked * nullif(total, 0) / in_unit AS amount, gap * nullif(total, 0) / in_unit AS most,
  internal.side_unit_text('amount', resource) AS unit, excuse
FROM (SELECT *, CASE resource WHEN 'memory' THEN 1073741824 ELSE 1 END AS in_unit FROM spans) AS s;
