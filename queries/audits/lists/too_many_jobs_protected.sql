-- @audit     too_many_jobs_protected
-- @title     More jobs protected than the rules protect
-- @promise   The first jobs of an operation are protected up to the aggressive threshold of its fair share, or its non-preemptible threshold, and none beyond.
-- @invariant LST-04
-- @severity  minor
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @source    core/spec/scheduling.md §8.1
-- @why       Protected are the jobs that the scheduler counts neither as preemptible nor
--            as aggressively preemptible. The job that crosses the bound is one of them.
--            One job more is suspect, and so are many while usage or shares change.
--            Jobs that lack in one count and are not among the protected are told by
--            preemptible_jobs_miscounted.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['LST-04'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['LST-04'])
ORDER BY tree;
