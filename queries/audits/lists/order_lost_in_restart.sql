-- @audit     order_lost_in_restart
-- @title     Older job less protected than a younger one after a restart
-- @promise   After a restart the jobs of an operation are protected in the order of their start.
-- @invariant LST-06
-- @severity  minor
-- @reads     preemptions, excuse_windows, trees
-- @source    core/spec/scheduling.md §8.1
-- @why       A scheduler that starts anew, or finds its master again, sorts the jobs that
--            it finds running by their start. Compared are the recorded
--            job_preemption_level of jobs that one heartbeat took from one operation for
--            one reason, if both ran through the last restart before. Jobs that started
--            together may stand in any order. One finding per operation.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM inverted_levels(TRUE)
ORDER BY tree, from_time, subject;
-- @seen
SELECT tree, seen, unit, reason, seen = 0 AND tree NOT IN (SELECT tree FROM preemptions GROUP BY tree, operation, node, time HAVING count(*) > 1) AS idle
FROM levels_compared(TRUE)
ORDER BY tree;
