-- @audit     preemption_without_beneficiary
-- @title     Preemption without a preemptor
-- @promise   A job is preempted only for one that starts in its place in the same heartbeat, or because the node was overfull.
-- @invariant PRE-01, PRE-02, PRE-13, PRE-19
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @why       The beneficiary is looked up among the starts of the same node and instant.
--            Where the log does not hold the heartbeat itself, a missing start proves
--            nothing. Stages for SSD run on SSD nodes only; the log does not record what
--            media a job asks for. An error below usage_part of the reported usage is
--            suspect. The jobs of all trees show that a preemption names a job of another
--            tree alone (PRE-02). Where a preemptive stage started jobs without taking any,
--            PRE-13 is about the second of them.
SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, excuse
FROM internal.decisions_findings(['PRE-01', 'PRE-02', 'PRE-13', 'PRE-19'])
UNION ALL
SELECT
  tree,
  'PRE-02' AS invariant,
  'other_tree' AS aspect,
  'violated' AS verdict,
  'operation' AS subject_kind,
  operation AS subject,
  min(time) AS from_time,
  max(time) AS to_time,
  count(*)::DOUBLE AS magnitude,
  'preemptions' AS unit,
  printf('%s of operation %s made room for a job of another tree: job %s was preempted for job %s in %s.', internal.count_text(count(*), 'preemption'), operation,
    first(job ORDER BY time, job), first(beneficiary_job ORDER BY time, job), array_to_string(first(in_trees ORDER BY time, job), ', ')) AS reason,
  'recorded' AS judged,
  json_object('beneficiary', first(beneficiary ORDER BY time, job), 'trees', first(in_trees ORDER BY time, job), 'jobs', list(job ORDER BY time, job)[:20]) AS evidence,
  NULL AS excuse
FROM internal.absent_beneficiaries
WHERE len(in_trees) > 0
GROUP BY tree, operation
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT s.tree, any_value(s.seen) + count(o.tree) AS seen, s.unit, s.reason, s.idle
FROM internal.decisions_seen([['PRE-01', 'PRE-02', 'PRE-13', 'PRE-19']]) AS s
LEFT JOIN (SELECT tree FROM internal.absent_beneficiaries WHERE len(in_trees) > 0) AS o USING (tree)
GROUP BY s.tree, s.unit, s.reason, s.idle
ORDER BY s.tree;
