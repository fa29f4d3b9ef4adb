-- @audit     operation_in_wrong_pool
-- @title     Operation in another pool than the one it asked for
-- @promise   An operation starts in the pool that it asks for, or in its user's own: below a hub, or where it asks for none.
-- @invariant POOL-01
-- @reads     admissions, trees
-- @from      admissions
-- @why       The spec of an operation names its pool. Without a spec only a pool that no
--            rule gives, such as a hub, shows that an operation is misplaced. A finding is
--            suspect at most where a set of pools that may have been in force would put the
--            operation there. A restart checks nothing.
-- @seen
WITH starts AS (
  SELECT tree, time, operation, bool_or(requested_pool IS NOT NULL) AS asked,
    bool_or(verdict <> 'undecidable' AND (requested_pool IS NOT NULL OR invariant = 'POOL-01')) AS judged,
    max(missing) AS missing
  FROM admissions
  WHERE action IN ('started', 'revived')
  GROUP BY tree, time, operation
)
SELECT tree, count(*) FILTER (judged) AS seen, 'starts' AS unit,
  CASE
    WHEN count(operation) = 0 THEN 'the log records no start'
    WHEN count(*) FILTER (judged) = 0 AND count(*) FILTER (asked) = 0 THEN 'the log holds no spec that says what pool was asked for'
    WHEN count(*) FILTER (judged) = 0 THEN printf('the log lacks the %s for all it records', replace(max(missing), '_', ' '))
  END AS reason,
  count(operation) = 0 AS idle
FROM trees LEFT JOIN starts USING (tree)
GROUP BY tree
ORDER BY tree;
