-- @audit     operation_over_resource_limits
-- @title     Operation over its resource limits
-- @promise   An operation's jobs use no more than its resource_limits.
-- @invariant LIM-02
-- @severity  minor
-- @reads     limit_episodes, decisions, operations, jobs, coverage
-- @param     use_s 10 s — how long reported usage may lag behind
-- @why       Usage is what started jobs were granted. Excused are episodes no
--            longer than the lag, those that no start began (the limit came down,
--            the operation was revived, or jobs grew), and those begun by a
--            start that LIM-01 does not hold against anybody, since it could
--            not know the new limit yet. Where the log knows only what jobs
--            asked for, an episode is suspect at most.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM resource_limit_findings('operation', $use_s)
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM resource_limits_seen('operation', 'no operation with resource_limits had a job') ORDER BY tree;
