-- The duration metrics of the scheduler simulator's notebooks (ingest/trace/FORMAT.md §1.8).

-- When operations were over: the moments by which 99.9 % and all of those that ran and ended
-- in the window had ended, and how long they took from start to end. One row per tree.
-- @columns tree
-- @column  operations operations — operations that ran and ended in the window
-- @column  finish_time_999 UTC — the 99.9 percentile of their ends: the first by which that part had ended
-- @column  finish_time_100 UTC — the last end
-- @column  duration_999 s — the 99.9 percentile of the time from start to end
-- @column  duration_100 s — the longest time from start to end
-- @example SELECT tree, finish_time_999, finish_time_100 FROM finish_times
CREATE OR REPLACE VIEW finish_times AS
SELECT o.tree, count(*) AS operations, quantile_disc(finish_time, 0.999) AS finish_time_999, max(finish_time) AS finish_time_100,
  quantile_disc(span_seconds(start_time, finish_time), 0.999) AS duration_999, max(span_seconds(start_time, finish_time)) AS duration_100
FROM operations AS o JOIN trees USING (tree)
WHERE running_time IS NOT NULL AND finish_time >= from_time
GROUP BY o.tree;

-- How many operations ran, one row per tree and bin: on average, at least and at most. An
-- operation runs from when it could first get jobs until it ends.
-- @param   bin_s s — length of a bin
-- @columns tree, bin
-- @column  running operations — operations that ran, on average over the bin
-- @column  least operations — least that ran at a moment
-- @column  most operations — most that ran at a moment
-- @example SELECT bin, running FROM running_operations() ORDER BY bin
CREATE OR REPLACE MACRO running_operations(bin_s := 60) AS TABLE
WITH turns AS (
  SELECT o.tree, greatest(running_time, from_time) AS time, 1 AS turn FROM operations AS o JOIN trees USING (tree)
  WHERE running_time < to_time AND coalesce(finish_time > from_time, true)
  UNION ALL
  SELECT o.tree, finish_time, -1 FROM operations AS o JOIN trees USING (tree)
  WHERE running_time < finish_time AND finish_time > from_time AND finish_time < to_time
  UNION ALL -- every bin begins anew, and the window ends the last one
  SELECT tree, make_timestamp(unnest(range(epoch_us(from_time), epoch_us(to_time), (bin_s * 1e6)::BIGINT))), 0 FROM trees
  UNION ALL
  SELECT tree, to_time, 0 FROM trees
), steps AS (
  SELECT tree, time, sum(sum(turn)) OVER w AS running, lead(time) OVER w AS until
  FROM turns
  GROUP BY tree, time
  WINDOW w AS (PARTITION BY tree ORDER BY time)
)
SELECT s.tree, window_bin(time, from_time, bin_s) AS bin,
  sum(running * (epoch_us(until) - epoch_us(time)))::DOUBLE / sum(epoch_us(until) - epoch_us(time))::DOUBLE AS running, min(running)::BIGINT AS least, max(running)::BIGINT AS most
FROM steps AS s JOIN trees USING (tree)
WHERE until IS NOT NULL
GROUP BY s.tree, bin;
