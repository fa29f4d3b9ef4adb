-- What the audits of recorded preemption levels share (core/spec/scheduling.md §8.1).

-- Every preempted job with a recorded level, beside the best protected of the younger jobs
-- that the same heartbeat took from the same operation for the same reason: both levels
-- were read at one moment. Jobs that hold SSD are left out. resorted: both ran at the last
-- restart of the scheduler, which put jobs into the order of their start. A table, since
-- two audits ask it twice each.
CREATE OR REPLACE TABLE internal.level_comparisons AS
WITH several AS ( -- the window below is left out where a heartbeat took one job
  SELECT operation, node, time FROM preemptions GROUP BY operation, node, time HAVING count(*) > 1
), levels AS (
  SELECT tree, operation, pool, node, time, reason, job, start_time, recorded_level,
    list_position(['non_preemptible', 'aggressively_preemptible', 'preemptible'], recorded_level) AS level
  FROM preemptions SEMI JOIN several USING (operation, node, time)
  WHERE recorded_level IN ('non_preemptible', 'aggressively_preemptible', 'preemptible') AND node IS NOT NULL
), beside AS (
  SELECT *, min(struct_pack(level := level, job := job, word := recorded_level, start_time := start_time)) OVER later AS younger
  FROM levels
  WINDOW later AS (PARTITION BY tree, operation, node, time, reason ORDER BY start_time RANGE BETWEEN INTERVAL 1 MICROSECOND FOLLOWING AND UNBOUNDED FOLLOWING)
), restarts AS (
  SELECT tree, from_time FROM excuse_windows WHERE cause = 'scheduler_reconnecting' AND NOT clipped_from
)
SELECT b.*, coalesce(r.from_time > b.younger.start_time, FALSE) AS resorted
FROM (SELECT * FROM beside WHERE younger IS NOT NULL) AS b
ASOF LEFT JOIN restarts AS r ON r.tree = b.tree AND r.from_time <= b.time;

-- The jobs with a weaker level than a younger one, one finding per operation: those that
-- a restart put in order (across_restart), or the others.
CREATE OR REPLACE MACRO internal.levels_findings(across_restart) AS TABLE
SELECT
  tree, '' AS aspect, 'violated' AS verdict, 'operation' AS subject_kind, operation AS subject, min(time) AS from_time, max(time) AS to_time,
  count(*)::DOUBLE AS magnitude, 'jobs' AS unit,
  printf('%s of operation %s had a weaker level than one that started later%s: job %s was %s, and job %s, which is younger, %s.', internal.count_text(count(*), 'job'), operation,
    CASE WHEN across_restart THEN ', though the scheduler had started anew since and put them in order' ELSE '' END,
    arg_min(job, time), arg_min(recorded_level, time), arg_min(younger.job, time), arg_min(younger.word, time)) AS reason,
  'recorded' AS judged,
  json_object('pool', any_value(pool), 'first_cases', list({'time': internal.time_text(time), 'node': node, 'job': job, 'level': recorded_level, 'younger': younger.job, 'younger_level': younger.word} ORDER BY time, job)[1:10]) AS evidence,
  NULL AS excuse
FROM internal.level_comparisons
WHERE level > younger.level AND resorted = across_restart
GROUP BY tree, operation;

-- How many jobs were compared in this way, one row per tree.
CREATE OR REPLACE MACRO internal.levels_seen(across_restart) AS TABLE
SELECT trees.tree, count(job) AS seen, 'recorded levels beside those of younger jobs' AS unit,
  CASE WHEN count(job) = 0 THEN printf('no heartbeat took two jobs of one operation whose levels are recorded%s',
    CASE WHEN across_restart THEN ' and that had run when the scheduler started anew' ELSE '' END) END AS reason,
  count(job) = 0 AND trees.tree NOT IN (SELECT tree FROM preemptions GROUP BY tree, operation, node, time HAVING count(*) > 1) AS idle
FROM trees LEFT JOIN (SELECT tree, job FROM internal.level_comparisons WHERE resorted = across_restart) USING (tree)
GROUP BY trees.tree;
