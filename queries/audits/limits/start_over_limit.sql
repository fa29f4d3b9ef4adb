-- @audit     start_over_limit
-- @title     Job started over a specified limit
-- @promise   No start makes or keeps a specified resource limit of the operation or of a pool above it exceeded.
-- @invariant LIM-01, LIM-03
-- @severity  critical
-- @breaks    resource_limits
-- @reads     decisions, decision_counts, trees
-- @why       In the resources that the job takes. A limit that came down within the time in
--            which configurations spread proves nothing; where the log knows only what
--            jobs asked for, a finding is suspect at most.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['LIM-01', 'LIM-03'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['LIM-01', 'LIM-03']) ORDER BY tree;
