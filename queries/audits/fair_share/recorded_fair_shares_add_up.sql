-- @audit     recorded_fair_shares_add_up
-- @title     Recorded fair shares that do not add up
-- @promise   No recorded fair share exceeds the recorded demand, and those of children together not that of their parent.
-- @invariant GUA-09
-- @severity  major
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       Of one snapshot, by component, with 1e-4 of slack. Operations that a
--            snapshot leaves out have no share.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['GUA-09'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['GUA-09'])
ORDER BY tree;
