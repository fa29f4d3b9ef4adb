-- @audit     strong_guarantee_unmet
-- @title     Strong guarantee unmet while demanded
-- @promise   A pool gets the strong guarantee that it demands within the SLA while others are above their fair share.
-- @invariant GUA-03
-- @severity  major
-- @judges    strong_guarantee
-- @reads     guarantee_episodes, blind_windows, pools, pool_intervals, trees, coverage, sla_bounds
-- @param     sla_s 300 s — how long a demanded guarantee may go unmet
-- @needs     demand recorded|snapshots|reconstructed — what operations demanded
-- @why       Broken is the promise only if someone had what was owed: for the
--            length of the SLA without a break, and while no limit of the pool or of
--            an ancestor held it back, a pool elsewhere used more than its fair share,
--            and preemption could have given it: some node had room for one of its
--            jobs, but for jobs that a stage may take there, and the operation that waits
--            for it, or what that stands in, was below what it tolerates of its fair share
--            (or below its min share), and took part by the last records: for others no stage
--            takes. What comes and goes is no state that preemption left alone, whatever the
--            moments add up to: excused, as is what lasts so long only with the time of a
--            global excuse window.
--            Suspect at most in a resource of which the log tells only what jobs
--            asked for, where it does not tell that any job was as small as what it
--            records of its operation, the least of each resource that any takes (or an
--            average), or how much a pool had accumulated before it began, and where some
--            share updates were refused, so that shares are older than the state. An SLA of
--            the policy has its own bound for its pools, and only the time within its hours
--            counts; if less of the longest stretch than that lies within them, it is suspect,
--            since a shorter one might lie there whole.
SELECT tree, '' AS aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM unmet_guarantees(['strong'], 'strong_guarantee_unmet', $sla_s)
ORDER BY tree, from_time, subject;
-- @seen
WITH guaranteed AS (
  SELECT tree, pool, bool_or(demand_ratio_max > 0) AS demanded
  FROM pool_intervals
  WHERE min_share_ratio > 0 AND pool <> '<Root>'
  GROUP BY tree, pool
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
FROM refused_updates LEFT JOIN guaranteed USING (tree) LEFT JOIN configured USING (tree)
GROUP BY tree
ORDER BY tree;
-- @tested
SELECT tree, NULL AS kind, pool AS subject, from_time, to_time, NULL AS missing, asked_guarantee_s AS tested_s FROM pool_facts WHERE asked_guarantee;
