-- How many jobs the log holds.

-- How many jobs there are, by tree, operation, pool and how they ended, by the hours of the
-- log in which they began and ended, and whether they started in the window: with an id of the
-- source, started in the order of a FIFO pool, without a reason for the end, and aborted
-- because concurrent heartbeats had used up their limits. A job of an unknown end has ended
-- in the hour in which it began. A table, since seven audits ask it; each would read all jobs
-- again.
CREATE OR REPLACE TABLE internal.job_counts AS
WITH by_reason AS ( -- of which there are few: texts are looked at once each
  SELECT jobs.tree, operation, pool, end_kind, end_reason, start_time >= trees.from_time AS in_window,
    time_bucket(INTERVAL 1 HOUR, start_time) AS first_hour,
    time_bucket(INTERVAL 1 HOUR, coalesce(end_time, CASE end_kind WHEN 'running' THEN trees.to_time END, start_time)) AS last_hour,
    count(*) AS jobs,
    count(*) FILTER (job <> '') AS with_id,
    count(*) FILTER (in_fifo_order) AS in_fifo_order,
    min(start_time) AS from_time,
    max(coalesce(end_time, start_time)) AS to_time
  FROM jobs JOIN trees ON trees.tree = jobs.tree
  GROUP BY ALL
)
SELECT tree, operation, pool, end_kind, in_window, first_hour, last_hour,
  sum(jobs)::BIGINT AS jobs,
  sum(with_id)::BIGINT AS with_id,
  sum(in_fifo_order)::BIGINT AS in_fifo_order,
  coalesce(sum(jobs) FILTER (end_reason = ''), 0)::BIGINT AS without_reason,
  coalesce(sum(jobs) FILTER (end_reason LIKE '%scheduling%overcommit%'), 0)::BIGINT AS overcommitted,
  min(from_time) AS from_time,
  max(to_time) AS to_time
FROM by_reason
GROUP BY tree, operation, pool, end_kind, in_window, first_hour, last_hour;
