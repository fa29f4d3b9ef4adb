-- @audit     preemption_before_backoff
-- @title     Preemption before its time, or where the pool forbids it
-- @promise   A node waits for its backoff between preemptive stages, and pools that forbid normal preemption lose nothing to it.
-- @invariant PRE-14, PRE-26
-- @judges    preemptive_scheduling_backoff:PRE-14, allow_normal_preemption:PRE-26
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @from      decisions
-- @why       Preemptive stages are known by the jobs that they took; a log of heartbeats
--            may show more of them. A node that has just registered has no backoff, and
--            neither has any node of a scheduler that starts anew.
-- @tested
SELECT tree, kind, subject, from_time, to_time, missing FROM internal.decisions_tested([{'kind': 'preemptive_scheduling_backoff', 'invariant': 'PRE-14'}])
UNION ALL
SELECT tree, kind, subject, from_time, to_time, missing FROM internal.protections_tested([{'kind': 'allow_normal_preemption', 'invariant': 'PRE-26'}]);
