-- @audit     operation_changed_segment
-- @title     Operation ran in two segments or modules
-- @promise   An operation keeps its scheduling segment and module while it has running jobs.
-- @invariant SEG-02
-- @severity  minor
-- @reads     decisions, decision_counts, trees
-- @why       Judged start by start: where the first of an operation's running jobs started,
--            there the others belong. After 20 minutes of unsatisfied demand, or what the
--            tree says, a module may have been reset, which excuses it.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['SEG-02'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['SEG-02']) ORDER BY tree;
