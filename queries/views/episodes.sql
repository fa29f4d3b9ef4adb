-- Whole episodes. The window cuts the episodes that were open when it began and those that
-- are open when it ends. What lay before it stands in the tables earlier_... as far as the
-- log records it. What the adjoining night before left open stands in baseline_..., which
-- package audit fills from the findings.json of --baseline. An audit that judges how long
-- something lasted asks the views below, whose episodes begin where they truly began. A
-- sum over the window asks the tables, whose episodes begin with it.

-- Where the part before the window comes from: from the log of this run where it records the
-- beginning, else from whichever goes back further.
CREATE OR REPLACE MACRO internal.earlier_rank(own, clipped_from, from_time) AS
  CASE WHEN own AND NOT clipped_from THEN -1 ELSE epoch_us(from_time::TIMESTAMP) END;

-- The longest stretch of two parts that follow each other, with when it began (us,
-- from_time). The last stretch of the first part, which began at a_since, and the first of the
-- second, which lasted until b_until, are one.
CREATE OR REPLACE MACRO internal.joined_stretch(a_us, a_from, a_since, b_us, b_from, b_until) AS
  list_transform([CASE WHEN b_until > a_since THEN epoch_us(b_until::TIMESTAMP) - epoch_us(a_since::TIMESTAMP) END], across -> CASE
    WHEN across IS NOT NULL AND across >= greatest(coalesce(a_us, 0), coalesce(b_us, 0)) THEN {'us': across, 'from_time': a_since}
    WHEN coalesce(a_us, 0) >= coalesce(b_us, 0) AND a_us IS NOT NULL THEN {'us': a_us, 'from_time': a_from}
    ELSE {'us': b_us, 'from_time': b_from}
  END)[1];

-- Until when the first stretch of the whole lasted. Without a first part it is that of the second.
CREATE OR REPLACE MACRO internal.joined_until(a_from_time, a_since, a_until, b_until) AS
  CASE WHEN a_from_time IS NULL OR a_since <= a_from_time AND b_until IS NOT NULL THEN b_until ELSE a_until END;

-- Since when the last stretch of the whole lasts.
CREATE OR REPLACE MACRO internal.joined_since(a_since, b_from_time, b_since) AS
  CASE WHEN b_since <= b_from_time AND a_since IS NOT NULL THEN a_since ELSE b_since END;

-- Guarantee episodes from their beginning on. window_from is the beginning of the window.
CREATE OR REPLACE VIEW internal.whole_guarantee_episodes AS
WITH earlier AS (
  SELECT * FROM (SELECT *, true AS own FROM earlier_guarantee_episodes UNION ALL BY NAME SELECT *, false AS own FROM internal.baseline_guarantee_episodes)
  QUALIFY row_number() OVER (PARTITION BY tree, pool, guarantee_kind ORDER BY internal.earlier_rank(own, clipped_from, from_time)) = 1
), joined AS (
  SELECT b.*, t.from_time AS window_from, a.from_time AS a_from_time, a.clipped_from AS a_clipped_from,
    a.resource AS a_resource, a.guarantee_share AS a_guarantee_share, a.demand_share AS a_demand_share, a.usage_share AS a_usage_share,
    a.gap AS a_gap, a.gap_time AS a_gap_time, a.owed_share_seconds AS a_owed, a.delivered_share_seconds AS a_delivered,
    a.others_above_us AS a_others, a.limited_us AS a_limited, a.withheld_us AS a_withheld,
    a.preemptible_until_time AS a_until, a.preemptible_since_time AS a_since,
    a.surely_preemptible_until_time AS a_surely_until, a.surely_preemptible_since_time AS a_surely_since,
    coalesce(a.gap, 0) > b.gap AS before,
    internal.joined_stretch(a.preemptible_us, a.preemptible_from_time, a.preemptible_since_time,
      b.preemptible_us, b.preemptible_from_time, b.preemptible_until_time) AS may,
    internal.joined_stretch(a.surely_preemptible_us, a.surely_preemptible_from_time, a.surely_preemptible_since_time,
      b.surely_preemptible_us, b.surely_preemptible_from_time, b.surely_preemptible_until_time) AS surely
  FROM guarantee_episodes AS b
  JOIN trees AS t USING (tree)
  LEFT JOIN earlier AS a ON a.tree = b.tree AND a.pool = b.pool AND a.guarantee_kind = b.guarantee_kind
    AND a.to_time = CASE WHEN b.clipped_from THEN b.from_time END
)
SELECT tree, guarantee_kind, pool, coalesce(a_from_time, from_time) AS from_time, to_time, coalesce(a_clipped_from, clipped_from) AS clipped_from, clipped_to,
  CASE WHEN before THEN a_resource ELSE resource END AS resource,
  CASE WHEN before THEN a_guarantee_share ELSE guarantee_share END AS guarantee_share,
  CASE WHEN before THEN a_demand_share ELSE demand_share END AS demand_share,
  CASE WHEN before THEN a_usage_share ELSE usage_share END AS usage_share,
  greatest(a_gap, gap) AS gap, CASE WHEN before THEN a_gap_time ELSE gap_time END AS gap_time,
  owed_share_seconds + coalesce(a_owed, 0) AS owed_share_seconds, delivered_share_seconds + coalesce(a_delivered, 0) AS delivered_share_seconds,
  others_above_us + coalesce(a_others, 0) AS others_above_us, limited_us + coalesce(a_limited, 0) AS limited_us, withheld_us + coalesce(a_withheld, 0) AS withheld_us,
  may.us AS preemptible_us, may.from_time AS preemptible_from_time, surely.us AS surely_preemptible_us, surely.from_time AS surely_preemptible_from_time,
  internal.joined_until(a_from_time, a_since, a_until, preemptible_until_time) AS preemptible_until_time,
  internal.joined_since(a_since, from_time, preemptible_since_time) AS preemptible_since_time,
  internal.joined_until(a_from_time, a_surely_since, a_surely_until, surely_preemptible_until_time) AS surely_preemptible_until_time,
  internal.joined_since(a_surely_since, from_time, surely_preemptible_since_time) AS surely_preemptible_since_time,
  window_from
