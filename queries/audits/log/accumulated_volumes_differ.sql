-- @audit     accumulated_volumes_differ
-- @title     Accumulated volumes that do not agree
-- @promise   What the scheduler accumulates of an operation agrees with itself, with the recorded fair shares and with the usage of its jobs.
-- @invariant ACC-01, ACC-02, ACC-03
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @from      records
-- @why       Since 25.2 a scheduler reports every minute the fair volume, the usage and the
--            usage deficit of each operation. A deficit is at least what the usage is below
--            the fair volume, and at most the fair volume: each moment adds what was
--            lacking then. Fair volume and deficit are compared with the recorded shares,
--            each of which holds until the next record, and the deficit with the usage that
--            is recorded or that of the jobs. The slack is 1 %, 2 s of the highest fair share
--            (more where records are further apart), the rounding of cpu, and what moved
--            between two records. Without records of the whole time, or where the usage is
--            another, nothing is said. A difference from records is sure only where the
--            reports before and after differ likewise.
-- @seen
SELECT tree, seen, unit, reason, idle OR tree NOT IN (SELECT tree FROM snapshot_tallies WHERE starts_with(invariant, 'ACC-')) AS idle
FROM internal.records_seen([['ACC-01', 'ACC-02', 'ACC-03']])
ORDER BY tree;
