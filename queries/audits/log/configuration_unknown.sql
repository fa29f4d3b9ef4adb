-- @audit     configuration_unknown
-- @title     Configuration not known throughout
-- @promise   The log holds every version of the configuration in the audited interval.
-- @invariant LOG-05
-- @reads     coverage, tree_versions, trees
-- @why       Where the log holds one version or none, the configuration of the rest of the
--            time is assumed, and what it decides is undecidable. A version that ends
--            before the next one begins leaves a gap, which is violated. A gap of a pool is
--            not judged: a trace distinguishes it from a removal (a removal is a row with
--            deleted, a gap is valid_to and no row), but pool_versions ends alike in both
--            cases.
SELECT
  tree,
  aspect,
  'undecidable' AS verdict,
  'tree' AS subject_kind,
  tree AS subject,
  from_time,
  to_time,
  span_seconds(from_time, to_time) AS magnitude,
  's' AS unit,
  CASE state
    WHEN 'single' THEN printf('The log holds one version of the %s of tree %s: whether it was in force throughout is not known.', replace(aspect, '_config', ' configuration'), tree)
    ELSE printf('The log does not hold the %s of tree %s: it is %s.', replace(aspect, '_config', ' configuration'), tree, state)
  END AS reason,
  'recorded' AS judged,
  json_object('state', state, 'versions', seen) AS evidence
FROM coverage JOIN trees USING (tree)
WHERE aspect IN ('tree_config', 'pool_config') AND state <> 'history'
UNION ALL
SELECT
  v.tree, 'gap', 'violated', 'tree', v.tree, v.from_time, v.to_time, span_seconds(v.from_time, v.to_time), 's',
  printf('The history of the tree configuration of tree %s has a gap of %s: no version was in force.%s', v.tree,
    internal.span_text(span_seconds(v.from_time, v.to_time)), internal.clip_text(v.clipped_from, v.clipped_to)),
  'recorded',
  json_object('state', c.state, 'versions', c.seen)
FROM tree_versions AS v
JOIN coverage AS c ON c.tree = v.tree AND c.aspect = 'tree_config'
WHERE v.assumed AND c.state = 'history'
ORDER BY ALL;
-- @seen
SELECT tree, count(*) FILTER (state = 'history') AS seen, 'kinds of configuration' AS unit,
  CASE
    WHEN count(aspect) = 0 THEN 'the log does not record how it knows its configuration'
    WHEN bool_or(state <> 'history') THEN printf('not known throughout: %s', string_agg(printf('%s, which is %s', replace(aspect, '_config', ' configuration'), state), '; ' ORDER BY aspect) FILTER (state <> 'history'))
  END AS reason
FROM trees LEFT JOIN (SELECT tree, aspect, state FROM coverage WHERE aspect IN ('tree_config', 'pool_config')) AS c USING (tree)
GROUP BY tree
ORDER BY tree;
