-- @audit     start_not_allowed
-- @title     Job started where nothing may start
-- @promise   Jobs start only on nodes that are offered, for operations that are schedulable.
-- @invariant HB-02, HB-03
-- @severity  critical
-- @reads     decisions, decision_counts, trees
-- @why       An operation counts as schedulable if it was at the last tick or has become so
--            since. That a node had room is for node_over_capacity to say (HB-01).
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['HB-02', 'HB-03'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['HB-02', 'HB-03']) ORDER BY tree;
