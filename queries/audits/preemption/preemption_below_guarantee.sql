-- @audit     preemption_below_guarantee
-- @title     Preemption below a strong guarantee
-- @promise   Preemption leaves every pool and operation with a strong guarantee at min(guarantee, demand).
-- @invariant GUA-07
-- @severity  major
-- @breaks    strong_guarantee
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @why       Where the beneficiary is under the same guarantee nothing is lost to it.
--            Excused are aggressive stages, and thresholds below one.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['GUA-07'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['GUA-07']) ORDER BY tree;
