-- The days and hours of SLAs. The table sla_bounds holds, for each pool, the
-- thresholds that the policy's SLAs replace and when they hold:
--
--   LEFT JOIN sla_bounds AS b ON b.tree = e.tree AND b.pool = e.pool
--     AND b.audit = 'strong_guarantee_unmet' AND b.param = 'sla_s'
--
-- gives at most one row; coalesce(b.value, $sla_s) is the threshold, and
-- sla_seconds(e.from_time, e.to_time, b.windows) is how much of the span counts: all of
-- it where the pool has no SLA, or one that always holds.

-- Seconds of a span within the windows of an SLA, which do not overlap.
CREATE OR REPLACE MACRO internal.sla_seconds(from_time, to_time, windows) AS CASE
  WHEN windows IS NULL THEN span_seconds(from_time, to_time)
  ELSE coalesce(list_sum(list_transform(windows,
    w -> greatest(span_seconds(greatest(w.from_time, from_time::TIMESTAMP), least(w.to_time, to_time::TIMESTAMP)), 0))), 0)
END;
