-- @audit     preempted_job_stays
-- @title     Preempted job that stayed on its node
-- @promise   A preempted job is gone within its interruption timeout and a heartbeat.
-- @invariant PRE-21
-- @severity  minor
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @why       The timeouts are job_interrupt_timeout, and job_graceful_interrupt_timeout for
--            jobs that were asked to finish gracefully. Judged where the log tells when
--            the job was gone; a node that was lost may have kept it.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['PRE-21'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['PRE-21']) ORDER BY tree;
