-- @audit     limit_repair_overshoots
-- @title     Preemption beyond what a limit asks for
-- @promise   The repair of a limit takes no job more than needed.
-- @invariant LIM-06
-- @severity  minor
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @why       Judged by the usage that the jobs taken before have left; several nodes may
--            repair the same limit at once, so that it is suspect by what others took
--            within hb_s.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['LIM-06'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['LIM-06']) ORDER BY tree;
