-- @audit     starvation_flaps
-- @title     Starvation that flaps
-- @promise   No pool or operation begins and ceases to starve more often than agreed.
-- @invariant STV-10
-- @reads     starvation_episodes, operation_intervals, trees, coverage
-- @param     times 10 times — starving and back count as one each; this many within the span is too often
-- @param     span_s 600 s — the span
-- @needs     demand recorded|snapshots|reconstructed — what operations waited for
-- @needs     tree_config history|single — timeouts of starvation
-- @why       The turns of recomputed starvation are counted, for either share: its
--            beginnings, and its ends where the element went on and did not starve. An
--            element that goes on starving for one share while it has the other does not
--            turn. There is one finding per element and hour of the log. Small operations
--            near their tolerance and shares near a maximum flap legally, so that a finding
--            is worth a look and is no fault.
WITH turns AS (
  SELECT tree, element_kind, element, pool, from_time AS time FROM starvation_spans WHERE NOT clipped_from
  UNION ALL
  SELECT tree, element_kind, element, pool, to_time FROM starvation_spans WHERE end_cause IN ('recovered', 'no_demand')
), counted AS (
  SELECT *, count(*) OVER near AS times, min(time) OVER near AS since
  FROM turns
  WINDOW near AS (PARTITION BY tree, element_kind, element ORDER BY epoch_us(time)
    RANGE BETWEEN CAST($span_s * 1000000 AS BIGINT) PRECEDING AND CURRENT ROW)
), worst AS (
  SELECT tree, element_kind, element, arg_max(pool, time) AS pool, min(since) AS from_time, max(time) AS to_time, max(times) AS times
  FROM counted
  WHERE times >= $times
  GROUP BY tree, element_kind, element, time_bucket(INTERVAL 1 HOUR, time)
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
  printf('%s %s began or ceased to starve %s within %s.', CASE element_kind WHEN 'pool' THEN 'Pool' ELSE 'Operation' END, element, internal.count_text(times, 'time'), internal.span_text($span_s)) AS reason,
  CASE WHEN stale THEN 'possible' ELSE 'recomputed' END AS judged,
  json_object('pool', pool, 'times', times) AS evidence
FROM worst JOIN internal.refused_updates USING (tree)
ORDER BY tree, from_time, element_kind, element;
-- @seen
WITH lived AS (
  SELECT tree, count(DISTINCT operation) AS operations FROM operation_intervals WHERE running GROUP BY tree
)
SELECT tree, CASE WHEN all_refused THEN 0 ELSE coalesce(operations, 0) END AS seen, 'operations that ran' AS unit,
  coalesce(refused_updates.reason, CASE WHEN operations IS NULL THEN 'no operation ran' END) AS reason,
  NOT all_refused AND operations IS NULL AS idle
FROM internal.refused_updates LEFT JOIN lived USING (tree)
ORDER BY tree;
