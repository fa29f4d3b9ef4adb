-- @audit     preemption_levels_inverted
-- @title     Older job less protected than a younger one
-- @promise   Of two jobs of an operation the one that started first is protected at least as well.
-- @invariant LST-02
-- @severity  major
-- @reads     preemptions, excuse_windows, trees
-- @source    core/spec/scheduling.md §8.1
-- @why       Lists are cut by the order of start. Compared are the
--            recorded job_preemption_level of jobs that one heartbeat took from one
--            operation for one reason: they were looked up at one moment. Levels of jobs
--            that hold SSD are left out, and jobs that ran through a restart of the
--            scheduler, of which order_lost_in_restart tells. One finding per operation.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM inverted_levels(FALSE)
ORDER BY tree, from_time, subject;
-- @seen
SELECT tree, seen, unit, reason, seen = 0 AND tree NOT IN (SELECT tree FROM preemptions GROUP BY tree, operation, node, time HAVING count(*) > 1) AS idle
FROM levels_compared(FALSE)
ORDER BY tree;
