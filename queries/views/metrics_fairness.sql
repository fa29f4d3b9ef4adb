-- The fairness metrics of the scheduler simulator's notebooks (ingest/trace/FORMAT.md §1.8),
-- of pools and operations. The notebooks add up samples, one per snapshot; a run has spans
-- with the exact integrals of the ratios, so that sums are integrals in share·s. Divided by
-- the time between samples they are the notebooks' numbers: step_s, a second by default, the
-- period of snapshots (fair_share_log_period). Within a span ratios move by no more than the
-- run's resolution (0.001), which is how far a sum of what is below zero or above may be off.

-- The start of the bin that holds a time; bins count from the start of the window.
-- @param   t UTC — the time
-- @param   begins UTC — start of the window
-- @param   bin_s s — length of a bin
-- @returns UTC
-- @example SELECT window_bin(start_time, from_time, 600) AS bin, count(*) AS jobs FROM jobs JOIN trees USING (tree) WHERE start_time >= from_time GROUP BY bin ORDER BY bin
CREATE OR REPLACE MACRO window_bin(t, begins, bin_s) AS
  make_timestamp(epoch_us(begins::TIMESTAMP) + (epoch_us(t::TIMESTAMP) - epoch_us(begins::TIMESTAMP)) // (bin_s * 1e6)::BIGINT * (bin_s * 1e6)::BIGINT);

-- One row per span of a pool below the root or of an operation, with the integrals of its
-- dominant shares.
-- @columns tree, element_kind, element
-- @column  pool — the pool, or the pool of the operation
-- @columns from_time, to_time
-- @column  usage_ratio_seconds 1e-9 share·s — usage ratio summed over the span's time
-- @column  fair_share_ratio_seconds 1e-9 share·s — fair share ratio summed over the span's time
-- @column  demand_ratio_seconds 1e-9 share·s — demand ratio summed over the span's time
-- @example SELECT element, from_time, usage_ratio_seconds / 1e9 / span_seconds(from_time, to_time) AS usage_ratio FROM fairness_spans WHERE element_kind = 'pool' ORDER BY element, from_time
CREATE OR REPLACE VIEW fairness_spans AS
SELECT tree, 'pool' AS element_kind, pool AS element, pool, from_time, to_time,
  usage_ratio_seconds, fair_share_ratio_seconds, demand_ratio_seconds
FROM pool_intervals
WHERE pool <> '<Root>'
UNION ALL
SELECT tree, 'operation', operation, pool, from_time, to_time, usage_ratio_seconds, fair_share_ratio_seconds, demand_ratio_seconds
FROM operation_intervals;

-- Delay and satisfaction of every pool below the root and every operation over the window:
-- what it had less than its fair share, and what part of its fair share it had.
-- @columns tree, element_kind, element
-- @column  pool — the pool, or the last pool of the operation
-- @column  from_time UTC — when it was first there
-- @column  to_time UTC — when it was last there
-- @column  seconds s — how long it was there
-- @column  delay share·s — max(0, fair share − usage) summed over the time; divided by step_s it is the notebooks' delay
-- @column  usage share·s — dominant usage share summed over the time
-- @column  fair_share share·s — dominant fair share summed over the time
-- @column  satisfaction ratio — usage by fair share, both summed over the time; null without a fair share
-- @example SELECT element, delay, satisfaction FROM fairness WHERE element_kind = 'pool' ORDER BY delay DESC LIMIT 10
CREATE OR REPLACE VIEW fairness AS
SELECT tree, element_kind, element, arg_max(pool, from_time) AS pool, min(from_time) AS from_time, max(to_time) AS to_time,
  sum(epoch_us(to_time) - epoch_us(from_time))::BIGINT / 1e6 AS seconds,
  sum(greatest(fair_share_ratio_seconds - usage_ratio_seconds, 0))::BIGINT / 1e9 AS delay,
  sum(usage_ratio_seconds)::BIGINT / 1e9 AS usage,
  sum(fair_share_ratio_seconds)::BIGINT / 1e9 AS fair_share,
  sum(usage_ratio_seconds)::BIGINT / nullif(sum(fair_share_ratio_seconds)::BIGINT, 0) AS satisfaction
FROM fairness_spans
GROUP BY tree, element_kind, element;

-- The delay of pools and operations within a moving window of so many samples, at every moment
-- at which it may be greatest: where a span ends, and where the window begins with a span.
-- Nothing is before the first span of an element, and nothing in gaps. The maximum over the
-- rows is exact.
-- @param   samples samples — length of the moving window
-- @param   step_s s — time between samples
-- @columns tree, element_kind, element
-- @column  time UTC — end of the moving window
-- @column  delay share·s — max(0, fair share − usage) summed over the moving window
-- @column  delay_samples share — the same, summed over samples
-- @example SELECT element, max(delay) AS delay FROM windowed_delay(samples := 200) WHERE element_kind = 'pool' GROUP BY element ORDER BY delay DESC
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

-- Satisfaction of pools and operations in classes of equal width, weighted by usage: how
-- much of the usage was that of elements of this satisfaction.
-- @param   width ratio — width of a class
-- @columns tree, element_kind
-- @column  from_satisfaction ratio — start of the class
-- @column  to_satisfaction ratio — end of the class, exclusive
-- @column  elements elements — pools or operations in the class
-- @column  usage share·s — their dominant usage share summed over the time
-- @column  usage_part ratio — part of the usage of all
-- @example SELECT from_satisfaction, usage_part FROM satisfaction_histogram(width := 0.2) WHERE element_kind = 'pool' ORDER BY from_satisfaction
CREATE OR REPLACE MACRO satisfaction_histogram(width := 0.1) AS TABLE
SELECT tree, element_kind, round(floor(round(satisfaction / width, 9)) * width, 9) AS from_satisfaction, round((floor(round(satisfaction / width, 9)) + 1) * width, 9) AS to_satisfaction,
  count(*) AS elements, sum(usage) AS usage, sum(usage) / nullif(sum(sum(usage)) OVER (PARTITION BY tree, element_kind), 0) AS usage_part
FROM fairness
WHERE satisfaction IS NOT NULL
GROUP BY tree, element_kind, floor(round(satisfaction / width, 9));

-- How many pools and operations had less than tolerances of 0.1 to 1.0 of their fair share:
-- over their whole time, and at the average moment. One row per tree, kind of element and
-- tolerance.
-- @columns tree, element_kind
-- @column  tolerance ratio — part of the fair share below which usage is too little
-- @column  elements elements — pools or operations in the window
-- @column  underserved elements — those whose satisfaction over their whole time is below the tolerance
-- @column  underserved_seconds s — time below the tolerance, summed over the elements
-- @column  mean_underserved elements — elements below the tolerance at a moment, on average over the window
-- @example SELECT tolerance, underserved, mean_underserved FROM underserved WHERE element_kind = 'pool' ORDER BY tolerance
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

-- Periods in which a pool or an operation had less than tolerance of its fair share without
-- a break for longer than so many samples.
-- @param   tolerance ratio — part of the fair share below which usage is too little
-- @param   samples samples — how long a period is at least
-- @param   step_s s — time between samples
-- @columns tree, element_kind, element
-- @column  pool — the pool, or the last pool of the operation
-- @columns from_time, to_time
-- @column  duration s — length of the period
-- @column  duration_samples samples — the same in samples
-- @column  missing share·s — fair share less usage, summed over the period
-- @example SELECT element, from_time, duration FROM underserved_periods(tolerance := 0.95, samples := 10) ORDER BY duration DESC LIMIT 10
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

-- The penalty of pools and operations: the sum of the squared durations of their underserved
-- periods, so that one long period weighs more than many short ones. One row per element
-- with such a period.
-- @param   tolerance ratio — part of the fair share below which usage is too little
-- @param   samples samples — how long a period is at least
-- @param   step_s s — time between samples
-- @columns tree, element_kind, element
-- @column  periods periods — number of underserved periods
-- @column  duration s — their length in all
-- @column  longest s — length of the longest
-- @column  penalty s² — sum of the squared lengths
-- @column  penalty_samples samples² — the same in samples
-- @example SELECT element, penalty FROM penalty(tolerance := 0.95, samples := 10) ORDER BY penalty DESC LIMIT 10
CREATE OR REPLACE MACRO penalty(tolerance := 0.9, samples := 60, step_s := 1) AS TABLE
SELECT tree, element_kind, element, count(*) AS periods, sum(duration) AS duration, max(duration) AS longest,
  sum(duration * duration) AS penalty, sum(duration_samples * duration_samples) AS penalty_samples
FROM underserved_periods(tolerance := tolerance, samples := samples, step_s := step_s)
GROUP BY tree, element_kind, element;
