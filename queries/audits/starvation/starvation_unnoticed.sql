-- @audit     starvation_unnoticed
-- @title     Starvation that is not declared
-- @promise   A pool or operation that stays below its share for longer than its timeout is declared starving.
-- @invariant STV-02, GUA-02
-- @severity  major
-- @judges    fair_share_starvation_timeout, min_share_preemption_timeout
-- @breaks    strong_guarantee:GUA-02
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @source    core/spec/scheduling.md §1.4
-- @why       Below its share is, by the records, who has less of it in every resource of
--            which it could use more. A tick and two records of slack are given; with one it is suspect.
--            Excused while pool starvation is off, of operations that take no part,
--            and after a timeout was raised. GUA-02 is the same of what has a strong
--            guarantee. A step that announces an end of starvation (aspect announced) is
--            judged by the recomputed clock.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['STV-02', 'GUA-02'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['STV-02', 'GUA-02'])
ORDER BY tree;
-- @tested
SELECT tree, kind, subject, from_time, to_time, missing FROM records_tested(['STV-02', 'GUA-02']);
