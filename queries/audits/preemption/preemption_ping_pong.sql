-- @audit     preemption_ping_pong
-- @title     Operations that preempt each other
-- @promise   An operation that lost a job to another takes none from it shortly afterwards.
-- @invariant PRE-28
-- @severity  info
-- @reads     preemptions, trees
-- @param     within_s 60 s — how soon it counts: twice fair_share_starvation_timeout by default
-- @why       Legal where demand changes, and a waste where it does not. One finding
--            per pair of operations, about the one that lost first.
WITH pairs AS (
  SELECT a.tree, a.operation, a.beneficiary, a.time AS time, b.time AS back_time, a.pool, a.lost_us + b.lost_us AS lost_us
  FROM preemptions AS a
  JOIN preemptions AS b
    ON b.tree = a.tree AND b.operation = a.beneficiary AND b.beneficiary = a.operation
    AND b.time > a.time AND b.time <= a.time + to_microseconds(($within_s * 1e6)::BIGINT)
  WHERE a.operation <> a.beneficiary
)
SELECT
  tree, beneficiary AS aspect, 'violated' AS verdict, 'operation' AS subject_kind, operation AS subject,
  min(time) AS from_time, max(back_time) AS to_time, count(*)::DOUBLE AS magnitude, 'preemptions' AS unit,
  printf('Operation %s lost a job to operation %s and took one from it within %s.', operation, beneficiary, span_text($within_s)) AS reason,
  CASE WHEN count(*) > 0 THEN 'recorded' END AS judged,
  json_object('pool', any_value(pool), 'other_operation', beneficiary, 'times', count(*), 'lost_seconds', sum(lost_us) / 1e6) AS evidence
FROM pairs
GROUP BY tree, operation, beneficiary
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, count(p.beneficiary) AS seen, 'preempted jobs with a beneficiary' AS unit,
  CASE WHEN count(p.beneficiary) = 0 THEN 'no preemption names a beneficiary' END AS reason
FROM trees LEFT JOIN preemptions AS p USING (tree)
GROUP BY tree
ORDER BY tree;
