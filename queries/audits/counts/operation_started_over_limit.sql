-- @audit     operation_started_over_limit
-- @title     Operation registered although a pool was full
-- @promise   An operation is registered only where every pool above it has fewer operations than max_operation_count.
-- @invariant CNT-01, LW-03
-- @severity  major
-- @breaks    max_operation_count, max_operation_count_per_pool
-- @reads     admissions, trees
-- @why       The limit concerns all operations, lightweight ones included. A restart
--            registers survivors without checks; what a tree erases or rejects at once
--            was never registered.
SELECT * FROM admission_findings(['CNT-01', 'LW-03'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM admission_steps(['started', 'revived'], 'start')
ORDER BY tree;
