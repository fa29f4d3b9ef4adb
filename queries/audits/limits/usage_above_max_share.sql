-- @audit     usage_above_max_share
-- @title     Usage above max_share_ratio
-- @promise   A pool's usage stays within its max_share_ratio, but for a batch of jobs.
-- @invariant LIM-08
-- @reads     pool_intervals, pool_versions, trees
-- @param     eps 0.0001 share — tolerance of shares
-- @param     batch_s 60 s — how long usage may stand above it
-- @why       max_share_ratio is a soft limit: it bounds the fair share, and it bounds
--            starts only where the pool has resource_limits, too. Usage beyond the pool's
--            resource_limits or beyond the nodes of its tags, and not beyond the ratio, is
--            left to other rules. Such a finding is worth a look and is no fault.
WITH ever AS ( -- pools that ever had a ratio: only they are joined with their versions
  SELECT DISTINCT tree, pool FROM pool_versions WHERE configured AND max_share_ratio < 1
), bounded AS ( -- limits are those of the ratio alone where nothing else bounds the pool
  SELECT i.tree, i.pool, i.from_time, i.to_time, v.max_share_ratio,
    usage_share_user_slots, usage_share_cpu, usage_share_gpu, usage_share_memory, usage_share_network,
    limits_share_user_slots, limits_share_cpu, limits_share_gpu, limits_share_memory, limits_share_network,
    CASE WHEN coalesce(v.resource_limits_user_slots, v.resource_limits_cpu, v.resource_limits_gpu, v.resource_limits_memory, v.resource_limits_network) IS NULL
      AND v.scheduling_tag_filter = '' THEN 0 ELSE v.max_share_ratio END AS own_bound
  FROM (
    SELECT tree, pool, from_time, to_time, usage_share_user_slots, usage_share_cpu, usage_share_gpu, usage_share_memory, usage_share_network,
      limits_share_user_slots, limits_share_cpu, limits_share_gpu, limits_share_memory, limits_share_network
    FROM pool_intervals SEMI JOIN ever USING (tree, pool)
  ) AS i
  ASOF JOIN pool_versions AS v ON v.tree = i.tree AND v.pool = i.pool AND v.from_time <= i.from_time
  WHERE v.to_time > i.from_time AND v.configured AND v.max_share_ratio < 1
), above AS (
  SELECT tree, pool, from_time, to_time, max_share_ratio,
    greatest(usage_share_user_slots - greatest(limits_share_user_slots, own_bound),
      usage_share_cpu - greatest(limits_share_cpu, own_bound),
      usage_share_gpu - greatest(limits_share_gpu, own_bound),
      usage_share_memory - greatest(limits_share_memory, own_bound),
      usage_share_network - greatest(limits_share_network, own_bound)) AS excess
  FROM bounded
), marked AS (
  SELECT *, coalesce(from_time <> lag(to_time) OVER own OR max_share_ratio <> lag(max_share_ratio) OVER own, true) AS opens
  FROM above WHERE excess > $eps
  WINDOW own AS (PARTITION BY tree, pool ORDER BY from_time)
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
  printf('Pool %s used up to %s of the tree more than its max_share_ratio of %s gives it, for %s.', pool, internal.share_text(excess), rtrim(rtrim(printf('%.4f', ratio), '0'), '.'), internal.span_text(span_seconds(from_time, to_time))) AS reason,
  'recomputed' AS judged,
  json_object('max_share_ratio', ratio, 'excess', excess) AS evidence
FROM episodes
WHERE span_seconds(from_time, to_time) > $batch_s
ORDER BY tree, from_time, pool;
-- @seen
WITH limited AS (
  SELECT i.tree, count(*) AS spans
  FROM (
    SELECT tree, pool, from_time FROM pool_intervals
    SEMI JOIN (SELECT DISTINCT tree, pool FROM pool_versions WHERE configured AND max_share_ratio < 1) AS e USING (tree, pool)
  ) AS i
  ASOF JOIN pool_versions AS v ON v.tree = i.tree AND v.pool = i.pool AND v.from_time <= i.from_time
  WHERE v.to_time > i.from_time AND v.configured AND v.max_share_ratio < 1
  GROUP BY i.tree
)
SELECT trees.tree, coalesce(spans, 0) AS seen, 'spans of pools with a max_share_ratio' AS unit,
  CASE WHEN spans IS NULL THEN 'no pool has a max_share_ratio' END AS reason,
  spans IS NULL AND configured AS idle
FROM trees LEFT JOIN limited USING (tree)
ORDER BY tree;
