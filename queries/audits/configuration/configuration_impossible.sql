-- @audit     configuration_impossible
-- @title     Impossible set of pools
-- @promise   Pool names are unique and legal, and FIFO pools have no children.
-- @invariant CFG-01, CFG-02
-- @severity  critical
-- @reads     configuration_faults, coverage, trees
-- @why       The scheduler refuses such a set as a whole: what is stored is not what is
--            in force.
SELECT * FROM configuration_findings('critical')
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason FROM configuration_seen
ORDER BY tree;
