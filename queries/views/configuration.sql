-- The findings of the rules of configurations with the given ids. What the scheduler
-- refuses leaves the old configuration in force.
CREATE OR REPLACE MACRO internal.configurations_findings(ids) AS TABLE
WITH spans AS (
  SELECT tree, invariant, pool, option_name, rule, refused, min(from_time) AS from_time, max(to_time) AS to_time,
    sum(span_seconds(from_time, to_time)) AS seconds, arg_max(meaning, from_time) AS meaning,
    list(DISTINCT detail ORDER BY detail) FILTER (detail <> '') AS details, bool_or(clipped_from) AS clipped_from, bool_or(clipped_to) AS clipped_to
  FROM configuration_faults
  WHERE list_contains(ids, invariant)
  GROUP BY tree, invariant, pool, option_name, rule, refused
)
SELECT
  tree, invariant,
  concat_ws(' ', invariant, rule, nullif(option_name, ''), CASE WHEN refused THEN 'refused' END) AS aspect,
  'violated' AS verdict,
  CASE WHEN pool = '' THEN 'tree' ELSE 'pool' END AS subject_kind,
  CASE WHEN pool = '' THEN tree ELSE pool END AS subject,
  from_time, to_time, seconds AS magnitude, 's' AS unit,
  printf('The configuration of %s%s for %s: %s%s.%s%s',
    CASE WHEN pool = '' THEN 'tree ' || tree ELSE 'pool ' || pool END,
    CASE WHEN refused THEN ' was refused and the old one in force' ELSE ' was at fault' END,
    internal.span_text(seconds), meaning,
    coalesce(printf(' (%s)', array_to_string(details[1:3], '; ')), ''),
    CASE WHEN option_name = '' THEN '' ELSE printf(' Option %s.', option_name) END,
    internal.clip_text(clipped_from, clipped_to)) AS reason,
  'recorded' AS judged,
  json_object('rule', rule, 'option', option_name, 'refused', refused, 'details', details) AS evidence,
  NULL AS excuse
FROM spans;

-- How many versions of configurations were judged, by tree: each by all rules, of whatever set.
CREATE OR REPLACE MACRO internal.configurations_seen(sets) AS TABLE
SELECT ids, tree, coalesce(sum(seen), 0)::BIGINT AS seen, 'versions of configurations' AS unit,
  CASE WHEN coalesce(sum(seen), 0) = 0 THEN 'the log holds no configuration' END AS reason,
  false AS idle
FROM (SELECT tree, unnest(list_distinct(sets)) AS ids FROM trees) AS t
LEFT JOIN (SELECT tree, seen FROM coverage WHERE aspect IN ('tree_config', 'pool_config') AND state <> 'assumed') AS c USING (tree)
GROUP BY ids, tree;
