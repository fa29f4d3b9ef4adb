-- @audit     recorded_usage_differs
-- @title     Recorded usage is not that of the jobs
-- @promise   The recorded usage of an operation is that of its jobs, and a pool's that of what is below it.
-- @invariant LOG-01
-- @reads     snapshot_checks, snapshot_tallies, nodes, shared_nodes, coverage, trees
-- @param     use_s 10 s — how long reported usage may lag behind
-- @why       The tolerance is 1 %, in the resources for which the log records what jobs
--            use. The usage of an operation is compared with all that its jobs used within
--            the lag. A difference that is no longer than the lag is excused. Preempted
--            jobs count as zero. A difference is suspect where the log does not settle
--            which tree a node served.
WITH differing AS (
  SELECT *, verdict <> 'excused' AND span_seconds(from_time, to_time) <= $use_s AS late,
    CASE WHEN late THEN 'usage may be reported that late' END AS late_excuse,
    CASE WHEN verdict = 'violated' AND NOT late THEN internal.windows_within(from_time, to_time, spans)[1].reason END AS doubt
  FROM internal.records_findings(['LOG-01']) JOIN internal.uncertain_nodes USING (tree)
)
SELECT tree, '' AS aspect, CASE WHEN late THEN 'excused' WHEN doubt IS NOT NULL THEN 'suspect' ELSE verdict END AS verdict, subject_kind, subject, from_time,
  to_time, magnitude, unit,
  concat(reason, CASE WHEN late THEN printf(' Excused: %s.', late_excuse) END, ' ' || doubt) AS reason,
  judged, evidence, coalesce(late_excuse, excuse) AS excuse
FROM differing
ORDER BY tree, from_time, subject_kind, subject;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM internal.records_seen([['LOG-01']])
ORDER BY tree;
