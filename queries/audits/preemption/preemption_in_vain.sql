-- @audit     preemption_in_vain
-- @title     Preemption for a job that did not run
-- @promise   A job for which others are preempted runs once they are gone.
-- @invariant PRE-23
-- @severity  minor
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @why       Judged where heartbeats tell the states of the started job: by the time its
--            victims must be gone, which is their interruption timeout and a heartbeat,
--            it runs. Excused where it or its operation ended before, or its node was
--            lost, or waiting_job_timeout is the shorter one.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['PRE-23'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['PRE-23']) ORDER BY tree;
