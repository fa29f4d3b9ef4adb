-- @audit     cluster_over_operation_count
-- @title     Operation started in a full cluster
-- @promise   The cluster holds no more operations than its max_operation_count.
-- @invariant CNT-08
-- @severity  major
-- @reads     tree_checks, trees
-- @why       Live operations of all trees in the log, whichever are replayed: at least
--            as many there were. A limit that was lowered may not have been in force
--            for 6 s.
SELECT * FROM tree_findings(['CNT-08'])
ORDER BY tree, from_time, subject;
-- @seen
SELECT * FROM tree_checks_seen(['CNT-08'], 'starts', 'the log records no start')
ORDER BY tree;
