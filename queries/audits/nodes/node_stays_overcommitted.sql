-- @audit     node_stays_overcommitted
-- @title     Node that stays overcommitted
-- @promise   A node whose jobs do not fit it is cleared within the allowed duration.
-- @invariant OVC-03
-- @reads     limit_episodes, trees, coverage
-- @param     hb_s 6 s — between two heartbeats of a node that has shown no longer interval
-- @needs     heartbeats recorded|sampled — whether nodes report to a scheduler that clears them
-- @why       The allowed time is allowed_node_resources_overcommit_duration and
--            job_interrupt_timeout as configured, else 15 s and 10 s, with a heartbeat
--            after each and two more of slack. Where the log records only what jobs asked
--            for, or not exactly when they left, an episode is suspect at most. An episode
--            is excused if it is no longer than allowed without the time in which the node
--            was silent, its heartbeats were skipped, or the scheduler was away.
WITH lasting AS (
  SELECT e.tree, e.node, e.resource, r.unit, e.from_time, e.to_time, e.clipped_from, e.clipped_to, e.window_from, e.jobs, c.usage,
    span_seconds(e.from_time, e.to_time) AS seconds, e.doubtful_us, e.allowed_us / 1e6 + 4 * greatest($hb_s, e.interval_us / 1e6) AS allowed,
    e.unanswered_us / 1e6 AS unanswered, seconds - unanswered <= allowed AS excused,
    c.usage = 'recorded' AND seconds - unanswered - e.doubtful_us / 1e6 > allowed AS sure,
    internal.natural_amount(e.resource, e.value, c.source_unit) AS amount,
    internal.natural_amount(e.resource, e.limit_value, c.source_unit) AS limit_amount
  FROM internal.whole_limit_episodes AS e
  JOIN resources AS r USING (resource)
  JOIN resource_coverage AS c ON c.tree = e.tree AND c.resource = e.resource
  WHERE e.limit_kind = 'node_capacity' AND c.usage IN ('recorded', 'requested')
)
SELECT
  tree, resource AS aspect, CASE WHEN excused THEN 'excused' WHEN sure THEN 'violated' ELSE 'suspect' END AS verdict,
  'node' AS subject_kind, node AS subject, from_time, to_time, seconds AS magnitude, 's' AS unit,
  printf('Jobs on node %s took up to %s of its %s for %s, and were to leave within %s.%s%s', node, internal.amount_text(resource, amount),
    internal.amount_text(resource, limit_amount), internal.span_text(seconds), internal.span_text(allowed),
    CASE WHEN unanswered > 0 THEN printf(' %s %s of it none of its heartbeats was answered: it was silent, they were skipped, or the scheduler was away.',
      CASE WHEN excused THEN 'Excused: for' ELSE 'For' END, internal.span_text(unanswered)) ELSE '' END,
    internal.node_doubt_text(doubtful_us) || internal.parts_text(from_time, to_time, window_from) || internal.clip_text(clipped_from, clipped_to)) AS reason,
  CASE WHEN sure OR excused AND usage = 'recorded' THEN 'recorded' ELSE 'possible' END AS judged,
  json_object('resource', resource, 'limit', limit_amount, 'used', amount, 'seconds', seconds, 'allowed_s', allowed, 'unanswered_s', unanswered, 'jobs_at_peak', internal.id_list(jobs)) AS evidence,
  CASE WHEN excused THEN printf('for %s of it none of its heartbeats was answered: it was silent, they were skipped, or the scheduler was away', internal.span_text(unanswered)) END AS excuse
FROM lasting
WHERE seconds > allowed AND EXISTS (
  SELECT 1 FROM coverage AS h WHERE h.tree = lasting.tree AND h.aspect = 'heartbeats' AND h.state IN ('recorded', 'sampled')
)
ORDER BY tree, from_time, subject, aspect;
-- @seen
WITH known AS (
  SELECT tree, coalesce(max(capacity_seen) FILTER (usage IN ('recorded', 'requested')), 0) AS starts
  FROM trees LEFT JOIN resource_coverage USING (tree)
  GROUP BY tree
), over AS ( -- an episode that goes on shows what its node has and holds, also where no job starts
  SELECT tree, count(*) AS episodes FROM internal.whole_limit_episodes WHERE limit_kind = 'node_capacity' GROUP BY tree
)
SELECT tree, greatest(starts, coalesce(episodes, 0)) AS seen, 'job starts on nodes of known size' AS unit,
  CASE WHEN greatest(starts, coalesce(episodes, 0)) = 0 THEN 'the log does not record both the capacity of nodes and the usage of jobs' END AS reason
FROM known LEFT JOIN over USING (tree)
ORDER BY tree;
