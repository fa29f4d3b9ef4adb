-- What the log records about each resource, one row per tree and resource: how the
-- capacity of nodes and the usage of jobs are known, in how many job starts each
-- occurred, and the unit of the source.
-- @columns tree, resource
-- @column  capacity — how the capacity of nodes is known: recorded, header, or another state of the table coverage
-- @column  capacity_seen starts — job starts on nodes of known capacity
-- @column  usage — how the usage of jobs is known
-- @column  usage_seen starts — job starts of known usage
-- @column  source_unit — unit in which the source counts
-- @example SELECT tree, resource, capacity, usage, source_unit FROM resource_coverage ORDER BY tree, resource
CREATE OR REPLACE VIEW resource_coverage AS
SELECT
  tree,
  resource,
  coalesce(any_value(state) FILTER (aspect = 'capacity.' || resource), 'unknown') AS capacity,
  coalesce(max(seen) FILTER (aspect = 'capacity.' || resource), 0) AS capacity_seen,
  coalesce(any_value(state) FILTER (aspect = 'usage.' || resource), 'unknown') AS usage,
  coalesce(max(seen) FILTER (aspect = 'usage.' || resource), 0) AS usage_seen,
  coalesce(any_value(state) FILTER (aspect = 'unit.' || resource), 'unknown') AS source_unit
FROM (SELECT tree FROM trees) AS t
CROSS JOIN resources
LEFT JOIN coverage USING (tree)
GROUP BY ALL;

-- How refused share updates affect judgements of shares. all_refused: there are no
-- shares; stale: they were out of date for some time. The reason is null if neither holds.
CREATE OR REPLACE VIEW internal.refused_updates AS
SELECT
  tree,
  all_refused,
  NOT all_refused AND refused_us > 0 AS stale,
  CASE
    WHEN all_refused THEN printf('all %d share updates were refused: see the problems', update_count)
    WHEN refused_us > 0 THEN printf('for %s the shares were out of date, since %d of %d share updates were refused: see the problems',
      internal.span_text(refused_us / 1e6), refused_update_count, update_count)
  END AS reason
FROM (
  SELECT tree, refused_us, refused_update_count, update_count, update_count > 0 AND refused_update_count = update_count AS all_refused
  FROM trees
) AS t;
