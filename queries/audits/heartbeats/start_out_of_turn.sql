-- @audit     start_out_of_turn
-- @title     Job started out of turn
-- @promise   Heartbeats serve the least satisfied operation that can start, guarantees first, graceful operations only below their share, and leave smaller rests alone.
-- @invariant HB-05, HB-06, HB-07, HB-09, GUA-08
-- @severity  minor
-- @judges    enable_guarantee_priority_scheduling:HB-09
-- @reads     decisions, decision_counts, trees
-- @why       The operation that goes first is looked for among all whose smallest job could
--            have started: by the log it waits at that moment for a job that the node
--            holds. That its controller declined no log tells: what another could have had
--            is therefore suspect at most. Packing excuses it: it compares rooms of other
--            heartbeats, which no log tells. GUA-08 is HB-09.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM decision_findings(['HB-05', 'HB-06', 'HB-07', 'HB-09', 'GUA-08'])
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle FROM decisions_seen(['HB-05', 'HB-06', 'HB-07', 'HB-09', 'GUA-08']) ORDER BY tree;
-- @tested
SELECT tree, kind, subject, from_time, to_time, missing FROM decisions_tested([{'kind': 'enable_guarantee_priority_scheduling', 'invariant': 'HB-09'}]);
