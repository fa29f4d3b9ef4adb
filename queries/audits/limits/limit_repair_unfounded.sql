-- @audit     limit_repair_unfounded
-- @title     Preemption for a limit that was not exceeded
-- @promise   Jobs are taken for violated limits only where the operation or a pool above it exceeds its limits.
-- @invariant LIM-05
-- @severity  major
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @why       Judged by the usage before the heartbeat; suspect where it had dropped so shortly
--            before (use_s) that the scheduler may not have known.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['LIM-05'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['LIM-05']) ORDER BY tree;
