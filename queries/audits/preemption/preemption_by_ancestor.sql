-- @audit     preemption_by_ancestor
-- @title     Preemption for an operation that was not starving, below a pool that was
-- @promise   The preempting operation was starving.
-- @invariant PRE-05
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @why       This is legal with scheduling_preemption_priority_scope =
--            operation_and_ancestors: a pool above the beneficiary starved. It is worth a
--            look where a satisfied operation takes jobs again and again. A preemption that
--            another rule calls violated, or that may break PRE-03 or PRE-04, is not noted.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit,
  printf('%s of operation %s %s made for a beneficiary that was not starving, below a pool that was%s.', internal.count_text(magnitude::BIGINT, 'preemption'), subject,
    CASE verdict WHEN 'violated' THEN CASE WHEN magnitude > 1 THEN 'were' ELSE 'was' END ELSE 'may have been' END,
    CASE WHEN verdict = 'excused' THEN '' ELSE ', which is legal' END) AS reason,
  judged, evidence, excuse
FROM internal.decisions_findings(['PRE-05'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM internal.decisions_seen([['PRE-05']]) ORDER BY tree;
