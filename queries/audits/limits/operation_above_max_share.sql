-- @audit     operation_above_max_share
-- @title     Operation that loses jobs to its max_share_ratio
-- @promise   No operation starts jobs above its max_share_ratio and loses them for it.
-- @invariant LIM-08
-- @reads     preemptions, operations, jobs, trees
-- @param     eps 0.0001 share — tolerance of shares
-- @param     least_jobs 2 jobs — how many jobs it must have lost
-- @source    core/spec/scheduling.md §11.4
-- @why       An operation's max_share_ratio bounds its fair share. It bounds starts only
--            beside resource_limits of the operation, and still counts as a limit when
--            preemptive stages repair exceeded limits. So the scheduler starts jobs above
--            the ratio, preempts them for nobody and starts them again, for as long as
--            there is room: their work is lost. This is how schedulers of the profile
--            baseline behave, and worth a look. Set resource_limits beside the ratio, or
--            no ratio. Jobs that were preempted for others do not count.
WITH bounded AS (
  SELECT o.tree, o.operation, o.pool, o.max_share_ratio
  FROM operations AS o JOIN trees USING (tree)
  WHERE o.max_share_ratio < 1 AND trees.profile <> 'current' -- there the ratio is no limit
), taken AS (
  SELECT b.tree, b.operation, b.pool, b.max_share_ratio,
    count(*) AS lost, min(p.time) AS from_time, max(p.time) AS to_time, sum(p.lost_us) AS lost_us, max(p.usage_ratio_before) AS most
  FROM bounded AS b
  JOIN preemptions AS p ON p.tree = b.tree AND p.operation = b.operation
  WHERE p.usage_ratio_before > b.max_share_ratio + $eps AND p.beneficiary IS NULL AND p.beneficiary_job = ''
    AND p.reason IN ('', 'resource_limits_violated')
  GROUP BY ALL
), again AS (
  SELECT t.tree, t.operation, count(*) AS started
  FROM taken AS t
  JOIN jobs AS j ON j.tree = t.tree AND j.operation = t.operation AND j.start_time >= t.from_time
  GROUP BY ALL
)
SELECT
  tree, '' AS aspect, 'violated' AS verdict, 'operation' AS subject_kind, operation AS subject,
  from_time, to_time, lost::DOUBLE AS magnitude, 'jobs' AS unit,
  printf('Operation %s in pool %s has a max_share_ratio of %s and used up to %s of the tree: %s preempted for nobody, and it started %s from the first of them on.',
    operation, pool, rtrim(rtrim(printf('%.4f', max_share_ratio), '0'), '.'), internal.share_text(most),
    internal.count_text(lost, 'job') || CASE lost WHEN 1 THEN ' of it was' ELSE ' of it were' END, internal.count_text(started, 'job')) AS reason,
  'recomputed' AS judged,
  json_object('pool', pool, 'max_share_ratio', max_share_ratio, 'lost', lost, 'started', started, 'usage', most, 'lost_seconds', lost_us / 1e6) AS evidence
FROM taken JOIN again USING (tree, operation)
WHERE lost >= $least_jobs
ORDER BY tree, from_time, subject;
-- @seen
WITH bounded AS (
  SELECT tree, count(*) AS operations FROM operations WHERE max_share_ratio < 1 GROUP BY tree
)
SELECT trees.tree, coalesce(operations, 0) AS seen, 'operations with a max_share_ratio' AS unit,
  CASE WHEN operations IS NULL THEN 'no operation has a max_share_ratio' END AS reason,
  operations IS NULL AS idle
FROM trees LEFT JOIN bounded USING (tree)
ORDER BY tree;
