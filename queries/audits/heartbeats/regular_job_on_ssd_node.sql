-- @audit     regular_job_on_ssd_node
-- @title     Job without SSD started on an SSD-priority node
-- @promise   Where a pool forbids it, jobs of operations that ask for no SSD medium stay off SSD-priority nodes.
-- @invariant HB-08
-- @severity  major
-- @judges    allow_regular_jobs_on_ssd_nodes
-- @reads     decisions, decision_counts, jobs, trees
-- @why       What media an operation asks for stands in its spec: the disk requests of its
--            tasks. Whose spec the log does not hold is not judged.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['HB-08'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['HB-08']) ORDER BY tree;
-- @tested
SELECT tree, kind, subject, from_time, to_time, missing FROM starts_tested('allow_regular_jobs_on_ssd_nodes');
