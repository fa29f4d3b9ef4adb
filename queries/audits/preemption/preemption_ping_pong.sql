-- @audit     preemption_ping_pong
-- @title     Operations that preempt each other
-- @promise   An operation that lost a job to another takes none from it shortly afterwards.
-- @invariant PRE-28
-- @reads     preemptions, trees
-- @param     within_s 60 s — how soon it counts: twice the default fair_share_starvation_timeout
-- @why       This is legal where demand changes, and a waste where it does not. There is
--            one finding per pair of operations, about the one that lost first. It counts
--            the jobs that it lost and those that it took back, each once.
WITH all_losses AS (
  SELECT tree, operation, beneficiary, time, pool, lost_us FROM preemptions WHERE operation <> beneficiary
), losses AS ( -- of operations that took jobs of each other, at any time
  SELECT tree, operation, beneficiary, time, pool, lost_us
  FROM all_losses AS l SEMI JOIN all_losses AS o ON o.tree = l.tree AND o.operation = l.beneficiary AND o.beneficiary = l.operation
), turns AS ( -- each loss twice: as one, and as the other's that it takes back
  SELECT tree, operation, beneficiary, time, pool, lost_us, true AS lost FROM losses
  UNION ALL
  SELECT tree, beneficiary, operation, time, pool, lost_us, false FROM losses
), pairs AS (
  SELECT tree, operation, beneficiary, time, pool, lost_us, lost
  FROM turns
  WINDOW
    soon AS (PARTITION BY tree, operation, beneficiary ORDER BY time
      RANGE BETWEEN INTERVAL 1 MICROSECOND FOLLOWING AND to_microseconds(($within_s * 1e6)::BIGINT) FOLLOWING),
    lately AS (PARTITION BY tree, operation, beneficiary ORDER BY time
      RANGE BETWEEN to_microseconds(($within_s * 1e6)::BIGINT) PRECEDING AND INTERVAL 1 MICROSECOND PRECEDING)
  QUALIFY CASE WHEN lost THEN count(*) FILTER (NOT lost) OVER soon ELSE count(*) FILTER (lost) OVER lately END > 0
)
SELECT
  tree, beneficiary AS aspect, 'violated' AS verdict, 'operation' AS subject_kind, operation AS subject,
  min(time) AS from_time, max(time) AS to_time, count(*) FILTER (NOT lost)::DOUBLE AS magnitude, 'preemptions' AS unit,
  printf('Operation %s lost %s to operation %s and took %s from it within %s.', operation, internal.count_text(count(*) FILTER (lost), 'job'), beneficiary, internal.count_text(count(*) FILTER (NOT lost), 'job'), internal.span_text($within_s)) AS reason,
  'recorded' AS judged,
  json_object('pool', any_value(pool), 'other_operation', beneficiary, 'lost', count(*) FILTER (lost), 'taken_back', count(*) FILTER (NOT lost), 'lost_seconds', sum(lost_us) / 1e6) AS evidence
FROM pairs
GROUP BY tree, operation, beneficiary
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, count(p.beneficiary) AS seen, 'preempted jobs with a beneficiary' AS unit,
  CASE WHEN count(p.beneficiary) = 0 THEN 'no preemption names a beneficiary' END AS reason,
  count(p.beneficiary) = 0 AND tree NOT IN (SELECT tree FROM preemptions UNION SELECT tree FROM coverage WHERE aspect = 'preemption_details' AND state = 'none') AS idle
FROM trees LEFT JOIN preemptions AS p USING (tree)
GROUP BY tree
ORDER BY tree;
