-- @audit     integral_volume_wrong
-- @title     Accumulated volume out of its bounds
-- @promise   A pool's accumulated volume grows by its flow, shrinks by what it was granted, and stays within its capacity.
-- @invariant GUA-06
-- @severity  minor
-- @reads     snapshot_checks, snapshot_tallies, trees
-- @why       Between two records volume grows by at most the flow and shrinks by at
--            most the largest share that either shows or that the replay grants
--            between them; 1 % of slack, and what one update may move, since a record
--            does not tell how old its update is. Suspect where records are more than
--            5 s apart, and not judged across a change of totals or settings. What
--            other pools left over may come in. Each resource has a capacity, in whole
--            units, and keeps what was above it when it came down, while a record tells
--            of the scarcest alone: so it may grow to the highest capacities that the
--            log shows, and is suspect only up to what another resource's allows.
SELECT tree, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence
FROM record_findings(['GUA-06'])
ORDER BY tree, from_time, subject_kind, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason, idle
FROM record_tally(['GUA-06'])
ORDER BY tree;
