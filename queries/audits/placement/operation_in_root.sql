-- @audit     operation_in_root
-- @title     Operation attached to the root
-- @promise   No operation is attached to the root of a tree.
-- @invariant POOL-07
-- @severity  critical
-- @reads     admissions, trees
-- @why       There is no way to name the root as a pool.
SELECT * FROM admission_findings(['POOL-07'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM admission_steps(['started', 'revived'], 'start')
ORDER BY tree;
