-- @audit     node_over_capacity
-- @title     Node over its capacity
-- @promise   No job is started on a node that has no room for it.
-- @invariant HB-01
-- @reads     limit_episodes, jobs, coverage
-- @why       Only those resources are judged for which the log holds both the capacity of
--            nodes and the usage of jobs. A preempted job counts until its preemption. A
--            node that shrank under its jobs is excused. An episode that no start explains
--            is suspect. So is one that rests on jobs whose departure the log does not
--            record exactly, and one that fits the node as its next sample shows it. A
--            start before the window is judged if its excess lasted into the window.
SELECT
  e.tree,
  e.resource AS aspect,
  CASE e.cause WHEN 'limit_changed' THEN 'the capacity of the node fell below its usage' END AS excuse,
  CASE
    WHEN e.cause = 'job_started' AND e.doubtful_us >= epoch_us(e.to_time) - epoch_us(e.from_time) THEN 'suspect'
    WHEN e.cause = 'job_started' THEN 'violated'
    WHEN excuse IS NOT NULL THEN 'excused'
    ELSE 'suspect'
  END AS verdict,
  'node' AS subject_kind,
  e.node AS subject,
  e.from_time,
  e.to_time,
  internal.natural_amount(e.resource, e.value - e.limit_value, c.source_unit) AS magnitude,
  r.unit,
  printf('Jobs on node %s took up to %s of its %s for %s.%s%s', e.node,
    internal.amount_text(e.resource, internal.natural_amount(e.resource, e.value, c.source_unit)), internal.amount_text(e.resource, internal.natural_amount(e.resource, e.limit_value, c.source_unit)),
    internal.span_text(span_seconds(e.from_time, e.to_time)),
    CASE
      WHEN e.cause = 'job_started' THEN coalesce(printf(' The start of job %s exceeded the capacity.', j.job), '')
      WHEN excuse IS NOT NULL THEN printf(' Excused: %s.', excuse)
      ELSE ' No start in the log explains it.'
    END, internal.node_doubt_text(e.doubtful_us) || internal.parts_text(e.from_time, e.to_time, e.window_from) || internal.clip_text(e.clipped_from, e.clipped_to)) AS reason,
  CASE WHEN e.doubtful_us >= epoch_us(e.to_time) - epoch_us(e.from_time) THEN 'possible' ELSE 'recorded' END AS judged,
  json_object('node', e.node, 'resource', e.resource, 'unit', r.unit,
    'capacity', internal.natural_amount(e.resource, e.limit_value, c.source_unit), 'used', internal.natural_amount(e.resource, e.value, c.source_unit),
    'peak_time', internal.time_text(e.peak_time), 'cause', e.cause, 'cause_job', j.job, 'jobs_at_peak', internal.id_list(e.jobs),
    'clipped_from', e.clipped_from, 'clipped_to', e.clipped_to) AS evidence
FROM internal.whole_limit_episodes AS e
JOIN resources AS r USING (resource)
JOIN resource_coverage AS c ON c.tree = e.tree AND c.resource = e.resource
  AND c.capacity IN ('recorded', 'header') AND c.usage = 'recorded'
LEFT JOIN jobs AS j ON j.tree = e.tree AND j.job_ix = e.cause_job_ix
WHERE e.limit_kind = 'node_capacity'
ORDER BY e.tree, e.from_time, e.node, e.resource;
-- @seen
WITH placed AS (
  SELECT tree, any_value(state) AS state FROM coverage WHERE aspect = 'placement' GROUP BY tree
), blamed AS (
  SELECT e.tree, count(DISTINCT e.cause_job_ix) AS starts
  FROM limit_episodes AS e
  JOIN resource_coverage AS c ON c.tree = e.tree AND c.resource = e.resource
    AND c.capacity IN ('recorded', 'header') AND c.usage = 'recorded'
  WHERE e.limit_kind = 'node_capacity'
  GROUP BY e.tree
), judged AS (
  SELECT tree,
    coalesce(max(capacity_seen) FILTER (capacity IN ('recorded', 'header') AND usage = 'recorded'), 0) AS starts,
    string_agg(printf('%s (node sizes %s, usage %s)', resource, capacity, usage), ', ' ORDER BY resource)
      FILTER (NOT (capacity IN ('recorded', 'header') AND usage = 'recorded') AND capacity_seen + usage_seen > 0) AS not_judged
  FROM resource_coverage
  GROUP BY tree
)
SELECT tree, greatest(judged.starts, coalesce(blamed.starts, 0)) AS seen, 'job starts' AS unit,
  CASE
    WHEN state IS DISTINCT FROM 'recorded' THEN 'the log does not record on which nodes jobs ran'
    WHEN seen = 0 AND not_judged IS NULL THEN 'no job started on a node of known size'
    ELSE 'not judged: ' || not_judged
  END AS reason
FROM trees LEFT JOIN judged USING (tree) LEFT JOIN blamed USING (tree) LEFT JOIN placed USING (tree)
ORDER BY tree;
