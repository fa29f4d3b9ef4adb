-- How long operations waited for admission.

-- One row per operation that came to run or waited in the window. wait_s is the time within
-- the window from its start until it first ran, else until it or the window ended.
-- clipped_from: it came before the window. pending_s is all the time that it waited, later
-- waits included; held_s is the part of it in which a pool of its chain was full. states is
-- how the log knows who runs: recorded; placed, by the first task, so that a wait may have
-- been for resources; or assumed, so that wait_s means nothing.
CREATE OR REPLACE VIEW queue_waits AS
WITH pended AS (
  SELECT tree, operation, sum(span_seconds(from_time, to_time)) AS pending_s, sum(held_us) / 1e6 AS held_s
  FROM pending_episodes
  GROUP BY tree, operation
), waits AS (
  SELECT o.tree, o.operation, o.user_name, o.pool, o.start_time, o.running_time, o.final_state, t.from_time AS window_from,
    coalesce(o.running_time, o.finish_time, t.to_time) AS until_time,
    CASE WHEN s.assumed THEN 'assumed' WHEN s.placed THEN 'placed' ELSE 'recorded' END AS states
  FROM operations AS o
  JOIN trees AS t USING (tree)
  JOIN internal.operation_states AS s USING (tree)
)
SELECT w.tree, w.operation, w.user_name, w.pool, w.start_time, w.until_time,
  span_seconds(greatest(w.start_time, w.window_from), w.until_time) AS wait_s,
  CASE WHEN w.running_time IS NOT NULL THEN 'running' ELSE w.final_state END AS outcome,
  w.start_time < w.window_from AS clipped_from,
  coalesce(p.pending_s, 0) AS pending_s, coalesce(p.held_s, 0) AS held_s, w.states
FROM waits AS w
LEFT JOIN pended AS p USING (tree, operation)
WHERE w.until_time >= w.window_from AND w.final_state NOT IN ('rejected', 'ended');
