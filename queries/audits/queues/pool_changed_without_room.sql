-- @audit     pool_changed_without_room
-- @title     Operation moved where it may not be, or left waiting
-- @promise   A live operation changes its pool only into one whose chain has room for it, and runs there.
-- @invariant PEND-06, PEND-07
-- @severity  major
-- @breaks    max_running_operation_count:PEND-06, max_running_operation_count_per_pool:PEND-06
-- @reads     admissions, trees
-- @why       Of a running operation only the pools that it was not below before must have
--            room, of a waiting one all.
SELECT * FROM admission_findings(['PEND-06', 'PEND-07'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM admission_steps(['pool_changed'], 'change of pool')
ORDER BY tree;
