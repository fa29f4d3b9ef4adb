-- @audit     configuration_careless
-- @title     Incomplete configuration
-- @promise   Pools stand no deeper and are no more than the cluster supports, and integral guarantees are complete.
-- @invariant CFG-08, CFG-15, CFG-17
-- @severity  minor
-- @reads     configuration_faults, coverage, trees
-- @why       The scheduler takes what is missing as zero.
SELECT * FROM configuration_findings('minor')
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason FROM configuration_seen
ORDER BY tree;
