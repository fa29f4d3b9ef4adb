-- What audits of spans share. Spans are half-open: from_time belongs to them,
-- to_time does not.

-- Seconds that two spans have in common; 0 if they only meet.
CREATE OR REPLACE MACRO overlap_seconds(a_from, a_to, b_from, b_to) AS
  greatest(span_seconds(greatest(a_from::TIMESTAMP, b_from::TIMESTAMP), least(a_to::TIMESTAMP, b_to::TIMESTAMP)), 0);

-- Whether an instant lies in a span.
CREATE OR REPLACE MACRO within_span(t, from_time, to_time) AS from_time <= t AND t < to_time;

-- The spans of a table or view that follow each other without a gap, as one. The
-- table has the columns tree, subject_kind, subject, from_time, to_time and
-- excess; spans of one subject do not overlap, and those with no more than least
-- are left out. Next to the greatest excess stands the start of its span.
CREATE OR REPLACE MACRO merged_spans(spans, least_excess) AS TABLE
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

-- How far the fair share of each span lies above what it was computed from, for
-- merged_spans.
CREATE OR REPLACE VIEW fair_share_over_demand_spans AS
SELECT tree, 'pool' AS subject_kind, pool AS subject, from_time, to_time, fair_share_over_demand AS excess FROM pool_intervals
UNION ALL
SELECT tree, 'operation', operation, from_time, to_time, fair_share_over_demand FROM operation_intervals;

CREATE OR REPLACE VIEW fair_share_over_limits_spans AS
SELECT tree, 'pool' AS subject_kind, pool AS subject, from_time, to_time, fair_share_over_limits AS excess FROM pool_intervals
UNION ALL
SELECT tree, 'operation', operation, from_time, to_time, fair_share_over_limits FROM operation_intervals;
