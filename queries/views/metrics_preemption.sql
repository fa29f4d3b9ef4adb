-- The preemption metrics of the scheduler simulator's notebooks (ingest/trace/FORMAT.md §1.8):
-- who preempted whom, by subtrees of pools, and what work was lost. A job counts when it was
-- taken away or asked to finish. Pools that the run does not know stand under a name of one's
-- choosing.

-- The subtree of a path that depth levels of names make: a/b of a/b/c for a depth of 2.
-- @param   path — path of a pool
-- @param   depth levels — how many names make the subtree
-- @example SELECT subtree_of(path, 1) AS subtree, count(*) AS pools FROM pools GROUP BY subtree
CREATE OR REPLACE MACRO subtree_of(path, depth) AS array_to_string(string_split(path, '/')[1:depth], '/');

-- One row per preempted job, with the paths of both pools and the resource-time that was lost
-- with it: null of one whose loss the log does not show, which sums leave out.
CREATE OR REPLACE VIEW internal.preempted_work AS
SELECT p.tree, trees.from_time, p.time, p.job, p.operation, p.pool, v.path AS path, p.beneficiary, p.beneficiary_pool, b.path AS beneficiary_path, p.lost_us / 1e6 AS lost_seconds,
  resources_user_slots::HUGEINT * lost_us AS lost_user_slots, round(resources_cpu * 100)::HUGEINT * lost_us AS lost_cpu, resources_gpu::HUGEINT * lost_us AS lost_gpu,
  resources_memory::HUGEINT * lost_us AS lost_memory, resources_network::HUGEINT * lost_us AS lost_network
FROM preemptions AS p JOIN trees USING (tree)
LEFT JOIN pools AS v ON v.tree = p.tree AND v.pool = p.pool
LEFT JOIN pools AS b ON b.tree = p.tree AND b.pool = p.beneficiary_pool;

-- Who preempted whom, one row per tree, bin, and pair of subtrees of pools. A depth of 0 is
-- the whole tree, 1 tells pools of the first level apart, a great one every pool.
-- @param   depth levels — how many names of a path make a subtree
-- @param   unknown — stands for a pool that the log does not name
-- @param   bin_s s — length of a bin
-- @columns tree, bin
-- @column  preemptor — subtree of the pool that a job was taken for; `unknown` if the log names none, as where a limit was exceeded or a node overcommitted: `preemptions.reason` says why
-- @column  victim — subtree of the pool that lost the job
-- @column  preemptions jobs — jobs that were taken away or asked to finish
-- @columns lost_slot_seconds, lost_cpu_seconds, lost_gpu_seconds, lost_gib_seconds
-- @example SELECT bin, preemptor, victim, preemptions FROM preemptions_between(depth := 2) ORDER BY bin, preemptions DESC
CREATE OR REPLACE MACRO preemptions_between(depth := 1, unknown := '<unknown>', bin_s := 3600) AS TABLE
SELECT tree, window_bin(time, from_time, bin_s) AS bin,
  coalesce(subtree_of(beneficiary_path, depth), unknown) AS preemptor, coalesce(subtree_of(path, depth), unknown) AS victim,
  count(*) AS preemptions, sum(lost_user_slots)::DOUBLE / 1e6 AS lost_slot_seconds, sum(lost_cpu)::DOUBLE / 1e8 AS lost_cpu_seconds,
  internal.column_amount('gpu', sum(lost_gpu)::DOUBLE / 1e6, internal.source_unit('gpu')) AS lost_gpu_seconds, sum(lost_memory)::DOUBLE / 1073741824e6 AS lost_gib_seconds
FROM internal.preempted_work
GROUP BY ALL;

-- How the preemptions of a tree stand to one subtree, a pool by its path or its name, each
-- alone or after its tree (physical/dora): inside it, by it of others (takes), by others of
-- it (loses), or outside of it, in bins of time.
-- @param   subtree — path or name of a pool, alone or after its tree
-- @param   unknown — stands for a pool that the log does not name
-- @param   bin_s s — length of a bin
-- @columns tree, bin
-- @column  relation — inside (both pools in it), takes (the preemptor's alone), loses (the victim's alone) or outside
-- @column  preemptions jobs — jobs that were taken away or asked to finish
-- @columns lost_slot_seconds, lost_cpu_seconds, lost_gpu_seconds, lost_gib_seconds
-- @example SELECT bin, relation, preemptions FROM preemptions_around('research') ORDER BY bin
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
  internal.column_amount('gpu', sum(lost_gpu)::DOUBLE / 1e6, internal.source_unit('gpu')) AS lost_gpu_seconds, sum(lost_memory)::DOUBLE / 1073741824e6 AS lost_gib_seconds
FROM placed
GROUP BY ALL;