FROM joined;

-- Starvation episodes from their beginning on, with those that ended before the window while the
-- element has starved on for the other share.
CREATE OR REPLACE VIEW internal.whole_starvation_episodes AS
WITH earlier AS (
  SELECT * FROM (SELECT *, true AS own FROM earlier_starvation_episodes WHERE clipped_to UNION ALL BY NAME SELECT *, false AS own FROM internal.baseline_starvation_episodes)
  QUALIFY row_number() OVER (PARTITION BY tree, element_kind, coalesce(operation, pool), starving_for ORDER BY internal.earlier_rank(own, clipped_from, from_time)) = 1
), joined AS (
  SELECT b.*, t.from_time AS window_from, a.from_time AS a_from_time, a.clipped_from AS a_clipped_from, a.since_time AS a_since_time,
    a.starvation_status AS a_starvation_status, a.aggressive_time AS a_aggressive_time, a.timeout_us AS a_timeout_us, a.tolerance AS a_tolerance,
    a.resource AS a_resource, a.gap AS a_gap, a.gap_time AS a_gap_time, a.owed_share_seconds AS a_owed, a.delivered_share_seconds AS a_delivered, a.limited_us AS a_limited,
    a.preemptible_until_time AS a_until, a.preemptible_since_time AS a_since,
    a.surely_preemptible_until_time AS a_surely_until, a.surely_preemptible_since_time AS a_surely_since,
    coalesce(a.gap, 0) > b.gap AS before,
    internal.joined_stretch(a.preemptible_us, a.preemptible_from_time, a.preemptible_since_time,
      b.preemptible_us, b.preemptible_from_time, b.preemptible_until_time) AS may,
    internal.joined_stretch(a.surely_preemptible_us, a.surely_preemptible_from_time, a.surely_preemptible_since_time,
      b.surely_preemptible_us, b.surely_preemptible_from_time, b.surely_preemptible_until_time) AS surely
  FROM starvation_episodes AS b
  JOIN trees AS t USING (tree)
  LEFT JOIN earlier AS a ON a.tree = b.tree AND a.element_kind = b.element_kind AND coalesce(a.operation, a.pool) = coalesce(b.operation, b.pool)
    AND a.starving_for = b.starving_for AND a.to_time = CASE WHEN b.clipped_from THEN b.from_time END
)
SELECT tree, element_kind, pool, operation, starving_for, CASE WHEN a_starvation_status > starvation_status THEN a_starvation_status ELSE starvation_status END AS starvation_status,
  coalesce(a_since_time, since_time) AS since_time, coalesce(a_from_time, from_time) AS from_time, coalesce(a_aggressive_time, aggressive_time) AS aggressive_time,
  to_time, coalesce(a_clipped_from, clipped_from) AS clipped_from, clipped_to, coalesce(a_timeout_us, timeout_us) AS timeout_us, coalesce(a_tolerance, tolerance) AS tolerance, end_cause,
  CASE WHEN before THEN a_resource ELSE resource END AS resource,
  greatest(a_gap, gap) AS gap, CASE WHEN before THEN a_gap_time ELSE gap_time END AS gap_time,
  owed_share_seconds + coalesce(a_owed, 0) AS owed_share_seconds, delivered_share_seconds + coalesce(a_delivered, 0) AS delivered_share_seconds,
  limited_us + coalesce(a_limited, 0) AS limited_us,
  may.us AS preemptible_us, may.from_time AS preemptible_from_time, surely.us AS surely_preemptible_us, surely.from_time AS surely_preemptible_from_time,
  internal.joined_until(a_from_time, a_since, a_until, preemptible_until_time) AS preemptible_until_time,
  internal.joined_since(a_since, from_time, preemptible_since_time) AS preemptible_since_time,
  internal.joined_until(a_from_time, a_surely_since, a_surely_until, surely_preemptible_until_time) AS surely_preemptible_until_time,
  internal.joined_since(a_surely_since, from_time, surely_preemptible_since_time) AS surely_preemptible_since_time,
  window_from
