-- @audit     recorded_counts_do_not_add_up
-- @title     Recorded counts that do not add up
-- @promise   A pool's counters are those of its own operations and of its children, and it has at least as many operations as run in it.
-- @invariant CNT-03, LW-05
-- @severity  critical
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       A pool's own operations are those that the log told of, or as many as the
--            same record shows in it: rows of operations may be lost. Suspect if its
--            counts, or its children's, are not those of the record before: the
--            record may be torn across two ticks.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['CNT-03', 'LW-05'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['CNT-03', 'LW-05'])
ORDER BY tree;
