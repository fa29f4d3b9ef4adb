-- @audit     node_left_idle
-- @title     Node left idle while an operation could use it
-- @promise   No node with room stays without a new job for many heartbeats while an operation could start one there.
-- @invariant HB-10
-- @reads     idle_nodes, coverage, trees
-- @needs     heartbeats recorded|sampled — which heartbeats started nothing
-- @param     heartbeats 10 heartbeats — may start nothing in a row (core/spec/invariants.md HB-10)
-- @why       At the 4th heartbeat that started nothing, and whenever there are twice as
--            many, the rules of starts are asked whether an operation could have started
--            its smallest job. A finding is suspect at most, since a controller may decline
--            for locality or because it is throttled, and the log does not record that.
--            Packing excuses it. Recorders may leave out heartbeats that change nothing, so
--            that there were at least as many. There is one finding per node, about its
--            longest span.
WITH longest AS (
  SELECT *, count(*) OVER (PARTITION BY tree, node) AS spans
  FROM idle_nodes
  WHERE heartbeat_count > $heartbeats
  QUALIFY row_number() OVER (PARTITION BY tree, node ORDER BY verdict, heartbeat_count DESC, from_time) = 1
)
SELECT
  tree,
  '' AS aspect,
  verdict,
  'node' AS subject_kind,
  node AS subject,
  from_time,
  to_time,
  heartbeat_count::DOUBLE AS magnitude,
  'heartbeats' AS unit,
  printf('Node %s started nothing at %s in a row, though operation %s of pool %s could have started its smallest job.%s',
    node, internal.count_text(heartbeat_count, 'heartbeat'), operation, pool, coalesce(printf(' Excused: %s.', nullif(excuse, '')), '')) AS reason,
  'possible' AS judged,
  json_object('pool', pool, 'operation', operation, 'first_operation', first_operation,
    'smallest_cpu_cores', smallest_cpu / 100.0, 'free_cpu_cores', free_cpu / 100.0, 'spans', spans) AS evidence,
  nullif(excuse, '') AS excuse
FROM longest
ORDER BY tree, from_time, node;
-- @seen
SELECT trees.tree, coalesce(seen, 0) AS seen, 'heartbeats' AS unit,
  CASE WHEN coalesce(seen, 0) = 0 THEN 'the log holds no heartbeats' END AS reason
FROM trees
LEFT JOIN coverage ON coverage.tree = trees.tree AND aspect = 'heartbeats'
ORDER BY trees.tree;
