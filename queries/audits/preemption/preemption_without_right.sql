-- @audit     preemption_without_right
-- @title     Beneficiary that had not starved
-- @promise   Jobs are preempted only for an operation that has starved, by itself or by a pool above it, for longer than its timeout.
-- @invariant PRE-03, PRE-04
-- @severity  major
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @why       Starvation is recomputed from the recorded demand, usage and configuration.
--            Statuses a tick earlier or later, and the state after the next tick, are
--            tried before anything is called violated.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['PRE-03', 'PRE-04'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['PRE-03', 'PRE-04']) ORDER BY tree;
