-- @audit     configuration_advice
-- @title     Legal configuration that is probably a mistake
-- @promise   What a configuration says has an effect.
-- @invariant CFG-09, CFG-10, CFG-11, CFG-13, CFG-14, CFG-16
-- @severity  info
-- @reads     configuration_faults, coverage, trees
-- @why       All legal: guarantees beyond the tree are scaled, a limit below a guarantee
--            voids it, a default parent that does not exist is the root.
SELECT * FROM configuration_findings('info')
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason FROM configuration_seen
ORDER BY tree;
