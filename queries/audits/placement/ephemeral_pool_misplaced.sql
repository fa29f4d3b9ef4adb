-- @audit     ephemeral_pool_misplaced
-- @title     Ephemeral pool where or when there should be none
-- @promise   An ephemeral pool stands below its hub or its user's default parent, by that pool's ephemeral_subpool_config, and is gone with its last operation.
-- @invariant POOL-04, POOL-05, POOL-06
-- @severity  minor
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       Recorded pools against the operations of the log and the configuration in
--            force. Suspect within the time that a configuration takes to be in force,
--            and where a pool's place depends on a user whom only its first operation
--            tells.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, invariant
FROM record_findings(['POOL-04', 'POOL-05', 'POOL-06'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['POOL-04', 'POOL-05', 'POOL-06'])
ORDER BY tree;
