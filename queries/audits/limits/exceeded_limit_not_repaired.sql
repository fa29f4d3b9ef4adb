-- @audit     exceeded_limit_not_repaired
-- @title     Exceeded limit that is not repaired
-- @promise   While a specified limit is exceeded, every node that could lose a job for it does.
-- @invariant LIM-04
-- @breaks    resource_limits
-- @reads     missed_repairs, decision_counts, trees, coverage
-- @needs     heartbeats recorded|sampled — which heartbeats took nothing
-- @source    core/spec/scheduling.md §10.5, §11.3
-- @why       Preemptive stages run once per preemptive_scheduling_backoff on a node. The
--            stage that always runs takes unprotected jobs under an exceeded limit. The
--            slack is twice that backoff and a heartbeat. The time starts anew at a
--            heartbeat that was skipped, that found a job waiting on the node, or that took
--            any job of it; it ends with the last heartbeat that took none. A finding is
--            suspect where only a borderline job could have been taken. There is one
--            finding per pool or operation.
WITH late AS (
  SELECT *, span_seconds(from_time, to_time) AS seconds,
    internal.verdict_rank(verdict) AS weight
  FROM missed_repairs
), worst AS (
  SELECT tree, element_kind, coalesce(operation, pool) AS element, max(weight) AS weight FROM late GROUP BY ALL
)
SELECT
  late.tree,
  '' AS aspect,
  any_value(verdict) AS verdict,
  late.element_kind AS subject_kind,
  element AS subject,
  min(from_time) AS from_time,
  max(to_time) AS to_time,
  max(seconds) AS magnitude,
  's' AS unit,
  printf('%s %s was over its limit of %s, and %s took nothing for up to %s, where %s is allowed: the first could have taken job %s.%s',
    CASE late.element_kind WHEN 'pool' THEN 'Pool' ELSE 'Operation' END, element, min(resource), internal.count_text(count(DISTINCT node), 'node'), internal.span_text(max(seconds)),
    internal.span_text(max(allowed_us) / 1e6), arg_min(job, from_time), coalesce(printf(' Excused: %s.', max(nullif(excuse, ''))), '')) AS reason,
  CASE any_value(verdict) WHEN 'violated' THEN 'recomputed' ELSE 'possible' END AS judged,
  json_object('pool', any_value(pool), 'resource', min(resource), 'nodes', list(DISTINCT node ORDER BY node)[1:20], 'spans', count(*),
    'heartbeats', sum(heartbeat_count)::BIGINT, 'candidates', max(candidate_count)) AS evidence,
  max(nullif(excuse, '')) AS excuse
FROM late
JOIN worst ON worst.tree = late.tree AND worst.element_kind = late.element_kind AND element = coalesce(operation, pool) AND worst.weight = late.weight
GROUP BY late.tree, late.element_kind, element
ORDER BY late.tree, from_time, element;
-- @seen
SELECT tree, seen, 'repairs of limits' AS unit, CASE WHEN seen = 0 AND reason IS NULL THEN 'no repair of a limit was due' ELSE reason END AS reason, idle
FROM internal.decisions_seen([['LIM-04']])
ORDER BY tree;
