-- How long operations waited for admission.

-- How long operations waited for admission, one row per operation that came to run or waited
-- in the window.
-- @columns tree, operation, user_name, pool
-- @column  start_time UTC — when the operation was started
-- @column  until_time UTC — when it first ran, else when it or the window ended
-- @column  wait_s s — time within the window from its start until until_time
-- @column  outcome — running if it came to run, else its final_state
-- @column  clipped_from — whether it was started before the window
-- @column  pending_s s — all the time that it waited, later waits included
-- @column  held_s s — the part of pending_s in which a pool of its chain was full
-- @column  states — how the log knows who runs: recorded; placed, by the first task, so that a wait may have been for resources; assumed, so that wait_s means nothing
-- @example SELECT pool, operation, wait_s, outcome FROM queue_waits ORDER BY wait_s DESC LIMIT 10
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

-- How long the operations of each pool waited for admission, one row per pool. Trees in which
-- the log does not record who runs have no rows.
-- @columns tree, pool
-- @column  operations operations — operations that came to run or waited in the window
-- @column  waited operations — those that waited at all
-- @column  never_ran operations — those that waited and did not run in the window
-- @column  mean_wait_s s — wait on average, over all operations
-- @column  median_wait_s s — half of the operations waited no longer
-- @column  wait_95_s s — 95 % of the operations waited no longer
-- @column  longest_wait_s s — the longest wait
-- @example SELECT pool, operations, mean_wait_s, longest_wait_s FROM pool_queue_waits ORDER BY longest_wait_s DESC
CREATE OR REPLACE VIEW pool_queue_waits AS
SELECT tree, pool, count(*) AS operations, count(*) FILTER (wait_s > 0) AS waited, count(*) FILTER (outcome <> 'running') AS never_ran,
  sum((wait_s * 1e6)::BIGINT)::BIGINT / 1e6 / count(*) AS mean_wait_s, quantile_disc(wait_s, 0.5) AS median_wait_s, quantile_disc(wait_s, 0.95) AS wait_95_s, max(wait_s) AS longest_wait_s
FROM queue_waits
WHERE states <> 'assumed'
GROUP BY tree, pool;
