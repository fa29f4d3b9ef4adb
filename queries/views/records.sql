-- What the scheduler recorded of itself and what that breaks. The replay judges
-- every record (core/spec/scheduling.md §13); these macros make findings of its spans.

-- The findings of the rules with the given ids, one row per span.
CREATE OR REPLACE MACRO internal.records_findings(ids) AS TABLE
SELECT
  tree,
  invariant,
  concat_ws(' ', invariant, nullif(aspect, '')) AS aspect,
  verdict,
  element_kind AS subject_kind,
  coalesce(operation, pool) AS subject,
  from_time,
  to_time,
  CASE
    WHEN side_unit = 'µs' THEN abs(found_value - allowed_value) / 1e6
    WHEN side_unit = 'amount' THEN internal.natural_amount(resource, abs(found_value - allowed_value), internal.source_unit(resource))
    WHEN side_unit IN ('share', 's', 'number') THEN abs(found_value - allowed_value)
    ELSE record_count::DOUBLE
  END AS magnitude,
  CASE
    WHEN side_unit IN ('µs', 's') THEN 's'
    WHEN side_unit = 'amount' THEN unit
    WHEN side_unit = 'share' THEN 'share'
    WHEN side_unit = 'number' AND (starts_with(invariant, 'CNT') OR starts_with(invariant, 'LW')) THEN 'operations'
    WHEN side_unit = 'number' THEN 'jobs'
    ELSE 'records'
  END AS unit,
  printf('%s %s, in %s of the scheduler: %s%s.', CASE element_kind WHEN 'pool' THEN 'Pool' ELSE 'Operation' END, coalesce(operation, pool),
    CASE WHEN verdict = 'violated' AND violated_count < record_count THEN violated_count || ' of ' ELSE '' END || internal.count_text(record_count, 'record'), regexp_replace(sentence, '^[A-Z]+-[0-9]+ [a-z]+: ', ''), coalesce(' (' || nullif(aspect, '') || ')', '')) AS reason,
  judged,
  json_object('pool', pool, 'records', record_count, 'violated_records', violated_count,
    'worst_time', internal.time_text(worst_time), 'found', internal.side_value(found_value, side_unit, resource, internal.source_unit('gpu')), 'allowed', internal.side_value(allowed_value, side_unit, resource, internal.source_unit('gpu')),
    'unit', internal.side_unit_text(side_unit, resource),
    'resource', resource, 'excuse', excuse) AS evidence,
  replace(nullif(excuse, ''), '_', ' ') AS excuse
FROM snapshot_checks JOIN resources USING (resource)
WHERE list_contains(ids, invariant);

-- How many records were judged by the rules with the ids of each set, by tree.
CREATE OR REPLACE MACRO internal.records_seen(sets) AS TABLE
WITH asked AS (
  SELECT DISTINCT unnest(sets) AS ids
), judged AS (
  SELECT * FROM snapshot_tallies JOIN (SELECT ids, unnest(ids) AS invariant FROM asked) AS a USING (invariant)
)
SELECT
  ids,
  tree,
  coalesce(sum(ok_count + excused_count + suspect_count + violated_count), 0)::BIGINT AS seen,
  'records' AS unit,
  CASE
    WHEN coalesce(sum(ok_count + excused_count + suspect_count + violated_count), 0) > 0 THEN NULL
    WHEN sum(undecidable_count) > 0 THEN printf('%s cannot be judged without %s', internal.count_text(sum(undecidable_count), 'record'), replace(max(missing), '_', ' '))
    WHEN count(invariant) = 0 AND tree NOT IN (SELECT tree FROM snapshot_tallies) THEN 'the log holds no records of the scheduler about itself'
    ELSE 'no record of the scheduler is about it'
  END AS reason,
  count(invariant) = 0 AND tree IN (SELECT tree FROM snapshot_tallies) AS idle
FROM (SELECT tree, unnest(list_distinct(sets)) AS ids FROM trees) AS t LEFT JOIN judged USING (tree, ids)
GROUP BY ids, tree;

-- The pools whose records were judged by the rules with the given ids, and when (for
-- the query after @tested); missing is set where none could be judged, or a version of a pool has none.
CREATE OR REPLACE MACRO internal.records_tested(ids) AS TABLE
SELECT tree, NULL AS kind, pool AS subject, from_time, to_time,
  CASE WHEN sum(ok_count + excused_count + suspect_count + violated_count) = 0 THEN printf('its records cannot be judged without %s', replace(max(missing), '_', ' ')) END AS missing
FROM snapshot_tallies
WHERE list_contains(ids, invariant)
GROUP BY tree, pool, from_time, to_time
UNION ALL
SELECT v.tree, NULL, v.pool, v.from_time, v.to_time, 'the log holds no record of the scheduler about it'
FROM pool_versions AS v
ASOF LEFT JOIN (
  SELECT tree, pool, from_time, max(to_time) OVER (PARTITION BY tree, pool ORDER BY from_time) AS reach
  FROM snapshot_tallies
  WHERE list_contains(ids, invariant)
) AS t ON t.tree = v.tree AND t.pool = v.pool AND t.from_time < v.to_time
WHERE coalesce(t.reach <= v.from_time, true);
