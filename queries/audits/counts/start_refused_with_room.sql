-- @audit     start_refused_with_room
-- @title     Start refused for counts although no pool was full
-- @promise   A start fails with error 202 only where a pool above it is full or its user has too many ephemeral pools.
-- @invariant CNT-06
-- @severity  major
-- @reads     admissions, operations, trees
-- @param     cluster_operations 5000 operations — the scheduler's max_operation_count, if the log does not hold it
-- @why       A start that asks for several trees fails in all for one that is full:
--            where any tree of the run was, nothing is alleged. The cluster-wide limit
--            of operations is not in the log of a tree, so that a refusal in a cluster
--            of that many operations is no more than suspect.
WITH live AS (
  SELECT time, sum(change) OVER (ORDER BY time, change ROWS UNBOUNDED PRECEDING) AS operations
  FROM (
    SELECT start_time AS time, 1 AS change FROM operations WHERE final_state <> 'rejected'
    UNION ALL
    SELECT finish_time, -1 FROM operations WHERE finish_time IS NOT NULL AND final_state <> 'rejected'
  )
), most AS (
  SELECT coalesce(max(operations), 0) AS operations FROM live
)
SELECT f.tree, f.aspect, f.invariant,
  CASE WHEN f.verdict = 'violated' AND m.operations >= $cluster_operations THEN 'suspect' ELSE f.verdict END AS verdict,
  f.subject_kind, f.subject, f.from_time, f.to_time, f.magnitude, f.unit,
  f.reason || CASE WHEN f.verdict = 'violated' AND m.operations >= $cluster_operations
    THEN printf(' The cluster had up to %d operations, which another limit may forbid.', m.operations::BIGINT) ELSE '' END AS reason,
  f.judged, f.evidence
FROM admission_findings(['CNT-06']) AS f
CROSS JOIN most AS m
WHERE NOT EXISTS (
  FROM admissions AS o
  WHERE o.operation = f.subject AND o.action = 'rejected' AND o.verdict = 'ok' AND o.limit_name <> ''
    AND o.tree <> f.tree AND abs(epoch_us(o.time) - epoch_us(f.from_time)) <= 1000000
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
  END AS reason
FROM trees LEFT JOIN refused USING (tree)
GROUP BY tree
ORDER BY tree;