FROM joined
UNION ALL BY NAME
SELECT e.*, t.from_time AS window_from FROM earlier_starvation_episodes AS e JOIN trees AS t USING (tree) WHERE NOT clipped_to;

-- Limit episodes from their beginning on. began_as is the verdict on the start or step that
-- began it before the window: of the baseline, which has judged it, else as far as the log of
-- this run shows; null if it is not known, or began in the window.
CREATE OR REPLACE VIEW internal.whole_limit_episodes AS
WITH each AS (
  SELECT *, true AS own FROM earlier_limit_episodes
  UNION ALL BY NAME
  SELECT *, false AS own FROM internal.baseline_limit_episodes
), earlier AS (
  SELECT * REPLACE (coalesce(max(began_as) FILTER (NOT own) OVER (PARTITION BY tree, element_kind, coalesce(node, operation, pool), limit_kind, resource), began_as) AS began_as)
  FROM each
  QUALIFY row_number() OVER (PARTITION BY tree, element_kind, coalesce(node, operation, pool), limit_kind, resource ORDER BY internal.earlier_rank(own, clipped_from, from_time)) = 1
), joined AS (
  SELECT b.*, t.from_time AS window_from, a.from_time AS a_from_time, a.clipped_from AS a_clipped_from, a.limit_value AS a_limit_value, a.value AS a_value,
    a.peak_time AS a_peak_time, a.cause AS a_cause, a.jobs AS a_jobs, a.job_count AS a_job_count, a.allowed_us AS a_allowed_us, a.interval_us AS a_interval_us,
    a.doubtful_us AS a_doubtful_us, a.unanswered_us AS a_unanswered_us, a.began_as,
    coalesce(a.value - a.limit_value > b.value - b.limit_value, false) AS before
  FROM limit_episodes AS b
  JOIN trees AS t USING (tree)
  LEFT JOIN earlier AS a ON a.tree = b.tree AND a.element_kind = b.element_kind AND coalesce(a.node, a.operation, a.pool) = coalesce(b.node, b.operation, b.pool)
    AND a.limit_kind = b.limit_kind AND coalesce(a.resource::VARCHAR, '') = coalesce(b.resource::VARCHAR, '') AND a.to_time = CASE WHEN b.clipped_from THEN b.from_time END
)
SELECT tree, element_kind, node, pool, operation, limit_kind, resource, coalesce(a_from_time, from_time) AS from_time, to_time,
  coalesce(a_clipped_from, clipped_from) AS clipped_from, clipped_to,
  CASE WHEN before THEN a_limit_value ELSE limit_value END AS limit_value, CASE WHEN before THEN a_value ELSE value END AS value,
  CASE WHEN before THEN a_peak_time ELSE peak_time END AS peak_time,
  coalesce(a_cause, cause) AS cause, CASE WHEN coalesce(a_cause = cause, true) THEN cause_job_ix END AS cause_job_ix,
  CASE WHEN before THEN a_jobs ELSE jobs END AS jobs, CASE WHEN before THEN a_job_count ELSE job_count END AS job_count,
  greatest(a_allowed_us, allowed_us) AS allowed_us, greatest(a_interval_us, interval_us) AS interval_us,
  doubtful_us + coalesce(a_doubtful_us, 0) AS doubtful_us, unanswered_us + coalesce(a_unanswered_us, 0) AS unanswered_us,
  began_as, window_from
FROM joined;

-- Spans in which an operation could have no job, from their beginning on.
CREATE OR REPLACE VIEW internal.whole_unschedulable_episodes AS
WITH earlier AS (
  SELECT * FROM (SELECT *, true AS own FROM earlier_unschedulable_episodes UNION ALL BY NAME SELECT *, false AS own FROM internal.baseline_unschedulable_episodes)
  QUALIFY row_number() OVER (PARTITION BY tree, operation, limit_pool, resource ORDER BY internal.earlier_rank(own, clipped_from, from_time)) = 1
)
SELECT b.tree, b.operation, b.pool, b.limit_pool, b.resource, b.needed_value, b.limit_value, coalesce(a.from_time, b.from_time) AS from_time, b.to_time,
  coalesce(a.clipped_from, b.clipped_from) AS clipped_from, b.clipped_to, t.from_time AS window_from
