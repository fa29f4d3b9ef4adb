-- @audit     preemption_of_protected_job
-- @title     Preemption of a protected job
-- @promise   No job is taken away that its list, its operation, a pool above it or a threshold protects from the stage.
-- @invariant PRE-06, PRE-07, PRE-08, PRE-09, PRE-10, PRE-15, PRE-16, PRE-17, PRE-18, PRE-20, LST-03, LST-05
-- @severity  major
-- @reads     decisions, decision_counts, trees
-- @why       Lists and satisfaction are recomputed (spec/scheduling.md §8, §10.3). One job
--            and 1 % of reported usage either way are within doubt. Excused are checks
--            that the tree switched off, and stages for SSD.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['PRE-06', 'PRE-07', 'PRE-08', 'PRE-09', 'PRE-10', 'PRE-15', 'PRE-16', 'PRE-17', 'PRE-18', 'PRE-20', 'LST-03', 'LST-05'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason FROM decisions_seen(['PRE-06', 'PRE-07', 'PRE-08', 'PRE-09', 'PRE-10', 'PRE-15', 'PRE-16', 'PRE-17', 'PRE-18', 'PRE-20', 'LST-03', 'LST-05']) ORDER BY tree;
