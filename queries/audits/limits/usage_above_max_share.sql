-- @audit     usage_above_max_share
-- @title     Usage above max_share_ratio
-- @promise   A pool's usage stays within its max_share_ratio, but for a batch of jobs.
-- @invariant LIM-08
-- @severity  info
-- @reads     pool_intervals, pools
-- @param     eps 0.0001 share — tolerance of shares
-- @param     batch_s 60 s — how long usage may stand above it
-- @why       max_share_ratio is a soft limit: it bounds the fair share, and starts
--            only where the pool has resource_limits too. The finding is one to look
--            at, not a fault.
WITH above AS (
  SELECT i.tree, i.pool, i.from_time, i.to_time, p.max_share_ratio,
    greatest(usage_share_user_slots - limits_share_user_slots, usage_share_cpu - limits_share_cpu, usage_share_gpu - limits_share_gpu,
      usage_share_memory - limits_share_memory, usage_share_network - limits_share_network) AS excess
  FROM pool_intervals AS i JOIN pools AS p ON p.tree = i.tree AND p.pool = i.pool AND p.configured AND p.max_share_ratio < 1
), marked AS (
  SELECT *, coalesce(from_time <> lag(to_time) OVER (PARTITION BY tree, pool ORDER BY from_time), true) AS opens
  FROM above WHERE excess > $eps
), numbered AS (
  SELECT *, sum(opens::INT) OVER (PARTITION BY tree, pool ORDER BY from_time) AS episode FROM marked
), episodes AS (
  SELECT tree, pool, min(from_time) AS from_time, max(to_time) AS to_time, max(excess) AS excess, any_value(max_share_ratio) AS ratio
  FROM numbered
  GROUP BY tree, pool, episode
)
SELECT
  tree,
  '' AS aspect,
  'violated' AS verdict,
  'pool' AS subject_kind,
  pool AS subject,
  from_time,
  to_time,
  excess AS magnitude,
  'share' AS unit,
  printf('Pool %s used up to %.4f of the tree beyond its limits, with a max_share_ratio of %.4g, for %s.', pool, excess, ratio, span_text(span_seconds(from_time, to_time))) AS reason,
  'recomputed' AS judged,
  json_object('max_share_ratio', ratio, 'excess', excess) AS evidence
FROM episodes
WHERE span_seconds(from_time, to_time) > $batch_s
ORDER BY tree, from_time, pool;
-- @seen
WITH limited AS (
  SELECT tree, count(*) AS spans FROM pool_intervals SEMI JOIN (SELECT tree, pool FROM pools WHERE configured AND max_share_ratio < 1) USING (tree, pool) GROUP BY tree
)
SELECT trees.tree, coalesce(spans, 0) AS seen, 'spans of pools with a max_share_ratio' AS unit,
  CASE WHEN spans IS NULL THEN 'no pool has a max_share_ratio' END AS reason,
  spans IS NULL AND configured AS idle
FROM trees LEFT JOIN limited USING (tree)
ORDER BY tree;
