-- @audit     job_in_other_segment
-- @title     Job started in another segment than its operation's
-- @promise   Jobs start only on nodes of their operation's scheduling segment, and in a module that its spec names.
-- @invariant SEG-01
-- @severity  major
-- @reads     decisions, decision_counts, trees
-- @why       An operation's segment is that of its spec, else the one that the first of its
--            recorded smallest jobs gives it. A start within 10 s of a change of the node's
--            segment or of the tree's mode is suspect at most, and so is one of an operation
--            that started before the window, whose first jobs may stand in no row.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['SEG-01'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['SEG-01']) ORDER BY tree;
