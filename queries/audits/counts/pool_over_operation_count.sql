-- @audit     pool_over_operation_count
-- @title     Pool over max_operation_count
-- @promise   A pool has no more than max_operation_count operations.
-- @invariant CNT-05
-- @severity  minor
-- @judges    max_operation_count, max_operation_count_per_pool
-- @reads     limit_episodes, admissions, pool_intervals, pools
-- @from      count_limits('max_operation_count')
-- @why       A limit that came down below what is there forbids new ones and
--            touches none of the old; pools are moved and operations revived
--            without looking at it. All these are excused. What a step began that is
--            excused or suspect itself, as a limit of before may have let it in, is so,
--            too. A limit that nothing but a default of the profile states is no promise
--            and is not judged.
-- @tested
SELECT tree, NULL AS kind, pool AS subject, from_time, to_time, NULL AS missing, operations_s AS tested_s FROM pool_facts WHERE operations > 0
UNION ALL
SELECT tree, NULL, pool, from_time, to_time, NULL, NULL FROM loose_facts WHERE operations > 0;
