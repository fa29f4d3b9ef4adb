-- @audit     recorded_fifo_order
-- @title     Recorded FIFO order differs
-- @promise   fifo_index orders operations by the sort parameters of their pool, and beyond its budget only operations with a fair share are schedulable.
-- @invariant FIFO-01, FIFO-04
-- @severity  minor
-- @judges    max_schedulable_element_count_in_fifo_pool:FIFO-04
-- @breaks    fifo_order
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       Equal sort parameters have no order that counts, and an order by pending
--            jobs is not followed. Suspect within the time that a configuration takes
--            to be in force.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['FIFO-01', 'FIFO-04'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['FIFO-01', 'FIFO-04'])
ORDER BY tree;
-- @tested
SELECT tree, 'max_schedulable_element_count_in_fifo_pool' AS kind, tree AS subject, from_time, to_time, missing FROM records_tested(['FIFO-04']);
