-- What pools ever used, demanded and were owed.

-- What a pool came to in all its spans, one row per pool: the most that it demanded while a
-- strong guarantee had a share, and the most operations that it had while their number was
-- limited, each null if that never was; what it was owed of an integral guarantee; and whether
-- its jobs held resources. A table, since eight audits ask it; each would look through all
-- spans of all pools again.
CREATE OR REPLACE TABLE internal.pool_uses AS
SELECT tree, pool,
  count(*) AS spans,
  max(demand_ratio_max) FILTER (min_share_ratio > 0) AS guaranteed_demand,
  max(integral_share_ratio) AS integral_share_ratio,
  max(operation_count) FILTER (max_operation_count IS NOT NULL) AS limited_operations,
  max(operation_count) FILTER (max_running_operation_count IS NOT NULL) AS limited_running_operations,
  bool_or(usage_ratio_max > 0 OR resource_usage_user_slots > 0 OR resource_usage_cpu > 0 OR resource_usage_gpu > 0
    OR resource_usage_memory > 0 OR resource_usage_network > 0) AS used
FROM pool_intervals
GROUP BY tree, pool;
