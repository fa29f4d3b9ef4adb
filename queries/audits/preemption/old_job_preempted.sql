-- @audit     old_job_preempted
-- @title     Old job preempted instead of a younger one elsewhere
-- @promise   A job that has run for long is not taken while a younger one of its operation could make the room on another node.
-- @invariant PRE-29
-- @reads     preemptions, trees
-- @param     older_than_s 600 s — how long a job must have run to count as old; not below 300
-- @param     part 0.5 ratio — the younger job had run for at most this part of that time
-- @source    core/spec/scheduling.md §10.5
-- @why       This is legal, since decisions are made node by node and the latest start of a
--            node goes first. It loses work that need not have been lost. There is one
--            finding per operation.
WITH old AS (
  SELECT tree, operation, pool, node, job, time, lost_us, younger_elsewhere, span_seconds(start_time, time) AS age, span_seconds(younger_elsewhere_start, time) AS younger_age
  FROM preemptions
  WHERE younger_elsewhere <> ''
)
SELECT
  tree, '' AS aspect, 'violated' AS verdict, 'operation' AS subject_kind, operation AS subject, min(time) AS from_time, max(time) AS to_time,
  count(*)::DOUBLE AS magnitude, 'preemptions' AS unit,
  printf('Operation %s lost %s that had run for up to %s while younger ones could have made the room on other nodes: job %s had run for %s, job %s for %s.', operation,
    internal.count_text(count(*), 'job'), internal.span_text(max(age)), arg_min(job, time), internal.span_text(arg_min(age, time)), arg_min(younger_elsewhere, time), internal.span_text(arg_min(younger_age, time))) AS reason,
  'recomputed' AS judged,
  json_object('pool', any_value(pool), 'jobs', count(*), 'lost_seconds', sum(lost_us) / 1e6,
    'first_cases', list({'time': internal.time_text(time), 'job': job, 'node': node, 'age_s': age, 'younger': younger_elsewhere, 'younger_age_s': younger_age} ORDER BY time, job)[1:10]) AS evidence
FROM old
WHERE age >= $older_than_s AND younger_age <= $part * age
GROUP BY tree, operation
ORDER BY tree, from_time, subject;
-- @seen
WITH old AS (
  SELECT tree, job FROM preemptions WHERE beneficiary IS NOT NULL AND span_seconds(start_time, time) >= $older_than_s
)
SELECT tree, count(old.job) AS seen, 'old preempted jobs' AS unit,
  CASE WHEN count(old.job) = 0 THEN 'no job that old was preempted for another' END AS reason,
  count(old.job) = 0 AND tree NOT IN (SELECT tree FROM coverage WHERE aspect = 'preemption_details' AND state = 'none') AS idle
FROM trees LEFT JOIN old USING (tree)
GROUP BY tree
ORDER BY tree;
