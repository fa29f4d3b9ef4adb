-- @audit     lightweight_operation_waited
-- @title     Lightweight operation pending
-- @promise   A lightweight operation is never pending.
-- @invariant LW-02
-- @judges    enable_lightweight_operations
-- @reads     admissions, trees
-- @from      admissions
-- @why       A vanilla operation in a FIFO pool with enable_lightweight_operations counts
--            against no limit of running operations.
-- @seen
WITH steps AS (
  SELECT tree, time, operation, action, bool_or(verdict <> 'undecidable') AS judged, max(missing) AS missing
  FROM admissions
  WHERE action = 'pending' OR lightweight
  GROUP BY tree, time, operation, action
)
SELECT tree, count(*) FILTER (judged) AS seen, 'pending marks and steps of lightweight operations' AS unit,
  CASE
    WHEN count(operation) = 0 THEN 'the log records no pending mark and no lightweight operation'
    WHEN count(*) FILTER (judged) = 0 THEN printf('the log lacks the %s for all it records', replace(max(missing), '_', ' '))
  END AS reason,
  count(operation) = 0 AND tree NOT IN (SELECT tree FROM internal.operation_states WHERE assumed) AS idle
FROM trees LEFT JOIN steps USING (tree)
GROUP BY tree
ORDER BY tree;
-- @tested
SELECT tree, kind, subject, from_time, to_time, missing FROM internal.steps_tested('enable_lightweight_operations');
