-- @audit     integral_guarantee_not_granted
-- @title     Integral guarantee missing from the fair share
-- @promise   The recorded fair share of a burst pool reaches its burst guarantee, and that of a relaxed pool more than its strong guarantee, while there is volume and demand; over a saturation period of unmet demand a relaxed pool gets its flow.
-- @invariant GUA-04, GUA-05, GUA-10
-- @judges    burst_guarantee, relaxed_guarantee
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @from      records
-- @why       The pool is due as much as the recorded volume pays for. A guarantee counts as
--            granted once one resource that the pool could use more of has reached it, or
--            where the rules give no more for the recorded state of the tree. Of a relaxed
--            pool the integral part counts, where records name the parts of a fair share.
--            GUA-10 looks at times of unmet demand as long as the saturation period. It
--            compares what the relaxed pool was given beyond its strong guarantee with what
--            its volume grew by. It is suspect where records are more than 5 s apart, and
--            starts anew where settings or totals change.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, excuse
FROM internal.records_findings(['GUA-04', 'GUA-05', 'GUA-10'])
WHERE aspect NOT LIKE 'GUA-05 %'
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @tested
SELECT tree, kind, subject, from_time, to_time, missing FROM internal.records_tested(['GUA-04', 'GUA-05', 'GUA-10']);
