-- @audit     operation_ran_beside_lightweight
-- @title     Operation that is not lightweight ran in a full pool of lightweight ones
-- @promise   In a pool with enable_lightweight_operations, an operation that is not vanilla begins to run only below max_running_operation_count.
-- @invariant LW-04
-- @severity  major
-- @breaks    max_running_operation_count, max_running_operation_count_per_pool
-- @reads     admissions, trees
-- @why       Lightweight operations ask no such limit, which does not open their pool to
--            others. The same step breaks CNT-02 (operation_ran_over_limit), too.
SELECT * FROM admission_findings(['LW-04'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM admission_steps(['running', 'materialized'], 'activation')
ORDER BY tree;
