-- @audit     preempted_work_not_restarted
-- @title     Work of aborted jobs that is not restarted
-- @promise   The work of a job that was aborted to make room is restarted while its operation is alive.
-- @invariant PRE-30
-- @reads     lost_work, preemptions, coverage, trees
-- @needs     demand recorded|snapshots — whether the operation asks for the job again
-- @param     within_s 3600 s — within which the work starts again (core/spec/invariants.md PRE-30)
-- @why       The operation lives on, is neither suspended nor pending, asks for no jobs and
--            starts none. An operation that still asks for jobs waits for room, which the
--            rules of starvation judge. A finding is violated where restarted jobs name
--            their predecessor (predecessor_job_id), none names this job, and no job of the
--            operation competes with another. Elsewhere any start may be the restart, and a
--            finding is suspect: another job may have done the same work, as speculative
--            jobs do, or the operation no longer needs it. It is suspect too where only
--            snapshots record what operations ask for. There is one finding per operation.
WITH lost AS (
  SELECT *, span_seconds(from_time, to_time) AS seconds, seconds > $within_s AS over FROM lost_work
), worst AS ( -- of an operation with a span that is over, that alone counts
  SELECT *, max(over) OVER (PARTITION BY tree, operation) AS any_over FROM lost WHERE over OR end_cause = 'unrecorded'
)
SELECT
  tree,
  '' AS aspect,
  CASE WHEN NOT any_over THEN 'undecidable' WHEN bool_and(recorded) THEN 'violated' ELSE 'suspect' END AS verdict,
  'operation' AS subject_kind,
  operation AS subject,
  arg_max(from_time, seconds) AS from_time,
  arg_max(to_time, seconds) AS to_time,
  max(seconds) AS magnitude,
  's' AS unit,
  printf('Operation %s in pool %s lost %s to preemption, %s job %s, and %s in %s.%s', operation, any_value(pool),
    internal.count_text(max(aborted_count), 'job'), CASE WHEN bool_and(recorded) THEN 'first' ELSE 'last' END, arg_max(job, seconds), CASE WHEN bool_and(recorded) THEN 'neither restarted their work nor asked for jobs' ELSE 'neither started nor asked for any' END, internal.span_text(max(seconds)),
    CASE WHEN any_over THEN '' ELSE ' The log does not record what it asked for after that.' END) AS reason,
  CASE WHEN any_over AND bool_and(recorded) THEN 'recorded' ELSE 'possible' END AS judged,
  json_object('pool', any_value(pool), 'aborted_jobs', max(aborted_count), 'end_cause', arg_max(end_cause, seconds), 'spans', count(*)) AS evidence
FROM worst
WHERE over = any_over
GROUP BY tree, operation, any_over
ORDER BY tree, from_time, subject;
-- @seen
SELECT tree, count(p.job) AS seen, 'preempted jobs' AS unit,
  CASE WHEN count(p.job) = 0 THEN 'no job was preempted' END AS reason,
  count(p.job) = 0 AND tree NOT IN (SELECT tree FROM coverage WHERE aspect = 'preemption_details' AND state = 'none') AS idle
FROM trees LEFT JOIN (SELECT tree, job FROM preemptions WHERE mode <> 'graceful') AS p USING (tree)
GROUP BY tree
ORDER BY tree;
