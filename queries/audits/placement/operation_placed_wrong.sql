-- @audit     operation_placed_wrong
-- @title     Operation in a pool where it may not start
-- @promise   No operation starts in a pool that forbids it, and no user has more ephemeral pools than allowed.
-- @invariant POOL-02, POOL-03
-- @severity  major
-- @reads     admissions, trees
-- @why       A restart checks nothing.
SELECT * FROM admission_findings(['POOL-02', 'POOL-03'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason FROM admission_steps(['started', 'revived'], 'start')
ORDER BY tree;
