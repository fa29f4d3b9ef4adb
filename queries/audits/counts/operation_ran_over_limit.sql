-- @audit     operation_ran_over_limit
-- @title     Operation ran although a pool was full
-- @promise   An operation begins to run only where every pool above it has fewer running operations than max_running_operation_count.
-- @invariant CNT-02
-- @severity  critical
-- @breaks    max_running_operation_count, max_running_operation_count_per_pool
-- @reads     admissions, trees
-- @why       Lightweight operations ask no such limit. One that came down touches nobody
--            who runs already.
SELECT * FROM admission_findings(['CNT-02'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM admission_steps(['running', 'materialized'], 'activation')
ORDER BY tree;
