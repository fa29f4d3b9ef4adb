-- Guarantees of the given kinds (guarantee_kind) that were unmet for longer than the SLA,
-- as findings of an audit. The SLA is the audit's parameter, or the policy's for the pool.
CREATE OR REPLACE MACRO internal.unmet_guarantees(kinds, audit_id, sla) AS TABLE
WITH late AS (
  SELECT e.tree, e.pool, guarantee_kind, from_time, to_time, clipped_from, clipped_to, window_from, resource, guarantee_share, demand_share, usage_share, gap, gap_time,
    b.windows AS sla_windows, w.windows,
    coalesce(b.value, sla) AS sla_s,
    span_seconds(from_time, to_time) AS seconds,
    (owed_share_seconds - delivered_share_seconds) / 1e9 AS missing,
    others_above_us / 1e6 AS others_s,
    limited_us / 1e6 AS limited_s,
    withheld_us / 1e6 AS withheld_s,
    surely_preemptible_us, surely_preemptible_from_time, preemptible_us, preemptible_from_time
  FROM internal.whole_guarantee_episodes AS e
  JOIN internal.excuse_lists AS w ON w.tree = e.tree
  LEFT JOIN internal.sla_bounds AS b ON b.tree = e.tree AND b.pool = e.pool AND b.audit = audit_id AND b.param = 'sla_s'
  WHERE list_contains(kinds, guarantee_kind) AND span_seconds(from_time, to_time) > coalesce(b.value, sla)
), sized AS (
  -- What is sure to have been preemptible for so long is alleged; else what may have been.
  SELECT *, surely_preemptible_us / 1e6 >= sla_s AS sure FROM late
), stretches AS (
  SELECT *,
    CASE WHEN sure THEN surely_preemptible_us ELSE preemptible_us END / 1e6 AS preemptible_s,
    CASE WHEN sure THEN surely_preemptible_from_time ELSE preemptible_from_time END AS stretch_from_time
  FROM sized
), bounded AS (
  SELECT *, stretch_from_time + to_microseconds((preemptible_s * 1e6)::BIGINT) AS stretch_to_time FROM stretches
), timed AS (
  SELECT *,
    internal.sla_seconds(from_time, to_time, sla_windows) AS sla_time_s,
    internal.sla_seconds(stretch_from_time, stretch_to_time, sla_windows) AS preemptible_in_hours_s,
    internal.longest_outside(stretch_from_time, stretch_to_time, windows).seconds AS clear_s,
    internal.windows_within(stretch_from_time, stretch_to_time, windows)[1].cause AS blind
  FROM bounded
), judged AS MATERIALIZED ( -- by name: it is asked for four times
  SELECT *, EXISTS (
    SELECT 1 FROM coverage AS c WHERE c.tree = timed.tree AND c.aspect = 'usage.' || timed.resource AND c.state <> 'recorded'
  ) AS asked_only,
  preemptible_in_hours_s < sla_s AS outside, -- of the SLA's hours; of other stretches nothing is known
  preemptible_s >= sla_s AND NOT sure AS unsized, -- the log does not show that a job was so small
  CASE
    WHEN sla_time_s <= sla_s THEN printf('only %s of it lie in the hours of the SLA', internal.span_text(sla_time_s))
    WHEN preemptible_s >= sla_s THEN CASE WHEN clear_s < sla_s THEN internal.window_text(blind) END
    WHEN withheld_s >= sla_s THEN printf('preemption could have made room for one of its jobs %s', CASE WHEN preemptible_s > 0 THEN 'for only ' || internal.span_text(preemptible_s) || ' at a stretch' ELSE 'at no time' END)
    WHEN others_s < sla_s THEN printf('others used more than their fair share for only %s of it', internal.span_text(others_s))
    ELSE printf('others used more than their fair share for %s of it, but %s while neither the pool nor an ancestor stood at its resource limit',
      internal.span_text(others_s), CASE WHEN withheld_s > 0 THEN 'only for ' || internal.span_text(withheld_s) ELSE 'never' END)
  END AS excuse
  FROM timed
), totals AS (
  -- What the tree had of the resource when most was lacking: shares are of that.
  SELECT judged.tree, judged.pool, judged.guarantee_kind, judged.from_time,
    nullif(internal.column_amount(judged.resource, CASE judged.resource WHEN 'user_slots' THEN root.resource_limits_user_slots WHEN 'cpu' THEN root.resource_limits_cpu WHEN 'gpu' THEN root.resource_limits_gpu
      WHEN 'memory' THEN root.resource_limits_memory ELSE root.resource_limits_network END, c.source_unit), 0) AS total,
    CASE judged.resource WHEN 'memory' THEN 1073741824 ELSE 1 END AS in_unit
  FROM judged
  ASOF JOIN (
    SELECT tree, from_time, resource_limits_user_slots, resource_limits_cpu, resource_limits_gpu, resource_limits_memory, resource_limits_network
    FROM pool_intervals SEMI JOIN judged USING (tree)
    WHERE pool = '<Root>'
  ) AS root ON root.tree = judged.tree AND root.from_time <= judged.gap_time
  LEFT JOIN resource_coverage AS c ON c.tree = judged.tree AND c.resource = judged.resource
), sides AS (
  SELECT j.tree, j.pool, j.guarantee_kind, j.from_time,
    t.total * j.gap AS lacked, t.total * least(j.guarantee_share, j.demand_share) AS owed, t.total * j.usage_share AS had, t.in_unit
  FROM judged AS j JOIN totals AS t USING (tree, pool, guarantee_kind, from_time)
), asked AS MATERIALIZED (
  SELECT judged.tree, judged.pool, judged.from_time, judged.stretch_from_time, other.pool AS other,
    (SELECT any_value(path) FROM pools AS own WHERE own.tree = judged.tree AND own.pool = judged.pool) AS own_path, other.path AS other_path
  FROM judged JOIN pools AS other ON other.tree = judged.tree
  WHERE excuse IS NULL
), held AS (
  SELECT a.tree, a.pool, a.from_time,
    list({'pool': a.other, 'usage_ratio': i.usage_ratio, 'fair_share_ratio': i.fair_share_ratio}
      ORDER BY i.usage_ratio - i.fair_share_ratio DESC, a.other)[1:5] AS holders
  FROM asked AS a
  ASOF JOIN ( -- of the pools that are asked for alone: the join sorts what it is given
    SELECT p.tree, p.pool, p.from_time, p.to_time, usage_ratio, fair_share_ratio
    FROM pool_intervals AS p SEMI JOIN asked AS s ON s.tree = p.tree AND s.other = p.pool
  ) AS i ON i.tree = a.tree AND i.pool = a.other AND i.from_time <= a.stretch_from_time
  WHERE a.stretch_from_time < i.to_time AND i.usage_ratio > i.fair_share_ratio + 1e-4
    AND NOT starts_with(a.own_path || '/', a.other_path || '/') AND NOT starts_with(a.other_path || '/', a.own_path || '/')
  GROUP BY a.tree, a.pool, a.from_time
)
SELECT
  j.tree,
  j.guarantee_kind AS aspect,
  CASE WHEN excuse IS NOT NULL THEN 'excused' WHEN stale OR asked_only OR outside OR unsized THEN 'suspect' ELSE 'violated' END AS verdict,
  'pool' AS subject_kind,
  j.pool AS subject,
  j.from_time,
  j.to_time,
  missing AS magnitude,
  'share·s' AS unit,
  printf('Pool %s was up to %s below %s for %s%s.%s%s%s', j.pool,
    coalesce(internal.amount_text(j.resource, lacked), printf('%s of the tree''s %s', internal.share_text(gap), j.resource)),
    CASE j.guarantee_kind WHEN 'burst' THEN 'its burst guarantee' WHEN 'relaxed' THEN 'what its flow owed it' ELSE 'the guarantee that it demanded' END,
    internal.span_text(seconds),
    coalesce(printf(': it had %s of %s', internal.amount_text(j.resource, had), internal.amount_text(j.resource, owed)), ''),
    CASE WHEN excuse IS NULL THEN printf(' For %s of it without a break, preemption could have made room for one of its jobs.', internal.span_text(preemptible_s)) ELSE '' END ||
    coalesce(printf(' Pool %s was furthest above its fair share then.', holders[1].pool), ''),
    coalesce(printf(' Excused: %s.', excuse), ''), internal.parts_text(j.from_time, j.to_time, window_from) || internal.clip_text(clipped_from, clipped_to)) ||
    CASE WHEN asked_only THEN printf(' The log records the %s that jobs requested, not what they used.', j.resource) ELSE '' END ||
    CASE WHEN excuse IS NULL AND outside THEN printf(' Only %s of that lie in the SLA''s hours.', internal.span_text(preemptible_in_hours_s)) ELSE '' END ||
    CASE WHEN excuse IS NULL AND unsized THEN ' It is uncertain whether one of them was small enough throughout: the log records only the least of each resource that any job takes, or an average, or it begins after events that fair shares depend on.' ELSE '' END ||
    CASE WHEN stale THEN printf(' In the window, %s.', refused_updates.reason) ELSE '' END AS reason,
  CASE WHEN stale OR asked_only OR outside OR unsized THEN 'possible' ELSE 'recomputed' END AS judged,
  json_object('guarantee_kind', j.guarantee_kind, 'resource', j.resource, 'guarantee_share', guarantee_share, 'demand_share', demand_share, 'usage_share', usage_share, 'gap', gap,
    'lacked', lacked / in_unit, 'owed', owed / in_unit, 'had', had / in_unit, 'unit', CASE WHEN lacked IS NOT NULL THEN internal.side_unit_text('amount', j.resource) END,
    'gap_time', internal.time_text(gap_time), 'missing_share_seconds', missing, 'others_above_s', others_s, 'limited_s', limited_s,
    'withheld_s', withheld_s, 'preemptible_s', preemptible_s, 'preemptible_from_time', internal.time_text(stretch_from_time), 'sla_s', sla_s, 'within_sla_hours_s', sla_time_s,
    'above_fair_share_then', coalesce(holders, []), 'clipped_from', clipped_from, 'clipped_to', clipped_to) AS evidence,
  excuse
FROM judged AS j
JOIN internal.refused_updates USING (tree)
LEFT JOIN sides AS s ON s.tree = j.tree AND s.pool = j.pool AND s.guarantee_kind = j.guarantee_kind AND s.from_time = j.from_time
LEFT JOIN held AS h ON h.tree = j.tree AND h.pool = j.pool AND h.from_time = j.from_time;
