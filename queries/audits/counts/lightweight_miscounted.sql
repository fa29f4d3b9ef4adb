-- @audit     lightweight_miscounted
-- @title     Lightweight operations where there can be none
-- @promise   Only a FIFO pool whose enable_lightweight_operations is on counts operations as lightweight, and no more than it has.
-- @invariant LW-01
-- @severity  major
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       Recorded counts against the vanilla operations that the log has in such
--            pools. Suspect where operations came or left since the record before,
--            or within the time that a configuration takes to be in force.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['LW-01'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['LW-01'])
ORDER BY tree;
