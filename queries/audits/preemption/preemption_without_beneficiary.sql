-- @audit     preemption_without_beneficiary
-- @title     Preemption that nobody profits from
-- @promise   A job is taken away only for one that starts in its place in the same heartbeat, or because the node was overfull.
-- @invariant PRE-01, PRE-02, PRE-13, PRE-19
-- @severity  critical
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @why       A beneficiary is looked for among the starts of the same node and instant.
--            Where the log does not hold the heartbeat itself, that it is missing there
--            proves nothing. Stages for SSD run on SSD nodes only; what media a job
--            asks for no log tells. What is wrong by less than usage_part of reported usage is
--            suspect. Where a preemptive stage started jobs without taking any, PRE-13 is told
--            of the second one.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['PRE-01', 'PRE-02', 'PRE-13', 'PRE-19'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['PRE-01', 'PRE-02', 'PRE-13', 'PRE-19']) ORDER BY tree;
