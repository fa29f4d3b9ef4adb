-- The days and hours of SLAs. The table sla_bounds holds, for each pool, the
-- thresholds that the policy's SLAs replace and when they hold:
--
--   LEFT JOIN sla_bounds AS b ON b.tree = e.tree AND b.pool = e.pool
--     AND b.audit = 'strong_guarantee_unmet' AND b.param = 'sla_s'
--
-- gives at most one row; coalesce(b.value, $sla_s) is the threshold, and
-- sla_seconds(e.from_time, e.to_time, b.days, b.from_s, b.to_s) is how much of the
-- span counts: all of it where the pool has no SLA.

-- Seconds since Monday 00:00 UTC, of seconds since the epoch; 345600 s after that was the first Monday.
CREATE OR REPLACE MACRO internal.week_second(epoch_s) AS (epoch_s + 604800 - 345600) % 604800;

-- A number kept within bounds.
CREATE OR REPLACE MACRO internal.clamp(x, least_value, greatest_value) AS least(greatest(x, least_value), greatest_value);

-- Seconds within days (from Monday on) and hours up to a time. Only differences
-- mean something. Hours beyond 86400 lie on the next day, Sunday's on Monday.
CREATE OR REPLACE MACRO internal.sla_clock(t, days, from_s, to_s) AS list_transform([epoch_us(t::TIMESTAMP) / 1e6], s -> list_reduce(list_prepend(
  floor((s - 345600) / 604800) * (to_s - from_s) * list_sum(list_transform(days, d -> d::INT)),
  list_transform(range(7), day -> days[day + 1]::INT * CASE day
    WHEN 6 THEN internal.clamp(internal.week_second(s) - 518400, from_s, to_s) - from_s + internal.clamp(internal.week_second(s) + 86400, from_s, to_s) - internal.clamp(86400, from_s, to_s)
    ELSE internal.clamp(internal.week_second(s) - 86400 * day, from_s, to_s) - from_s
  END)), (x, y) -> x + y))[1];

-- Seconds of a span within an SLA's days and hours; all of it without an SLA.
CREATE OR REPLACE MACRO internal.sla_seconds(from_time, to_time, days, from_s, to_s) AS CASE
  WHEN days IS NULL THEN span_seconds(from_time, to_time)
  ELSE internal.sla_clock(to_time, days, from_s, to_s) - internal.sla_clock(from_time, days, from_s, to_s)
END;
