-- @audit     lightweight_operation_waited
-- @title     Lightweight operation pending
-- @promise   A lightweight operation never waits for leave to run.
-- @invariant LW-02
-- @severity  major
-- @reads     admissions, trees
-- @why       A vanilla operation in a FIFO pool with enable_lightweight_operations counts
--            against no limit of running operations.
SELECT * FROM admission_findings(['LW-02'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason FROM admission_steps(['pending'], 'pending mark')
ORDER BY tree;
