-- @audit     starving_though_served
-- @title     Declared starving though served
-- @promise   A pool or operation that is not below its share is not declared starving.
-- @invariant STV-03
-- @severity  major
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       Recovery is immediate at the next tick; a tick and a record of slack are
--            given. In the profile documented a record that names no kind may mean
--            either.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['STV-03'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['STV-03'])
ORDER BY tree;
