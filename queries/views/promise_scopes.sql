-- Which promises of pools and trees above a pool apply to it.

-- The pool whose promise of a timeout, or of a threshold below which nothing is preempted,
-- applies to a pool: itself, or the nearest pool above it that states one, or else the tree,
-- whose subject is empty. Likewise the limits that a tree gives to its root and to pools
-- that state none. One row per pool and kind.
CREATE OR REPLACE VIEW internal.promise_scopes AS
WITH stated AS (
  SELECT DISTINCT tree, pool, path, unnest([
    CASE WHEN fair_share_starvation_timeout_ms IS NOT NULL THEN 'fair_share_starvation_timeout' END,
    CASE WHEN min_share_preemption_timeout_ms IS NOT NULL THEN 'min_share_preemption_timeout' END,
    CASE WHEN coalesce(non_preemptible_user_slots, non_preemptible_cpu, non_preemptible_gpu, non_preemptible_memory, non_preemptible_network) IS NOT NULL
      THEN 'non_preemptible_resource_usage_threshold' END]) AS kind
  FROM pool_versions
), placed AS (
  SELECT tree, pool, unnest(paths_above(path)) AS path
  FROM (SELECT tree, pool, path FROM pools UNION ALL SELECT tree, '<Root>', '' FROM trees) AS p
)
SELECT p.tree, k.kind, coalesce(max_by(s.pool, length(s.path)), '') AS subject, p.pool
FROM placed AS p
CROSS JOIN (VALUES ('fair_share_starvation_timeout'), ('min_share_preemption_timeout'), ('non_preemptible_resource_usage_threshold')) AS k(kind)
LEFT JOIN stated AS s ON s.tree = p.tree AND s.kind = k.kind AND s.path = p.path
GROUP BY p.tree, k.kind, p.pool
UNION ALL
SELECT tree, unnest(['max_operation_count', 'max_running_operation_count']), '', '<Root>' FROM trees
UNION ALL
SELECT tree, 'max_operation_count_per_pool', '', pool FROM pools WHERE own_max_operation_count IS NULL
UNION ALL
SELECT tree, 'max_running_operation_count_per_pool', '', pool FROM pools WHERE own_max_running_operation_count IS NULL
UNION ALL
SELECT tree, kind, subject, pool FROM internal.pool_setting_scopes
WHERE kind <> 'scheduling_tag_filter' OR pool = subject; -- findings name whose filter it is

-- When something tested a promise of a timeout: an element there was below its share.
CREATE OR REPLACE VIEW internal.timeout_tests AS
SELECT s.tree, s.kind, s.subject, f.from_time, f.to_time
FROM internal.promise_scopes AS s
JOIN internal.pool_facts AS f ON f.tree = s.tree AND f.pool = s.pool
WHERE CASE s.kind WHEN 'fair_share_starvation_timeout' THEN f.lacked WHEN 'min_share_preemption_timeout' THEN f.asked_guarantee END
UNION ALL
SELECT s.tree, s.kind, s.subject, e.since_time, e.to_time
FROM internal.promise_scopes AS s
JOIN starvation_episodes AS e ON e.tree = s.tree AND e.pool = s.pool
WHERE e.starving_for = CASE s.kind WHEN 'fair_share_starvation_timeout' THEN 'fair_share' WHEN 'min_share_preemption_timeout' THEN 'min_share' END;

-- When something tested a promise of these settings, by the pool that makes it; the
-- tree's has no subject.
CREATE OR REPLACE VIEW internal.pool_setting_spans AS
SELECT x.tree, x.kind, c.subject, x.from_time, x.to_time
FROM internal.pool_setting_tests AS x
JOIN internal.promise_scopes AS c ON c.tree = x.tree AND c.kind = x.kind AND c.pool = x.subject;
