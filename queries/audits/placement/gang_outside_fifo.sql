-- @audit     gang_outside_fifo
-- @title     Gang operation outside a FIFO pool
-- @promise   Where the tree asks for it, gang operations start in FIFO pools only.
-- @invariant POOL-08
-- @judges    allow_gang_operations_only_in_fifo_pools
-- @reads     admissions, trees
-- @from      admissions
-- @why       In the profile current the tree's allow_gang_operations_only_in_fifo_pools
--            applies, unless the pool has always_allow_gang_operations. A pool that becomes
--            a fair-share pool later is no fault.
-- @seen
WITH starts AS (
  SELECT tree, time, operation, bool_or(verdict <> 'undecidable') AS judged, max(missing) AS missing
  FROM admissions
  WHERE action IN ('started', 'revived') AND fifo_only
  GROUP BY tree, time, operation
)
SELECT tree, count(*) FILTER (judged) AS seen, 'starts of gangs' AS unit,
  CASE
    WHEN count(operation) = 0 THEN 'the log records no start of a gang in a tree that restricts them'
    WHEN count(*) FILTER (judged) = 0 THEN printf('the log lacks the %s for all it records', replace(max(missing), '_', ' '))
  END AS reason,
  count(operation) = 0 AS idle
FROM trees LEFT JOIN starts USING (tree)
GROUP BY tree
ORDER BY tree;
-- @tested
SELECT v.tree, 'allow_gang_operations_only_in_fifo_pools' AS kind, v.tree AS subject, v.from_time, v.to_time,
  CASE WHEN bool_and(a.verdict = 'undecidable') THEN printf('the log lacks the %s for it', replace(max(a.missing), '_', ' ')) END AS missing
FROM admissions AS a
ASOF JOIN tree_versions AS v ON v.tree = a.tree AND v.from_time <= a.time
WHERE a.action IN ('started', 'revived') AND a.fifo_only
GROUP BY v.tree, v.from_time, v.to_time;
