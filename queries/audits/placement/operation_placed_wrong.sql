-- @audit     operation_placed_wrong
-- @title     Operation in a pool where it may not start
-- @promise   No operation starts in a pool that forbids it, and no user has more ephemeral pools than allowed.
-- @invariant POOL-02, POOL-03
-- @judges    max_ephemeral_pools_per_user:POOL-03, forbid_immediate_operations:POOL-02
-- @reads     admissions, trees
-- @from      admissions
-- @why       A restart checks nothing.
-- @tested
SELECT v.tree, 'max_ephemeral_pools_per_user' AS kind, v.tree AS subject, v.from_time, v.to_time,
  CASE WHEN bool_and(a.verdict = 'undecidable') THEN printf('the log lacks the %s for it', replace(max(a.missing), '_', ' ')) END AS missing
FROM admissions AS a
ASOF JOIN tree_versions AS v ON v.tree = a.tree AND v.from_time <= a.time
WHERE a.action IN ('started', 'revived') AND (a.tree, a.pool) IN (SELECT (tree, pool) FROM pools WHERE is_ephemeral)
GROUP BY v.tree, v.from_time, v.to_time
UNION ALL
SELECT tree, kind, subject, from_time, to_time, missing FROM internal.steps_tested('forbid_immediate_operations');
