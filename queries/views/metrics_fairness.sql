-- The fairness metrics of the scheduler simulator's notebooks (ingest/trace/FORMAT.md §1.8),
-- of pools and operations. The notebooks add up samples, one per snapshot; a run has spans
-- with the exact integrals of the ratios, so that sums are integrals in share·s. Divided by
-- the time between samples they are the notebooks' numbers: step_s, a second by default, the
-- period of snapshots (fair_share_log_period). Within a span ratios move by no more than the
-- run's resolution (0.001), which is how far a sum of what is below zero or above may be off.

-- The start of the bin of so many seconds, counted from the window's start, that holds a time.
CREATE OR REPLACE MACRO window_bin(t, begins, bin_s) AS
  make_timestamp(epoch_us(begins::TIMESTAMP) + (epoch_us(t::TIMESTAMP) - epoch_us(begins::TIMESTAMP)) // (bin_s * 1e6)::BIGINT * (bin_s * 1e6)::BIGINT);

-- One row per span of a pool or an operation, with the integrals of its ratios.
CREATE OR REPLACE VIEW fairness_spans AS
SELECT tree, 'pool' AS element_kind, pool AS element, pool, from_time, to_time,
  usage_ratio_seconds, fair_share_ratio_seconds, demand_ratio_seconds
FROM pool_intervals
WHERE pool <> '<Root>'
UNION ALL
SELECT tree, 'operation', operation, pool, from_time, to_time, usage_ratio_seconds, fair_share_ratio_seconds, demand_ratio_seconds
FROM operation_intervals;
COMMENT ON VIEW fairness_spans IS 'one row per span of a pool below the root or of an operation, with the integrals of its dominant shares';
COMMENT ON COLUMN fairness_spans.element_kind IS 'pool or operation';
COMMENT ON COLUMN fairness_spans.element IS 'name of the pool or id of the operation';
COMMENT ON COLUMN fairness_spans.usage_ratio_seconds IS 'usage ratio summed over the span [1e-9 share·s]';
COMMENT ON COLUMN fairness_spans.fair_share_ratio_seconds IS 'fair share ratio summed over the span [1e-9 share·s]';
COMMENT ON COLUMN fairness_spans.demand_ratio_seconds IS 'demand ratio summed over the span [1e-9 share·s]';

-- Delay and satisfaction of every pool and operation over the window: what it had less than
-- its fair share, and what part of its fair share it had.
CREATE OR REPLACE VIEW fairness AS
SELECT tree, element_kind, element, arg_max(pool, from_time) AS pool, min(from_time) AS from_time, max(to_time) AS to_time,
  sum(epoch_us(to_time) - epoch_us(from_time))::BIGINT / 1e6 AS seconds,
  sum(greatest(fair_share_ratio_seconds - usage_ratio_seconds, 0))::BIGINT / 1e9 AS delay,
  sum(usage_ratio_seconds)::BIGINT / 1e9 AS usage,
  sum(fair_share_ratio_seconds)::BIGINT / 1e9 AS fair_share,
  sum(usage_ratio_seconds)::BIGINT / nullif(sum(fair_share_ratio_seconds)::BIGINT, 0) AS satisfaction
FROM fairness_spans
GROUP BY tree, element_kind, element;
COMMENT ON VIEW fairness IS 'one row per pool below the root and per operation: its delay and satisfaction over the window';
COMMENT ON COLUMN fairness.element_kind IS 'pool or operation';
COMMENT ON COLUMN fairness.element IS 'name of the pool or id of the operation';
COMMENT ON COLUMN fairness.pool IS 'the pool, or the last one of the operation';
COMMENT ON COLUMN fairness.seconds IS 'how long it was there [s]';
COMMENT ON COLUMN fairness.delay IS 'sum of max(0, fair share - usage) over the time; divided by step_s the notebooks'' delay [share·s]';
COMMENT ON COLUMN fairness.usage IS 'dominant usage share summed over the time [share·s]';
COMMENT ON COLUMN fairness.fair_share IS 'dominant fair share summed over the time [share·s]';
COMMENT ON COLUMN fairness.satisfaction IS 'usage by fair share, both summed over the time; null without a fair share [ratio]';

-- The delay within a moving window of so many samples, at every moment at which it may be
-- greatest: where a span ends, and where the window begins with a span. Nothing is before the
-- first span of an element, and nothing in gaps.
CREATE OR REPLACE MACRO windowed_delay(samples := 200, step_s := 1) AS TABLE
WITH spans AS (
  SELECT tree, element_kind, element, epoch_us(from_time) AS from_us, epoch_us(to_time) AS to_us,
    greatest(fair_share_ratio_seconds - usage_ratio_seconds, 0) AS late
  FROM fairness_spans
), summed AS (
  SELECT *, (sum(late) OVER (PARTITION BY tree, element_kind, element ORDER BY from_us))::BIGINT AS until_end
  FROM spans
), moments AS (
  SELECT DISTINCT tree, element_kind, element, unnest([to_us, from_us + (samples * step_s * 1e6)::BIGINT]) AS at_us
  FROM spans
), lasting AS (
  SELECT m.*, m.at_us - (samples * step_s * 1e6)::BIGINT AS begin_us
  FROM moments AS m
  JOIN (SELECT tree, element_kind, element, max(to_us) AS end_us FROM spans GROUP BY ALL) AS e USING (tree, element_kind, element)
  WHERE at_us <= end_us
), bounds AS (
  SELECT tree, element_kind, element, at_us, at_us AS t, 1 AS sign FROM lasting
  UNION ALL
  SELECT tree, element_kind, element, at_us, begin_us, -1 FROM lasting
), reached AS (
  SELECT b.tree, b.element_kind, b.element, b.at_us,
    b.sign * (s.until_end - s.late + s.late::DOUBLE * (least(b.t, s.to_us) - s.from_us) / (s.to_us - s.from_us)) AS late
  FROM bounds AS b
  ASOF JOIN summed AS s ON s.tree = b.tree AND s.element_kind = b.element_kind AND s.element = b.element AND s.from_us < b.t
)
SELECT tree, element_kind, element, make_timestamp(at_us) AS time, sum(late) / 1e9 AS delay, sum(late) / 1e9 / step_s AS delay_samples
FROM reached
GROUP BY tree, element_kind, element, at_us;
COMMENT ON MACRO TABLE windowed_delay IS 'the delay [share·s, and in samples] of pools and operations within the samples (200, or 2000) of step_s seconds before a time; its maximum over the rows is exact';

-- Satisfaction of pools and operations by classes of so much, weighted by their usage: how
-- much of the usage was that of elements of this satisfaction.
CREATE OR REPLACE MACRO satisfaction_histogram(width := 0.1) AS TABLE
SELECT tree, element_kind, round(floor(round(satisfaction / width, 9)) * width, 9) AS from_satisfaction, round((floor(round(satisfaction / width, 9)) + 1) * width, 9) AS to_satisfaction,
  count(*) AS elements, sum(usage) AS usage, sum(usage) / nullif(sum(sum(usage)) OVER (PARTITION BY tree, element_kind), 0) AS usage_part
FROM fairness
WHERE satisfaction IS NOT NULL
GROUP BY tree, element_kind, floor(round(satisfaction / width, 9));
COMMENT ON MACRO TABLE satisfaction_histogram IS 'one row per tree, kind of element and class of satisfaction that is width wide: how many elements are in it, their usage [share·s] and its part of all';

-- How many pools and operations had less than tolerances of 0.1 to 1.0 of their fair share:
-- over their whole time, and on the average moment.
CREATE OR REPLACE VIEW underserved AS
WITH graded_spans AS (
  SELECT *, unnest(range(1, 11)) AS n FROM fairness_spans
), graded AS (
  SELECT tree, element_kind, satisfaction, unnest(range(1, 11)) AS n FROM fairness
), moments AS (
  SELECT tree, element_kind, n, (sum(epoch_us(to_time) - epoch_us(from_time)) FILTER (10 * usage_ratio_seconds < n * fair_share_ratio_seconds))::BIGINT / 1e6 AS seconds
  FROM graded_spans
  GROUP BY tree, element_kind, n
), whole AS (
  SELECT tree, element_kind, n, count(*) FILTER (satisfaction < n / 10.0) AS underserved, count(*) AS elements
  FROM graded
  GROUP BY tree, element_kind, n
)
SELECT tree, element_kind, n / 10 AS tolerance, elements, underserved, coalesce(seconds, 0) AS underserved_seconds,
  coalesce(seconds, 0) / span_seconds(from_time, to_time) AS mean_underserved
FROM whole JOIN moments USING (tree, element_kind, n) JOIN trees USING (tree);
COMMENT ON VIEW underserved IS 'one row per tree, kind of element and tolerance from 0.1 to 1.0: how many had less than that part of their fair share';
COMMENT ON COLUMN underserved.tolerance IS 'part of the fair share below which usage is too little [ratio]';
COMMENT ON COLUMN underserved.elements IS 'pools or operations in the window';
COMMENT ON COLUMN underserved.underserved IS 'those whose satisfaction over their whole time is below the tolerance';
COMMENT ON COLUMN underserved.underserved_seconds IS 'time below the tolerance, summed over the elements [s]';
COMMENT ON COLUMN underserved.mean_underserved IS 'elements below the tolerance at a moment, on average over the window';

-- Periods in which a pool or an operation had less than tolerance of its fair share without
-- a break for longer than so many samples.
CREATE OR REPLACE MACRO underserved_periods(tolerance := 0.9, samples := 60, step_s := 1) AS TABLE
WITH low AS (
  SELECT tree, element_kind, element, pool, from_time, to_time, fair_share_ratio_seconds - usage_ratio_seconds AS missing,
    coalesce(from_time <> lag(to_time) OVER (PARTITION BY tree, element_kind, element ORDER BY from_time), true) AS opens
  FROM fairness_spans
  WHERE usage_ratio_seconds < tolerance * fair_share_ratio_seconds
), numbered AS (
  SELECT *, sum(opens::INT) OVER (PARTITION BY tree, element_kind, element ORDER BY from_time) AS period
  FROM low
)
SELECT tree, element_kind, element, arg_max(pool, from_time) AS pool, min(from_time) AS from_time, max(to_time) AS to_time,
  span_seconds(min(from_time), max(to_time)) AS duration, span_seconds(min(from_time), max(to_time)) / step_s AS duration_samples, sum(missing)::BIGINT / 1e9 AS missing
FROM numbered
GROUP BY tree, element_kind, element, period
HAVING span_seconds(min(from_time), max(to_time)) > samples * step_s;
COMMENT ON MACRO TABLE underserved_periods IS 'one row per period in which a pool or an operation had less than tolerance of its fair share for longer than samples of step_s seconds: duration [s, and in samples], and what was missing [share·s]';

-- The penalty of pools and operations: the sum of the squared durations of their underserved
-- periods, so that one long period weighs more than many short ones.
CREATE OR REPLACE MACRO penalty(tolerance := 0.9, samples := 60, step_s := 1) AS TABLE
SELECT tree, element_kind, element, count(*) AS periods, sum(duration) AS duration, max(duration) AS longest,
  sum(duration * duration) AS penalty, sum(duration_samples * duration_samples) AS penalty_samples
FROM underserved_periods(tolerance := tolerance, samples := samples, step_s := step_s)
GROUP BY tree, element_kind, element;
COMMENT ON MACRO TABLE penalty IS 'one row per pool or operation with an underserved period: how many, their durations summed and the longest [s], and the sum of squared durations [s², and in samples²]';
