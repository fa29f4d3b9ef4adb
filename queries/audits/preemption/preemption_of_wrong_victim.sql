-- @audit     preemption_of_wrong_victim
-- @title     Preemption that took the wrong job, or one too many
-- @promise   Victims are taken in preemption order, no more than needed, and only where the beneficiary could not start without them.
-- @invariant PRE-11, PRE-12, PRE-24
-- @severity  major
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @source    core/spec/scheduling.md §10.5
-- @why       Candidates are those of the node: the least protected
--            list first, then the latest start; ties are in nobody's disfavour. Room that
--            only the spare amounts keep free excuses a preemption. The proofs name the job
--            that should have gone and when it started.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['PRE-11', 'PRE-12', 'PRE-24'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['PRE-11', 'PRE-12', 'PRE-24']) ORDER BY tree;
