-- @audit     integral_guarantee_exceeded
-- @title     Relaxed pool given more than its flow allows
-- @promise   The integral part of a relaxed pool's recorded fair share stays within its flow times relaxed_share_multiplier_limit.
-- @invariant GUA-05
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @from      records
-- @why       Beyond its flow a relaxed pool takes at once what it should get over time, and
--            leaves others less. It is judged where records name the parts of a fair share.
--            A finding is suspect while settings or totals change.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, excuse
FROM internal.records_findings(['GUA-05'])
WHERE aspect <> 'GUA-05'
ORDER BY tree, from_time, subject_kind, subject, aspect;
