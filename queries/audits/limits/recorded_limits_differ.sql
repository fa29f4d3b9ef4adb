-- @audit     recorded_limits_differ
-- @title     Reported resource limits differ
-- @promise   Reported resource_limits are the least of what is specified, what tag filters match and what max_share_ratio leaves.
-- @invariant LIM-09
-- @severity  minor
-- @reads     snapshot_checks, snapshot_tallies, coverage, trees
-- @param     sampled_s 35 s — how late the log may tell the tags of nodes where it tells them by samples: the time between two, and their writing
-- @why       Within 1 %. Suspect while totals or settings change, and where a difference
--            is over before the next sample of nodes. Not judged in the profile current,
--            which reports what is specified.
SELECT tree, aspect, CASE WHEN verdict = 'violated' AND n.sampled AND span_seconds(from_time, to_time) <= $sampled_s THEN 'suspect' ELSE verdict END AS verdict,
  subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, excuse
FROM records_findings(['LIM-09']) JOIN node_states AS n USING (tree)
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM records_seen(['LIM-09'])
ORDER BY tree;
