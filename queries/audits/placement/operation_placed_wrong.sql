-- @audit     operation_placed_wrong
-- @title     Operation in a pool where the rules do not put it
-- @promise   An operation lands in the pool that the rules of placement give it, in none that forbids it, and its user has no more ephemeral pools than allowed.
-- @invariant POOL-01, POOL-02, POOL-03
-- @severity  major
-- @reads     admissions, trees
-- @why       The pool is judged by its name: that of a hub means the user's own subpool.
--            A restart checks nothing.
SELECT * FROM admission_findings(['POOL-01', 'POOL-02', 'POOL-03'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason FROM admission_steps(['started', 'revived'], 'start')
ORDER BY tree;
