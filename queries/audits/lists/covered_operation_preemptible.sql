-- @audit     covered_operation_preemptible
-- @title     Preemptible jobs of an operation that gets all it demands
-- @promise   An operation whose fair share is its demand has no preemptible jobs.
-- @invariant LST-03
-- @severity  major
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @source    core/spec/scheduling.md §8.1
-- @why       An operation whose fair share is all that it demands has no preemptible jobs.
--            Suspect if either share is
--            not that of the record before.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['LST-03'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['LST-03'])
ORDER BY tree;
