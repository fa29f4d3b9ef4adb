-- @audit     job_in_two_places
-- @title     Job on two nodes or in two trees
-- @promise   Each job lives on one node and in one tree.
-- @invariant LOG-04
-- @reads     jobs, trees
-- @why       Two rows are about the same job if their ids in the source are equal. There is
--            one finding per id and tree.
WITH twice AS (
  SELECT job, count(*) AS grants FROM jobs WHERE job <> '' GROUP BY job HAVING count(*) > 1
), places AS (
  SELECT job, any_value(grants) AS grants, list(DISTINCT tree ORDER BY tree) AS in_trees, list(DISTINCT node ORDER BY node) FILTER (node IS NOT NULL) AS on_nodes
  FROM jobs JOIN twice USING (job)
  GROUP BY job
)
SELECT
  j.tree,
  '' AS aspect,
  'violated' AS verdict,
  'job' AS subject_kind,
  j.job AS subject,
  min(start_time) AS from_time,
  CASE WHEN count(end_time) = count(*) THEN max(end_time) END AS to_time,
  any_value(grants)::DOUBLE AS magnitude,
  'rows' AS unit,
  printf('Job %s was started %s: in %s, on %s.', j.job, internal.count_text(any_value(grants), 'time'), array_to_string(any_value(in_trees), ', '),
    coalesce(array_to_string(any_value(on_nodes), ', '), 'nodes that the log does not name')) AS reason,
  'recorded' AS judged,
  json_object('pool', any_value(pool), 'operation', any_value(operation), 'trees', any_value(in_trees), 'nodes', any_value(on_nodes)) AS evidence
FROM jobs AS j JOIN places AS p ON p.job = j.job
GROUP BY j.tree, j.job
ORDER BY j.tree, from_time, j.job;
-- @seen
SELECT tree, coalesce(sum(with_id), 0)::BIGINT AS seen, 'jobs' AS unit,
  CASE WHEN coalesce(sum(with_id), 0) = 0 THEN 'no job has an id' END AS reason
FROM trees LEFT JOIN internal.job_counts USING (tree)
GROUP BY tree
ORDER BY tree;
