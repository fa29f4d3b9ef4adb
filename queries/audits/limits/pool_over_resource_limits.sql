-- @audit     pool_over_resource_limits
-- @title     Pool over its resource limits
-- @promise   A pool's jobs use no more than its resource_limits.
-- @invariant LIM-02
-- @severity  minor
-- @judges    resource_limits
-- @reads     limit_episodes, decisions, pools, pool_intervals, jobs, coverage
-- @param     use_s 10 s — how long reported usage may lag behind
-- @why       Usage is what started jobs were granted. Excused are episodes no
--            longer than the lag, those that no start began (the limit came down,
--            a pool or an operation moved in or was revived, or jobs grew),
--            and those begun by a start that LIM-01 does not hold against
--            anybody, since it could not know the new limit yet. Where the log
--            knows only what jobs asked for, an episode is suspect at most.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM resource_limit_findings('pool', $use_s)
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM resource_limits_seen('pool', 'under no pool with resource_limits a job held resources') ORDER BY tree;
-- @tested
SELECT tree, NULL AS kind, pool AS subject, from_time, to_time, NULL AS missing, used_s AS tested_s FROM pool_facts WHERE used;