-- Resource-time that was lost by preemption, one row per tree and bin.
-- @param   bin_s s — length of a bin
-- @columns tree, bin
-- @column  preemptions jobs — jobs that were taken away or asked to finish
-- @columns lost_slot_seconds, lost_cpu_seconds, lost_gpu_seconds, lost_gib_seconds
-- @example SELECT bin, lost_cpu_seconds FROM wasted_resource_time(bin_s := 600) ORDER BY bin
CREATE OR REPLACE MACRO wasted_resource_time(bin_s := 3600) AS TABLE
SELECT tree, bin, sum(preemptions)::BIGINT AS preemptions, sum(lost_slot_seconds) AS lost_slot_seconds, sum(lost_cpu_seconds) AS lost_cpu_seconds,
  sum(lost_gpu_seconds) AS lost_gpu_seconds, sum(lost_gib_seconds) AS lost_gib_seconds
FROM preemptions_between(depth := 0, bin_s := bin_s)
GROUP BY tree, bin;

-- Who preempted whom over the whole window, one row per tree and pair of subtrees of pools: a
-- matrix in rows. PIVOT makes columns of it.
-- @param   depth levels — how many names of a path make a subtree: 0 for the whole tree, a great one for every pool
-- @param   unknown — stands for a pool that the log does not name
-- @columns tree
-- @column  preemptor — subtree of the pool that jobs were taken for; `unknown` if the log names none, as where a limit was exceeded or a node overcommitted: `preemptions.reason` says why
-- @column  victim — subtree of the pool that lost the jobs
-- @column  preemptions jobs — jobs that were taken away or asked to finish
-- @columns lost_slot_seconds, lost_cpu_seconds, lost_gpu_seconds, lost_gib_seconds
-- @example PIVOT (SELECT preemptor, victim, preemptions FROM preemption_matrix(depth := 2)) ON victim USING sum(preemptions) ORDER BY preemptor
CREATE OR REPLACE MACRO preemption_matrix(depth := 1, unknown := '<unknown>') AS TABLE
SELECT tree, coalesce(subtree_of(beneficiary_path, depth), unknown) AS preemptor, coalesce(subtree_of(path, depth), unknown) AS victim,
  count(*) AS preemptions, sum(lost_user_slots)::DOUBLE / 1e6 AS lost_slot_seconds, sum(lost_cpu)::DOUBLE / 1e8 AS lost_cpu_seconds,
  internal.column_amount('gpu', sum(lost_gpu)::DOUBLE / 1e6, internal.source_unit('gpu')) AS lost_gpu_seconds, sum(lost_memory)::DOUBLE / 1073741824e6 AS lost_gib_seconds
FROM internal.preempted_work
GROUP BY ALL;

-- Work that was lost, one row per pool and way to lose it: jobs that were preempted, and jobs
-- that ran and failed or were aborted.
-- @columns tree, pool
-- @column  end_kind — how the jobs ended: preempted, failed or aborted
-- @column  jobs jobs — jobs that ended so in the window
-- @column  lost_seconds s — what preempted jobs had not saved, and how long the others had run; null if it is known of none
-- @columns lost_slot_seconds, lost_cpu_seconds, lost_gpu_seconds, lost_gib_seconds
-- @column  unknown_jobs jobs — of those, jobs whose loss the log does not show, since their end is not there: the sums leave them out
-- @example SELECT pool, end_kind, jobs, lost_cpu_seconds FROM wasted_work ORDER BY lost_cpu_seconds DESC
CREATE OR REPLACE VIEW wasted_work AS
WITH lost AS (
  SELECT tree, pool, 'preempted' AS end_kind, lost_us, resources_user_slots, resources_cpu, resources_gpu, resources_memory FROM preemptions
  UNION ALL
  SELECT tree, pool, end_kind, epoch_us(end_time) - epoch_us(start_time), resources_user_slots, resources_cpu, resources_gpu, resources_memory
  FROM jobs
  WHERE end_kind IN ('failed', 'aborted') AND end_time IS NOT NULL
)
SELECT tree, pool, end_kind, count(*) AS jobs, sum(lost_us)::BIGINT / 1e6 AS lost_seconds,
  sum(resources_user_slots::HUGEINT * lost_us)::DOUBLE / 1e6 AS lost_slot_seconds, sum(round(resources_cpu * 100)::HUGEINT * lost_us)::DOUBLE / 1e8 AS lost_cpu_seconds,
  internal.column_amount('gpu', sum(resources_gpu::HUGEINT * lost_us)::DOUBLE / 1e6, internal.source_unit('gpu')) AS lost_gpu_seconds, sum(resources_memory::HUGEINT * lost_us)::DOUBLE / 1073741824e6 AS lost_gib_seconds,
  count(*) FILTER (lost_us IS NULL) AS unknown_jobs
FROM lost
GROUP BY tree, pool, end_kind;
