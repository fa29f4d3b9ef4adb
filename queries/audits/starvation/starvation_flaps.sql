-- @audit     starvation_flaps
-- @title     Starvation that flaps
-- @promise   Nobody turns from starving to not starving and back more often than agreed.
-- @invariant STV-10
-- @severity  info
-- @reads     starvation_episodes, operation_intervals, trees, coverage
-- @param     times 10 times — as often within the span is too often
-- @param     span_s 600 s — the span
-- @needs     demand recorded|snapshots|reconstructed — what operations waited for
-- @needs     tree_config history|single — timeouts of starvation
-- @why       Counted are the beginnings of recomputed starvation, whatever for: who goes
--            on starving for the one share while it has the other does not turn. One
--            finding per element and hour of the log. Small operations near their
--            tolerance and shares near a maximum flap legally: the finding is one to
--            look at.
WITH counted AS (
  SELECT tree, element_kind, element, pool, from_time, to_time, count(*) OVER (
    PARTITION BY tree, element_kind, element ORDER BY epoch_us(from_time)
    RANGE BETWEEN CAST($span_s * 1000000 AS BIGINT) PRECEDING AND CURRENT ROW) AS times
  FROM starvation_spans
  WHERE NOT clipped_from
), worst AS (
  SELECT tree, element_kind, element, any_value(pool) AS pool, min(from_time) AS from_time, max(to_time) AS to_time, max(times) AS times
  FROM counted
  WHERE times >= $times
  GROUP BY tree, element_kind, element, time_bucket(INTERVAL 1 HOUR, from_time)
)
SELECT
  tree,
  '' AS aspect,
  CASE WHEN stale THEN 'suspect' ELSE 'violated' END AS verdict,
  element_kind AS subject_kind,
  element AS subject,
  from_time,
  to_time,
  times::DOUBLE AS magnitude,
  'times' AS unit,
  printf('%s %s began to starve %s within %s.', CASE element_kind WHEN 'pool' THEN 'Pool' ELSE 'Operation' END, element, count_text(times, 'time'), span_text($span_s)) AS reason,
  CASE WHEN stale THEN 'possible' ELSE 'recomputed' END AS judged,
  json_object('pool', pool, 'times', times) AS evidence
FROM worst JOIN refused_updates USING (tree)
ORDER BY tree, from_time, element_kind, element;
-- @seen
WITH lived AS (
  SELECT tree, count(DISTINCT operation) AS operations FROM operation_intervals WHERE running GROUP BY tree
)
SELECT tree, CASE WHEN all_refused THEN 0 ELSE coalesce(operations, 0) END AS seen, 'operations that ran' AS unit,
  coalesce(refused_updates.reason, CASE WHEN operations IS NULL THEN 'no operation ran' END) AS reason,
  NOT all_refused AND operations IS NULL AS idle
FROM refused_updates LEFT JOIN lived USING (tree)
ORDER BY tree;
