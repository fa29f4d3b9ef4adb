-- @audit     later_operation_served
-- @title     Later operation of a FIFO pool given a share
-- @promise   In a FIFO pool an operation is given a share only if earlier ones have their demand met, or are limited otherwise.
-- @invariant FIFO-02
-- @severity  major
-- @breaks    fifo_order
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       An operation that the rules give the same is never named: the earlier
--            one is limited by what the record does not show.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['FIFO-02'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['FIFO-02'])
ORDER BY tree;