FROM unschedulable_episodes AS b
JOIN trees AS t USING (tree)
LEFT JOIN earlier AS a ON a.tree = b.tree AND a.operation = b.operation AND coalesce(a.limit_pool, '') = coalesce(b.limit_pool, '') AND a.resource = b.resource
  AND a.to_time = CASE WHEN b.clipped_from THEN b.from_time END;

-- Waits for admission from their beginning on.
CREATE OR REPLACE VIEW internal.whole_pending_episodes AS
WITH earlier AS (
  SELECT * FROM (SELECT *, true AS own FROM earlier_pending_episodes UNION ALL BY NAME SELECT *, false AS own FROM internal.baseline_pending_episodes)
  QUALIFY row_number() OVER (PARTITION BY tree, operation ORDER BY internal.earlier_rank(own, clipped_from, from_time)) = 1
), joined AS (
  SELECT b.*, t.from_time AS window_from, a.from_time AS a_from_time, a.clipped_from AS a_clipped_from, a.recorded AS a_recorded, a.held_us AS a_held_us, a.due_us AS a_due_us,
    a.longest_due_us AS a_longest_due_us, a.longest_due_pool AS a_longest_due_pool, a.due_after_leave_us AS a_leave_us, a.due_after_leave_from AS a_leave_from,
    a.due_until_time AS a_until, a.due_since_time AS a_since, a.requeued_count AS a_requeued_count, a.job_count AS a_job_count, a.excuse AS a_excuse,
    internal.joined_stretch(a.longest_due_us, a.longest_due_from, a.due_since_time, b.longest_due_us, b.longest_due_from, b.due_until_time) AS due
  FROM pending_episodes AS b
  JOIN trees AS t USING (tree)
  LEFT JOIN earlier AS a ON a.tree = b.tree AND a.operation = b.operation AND a.to_time = CASE WHEN b.clipped_from THEN b.from_time END
)
SELECT tree, operation, pool, coalesce(a_from_time, from_time) AS from_time, to_time, coalesce(a_clipped_from, clipped_from) AS clipped_from, clipped_to,
  recorded AND coalesce(a_recorded, true) AS recorded, blocking_pool, held_us + coalesce(a_held_us, 0) AS held_us, due_us + coalesce(a_due_us, 0) AS due_us,
  due.us AS longest_due_us, due.from_time AS longest_due_from, CASE WHEN due.from_time >= window_from THEN longest_due_pool ELSE coalesce(a_longest_due_pool, longest_due_pool) END AS longest_due_pool,
  greatest(due_after_leave_us, CASE WHEN a_since = a_leave_from AND due_until_time > a_since THEN epoch_us(due_until_time) - epoch_us(a_since) END, a_leave_us) AS due_after_leave_us,
  CASE WHEN due_after_leave_us >= coalesce(a_leave_us, 0) AND coalesce(a_since <> a_leave_from OR due_until_time IS NULL, true) THEN due_after_leave_from ELSE a_leave_from END AS due_after_leave_from,
  internal.joined_until(a_from_time, a_since, a_until, due_until_time) AS due_until_time, internal.joined_since(a_since, from_time, due_since_time) AS due_since_time,
  requeued_count + coalesce(a_requeued_count, 0) AS requeued_count, coalesce(nullif(a_job_count, 0), job_count) AS job_count, ended, unordered,
  coalesce(nullif(excuse, ''), a_excuse, '') AS excuse, window_from
FROM joined;

-- The part of an episode before the window, for a person; empty if it began in the window.
CREATE OR REPLACE MACRO internal.parts_text(from_time, to_time, window_from) AS
  list_transform([{'f': from_time::TIMESTAMP, 't': to_time::TIMESTAMP, 'w': window_from::TIMESTAMP}], e -> CASE WHEN e.f < e.w
    THEN printf(' It has lasted since %s: %s before the window and %s in it.',
      CASE WHEN e.f >= e.w - INTERVAL 1 DAY AND e.f::DATE < e.w::DATE THEN strftime(e.f, '%H:%M:%S of the night before (%Y-%m-%d, UTC)') ELSE internal.clock_text(e.f) END,
      internal.span_text(span_seconds(e.f, e.w)), internal.span_text(span_seconds(e.w, e.t)))
    ELSE '' END)[1];
