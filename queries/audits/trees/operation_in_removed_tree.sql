-- @audit     operation_in_removed_tree
-- @title     Operation outlived its trees
-- @promise   Operations leave a tree that is removed, and an operation without a tree is aborted.
-- @invariant TREE-06
-- @severity  major
-- @reads     tree_checks, trees
-- @why       The scheduler has 6 s to take the settings over and 60 s to unregister
--            operations. One that ends by itself before it can know of the removal
--            ends as it likes.
SELECT * FROM tree_findings(['TREE-06'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT * FROM tree_checks_seen(['TREE-06'], 'lost trees', 'no operation lost the tree or its last one')
ORDER BY tree;
