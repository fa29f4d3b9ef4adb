-- The preemption metrics of the scheduler simulator's notebooks (ingest/trace/FORMAT.md §1.8):
-- who preempted whom, by subtrees of pools, and what work was lost. A job counts when it was
-- taken away or asked to finish. Pools that the run does not know stand under a name of one's
-- choosing.

-- The subtree of a path that depth levels of names make: a/b of a/b/c for a depth of 2.
CREATE OR REPLACE MACRO subtree_of(path, depth) AS array_to_string(string_split(path, '/')[1:depth], '/');

-- One row per preempted job, with the paths of both pools and the resource-time that was lost
-- with it.
CREATE OR REPLACE VIEW internal.preempted_work AS
SELECT p.tree, trees.from_time, p.time, p.job, p.operation, p.pool, v.path AS path, p.beneficiary, p.beneficiary_pool, b.path AS beneficiary_path, p.lost_us / 1e6 AS lost_seconds,
  resources_user_slots::HUGEINT * lost_us AS lost_user_slots, round(resources_cpu * 100)::HUGEINT * lost_us AS lost_cpu, resources_gpu::HUGEINT * lost_us AS lost_gpu,
  resources_memory::HUGEINT * lost_us AS lost_memory, resources_network::HUGEINT * lost_us AS lost_network
FROM preemptions AS p JOIN trees USING (tree)
LEFT JOIN pools AS v ON v.tree = p.tree AND v.pool = p.pool
LEFT JOIN pools AS b ON b.tree = p.tree AND b.pool = p.beneficiary_pool;
COMMENT ON VIEW internal.preempted_work IS 'one row per preempted job with the paths of its pool and of the preemptor''s, and the resource-time that was lost';
COMMENT ON COLUMN internal.preempted_work.from_time IS 'start of the judged window [UTC]';
COMMENT ON COLUMN internal.preempted_work.path IS 'path of the victim''s pool; null if the run does not know the pool';
COMMENT ON COLUMN internal.preempted_work.beneficiary_path IS 'path of the preemptor''s pool; null if no pool is known';
COMMENT ON COLUMN internal.preempted_work.lost_seconds IS 'work lost: the progress lost that the log records, else how long the victim had run [s]';
COMMENT ON COLUMN internal.preempted_work.lost_user_slots IS 'resource-time lost [slot·µs]';
COMMENT ON COLUMN internal.preempted_work.lost_cpu IS 'resource-time lost [hundredths of a core·µs]';
COMMENT ON COLUMN internal.preempted_work.lost_gpu IS 'resource-time lost [device·µs]';
COMMENT ON COLUMN internal.preempted_work.lost_memory IS 'resource-time lost [byte·µs]';
COMMENT ON COLUMN internal.preempted_work.lost_network IS 'resource-time lost [unit·µs]';

-- Who preempted whom by subtree, and what was lost, in bins of time. A depth of 1 tells the
-- pools of the first level apart, a great one every pool.
CREATE OR REPLACE MACRO preemptions_between(depth := 1, unknown := '<unknown>', bin_s := 3600) AS TABLE
SELECT tree, window_bin(time, from_time, bin_s) AS bin,
  coalesce(subtree_of(beneficiary_path, depth), unknown) AS preemptor, coalesce(subtree_of(path, depth), unknown) AS victim,
  count(*) AS preemptions, sum(lost_user_slots)::DOUBLE / 1e6 AS lost_slot_seconds, sum(lost_cpu)::DOUBLE / 1e8 AS lost_cpu_seconds,
  sum(lost_gpu)::DOUBLE / 1e6 AS lost_gpu_seconds, sum(lost_memory)::DOUBLE / 1073741824e6 AS lost_gib_seconds
FROM internal.preempted_work
GROUP BY ALL;
COMMENT ON MACRO TABLE preemptions_between IS 'one row per tree, bin of bin_s seconds, preemptor''s and victim''s subtree of pools down to depth levels (unknown where the run does not know the pool): preemptions, and the resource-time lost [slot·s, core·s, device·s, GiB·s]';

-- How the preemptions of a tree stand to one subtree, a pool by its path or its name, each
-- alone or after its tree (physical/dora): inside it, by it of others (takes), by others of
-- it (loses), or outside of it, in bins of time.
CREATE OR REPLACE MACRO preemptions_around(subtree, unknown := '', bin_s := 3600) AS TABLE
WITH tops AS (
  SELECT tree, path FROM pools WHERE subtree IN (pool, tree || '/' || pool, tree || '/' || path)
  UNION SELECT tree, subtree FROM trees
), known AS (SELECT tree, list(path ORDER BY path) AS tops FROM tops GROUP BY tree), placed AS (
  SELECT w.*, len(list_filter(tops, top -> starts_with(coalesce(beneficiary_path, unknown) || '/', top || '/'))) > 0 AS taker,
    len(list_filter(tops, top -> starts_with(coalesce(path, unknown) || '/', top || '/'))) > 0 AS loser
  FROM internal.preempted_work AS w JOIN known USING (tree)
)
SELECT tree, window_bin(time, from_time, bin_s) AS bin,
  CASE WHEN taker AND loser THEN 'inside' WHEN taker THEN 'takes' WHEN loser THEN 'loses' ELSE 'outside' END AS relation,
  count(*) AS preemptions, sum(lost_user_slots)::DOUBLE / 1e6 AS lost_slot_seconds, sum(lost_cpu)::DOUBLE / 1e8 AS lost_cpu_seconds,
  sum(lost_gpu)::DOUBLE / 1e6 AS lost_gpu_seconds, sum(lost_memory)::DOUBLE / 1073741824e6 AS lost_gib_seconds
FROM placed
GROUP BY ALL;
COMMENT ON MACRO TABLE preemptions_around IS 'one row per tree, bin of bin_s seconds and relation to the subtree of a pool (by its path or name, each alone or after its tree): inside (both pools in it), takes (the preemptor''s alone), loses (the victim''s alone) or outside; pools that the run does not know count as the path unknown; columns as of preemptions_between';

-- Resource-time that was lost by preemption, in bins of time.
CREATE OR REPLACE MACRO wasted_resource_time(bin_s := 3600) AS TABLE
SELECT tree, bin, sum(preemptions)::BIGINT AS preemptions, sum(lost_slot_seconds) AS lost_slot_seconds, sum(lost_cpu_seconds) AS lost_cpu_seconds,
  sum(lost_gpu_seconds) AS lost_gpu_seconds, sum(lost_gib_seconds) AS lost_gib_seconds
FROM preemptions_between(depth := 0, bin_s := bin_s)
GROUP BY tree, bin;
COMMENT ON MACRO TABLE wasted_resource_time IS 'one row per tree and bin of bin_s seconds: preemptions and the resource-time lost [slot·s, core·s, device·s, GiB·s]';
