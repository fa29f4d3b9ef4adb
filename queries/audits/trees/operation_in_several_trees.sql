-- @audit     operation_in_several_trees
-- @title     Single-tree operation with a wrong choice of trees
-- @promise   An operation with schedule_in_single_tree keeps one tree once it has materialized, and one where it was running.
-- @invariant TREE-10
-- @severity  major
-- @reads     tree_checks, trees
-- @why       Operations that start in several trees are looked at when they
--            materialize. One that gives up the other trees within a second is suspect.
SELECT * FROM tree_findings(['TREE-10'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT * FROM tree_checks_seen(['TREE-10'], 'choices of a tree', 'no operation for a single tree started in several')
ORDER BY tree;
