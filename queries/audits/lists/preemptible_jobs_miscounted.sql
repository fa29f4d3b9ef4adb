-- @audit     preemptible_jobs_miscounted
-- @title     Preemptible jobs miscounted
-- @promise   The reported numbers of preemptible and aggressively preemptible jobs are those of the operation's list.
-- @invariant LST-01
-- @severity  minor
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @source    core/spec/scheduling.md §8.1
-- @why       The list is cut anew from the jobs of the log.
--            One job off is suspect, and so is more while usage or shares change.
--            Jobs that lack in the counts because too many are protected are told by
--            too_many_jobs_protected.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['LST-01'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['LST-01'])
ORDER BY tree;
