-- @audit     heartbeats_out_of_order
-- @title     Heartbeats out of order
-- @promise   The heartbeats of a node are strictly ordered and not concurrent.
-- @invariant LOG-03
-- @reads     problems, coverage
-- @needs     heartbeats recorded|sampled — heartbeats as they were
-- @why       The replay sorts the rows of a file, leaves out a heartbeat whose time and number
--            another one has, and lists it among the problems. What the scheduler did then is
--            not known: who wrote the file may have made the mistake. There is one finding per file.
SELECT
  t.tree,
  p.source AS aspect,
  'undecidable' AS verdict,
  'tree' AS subject_kind,
  t.tree AS subject,
  t.from_time,
  t.to_time,
  count(*)::DOUBLE AS magnitude,
  'rows' AS unit,
  printf('%s of %s left out, as they do not follow the row before them in time: the first is row %d.', internal.count_text(count(*), 'heartbeat'), p.source, min(p.row_number)) AS reason,
  'possible' AS judged,
  json_object('codes', list(DISTINCT p.code ORDER BY p.code), 'first_row', min(p.row_number)) AS evidence
FROM problems AS p
JOIN trees AS t ON t.tree = regexp_extract(p.source, 'tree=([^/]*)/heartbeats', 1)
WHERE p.code IN ('out_of_order', 'duplicate_seq')
GROUP BY t.tree, t.from_time, t.to_time, p.source
ORDER BY t.tree, p.source;
-- @seen
SELECT tree, coalesce(max(seen) FILTER (aspect = 'heartbeats'), 0)::BIGINT AS seen, 'heartbeats' AS unit,
  CASE WHEN coalesce(max(seen) FILTER (aspect = 'heartbeats'), 0) = 0 THEN 'the log holds no heartbeats' END AS reason
FROM trees LEFT JOIN coverage USING (tree)
GROUP BY tree
ORDER BY tree;
