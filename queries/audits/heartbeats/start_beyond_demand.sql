-- @audit     start_beyond_demand
-- @title     Job started beyond the demand
-- @promise   An operation starts no more jobs than it needs.
-- @invariant HB-04
-- @severity  major
-- @reads     decisions, decision_counts, trees
-- @why       Usage and the started job are compared with the demand of the last tick, or with
--            what the log has told since if that is more.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['HB-04'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['HB-04']) ORDER BY tree;
