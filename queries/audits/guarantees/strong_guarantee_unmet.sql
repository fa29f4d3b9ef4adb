-- @audit     strong_guarantee_unmet
-- @title     Strong guarantee unmet while demanded
-- @promise   A pool gets the strong guarantee that it demands within the SLA while others are above their fair share.
-- @invariant GUA-03
-- @judges    strong_guarantee
-- @reads     guarantee_episodes, excuse_windows, pools, pool_intervals, trees, coverage, internal.sla_bounds
-- @param     sla_s 300 s — how long a demanded guarantee may go unmet
-- @needs     demand recorded|snapshots|reconstructed — what operations demanded
-- @why       The promise is broken only if preemption could have kept it. All of this must
--            have held for the length of the SLA without a break. No limit of the pool or
--            of an ancestor held it back. A pool elsewhere used more than its fair share.
--            Some node had room for one of its jobs once the jobs that a stage may take
--            there were gone. By the last records the waiting operation, or an ancestor of
--            it, was below its tolerated part of the fair share or below its min share,
--            since a stage takes jobs for no other. A state that comes and goes is excused,
--            however long its moments are together. So is one that lasts long enough only
--            together with a global excuse window. A finding is suspect where the log
--            records only what jobs asked for, where no job is known to be as small as the
--            record of its operation says, where the pool's accumulated volume is unknown,
--            and where share updates were refused, so that shares are older than the state.
--            An SLA of the policy has its own bound for its pools and counts only the time
--            within its hours. If the longest stretch reaches the bound only partly within
--            these hours, the finding is suspect.
SELECT tree, '' AS aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, excuse
FROM internal.unmet_guarantees(['strong'], 'strong_guarantee_unmet', $sla_s)
ORDER BY tree, from_time, subject;
-- @seen
WITH guaranteed AS (
  SELECT tree, pool, guaranteed_demand > 0 AS demanded
  FROM internal.pool_uses
  WHERE guaranteed_demand IS NOT NULL AND pool <> '<Root>'
  UNION ALL
  SELECT DISTINCT tree, pool, true FROM guarantee_episodes WHERE guarantee_kind = 'strong'
), configured AS (
  SELECT tree, bool_or(coalesce(strong_guarantee_user_slots, strong_guarantee_cpu, strong_guarantee_gpu, strong_guarantee_memory,
    strong_guarantee_network, 0) > 0) AS configured
  FROM pools
  GROUP BY tree
)
SELECT tree, count(DISTINCT pool) FILTER (demanded AND NOT all_refused) AS seen, 'guaranteed pools' AS unit,
  coalesce(any_value(refused_updates.reason), CASE
    WHEN count(pool) = 0 AND bool_or(configured) THEN 'the size of the tree is not known, so that no guarantee has a share'
    WHEN count(pool) = 0 THEN 'no pool has a strong guarantee'
    WHEN count(pool) FILTER (demanded) = 0 THEN 'no pool with a strong guarantee demanded anything'
  END) AS reason,
  count(pool) FILTER (demanded) = 0 AND (count(pool) > 0 OR NOT coalesce(bool_or(configured), false)) AND bool_and(NOT all_refused AND tree IN (SELECT tree FROM trees WHERE configured)) AS idle
FROM internal.refused_updates LEFT JOIN guaranteed USING (tree) LEFT JOIN configured USING (tree)
GROUP BY tree
ORDER BY tree;
-- @tested
SELECT tree, NULL AS kind, pool AS subject, from_time, to_time, NULL AS missing, asked_guarantee_s AS tested_s FROM internal.pool_facts WHERE asked_guarantee;
