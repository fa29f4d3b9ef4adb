-- @audit     overcommit_kept_wrong_job
-- @title     Overcommit preemption of the wrong job
-- @promise   Of an overfull node the best protected jobs that fit stay.
-- @invariant OVC-02
-- @severity  minor
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @source    core/spec/scheduling.md §10.8
-- @why       Jobs are kept greedily, the most protected and then the oldest first, with lists as
--            recomputed.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['OVC-02'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['OVC-02']) ORDER BY tree;
