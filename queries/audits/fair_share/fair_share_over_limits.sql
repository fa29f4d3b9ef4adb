-- @audit     fair_share_over_limits
-- @title     Fair share above limits
-- @promise   No fair share exceeds the limits it was computed from.
-- @invariant LIM-07
-- @severity  major
-- @judges    max_share_ratio
-- @reads     pool_intervals, operation_intervals, trees
-- @param     eps 0.0001 share — tolerance of shares (spec/invariants.md §1)
-- @why       A row here means that the update of fair shares and its rules
--            disagree. Excused is the first minute, while totals settle. Suspect
--            at most where some updates were refused, so that shares are older
--            than the state.
WITH judged AS (
  SELECT e.tree, subject_kind, subject, e.from_time, e.to_time, excess, worst_time, spans, e.to_time <= t.from_time + INTERVAL 60 SECOND AS excused
  FROM merged_spans('fair_share_over_limits_spans', $eps) AS e JOIN trees AS t ON t.tree = e.tree
)
SELECT
  tree,
  '' AS aspect,
  CASE WHEN excused THEN 'excused' WHEN stale THEN 'suspect' ELSE 'violated' END AS verdict,
  subject_kind,
  subject,
  from_time,
  to_time,
  excess AS magnitude,
  'share' AS unit,
  printf('The fair share of %s %s was up to %.4f above its limits for %s.%s', subject_kind, subject, excess,
    span_text(span_seconds(from_time, to_time)),
    CASE WHEN excused THEN ' Excused: totals settle in the first minute of a log.' ELSE '' END) ||
    CASE WHEN stale THEN printf(' In the window, %s.', refused_updates.reason) ELSE '' END AS reason,
  CASE WHEN stale THEN 'possible' ELSE 'recomputed' END AS judged,
  json_object('excess', excess, 'worst_time', time_text(worst_time), 'spans', spans) AS evidence
FROM judged JOIN refused_updates USING (tree)
ORDER BY tree, from_time, subject_kind, subject;
-- @seen
WITH judged AS (
  SELECT tree, count(*) AS spans FROM pool_intervals GROUP BY tree
  UNION ALL
  SELECT tree, count(*) FROM operation_intervals GROUP BY tree
)
SELECT tree, coalesce(sum(spans) FILTER (NOT all_refused), 0)::BIGINT AS seen, 'spans' AS unit,
  coalesce(any_value(refused_updates.reason), CASE WHEN count(spans) = 0 THEN 'no fair share was computed' END) AS reason
FROM refused_updates LEFT JOIN judged USING (tree)
GROUP BY tree
ORDER BY tree;
