-- @audit     recorded_limits_differ
-- @title     Reported resource limits differ
-- @promise   Reported resource_limits are the least of what is specified, what tag filters match and what max_share_ratio leaves.
-- @invariant LIM-09
-- @severity  minor
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       Within 1 %. Suspect while totals or settings change. Not judged in the
--            profile current, which reports what is specified.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['LIM-09'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['LIM-09'])
ORDER BY tree;
