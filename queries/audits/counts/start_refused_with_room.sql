-- @audit     start_refused_with_room
-- @title     Start refused for counts although no pool was full
-- @promise   A start fails with error 202 only where a pool above it is full or its user has too many ephemeral pools.
-- @invariant CNT-06
-- @breaks    max_operation_count, max_operation_count_per_pool
-- @reads     admissions, tree_choices, trees
-- @param     cluster_operations 5000 operations — the scheduler's max_operation_count, if the log does not hold it
-- @why       An operation that asks for several trees is refused in all of them if one is
--            full. So nothing is judged where any tree that is not tentative was full, or
--            where the cluster held as many operations as its limit allows. Where the log
--            does not record the cluster's limit, a refusal is suspect at most if the
--            cluster held as many as the default allows.
WITH crowds AS (
  SELECT tree, operation, time, live_count, limit_value, live_count >= coalesce(limit_value, $cluster_operations) AS full
  FROM tree_choices
  WHERE action = 'rejected'
)
SELECT f.tree, f.aspect, f.invariant, CASE WHEN f.verdict = 'violated' AND coalesce(c.full, false) THEN 'suspect' ELSE f.verdict END AS verdict,
  f.subject_kind, f.subject, f.from_time, f.to_time, f.magnitude, f.unit,
  f.reason || CASE WHEN f.verdict = 'violated' AND coalesce(c.full, false)
    THEN printf(' The cluster had %s, which another limit may forbid.', internal.count_text(c.live_count, 'operation')) ELSE '' END AS reason,
  f.judged, f.evidence, f.excuse
FROM internal.admissions_findings(['CNT-06']) AS f
LEFT JOIN crowds AS c ON c.tree = f.tree AND c.operation = f.subject AND c.time = f.from_time
WHERE NOT coalesce(c.full AND c.limit_value IS NOT NULL, false) AND NOT EXISTS (
  FROM admissions AS o
  WHERE o.operation = f.subject AND o.action = 'rejected' AND o.verdict = 'ok' AND o.limit_name <> ''
    AND o.tree <> f.tree AND abs(epoch_us(o.time) - epoch_us(f.from_time)) <= 1000000
    AND NOT EXISTS (FROM tree_choices AS t WHERE t.tree = o.tree AND t.operation = o.operation AND t.time = o.time AND t.role = 'tentative')
)
ORDER BY f.tree, f.from_time, f.subject;
-- @seen
WITH refused AS (
  SELECT tree, verdict <> 'undecidable' AND error_code = 202 AS judged FROM admissions WHERE action = 'rejected'
)
SELECT tree, count(*) FILTER (judged) AS seen, 'refusals' AS unit,
  CASE
    WHEN count(judged) = 0 AND count(*) = 1 THEN 'the log records no start that was refused'
    WHEN count(*) FILTER (judged) = 0 THEN 'no refusal is known to be for counts, below limits that are known'
  END AS reason,
  count(judged) = 0 AND count(*) = 1 AS idle
FROM trees LEFT JOIN refused USING (tree)
GROUP BY tree
ORDER BY tree;
