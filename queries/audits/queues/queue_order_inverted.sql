-- @audit     queue_order_inverted
-- @title     Operation ran before one that had waited longer
-- @promise   Operations of one queue run in the order in which they came, and a new one passes over none that could run.
-- @invariant PEND-02, PEND-03
-- @severity  minor
-- @reads     admissions, trees
-- @why       Only who could have run instead was passed over: one that another full pool
--            held was not. One that ran within a rescan of 60 s may have been due to it.
SELECT * FROM admission_findings(['PEND-02', 'PEND-03'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM admission_steps(['running'], 'activation')
ORDER BY tree;
