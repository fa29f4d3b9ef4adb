-- @audit     recorded_limits_differ
-- @title     Reported resource limits differ
-- @promise   Reported resource_limits are the least of what is specified, what tag filters match and what max_share_ratio leaves.
-- @invariant LIM-09
-- @reads     snapshot_checks, snapshot_tallies, coverage, trees
-- @param     sampled_s 35 s — how late the log may record the tags of nodes where it samples them: the time between two samples, and their writing
-- @why       The tolerance is 1 %. A finding is suspect while totals or settings change,
--            and where a difference is over before the next sample of nodes. The profile
--            current is not judged, since it reports what is specified.
SELECT tree, aspect, CASE WHEN verdict = 'violated' AND n.sampled AND span_seconds(from_time, to_time) <= $sampled_s THEN 'suspect' ELSE verdict END AS verdict,
  subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, excuse
FROM internal.records_findings(['LIM-09']) JOIN internal.node_states AS n USING (tree)
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM internal.records_seen([['LIM-09']])
ORDER BY tree;
