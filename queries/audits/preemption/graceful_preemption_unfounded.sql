-- @audit     graceful_preemption_unfounded
-- @title     Graceful preemption without ground
-- @promise   Only preemptible jobs of graceful operations are asked to finish, and once.
-- @invariant GRC-01
-- @severity  major
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @why       Lists are recomputed; one job either way is within doubt.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['GRC-01'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['GRC-01']) ORDER BY tree;
