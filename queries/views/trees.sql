-- What the audits of operations over all their trees share. One pass over all trees has
-- judged every operation; each of its trees has the row, and the first tree has the finding.

-- A list of trees for a person: a; a and b; none.
CREATE OR REPLACE MACRO internal.trees_text(trees) AS CASE
  WHEN trees = '' THEN 'none'
  ELSE regexp_replace(replace(trees, ',', ', '), ', ([^,]*)$', ' and \1')
END;

-- What was wrong with an operation in its trees, as the end of "Operation o ".
CREATE OR REPLACE MACRO internal.tree_fault_text(invariant, trees, expected, ended, since, until, error_code, n, most) AS CASE
  WHEN invariant = 'TREE-05' THEN printf('started in %s, and asked for %s.', internal.trees_text(trees), internal.trees_text(expected))
  WHEN invariant = 'TREE-06' AND trees <> '' AND ended = '' THEN printf('stayed in tree %s, which was gone at %s.', trees, internal.clock_text(since))
  WHEN invariant = 'TREE-06' AND trees <> '' THEN printf('left tree %s %s after it was removed (%s).', trees, internal.span_text(span_seconds(since, until)), ended)
  WHEN invariant = 'TREE-06' AND ended = '' THEN printf('lived on after it had lost its last tree at %s.', internal.clock_text(since))
  WHEN invariant = 'TREE-06' AND ended = 'aborted' THEN printf('was aborted %s after it had lost its last tree.', internal.span_text(span_seconds(since, until)))
  WHEN invariant = 'TREE-06' THEN printf('%s %s after it had lost its last tree, for which it is to be aborted.', ended, internal.span_text(span_seconds(since, until)))
  WHEN invariant = 'TREE-07' AND error_code IS NOT NULL THEN printf('named no tree and was refused for want of one (error %d), although %s is the default tree.', error_code, internal.trees_text(expected))
  WHEN invariant = 'TREE-07' AND expected = '' THEN printf('named no tree and started in %s, although there is no default tree.', internal.trees_text(trees))
  WHEN invariant = 'TREE-07' THEN printf('named no tree and started in %s, although the default tree is %s.', internal.trees_text(trees), expected)
  WHEN invariant = 'TREE-10' AND n = 1 THEN printf('is to be scheduled in a single tree and kept %s, where it did not run.', trees)
  WHEN invariant = 'TREE-10' THEN printf('is to be scheduled in a single tree and kept %s once it had materialized.', internal.trees_text(trees))
  WHEN invariant = 'CNT-08' THEN printf('started in a cluster that held %s and may hold %d (max_operation_count).', internal.count_text(n, 'operation'), internal.whole(most))
END;

-- The operations that break one of the given rules, as findings.
CREATE OR REPLACE MACRO internal.tree_checks_findings(ids) AS TABLE
SELECT
  r.tree, r.invariant, concat_ws(' ', r.invariant, nullif(r.trees, '')) AS aspect, r.verdict, 'operation' AS subject_kind, r.operation AS subject,
  r.time AS from_time, coalesce(r.until, r.time) AS to_time, greatest(r."count" - r.limit_value + CASE r.invariant WHEN 'CNT-08' THEN 1 ELSE 0 END, 1)::DOUBLE AS magnitude,
  CASE r.invariant WHEN 'TREE-10' THEN 'trees' ELSE 'operations' END AS unit,
  'Operation ' || r.operation || ' '
    || internal.tree_fault_text(r.invariant, r.trees, r.expected_trees, r.ended, r.time, r.until, r.error_code, r."count", r.limit_value)
    || CASE r.verdict
      WHEN 'excused' THEN printf(' Excused: %s.', internal.excuse_text(r.excuse))
      WHEN 'suspect' THEN CASE r.invariant
        WHEN 'TREE-10' THEN ' It left the others soon after.'
        WHEN 'TREE-05' THEN ' The log does not record whether it was offloaded, or the settings had just changed.'
        ELSE ' The settings had just changed.'
      END
      ELSE ''
    END AS reason,
  r.judged,
  json_object('trees', r.trees, 'expected_trees', r.expected_trees, 'ended', r.ended, 'count', r."count", 'limit_value', r.limit_value) AS evidence,
  CASE r.verdict WHEN 'excused' THEN internal.excuse_text(r.excuse) END AS excuse
