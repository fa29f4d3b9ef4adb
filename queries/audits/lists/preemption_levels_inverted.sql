-- @audit     preemption_levels_inverted
-- @title     Older job less protected than a younger one
-- @promise   Of two jobs of an operation the one that started first is protected at least as well.
-- @invariant LST-02
-- @severity  major
-- @reads     preemptions, trees
-- @source    spec/scheduling.md §8.1
-- @why       Lists are cut by the order of start. Compared are the
--            recorded job_preemption_level of jobs that one heartbeat took from one
--            operation for one reason: they were looked up at one moment. Levels of jobs
--            that hold SSD are left out. One finding per operation.
WITH levels AS (
  SELECT tree, operation, pool, node, time, reason, job, start_time, recorded_level,
    list_position(['non_preemptible', 'aggressively_preemptible', 'preemptible'], recorded_level) AS level
  FROM preemptions
  WHERE recorded_level IN ('non_preemptible', 'aggressively_preemptible', 'preemptible') AND node IS NOT NULL
), ordered AS ( -- beside the best protected of those that started later
  SELECT *, min(struct_pack(level := level, job := job, word := recorded_level)) OVER later AS other
  FROM levels
  WINDOW later AS (PARTITION BY tree, operation, node, time, reason ORDER BY start_time RANGE BETWEEN INTERVAL 1 MICROSECOND FOLLOWING AND UNBOUNDED FOLLOWING)
)
SELECT
  tree, '' AS aspect, 'violated' AS verdict, 'operation' AS subject_kind, operation AS subject, min(time) AS from_time, max(time) AS to_time,
  count(*)::DOUBLE AS magnitude, 'jobs' AS unit,
  printf('%s of operation %s had a weaker level than one that started later: job %s was %s, and job %s, which is younger, %s.', count_text(count(*), 'job'), operation,
    arg_min(job, time), arg_min(recorded_level, time), arg_min(other.job, time), arg_min(other.word, time)) AS reason,
  'recorded' AS judged,
  json_object('pool', any_value(pool), 'first_cases', list({'time': time_text(time), 'node': node, 'job': job, 'level': recorded_level, 'younger': other.job, 'younger_level': other.word} ORDER BY time, job)[1:10]) AS evidence
FROM ordered
WHERE level > other.level
GROUP BY tree, operation
ORDER BY tree, from_time, subject;
-- @seen
SELECT trees.tree, coalesce(sum(pairs), 0)::BIGINT AS seen, 'recorded levels beside others' AS unit,
  CASE WHEN coalesce(sum(pairs), 0) = 0 THEN 'no heartbeat took two jobs of one operation whose levels are recorded' END AS reason
FROM trees LEFT JOIN (
  SELECT tree, count(*) AS pairs FROM preemptions
  WHERE recorded_level IN ('non_preemptible', 'aggressively_preemptible', 'preemptible') AND node IS NOT NULL
  GROUP BY tree, operation, node, time, reason HAVING count(DISTINCT start_time) > 1
) AS p USING (tree)
GROUP BY trees.tree
ORDER BY trees.tree;
