-- @audit     pool_over_operation_count
-- @title     Pool over max_operation_count
-- @promise   A pool has no more than max_operation_count operations.
-- @invariant CNT-05
-- @judges    max_operation_count, max_operation_count_per_pool
-- @reads     limit_episodes, admissions, pool_intervals, pools
-- @from      count_limits('max_operation_count')
-- @why       A limit that was lowered below the current count forbids new operations and
--            removes none. Moving a pool and reviving an operation do not check the limit.
--            All three are excused. An episode is as excused or suspect as the step that
--            began it, since an earlier limit may have allowed that step. A limit that only
--            a default of the profile states is no promise and is not judged.
-- @tested
SELECT tree, NULL AS kind, pool AS subject, from_time, to_time, NULL AS missing, operations_s AS tested_s FROM internal.pool_facts WHERE operations > 0
UNION ALL
SELECT tree, NULL, pool, from_time, to_time, NULL, NULL FROM internal.loose_facts WHERE operations > 0;
