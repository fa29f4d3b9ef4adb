-- @audit     starving_since_wrong
-- @title     Recorded start of starvation against the shares
-- @promise   starving_since agrees with the recorded shares: whether an operation is below its share, and since when.
-- @invariant STV-11
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @from      records
-- @source    core/spec/scheduling.md §7.1
-- @why       Where snapshots state starving_since for operations that do not starve yet, it
--            is the clock of starvation: set from the moment the operation is below its
--            share and as long as it stays below. Where they state it for starving
--            operations only, it may as well be the moment when the status turned. Then
--            only two things are judged: that it is not in the future, and not before a
--            record in which the operation had its share. The slack is a tick. A finding is
--            suspect where a tick between two records may have seen another state. Where
--            the recomputed clock is the recorded one, the shares are wrong, which other
--            audits judge. An operation that starves and is not below its share is reported
--            by starving_though_served.
-- @seen
SELECT tree, seen, unit, reason
FROM internal.records_seen([['STV-11']])
ORDER BY tree;
