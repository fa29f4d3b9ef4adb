-- How long elements starved: episodes of both kinds may overlap, and time counts once.

-- The spans of starvation_spans, of a table of episodes.
CREATE OR REPLACE MACRO internal.starvation_spans_of(episodes) AS TABLE
WITH reached AS (
  SELECT tree, element_kind, coalesce(operation, pool) AS element, pool, starving_for, starvation_status, since_time, from_time, to_time,
    clipped_from, clipped_to, end_cause, resource, gap, owed_share_seconds - delivered_share_seconds AS missing, limited_us, preemptible_us, preemptible_from_time, surely_preemptible_us, surely_preemptible_from_time,
    max(to_time) OVER (PARTITION BY tree, element_kind, coalesce(operation, pool) ORDER BY from_time, starving_for ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reach
  FROM query_table(episodes)
), numbered AS (
  SELECT *, sum((reach IS NULL OR reach < from_time)::INT) OVER (PARTITION BY tree, element_kind, element ORDER BY from_time, starving_for) AS span
  FROM reached
)
SELECT
  tree, element_kind, element,
  arg_max(pool, from_time) AS pool,
  list(DISTINCT starving_for ORDER BY starving_for)::VARCHAR[] AS kinds,
  max(starvation_status) AS starvation_status,
  min(since_time) AS since_time,
  min(from_time) AS from_time,
  max(to_time) AS to_time,
  bool_or(clipped_from) AS clipped_from,
  bool_or(clipped_to) AS clipped_to,
  arg_max(end_cause, to_time) AS end_cause,
  max(gap) AS gap,
  arg_max(resource, gap) AS resource,
  greatest(sum(limited_us) FILTER (starving_for = 'min_share'), sum(limited_us) FILTER (starving_for = 'fair_share')) / 1e6 AS limited_s,
  greatest(sum(missing) FILTER (starving_for = 'min_share'), sum(missing) FILTER (starving_for = 'fair_share')) / 1e9 AS missing_share_seconds,
  max(preemptible_us) / 1e6 AS preemptible_s,
  arg_max(preemptible_from_time, preemptible_us) AS preemptible_from_time,
  max(surely_preemptible_us) / 1e6 AS surely_preemptible_s,
  arg_max(surely_preemptible_from_time, surely_preemptible_us) AS surely_preemptible_from_time
FROM numbered
GROUP BY tree, element_kind, element, span;

-- The spans in which a pool or an operation starved without a break, for either share
-- (kinds); time starved is the sum of these spans (core/spec/scheduling.md §17.2). Where
-- episodes of both kinds overlap, limited_s and missing_share_seconds are those of the
-- greater one.
-- @columns tree, element_kind, element
-- @column  pool — the pool, or the pool of the operation when the span began
-- @column  kinds — shares that it starved for: min_share, fair_share
-- @column  starvation_status — the worst status: aggressively_starving or starving
-- @column  since_time UTC — since when usage was below the share
-- @columns from_time, to_time, clipped_from, clipped_to
-- @column  end_cause — how the span ended
-- @column  gap share — greatest distance from usage to the share
-- @column  resource — resource of that distance
-- @column  limited_s s — time at its own resource limit or an ancestor's
-- @column  missing_share_seconds share·s — what it lacked, summed over the time
-- @column  preemptible_s s — longest time in which preemption could have made room; null where it was not computed
-- @column  preemptible_from_time UTC — when that time began
-- @column  surely_preemptible_s s — the same under every reading of the log; null where it was not computed
-- @column  surely_preemptible_from_time UTC — when that time began
-- @example SELECT element, from_time, to_time, starvation_status FROM starvation_spans ORDER BY missing_share_seconds DESC LIMIT 10
CREATE OR REPLACE VIEW starvation_spans AS
SELECT tree, element_kind, element, pool, kinds, starvation_status, since_time, from_time, to_time, clipped_from, clipped_to, end_cause, gap, resource, limited_s, missing_share_seconds,
  preemptible_s, preemptible_from_time, surely_preemptible_s, surely_preemptible_from_time
FROM internal.starvation_spans_of('starvation_episodes');

-- The same from their beginning on.
CREATE OR REPLACE VIEW internal.whole_starvation_spans AS
WITH whole AS (
  SELECT tree, element_kind, operation, pool, starving_for, starvation_status, since_time, from_time, to_time, clipped_from, clipped_to, end_cause, resource, gap,
    owed_share_seconds, delivered_share_seconds, limited_us, preemptible_us, preemptible_from_time, surely_preemptible_us, surely_preemptible_from_time
  FROM internal.whole_starvation_episodes
)
SELECT s.tree, element_kind, element, pool, kinds, starvation_status, since_time, s.from_time, s.to_time, clipped_from, clipped_to, end_cause, gap, resource, limited_s, missing_share_seconds,
  preemptible_s, preemptible_from_time, surely_preemptible_s, surely_preemptible_from_time, t.from_time AS window_from
FROM internal.starvation_spans_of('whole') AS s
JOIN trees AS t ON t.tree = s.tree;
