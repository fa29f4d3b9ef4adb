-- @audit     default_tree_ignored
-- @title     Operation without trees started in another than the default tree
-- @promise   An operation that names no tree starts in the default tree, or fails with error 214 where there is none.
-- @invariant TREE-07
-- @severity  major
-- @reads     tree_checks, trees
-- @why       By the operation's spec and the settings above all trees, each version of
--            which may have been in force for 6 s after it was replaced. That there is
--            no default tree is known only of a log that has named one.
SELECT * FROM tree_findings(['TREE-07'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT * FROM tree_checks_seen(['TREE-07'], 'starts without a tree', 'the log records no start of an operation that names no tree')
ORDER BY tree;
