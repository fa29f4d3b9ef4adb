-- @audit     integral_guarantee_unmet
-- @title     Integral guarantee unmet while demanded
-- @promise   A pool gets what its burst guarantee or its flow owes it within the SLA, while its volume pays for it and others are above their fair share.
-- @invariant GUA-03
-- @judges    burst_guarantee, relaxed_guarantee
-- @reads     guarantee_episodes, excuse_windows, pools, pool_intervals, trees, coverage, internal.sla_bounds
-- @param     sla_s 300 s — how long what is owed may go unmet
-- @needs     demand recorded|snapshots|reconstructed — what operations demanded
-- @why       The pool is owed the integral part of its fair share. So an exhausted volume,
--            a limit and a pool without demand owe nothing, and less than one job that the
--            pool waits for is not missed. The fair share is recomputed from the log; a
--            volume from before the log counts from its first record. Verdicts and excuses
--            are those of strong_guarantee_unmet.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, excuse
FROM internal.unmet_guarantees(['burst', 'relaxed'], 'integral_guarantee_unmet', $sla_s)
ORDER BY tree, from_time, subject, aspect;
-- @seen
WITH owed AS (
  SELECT tree, pool FROM internal.pool_uses WHERE integral_share_ratio > 0
  UNION
  SELECT DISTINCT tree, pool FROM guarantee_episodes WHERE guarantee_kind <> 'strong'
), integral AS (
  SELECT tree, count(*) AS pools FROM pools WHERE integral_guarantee_type <> 'none' GROUP BY tree
)
SELECT tree, count(DISTINCT pool) FILTER (NOT all_refused) AS seen, 'pools that were owed something' AS unit,
  coalesce(any_value(refused_updates.reason), CASE
    WHEN count(pool) > 0 THEN NULL
    WHEN bool_and(coalesce(pools, 0) = 0) THEN 'no pool has an integral guarantee'
    ELSE 'no pool with an integral guarantee demanded what its volume pays for'
  END) AS reason,
  count(pool) = 0 AND bool_and(NOT all_refused AND tree IN (SELECT tree FROM trees WHERE configured)) AS idle
FROM internal.refused_updates LEFT JOIN owed USING (tree) LEFT JOIN integral USING (tree)
GROUP BY tree
ORDER BY tree;
-- @tested
SELECT tree, NULL AS kind, pool AS subject, from_time, to_time, NULL AS missing, owed_integral_s AS tested_s FROM internal.pool_facts WHERE owed_integral OR owed_integral_s > 0;
