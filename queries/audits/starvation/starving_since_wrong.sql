-- @audit     starving_since_wrong
-- @title     Recorded start of starvation against the shares
-- @promise   starving_since says of an operation that it is below its share, and since when, as its recorded shares do.
-- @invariant STV-11
-- @severity  minor
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @from      records
-- @source    core/spec/scheduling.md §7.1
-- @why       Where snapshots tell it of operations that do not starve yet, the column is
--            the clock of starvation: set while the operation is below its share, and from
--            then on. Where they tell it of the starving only, it may as well be the
--            moment when the status turned; then it is judged whether it lies in the future
--            or before a record in which the operation had its share. With a tick of
--            slack; suspect where a tick between two records may have seen it otherwise.
--            Where the recomputed clock is the recorded one the shares are wrong, which is
--            for their audits. Who is not below and starves all the same is told by
--            starving_though_served.
-- @seen
SELECT tree, seen, unit, reason
FROM records_seen(['STV-11'])
ORDER BY tree;
