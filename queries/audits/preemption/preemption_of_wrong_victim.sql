-- @audit     preemption_of_wrong_victim
-- @title     Preemption that took the wrong job, or one too many
-- @promise   Jobs go in their order, no more than needed, and only where the beneficiary could not start without.
-- @invariant PRE-11, PRE-12, PRE-24
-- @severity  major
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @source    spec/scheduling.md §10.5
-- @why       Candidates are those of the node: the least protected
--            list first, then the latest start; ties are in nobody's disfavour. Room that
--            only the spare amounts keep free excuses a preemption. Evidence of PRE-11 has
--            in better_victims the job that went, its list and its start, and beside it
--            the job that should have gone with its start.
WITH better AS (
  SELECT p.tree, p.operation, list({'victim': p.job, 'victim_list': p.list, 'victim_started': time_text(p.start_time),
    'should_have_gone': p.better_victim, 'which_started': time_text(j.start_time)} ORDER BY p.time, p.job)[1:10] AS victims
  FROM preemptions AS p LEFT JOIN jobs AS j ON j.tree = p.tree AND j.job = p.better_victim
  WHERE p.better_victim <> ''
    AND list_contains(string_split(concat_ws(',', p.violated, p.suspect, p.excused), ','), 'PRE-11')
  GROUP BY p.tree, p.operation
)
SELECT f.tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged,
  CASE WHEN invariant = 'PRE-11' AND victims IS NOT NULL THEN json_merge_patch(evidence, json_object('better_victims', victims)) ELSE evidence END AS evidence
FROM decision_findings(['PRE-11', 'PRE-12', 'PRE-24']) AS f LEFT JOIN better ON better.tree = f.tree AND better.operation = f.subject
ORDER BY f.tree, from_time, subject, aspect;
-- @seen
SELECT tree, seen, unit, reason FROM decisions_seen(['PRE-11', 'PRE-12', 'PRE-24']) ORDER BY tree;
