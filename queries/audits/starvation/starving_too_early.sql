-- @audit     starving_too_early
-- @title     Declared starving too early
-- @promise   Nothing is declared starving, or aggressively starving, before it was below its share for longer than its timeout.
-- @invariant STV-01, STV-04, STV-12
-- @severity  major
-- @judges    fair_share_aggressive_starvation_timeout:STV-04
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       The clock is followed through the recorded shares: it started between
--            the last record that is not below and the first that is, or where
--            starving_since says so. Violated only
--            if even the earliest start is too late, and the recomputed status is
--            another. An operation's timeouts are scaled by the jobs that it waits
--            for. Records name no kind of starvation: STV-12 is that for a strong
--            guarantee, of what the fair share does not explain while the element is below
--            its guarantee and nearer to that timeout. Steps that announce starvation
--            (aspect announced) are judged by the recomputed clock, with a tick and a
--            record of slack.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['STV-01', 'STV-04', 'STV-12'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['STV-01', 'STV-04', 'STV-12'])
ORDER BY tree;
-- @tested
SELECT tree, 'fair_share_aggressive_starvation_timeout' AS kind, tree AS subject, from_time, to_time, missing FROM records_tested(['STV-04']);
