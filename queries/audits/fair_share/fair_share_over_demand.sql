-- @audit     fair_share_over_demand
-- @title     Fair share above demand
-- @promise   No fair share exceeds the demand it was computed from.
-- @invariant GUA-09
-- @reads     pool_intervals, operation_intervals, snapshot_tallies, trees
-- @param     eps 0.0001 share — tolerance of shares
-- @why       A finding means that the update of fair shares contradicts its own rules; a
--            busy cluster is no cause. It is suspect at most where some updates were
--            refused, so that the shares are older than the state. Without records of the
--            scheduler nothing is judged.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, excuse
FROM internal.fair_share_findings('demand', $eps, INTERVAL 0 SECOND)
ORDER BY tree, from_time, subject_kind, subject;
-- @seen
SELECT tree, seen, unit, reason FROM internal.fair_shares_seen ORDER BY tree;
