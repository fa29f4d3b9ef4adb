-- @audit     start_not_allowed
-- @title     Job started where nothing may start
-- @promise   Jobs start only on nodes that are offered and have room, for operations that are schedulable.
-- @invariant HB-01, HB-02, HB-03
-- @severity  critical
-- @reads     decisions, decision_counts, trees
-- @why       Room is judged in the resources that the trace measures. An operation counts as
--            schedulable if it was at the last tick or has become so since.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['HB-01', 'HB-02', 'HB-03'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason FROM decisions_seen(['HB-01', 'HB-02', 'HB-03']) ORDER BY tree;
