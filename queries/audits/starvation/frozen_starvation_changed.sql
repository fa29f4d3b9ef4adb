-- @audit     frozen_starvation_changed
-- @title     Pool status changed while pool starvation was off
-- @promise   While enable_pool_starvation is off no pool's status changes.
-- @invariant STV-08
-- @severity  minor
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       Suspect within the time that a configuration takes to be in force.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['STV-08'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['STV-08'])
ORDER BY tree;
