-- @audit     recorded_fair_share_over_limits
-- @title     Recorded fair share above limits
-- @promise   No recorded fair share exceeds the recorded limits.
-- @invariant LIM-07
-- @severity  major
-- @breaks    resource_limits, max_share_ratio
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       By component, with 1e-4 of slack. Without recorded limits the tree
--            itself is the limit.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['LIM-07'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['LIM-07'])
ORDER BY tree;
