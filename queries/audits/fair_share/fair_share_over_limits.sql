-- @audit     fair_share_over_limits
-- @title     Fair share above limits
-- @promise   No fair share exceeds the limits it was computed from.
-- @invariant LIM-07
-- @judges    max_share_ratio
-- @reads     pool_intervals, operation_intervals, snapshot_tallies, trees
-- @param     eps 0.0001 share — tolerance of shares
-- @why       A finding means that the update of fair shares contradicts its own rules. The
--            first minute is excused, while totals settle. A finding is suspect at most
--            where some updates were refused, so that the shares are older than the state.
--            Without records of the scheduler nothing is judged.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, excuse
FROM internal.fair_share_findings('limits', $eps, INTERVAL 60 SECOND)
ORDER BY tree, from_time, subject_kind, subject;
-- @seen
SELECT tree, seen, unit, reason FROM internal.fair_shares_seen ORDER BY tree;
-- @tested
SELECT tree, NULL AS kind, pool AS subject, from_time, to_time,
  CASE WHEN tree NOT IN (SELECT tree FROM snapshot_tallies) THEN 'the log holds no fair shares of the scheduler' END AS missing
FROM internal.pool_facts;
