-- @audit     starving_without_part
-- @title     Root or unschedulable operation declared starving
-- @promise   The root and operations that take no part in scheduling never starve.
-- @invariant STV-06
-- @severity  critical
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       An operation that became unschedulable since the record before is
--            suspect only: the reason is set before starvation is looked at.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['STV-06'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['STV-06'])
ORDER BY tree;
