-- Series resampled to a step, and sums over a part of the window. A span that lies in several
-- bins is divided among them by its time: within a span a ratio moves by no more than the
-- run's resolution (0.001). Sums are of whole numbers, so that they are exact.

-- The shares of every pool over time, one row per pool and bin: means over the part of the
-- bin in which the pool was there.
-- @param   step_s s — length of a bin
-- @columns tree, pool, bin
-- @column  seconds s — how long the pool was there in the bin
-- @column  usage_ratio share — dominant usage share, on average
-- @column  demand_ratio share — dominant demand share, on average
-- @column  fair_share_ratio share — dominant fair share, on average
-- @column  min_share_ratio share — dominant strong guarantee share, on average
-- @example SELECT bin, usage_ratio, fair_share_ratio, min_share_ratio FROM pool_series(step_s := 60) WHERE pool = 'research' ORDER BY bin
CREATE OR REPLACE MACRO pool_series(step_s := 60) AS TABLE
WITH spans AS (
  SELECT i.tree, i.pool, epoch_us(t.from_time) AS begin_us, (step_s * 1e6)::BIGINT AS step_us,
    epoch_us(i.from_time) - epoch_us(t.from_time) AS low, epoch_us(i.to_time) - epoch_us(t.from_time) AS high,
    usage_ratio_seconds, demand_ratio_seconds, fair_share_ratio_seconds, round(min_share_ratio * 1e9)::BIGINT AS min_share
  FROM pool_intervals AS i JOIN trees AS t USING (tree)
  WHERE i.to_time > i.from_time
), divided AS (
  SELECT *, unnest(range(low // step_us, (high - 1) // step_us + 1)) AS bin FROM spans
), weighed AS (
  SELECT *, least(high, (bin + 1) * step_us) - greatest(low, bin * step_us) AS us FROM divided
)
SELECT tree, pool, make_timestamp(begin_us + bin * step_us) AS bin, sum(us)::BIGINT / 1e6 AS seconds,
  sum(usage_ratio_seconds::HUGEINT * us // (high - low))::DOUBLE / 1e3 / sum(us)::BIGINT AS usage_ratio,
  sum(demand_ratio_seconds::HUGEINT * us // (high - low))::DOUBLE / 1e3 / sum(us)::BIGINT AS demand_ratio,
  sum(fair_share_ratio_seconds::HUGEINT * us // (high - low))::DOUBLE / 1e3 / sum(us)::BIGINT AS fair_share_ratio,
  sum(min_share::HUGEINT * us)::DOUBLE / 1e9 / sum(us)::BIGINT AS min_share_ratio
FROM weighed
GROUP BY tree, pool, begin_us + bin * step_us;

-- Delay and satisfaction of pools and operations over a part of the window, as the view
-- fairness has them over all of it.
-- @param   begins UTC — start of the part
-- @param   ends UTC — end of the part, exclusive
-- @columns tree, element_kind, element
-- @column  pool — the pool, or the last pool of the operation
-- @column  from_time UTC — when it was first there
-- @column  to_time UTC — when it was last there
-- @column  seconds s — how long it was there
-- @column  delay share·s — max(0, fair share − usage) summed over the time; divided by step_s it is the notebooks' delay
-- @column  usage share·s — dominant usage share summed over the time
-- @column  fair_share share·s — dominant fair share summed over the time
-- @column  satisfaction ratio — usage by fair share, both summed over the time; null without a fair share
-- @example SELECT element, delay, satisfaction FROM fairness_between('2025-03-03 08:02:00', '2025-03-03 08:06:00') WHERE element_kind = 'pool' ORDER BY delay DESC
CREATE OR REPLACE MACRO fairness_between(begins, ends) AS TABLE
WITH clipped AS (
  SELECT tree, element_kind, element, pool, greatest(from_time, begins::TIMESTAMP) AS from_time, least(to_time, ends::TIMESTAMP) AS to_time,
    epoch_us(to_time) - epoch_us(from_time) AS span_us, usage_ratio_seconds, fair_share_ratio_seconds
  FROM fairness_spans
  WHERE from_time < ends::TIMESTAMP AND to_time > begins::TIMESTAMP AND from_time < to_time
), parts AS (
  SELECT *, epoch_us(to_time) - epoch_us(from_time) AS us,
    usage_ratio_seconds::HUGEINT * (epoch_us(to_time) - epoch_us(from_time)) // span_us AS used,
    fair_share_ratio_seconds::HUGEINT * (epoch_us(to_time) - epoch_us(from_time)) // span_us AS fair
  FROM clipped
)
SELECT tree, element_kind, element, arg_max(pool, from_time) AS pool, min(from_time) AS from_time, max(to_time) AS to_time,
  sum(us)::BIGINT / 1e6 AS seconds, sum(greatest(fair - used, 0))::DOUBLE / 1e9 AS delay, sum(used)::DOUBLE / 1e9 AS usage, sum(fair)::DOUBLE / 1e9 AS fair_share,
  sum(used)::DOUBLE / nullif(sum(fair)::DOUBLE, 0) AS satisfaction
FROM parts
GROUP BY tree, element_kind, element;
