-- @audit     preemption_names_nobody
-- @title     Preemption for a job that is not there
-- @promise   A preemption names a job that exists.
-- @invariant PRE-25
-- @severity  minor
-- @reads     decisions, decision_counts, trees
-- @why       The job is looked for in the heartbeat of the preemption.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['PRE-25'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason FROM decisions_seen(['PRE-25']) ORDER BY tree;