FROM tree_checks AS r
WHERE list_contains(ids, r.invariant) AND r.is_first AND r.verdict IN ('violated', 'suspect', 'excused');

-- What a rule about the trees of operations judges, and the reason where the log has none.
CREATE OR REPLACE MACRO internal.tree_check_cases(invariant) AS CASE invariant
  WHEN 'CNT-08' THEN {'unit': 'starts', 'none': 'the log records no start'}
  WHEN 'TREE-06' THEN {'unit': 'lost trees', 'none': 'no operation lost the tree or its last one'}
  WHEN 'TREE-07' THEN {'unit': 'starts without a tree', 'none': 'the log records no start of an operation that names no tree'}
  WHEN 'TREE-10' THEN {'unit': 'choices of a tree', 'none': 'no operation for a single tree started in several'}
END;

-- How many times the rules with the ids of each set were judged, by tree, with the reason if
-- never.
CREATE OR REPLACE MACRO internal.tree_checks_seen(sets) AS TABLE
WITH asked AS (
  SELECT DISTINCT unnest(sets) AS ids
)
SELECT ids, t.tree, count(r.verdict) FILTER (r.verdict <> 'undecidable') AS seen, internal.tree_check_cases(ids[1]).unit AS unit,
  CASE
    WHEN count(r.verdict) = 0 THEN internal.tree_check_cases(ids[1]).none
    WHEN count(r.verdict) FILTER (r.verdict <> 'undecidable') = 0 THEN CASE max(r.missing)
      WHEN 'configuration' THEN 'the log does not hold the settings above the trees'
      ELSE printf('the log lacks the %s of operations', max(r.missing))
    END
  END AS reason,
  -- Without specs the log does not record what operations asked for.
  count(r.verdict) = 0 AND (NOT list_has_any(ids, ['TREE-07', 'TREE-10']) OR t.tree NOT IN (SELECT tree FROM tree_choices WHERE NOT spec_known)) AS idle
FROM (SELECT tree, unnest(list_distinct(sets)) AS ids FROM trees) AS t
LEFT JOIN (SELECT ids, tree, verdict, missing FROM tree_checks JOIN (SELECT ids, unnest(ids) AS invariant FROM asked) AS a USING (invariant)) AS r USING (tree, ids)
GROUP BY ids, t.tree;

-- Whether the log only samples nodes, and shows the tree of a node by its tags alone.
CREATE OR REPLACE VIEW internal.node_states AS
SELECT trees.tree, coalesce(c.state IN ('sampled', 'inferred'), FALSE) AS sampled, coalesce(c.state = 'inferred', FALSE) AS inferred
FROM trees LEFT JOIN (SELECT tree, state FROM coverage WHERE aspect = 'node_states') AS c USING (tree);

-- The spans in which the log does not settle which tree a node served, as a list by tree.
CREATE OR REPLACE VIEW internal.uncertain_nodes AS
WITH absences AS (
  SELECT tree, node, to_time AS from_time, lead(from_time, 1, TIMESTAMP '9999-01-01') OVER (PARTITION BY tree, node ORDER BY from_time) AS to_time
  FROM nodes
  WHERE tree IN (SELECT tree FROM internal.node_states WHERE inferred)
), spans AS (
  SELECT tree, node, from_time, to_time, printf('The tags of node %s matched several trees.', node) AS reason
  FROM shared_nodes
  WHERE shared_by = 'tags'
  UNION ALL
  SELECT tree, node, from_time, to_time, printf('Only its tags show that node %s did not serve the tree.', node)
  FROM absences
  WHERE to_time > from_time
)
SELECT trees.tree, coalesce(list({'reason': reason, 'from_time': spans.from_time, 'to_time': spans.to_time} ORDER BY spans.from_time, node, reason) FILTER (spans.tree IS NOT NULL), []) AS spans
FROM trees LEFT JOIN spans ON spans.tree = trees.tree
GROUP BY trees.tree;
