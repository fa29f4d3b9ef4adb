-- @audit     guarantee_not_granted
-- @title     Strong guarantee missing from the fair share
-- @promise   The recorded fair share reaches the strong guarantee, or the demand where that is less.
-- @invariant GUA-01
-- @severity  major
-- @breaks    strong_guarantee
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @source    core/spec/scheduling.md §1.4
-- @why       A guarantee counts as granted once one resource that the element could
--            use more of has reached it, and wherever the
--            rules give no more for the recorded state of the tree.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['GUA-01'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['GUA-01'])
ORDER BY tree;
