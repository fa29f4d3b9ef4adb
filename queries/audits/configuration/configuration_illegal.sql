-- @audit     configuration_illegal
-- @title     Illegal configuration
-- @promise   Configurations keep the rules of limits, guarantees, ranges and presets.
-- @invariant CFG-03, CFG-04, CFG-05, CFG-06, CFG-07, CFG-12
-- @severity  major
-- @reads     configuration_faults, coverage, trees
-- @why       Who writes a configuration is refused these; a log may hold them from before
--            the rules, or from elsewhere. A value that nobody can read is a problem of
--            the trace and counts as absent.
SELECT * FROM configuration_findings('major')
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason FROM configuration_seen
ORDER BY tree;
