-- What audits of spans share. Spans are half-open: from_time belongs to them,
-- to_time does not.

-- How long two spans have in common; 0 if they only meet.
-- @param   a_from UTC — start of the first span
-- @param   a_to UTC — end of the first span
-- @param   b_from UTC — start of the second span
-- @param   b_to UTC — end of the second span
-- @returns s
-- @example SELECT job, overlap_seconds(start_time, end_time, TIMESTAMP '2025-03-03 08:00', TIMESTAMP '2025-03-03 08:05') AS s FROM jobs ORDER BY s DESC, job LIMIT 10
CREATE OR REPLACE MACRO overlap_seconds(a_from, a_to, b_from, b_to) AS
  greatest(span_seconds(greatest(a_from::TIMESTAMP, b_from::TIMESTAMP), least(a_to::TIMESTAMP, b_to::TIMESTAMP)), 0);

-- Whether an instant lies in a span; spans are half-open.
-- @param   t UTC — the instant
-- @param   from_time UTC — start of the span
-- @param   to_time UTC — end of the span, exclusive
-- @example SELECT pool, usage_ratio FROM pool_intervals WHERE within_span(TIMESTAMP '2025-03-03 08:05', from_time, to_time)
CREATE OR REPLACE MACRO within_span(t, from_time, to_time) AS from_time <= t AND t < to_time;

-- The spans of a table or view that follow each other without a gap, as one. The
-- table has the columns tree, subject_kind, subject, from_time, to_time and
-- excess; spans of one subject do not overlap, and those with no more than least
-- are left out. Next to the greatest excess stands the start of its span.
CREATE OR REPLACE MACRO internal.merged_spans(spans, least_excess) AS TABLE
  WITH marked AS (
    SELECT tree, subject_kind, subject, from_time, to_time, excess,
      coalesce(from_time <> lag(to_time) OVER (PARTITION BY tree, subject_kind, subject ORDER BY from_time), true) AS opens
    FROM query_table(spans)
    WHERE excess > least_excess
  ), numbered AS (
    SELECT tree, subject_kind, subject, from_time, to_time, excess,
      sum(opens::INT) OVER (PARTITION BY tree, subject_kind, subject ORDER BY from_time) AS episode
    FROM marked
  )
  SELECT tree, subject_kind, subject, min(from_time) AS from_time, max(to_time) AS to_time,
    max(excess) AS excess, arg_max(from_time, excess) AS worst_time, count(*) AS spans
  FROM numbered
  GROUP BY tree, subject_kind, subject, episode;

-- For the question whether any of many spans, which may overlap, touches another span. An
-- ASOF join finds the last of those that began before its end, and reach is when the last of
-- all these ends. The table has the columns tree, kind, subject, from_time and to_time;
-- a span without to_time has no end.
CREATE OR REPLACE MACRO internal.span_reach(spans) AS TABLE
  SELECT tree, kind, subject, from_time,
    max(coalesce(to_time, 'infinity'::TIMESTAMP)) OVER (PARTITION BY tree, kind, subject ORDER BY from_time) AS reach
  FROM query_table(spans);

-- How far the fair share of each span lies above what it was computed from.
CREATE OR REPLACE VIEW internal.fair_share_spans AS
SELECT tree, 'pool' AS subject_kind, pool AS subject, from_time, to_time, fair_share_over_demand, fair_share_over_limits FROM pool_intervals
UNION ALL
SELECT tree, 'operation', operation, from_time, to_time, fair_share_over_demand, fair_share_over_limits FROM operation_intervals;

-- The findings of fair shares above their demand or their limits (of) by more than eps. A
-- span that ends within settling from the start of the log is excused. Where some updates
-- were refused, the shares are out of date, and a finding is suspect at most.
CREATE OR REPLACE MACRO internal.fair_share_findings(of, eps, settling) AS TABLE
WITH spans AS (
  SELECT tree, subject_kind, subject, from_time, to_time, CASE of WHEN 'demand' THEN fair_share_over_demand ELSE fair_share_over_limits END AS excess
  FROM internal.fair_share_spans
), judged AS (
  SELECT e.*, CASE WHEN e.to_time <= t.from_time + settling THEN 'totals settle in the first minute of a log' END AS excuse
  FROM internal.merged_spans('spans', eps) AS e JOIN trees AS t ON t.tree = e.tree
)
SELECT
  tree,
  '' AS aspect,
  CASE WHEN excuse IS NOT NULL THEN 'excused' WHEN stale THEN 'suspect' ELSE 'violated' END AS verdict,
  subject_kind,
  subject,
  from_time,
  to_time,
  excess AS magnitude,
  'share' AS unit,
  printf('The fair share of %s %s was up to %s of the tree above its %s for %s.%s', subject_kind, subject, internal.share_text(excess), of,
    internal.span_text(span_seconds(from_time, to_time)),
    coalesce(printf(' Excused: %s.', excuse), '')) ||
    CASE WHEN stale THEN printf(' In the window, %s.', refused_updates.reason) ELSE '' END AS reason,
  CASE WHEN stale THEN 'possible' ELSE 'recomputed' END AS judged,
  json_object('excess', excess, 'worst_time', internal.time_text(worst_time), 'spans', spans) AS evidence,
  excuse
FROM judged JOIN internal.refused_updates USING (tree);

-- How many spans of shares there are, by tree, and what refused updates take from them.
-- The shares are recomputed. They count as the scheduler's where its records were compared
-- with them; elsewhere they prove nothing about the scheduler.
CREATE OR REPLACE VIEW internal.fair_shares_seen AS
WITH judged AS (
  SELECT tree, sum(spans) AS spans FROM internal.pool_uses GROUP BY tree
  UNION ALL
  SELECT tree, count(*) FROM operation_intervals GROUP BY tree
)
SELECT tree, coalesce(sum(spans) FILTER (NOT all_refused AND tree IN (SELECT tree FROM snapshot_tallies)), 0)::BIGINT AS seen, 'spans' AS unit,
  coalesce(any_value(refused_updates.reason), CASE
    WHEN count(spans) = 0 THEN 'no fair share was computed'
    WHEN bool_and(tree NOT IN (SELECT tree FROM snapshot_tallies)) THEN 'the log holds no fair shares of the scheduler, and those that were recomputed are not its'
  END) AS reason
FROM internal.refused_updates LEFT JOIN judged USING (tree)
GROUP BY tree;
