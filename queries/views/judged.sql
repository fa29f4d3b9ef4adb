-- How much of each tree's time could be judged, and how many of its checks. A check
-- is one rule about a job's start or its preemption in the window (decision_counts), or
-- a step of an operation that rules of admission judge. Without decision_counts each
-- decision is one check, and a start on a node of known size is judged.
CREATE OR REPLACE VIEW internal.judged_parts AS
WITH decisions AS (
  SELECT trees.tree, count(*) FILTER (start_time >= trees.from_time) AS starts,
    count(*) FILTER (end_kind = 'preempted' AND end_time >= trees.from_time) AS preemptions
  FROM jobs JOIN trees USING (tree)
  GROUP BY trees.tree
), counted AS (
  SELECT tree, sum(decisions)::BIGINT AS checks, coalesce(sum(decisions) FILTER (verdict <> 'undecidable'), 0)::BIGINT AS judged
  FROM decision_counts
  GROUP BY tree
), steps AS (
  SELECT tree, count(*) AS steps, count(*) FILTER (judged) AS judged_steps
  FROM (SELECT tree, bool_or(verdict <> 'undecidable') AS judged FROM admissions GROUP BY tree, time, operation, action) AS s
  GROUP BY tree
), blind AS (
  SELECT trees.tree, sum(overlap_seconds(b.from_time, b.to_time, trees.from_time, trees.to_time)) AS seconds
  FROM excuse_windows AS b JOIN trees USING (tree)
  GROUP BY trees.tree
), placed AS (
  SELECT tree, max(capacity_seen) FILTER (capacity IN ('recorded', 'header') AND usage = 'recorded') AS starts
  FROM resource_coverage
  GROUP BY tree
)
SELECT
  t.tree,
  span_seconds(t.from_time, t.to_time) AS seconds,
  -- Overlaps of refused updates and excuse windows count twice: this is a lower bound.
  CASE WHEN u.all_refused OR t.update_count = 0 THEN 0
    ELSE greatest(span_seconds(t.from_time, t.to_time) - t.refused_us / 1e6 - coalesce(b.seconds, 0), 0) END AS judged_seconds,
  (coalesce(c.checks, coalesce(d.starts, 0) + coalesce(d.preemptions, 0)) + coalesce(s.steps, 0))::BIGINT AS checks,
  (coalesce(c.judged, least(coalesce(p.starts, 0), coalesce(d.starts, 0))) + coalesce(s.judged_steps, 0))::BIGINT AS judged_checks,
  concat_ws('; ',
    CASE WHEN t.update_count = 0 THEN 'no fair share was computed' ELSE u.reason END,
    CASE WHEN b.seconds > 0 THEN printf('for %s many rules are excused: see the table excuse_windows', internal.span_text(b.seconds)) END,
    CASE WHEN c.judged < c.checks THEN printf('the log does not settle %s: see decision_counts', internal.count_text(c.checks - c.judged, 'rule check')) END,
    CASE WHEN c.checks IS NULL AND coalesce(d.preemptions, 0) > 0 THEN printf('no audit judges %s', internal.count_text(d.preemptions, 'preemption')) END,
    CASE WHEN s.judged_steps < s.steps THEN printf('the log does not settle %s of admission', internal.count_text(s.steps - s.judged_steps, 'step')) END,
    CASE WHEN c.checks IS NULL AND coalesce(p.starts, 0) < coalesce(d.starts, 0) THEN
      printf('the log does not record the node or the usage of %s', internal.count_text(d.starts - coalesce(p.starts, 0), 'job start')) END) AS reason
FROM trees AS t
JOIN internal.refused_updates AS u USING (tree)
LEFT JOIN decisions AS d USING (tree)
LEFT JOIN placed AS p USING (tree)
LEFT JOIN steps AS s USING (tree)
LEFT JOIN counted AS c USING (tree)
LEFT JOIN blind AS b USING (tree)
ORDER BY t.tree;
