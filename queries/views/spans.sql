-- Spans against spans. A relation of spans, named as a text, has the columns tree, element,
-- from_time and to_time; spans of one element may overlap each other. A CTE will do:
--
--   WITH starving AS (SELECT tree, element, from_time, to_time FROM starvation_spans)
--   SELECT tree, element, from_time, to_time FROM span_gaps('starving')

-- The gaps between the spans of each element.
-- @param   spans — name of a table, view or CTE with the columns tree, element, from_time and to_time
-- @columns tree, element
-- @column  from_time UTC — start of the gap
-- @column  to_time UTC — end of the gap, exclusive
-- @column  seconds s — length of the gap
-- @example WITH spans AS (SELECT tree, node AS element, start_time AS from_time, end_time AS to_time FROM jobs WHERE end_time IS NOT NULL) SELECT element AS node, max(seconds) AS longest_without_jobs FROM span_gaps('spans') GROUP BY node ORDER BY longest_without_jobs DESC
CREATE OR REPLACE MACRO span_gaps(spans) AS TABLE
WITH reached AS (
  SELECT tree, element, from_time,
    max(to_time) OVER (PARTITION BY tree, element ORDER BY from_time, to_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reach
  FROM query_table(spans)
)
SELECT tree, element, reach AS from_time, from_time AS to_time, span_seconds(reach, from_time) AS seconds
FROM reached
WHERE reach < from_time;

-- The times that spans of two relations have in common, element by element: each row is as
-- long as it can be.
-- @param   spans — name of a table, view or CTE with the columns tree, element, from_time and to_time
-- @param   others — name of another one
-- @columns tree, element, from_time, to_time, seconds
-- @example WITH etl AS (SELECT tree, node AS element, start_time AS from_time, end_time AS to_time FROM jobs WHERE pool = 'etl' AND end_time IS NOT NULL), dora AS (SELECT tree, node AS element, start_time AS from_time, end_time AS to_time FROM jobs WHERE pool = 'dora' AND end_time IS NOT NULL) SELECT element AS node, sum(seconds) AS shared_s FROM span_overlaps('etl', 'dora') GROUP BY node ORDER BY shared_s DESC
CREATE OR REPLACE MACRO span_overlaps(spans, others) AS TABLE
WITH turns AS (
  SELECT tree, element, from_time AS time, 1 AS own, 0 AS other FROM query_table(spans)
  UNION ALL
  SELECT tree, element, to_time, -1, 0 FROM query_table(spans)
  UNION ALL
  SELECT tree, element, from_time, 0, 1 FROM query_table(others)
  UNION ALL
  SELECT tree, element, to_time, 0, -1 FROM query_table(others)
), moved AS (
  SELECT tree, element, time, sum(own)::BIGINT AS own, sum(other)::BIGINT AS other FROM turns GROUP BY tree, element, time
), steps AS (
  SELECT tree, element, time AS from_time, lead(time) OVER w AS to_time, sum(own) OVER w > 0 AND sum(other) OVER w > 0 AS common
  FROM moved
  WINDOW w AS (PARTITION BY tree, element ORDER BY time)
), marked AS (
  SELECT tree, element, from_time, to_time, common, common AND NOT coalesce(lag(common) OVER (PARTITION BY tree, element ORDER BY from_time), false) AS opens FROM steps
), numbered AS (
  SELECT tree, element, from_time, to_time, common, sum(opens::INT) OVER (PARTITION BY tree, element ORDER BY from_time) AS stretch FROM marked
)
SELECT tree, element, min(from_time) AS from_time, max(to_time) AS to_time, span_seconds(min(from_time), max(to_time)) AS seconds
FROM numbered
WHERE common
GROUP BY tree, element, stretch;
