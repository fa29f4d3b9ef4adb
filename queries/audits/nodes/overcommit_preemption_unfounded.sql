-- @audit     overcommit_preemption_unfounded
-- @title     Overcommit preemption without ground
-- @promise   A node is cleared only after it was overfull for longer than allowed.
-- @invariant OVC-01
-- @severity  major
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @why       The clock starts at the first heartbeat that finds the node overfull; the allowed
--            duration is 15 s unless configured. Suspect where a heartbeat earlier (hb_s), or
--            usage more by usage_part where it is reported, would have been enough.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['OVC-01'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['OVC-01']) ORDER BY tree;
