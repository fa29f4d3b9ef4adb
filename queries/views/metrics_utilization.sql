-- The utilization metrics of the scheduler simulator's notebooks (ingest/trace/FORMAT.md
-- §1.8): what becomes of the capacity of each node, over time and as integrals. At every
-- moment the capacity of a node is
--
--   used             by its jobs; of all jobs that were preempted later, used_preempted
--   not schedulable  left over where no job could start: of some resource less is left than
--                    the smallest job of the tree takes
--   free             the rest, in two parts
--     allocatable    what heartbeats of the node left although an operation could have had a
--                    job of it (table idle_nodes, so only where heartbeats are recorded)
--     unclaimed      what exceeds the unmet demand of the whole tree: no operation asked for it
--     fragmented     the rest: somebody asked, and no job fitted, was allowed or was given out yet
--   invalid          all of it while jobs take more than the node has, when no part means
--                    anything
--
-- Amounts are whole numbers (hundredths of a core), so that the integrals are exact.

-- The smallest job of each tree: the least of each resource that a job of it was granted.
CREATE OR REPLACE VIEW internal.smallest_jobs AS
SELECT tree, min(resources_user_slots) AS user_slots, min(round(resources_cpu * 100)::BIGINT) AS cpu, min(resources_gpu) AS gpu,
  min(resources_memory) AS memory, min(resources_network) AS network
FROM jobs
GROUP BY tree;

-- What every node had and what its jobs took, from each moment at which that changed until
-- the next.
CREATE OR REPLACE VIEW internal.node_steps AS
WITH turns AS (
  SELECT tree, node, from_time AS time, 1 AS sign, limit_user_slots AS l0, round(limit_cpu * 100)::BIGINT AS l1, limit_gpu AS l2, limit_memory AS l3, limit_network AS l4,
    0 AS u0, 0 AS u1, 0 AS u2, 0 AS u3, 0 AS u4, 0 AS idle
  FROM nodes
  WHERE NOT is_undescribed
  UNION ALL
  SELECT tree, node, to_time, -1, limit_user_slots, round(limit_cpu * 100)::BIGINT, limit_gpu, limit_memory, limit_network, 0, 0, 0, 0, 0, 0 FROM nodes WHERE NOT is_undescribed
  UNION ALL
  SELECT j.tree, node, greatest(start_time, from_time), 1, 0, 0, 0, 0, 0, resources_user_slots, round(resources_cpu * 100)::BIGINT, resources_gpu, resources_memory, resources_network, 0
  FROM jobs AS j JOIN trees USING (tree)
  WHERE node IS NOT NULL
  UNION ALL
  SELECT j.tree, node, greatest(coalesce(end_time, to_time), from_time), -1, 0, 0, 0, 0, 0, resources_user_slots, round(resources_cpu * 100)::BIGINT, resources_gpu, resources_memory, resources_network, 0
  FROM jobs AS j JOIN trees USING (tree)
  WHERE node IS NOT NULL
  UNION ALL
  SELECT tree, node, from_time, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 FROM idle_nodes
  UNION ALL
  SELECT tree, node, to_time, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 FROM idle_nodes
), moved AS (
  SELECT tree, node, time, sum(sign * idle)::BIGINT AS idle,
    sum(sign * l0)::BIGINT AS l0, sum(sign * l1)::BIGINT AS l1, sum(sign * l2)::BIGINT AS l2, sum(sign * l3)::BIGINT AS l3, sum(sign * l4)::BIGINT AS l4,
    sum(sign * u0)::BIGINT AS u0, sum(sign * u1)::BIGINT AS u1, sum(sign * u2)::BIGINT AS u2, sum(sign * u3)::BIGINT AS u3, sum(sign * u4)::BIGINT AS u4
  FROM turns
  GROUP BY tree, node, time
)
SELECT tree, node, time AS from_time, lead(time) OVER w AS to_time, sum(idle) OVER w > 0 AS idle,
  (sum(l0) OVER w)::BIGINT AS limit_user_slots, (sum(l1) OVER w)::BIGINT AS limit_cpu, (sum(l2) OVER w)::BIGINT AS limit_gpu, (sum(l3) OVER w)::BIGINT AS limit_memory, (sum(l4) OVER w)::BIGINT AS limit_network,
  (sum(u0) OVER w)::BIGINT AS used_user_slots, (sum(u1) OVER w)::BIGINT AS used_cpu, (sum(u2) OVER w)::BIGINT AS used_gpu, (sum(u3) OVER w)::BIGINT AS used_memory, (sum(u4) OVER w)::BIGINT AS used_network
FROM moved
WINDOW w AS (PARTITION BY tree, node ORDER BY time);

-- A sum of whole amounts times microseconds in natural units times seconds: core·s, GiB·s.
CREATE OR REPLACE MACRO internal.integral(resource, amount_us) AS
  amount_us::DOUBLE / CASE resource WHEN 'cpu' THEN 1e8 WHEN 'memory' THEN 1073741824e6 ELSE 1e6 END;

-- The parts of a node's capacity, of each resource that it has or its jobs use, from each
-- moment at which they changed until the next: open is what is free and not allocatable.
CREATE OR REPLACE VIEW internal.node_parts AS
WITH states AS MATERIALIZED (
  SELECT tree, node, epoch_us(from_time) AS from_us, epoch_us(to_time) AS to_us, idle,
    used_user_slots > limit_user_slots OR used_cpu > limit_cpu OR used_gpu > limit_gpu OR used_memory > limit_memory OR used_network > limit_network AS invalid,
    coalesce(limit_user_slots - used_user_slots < user_slots OR limit_cpu - used_cpu < cpu OR limit_gpu - used_gpu < gpu
      OR limit_memory - used_memory < memory OR limit_network - used_network < network, false) AS closed,
    limit_user_slots, limit_cpu, limit_gpu, limit_memory, limit_network, used_user_slots, used_cpu, used_gpu, used_memory, used_network
  FROM internal.node_steps LEFT JOIN internal.smallest_jobs USING (tree)
  WHERE to_time IS NOT NULL
), resourceful AS (
  SELECT tree, node, 'user_slots' AS resource, from_us, to_us, idle, invalid, closed, limit_user_slots AS l, used_user_slots AS u FROM states
  UNION ALL SELECT tree, node, 'cpu', from_us, to_us, idle, invalid, closed, limit_cpu, used_cpu FROM states
  UNION ALL SELECT tree, node, 'gpu', from_us, to_us, idle, invalid, closed, limit_gpu, used_gpu FROM states
  UNION ALL SELECT tree, node, 'memory', from_us, to_us, idle, invalid, closed, limit_memory, used_memory FROM states
  UNION ALL SELECT tree, node, 'network', from_us, to_us, idle, invalid, closed, limit_network, used_network FROM states
)
SELECT tree, node, resource, from_us, to_us, l AS capacity,
  CASE WHEN invalid THEN 0 ELSE u END AS used,
  CASE WHEN invalid THEN l ELSE 0 END AS invalid,
  CASE WHEN closed AND NOT invalid THEN l - u ELSE 0 END AS not_schedulable,
  CASE WHEN idle AND NOT closed AND NOT invalid THEN l - u ELSE 0 END AS allocatable,
  CASE WHEN idle OR closed OR invalid THEN 0 ELSE l - u END AS open
FROM resourceful
WHERE l <> 0 OR u <> 0;

-- What became of each tree's capacity, per resource: integrals over bins. A bin as long as
-- the window gives the whole. Units are slot·s, core·s, device·s, GiB·s and unit·s.
-- @param   bin_s s — length of a bin
-- @columns tree, resource, bin
-- @column  capacity amount·s — resources of the nodes
-- @column  used amount·s — used by jobs
-- @column  used_preempted amount·s — of that, by jobs that were preempted later
-- @column  not_schedulable amount·s — left over where the smallest job of the tree does not fit
-- @column  allocatable amount·s — free although an operation could have had a job of it (table idle_nodes)
-- @column  unclaimed amount·s — free, and no operation asked for it
-- @column  fragmented amount·s — free otherwise, though operations asked: in pieces too small, not allowed, or not given out before the next heartbeat
-- @column  invalid amount·s — capacity while jobs took more than the node had
-- @example SELECT bin, used / capacity AS used_part FROM utilization(bin_s := 600) WHERE resource = 'cpu' ORDER BY bin
CREATE OR REPLACE MACRO utilization(bin_s := 3600) AS TABLE
WITH of_nodes AS MATERIALIZED (
  SELECT tree, node, resource, from_us, to_us, capacity, used, invalid, not_schedulable, allocatable, open FROM internal.node_parts
), demanded AS (
  SELECT tree, epoch_us(from_time) AS from_us, epoch_us(to_time) AS to_us, unnest([
    {r: 'user_slots', n: resource_demand_user_slots - resource_usage_user_slots}, {r: 'cpu', n: round((resource_demand_cpu - resource_usage_cpu) * 100)::BIGINT},
    {r: 'gpu', n: resource_demand_gpu - resource_usage_gpu}, {r: 'memory', n: resource_demand_memory - resource_usage_memory},
    {r: 'network', n: resource_demand_network - resource_usage_network}]) AS x
  FROM pool_intervals
  WHERE pool = '<Root>'
), turns AS ( -- of what is open in a tree, of what is allocatable, and of unmet demand
  SELECT tree, resource, from_us AS at_us, open - coalesce(lag(open) OVER w, 0) AS open, allocatable - coalesce(lag(allocatable) OVER w, 0) AS allocatable, 0 AS unmet
  FROM of_nodes
  WINDOW w AS (PARTITION BY tree, resource, node ORDER BY from_us)
  UNION ALL
  SELECT tree, resource, max(to_us), -arg_max(open, from_us), -arg_max(allocatable, from_us), 0 FROM of_nodes GROUP BY tree, resource, node
  UNION ALL
  SELECT tree, x.r, unnest([from_us, to_us]), 0, 0, unnest([1, -1]) * greatest(x.n, 0) FROM demanded
), moved AS (
  SELECT tree, resource, at_us, sum(open)::BIGINT AS open, sum(allocatable)::BIGINT AS allocatable, sum(unmet)::BIGINT AS unmet
  FROM turns
  WHERE open <> 0 OR allocatable <> 0 OR unmet <> 0
  GROUP BY tree, resource, at_us
), levels AS (
  SELECT tree, resource, at_us AS from_us, lead(at_us) OVER w AS to_us, (sum(open) OVER w)::BIGINT AS open,
    (sum(unmet) OVER w)::BIGINT - (sum(allocatable) OVER w)::BIGINT AS wanted
  FROM moved
  WINDOW w AS (PARTITION BY tree, resource ORDER BY at_us)
), open_steps AS (
  SELECT tree, resource, from_us, to_us, open, least(open, greatest(wanted, 0)) AS fragmented FROM levels WHERE to_us IS NOT NULL AND open <> 0
), parts AS (
  SELECT tree, resource, from_us, to_us, capacity, used, invalid, not_schedulable, allocatable, 0 AS preempted, 0 AS open, 0 AS fragmented FROM of_nodes
  UNION ALL
  SELECT tree, resource, from_us, to_us, 0, 0, 0, 0, 0, 0, open, fragmented FROM open_steps
  UNION ALL
  SELECT tree, x.r, from_us, to_us, 0, 0, 0, 0, 0, x.u, 0, 0
  FROM (
    SELECT tree, epoch_us(start_time) AS from_us, epoch_us(end_time) AS to_us, unnest([
      {r: 'user_slots', u: resources_user_slots}, {r: 'cpu', u: round(resources_cpu * 100)::BIGINT}, {r: 'gpu', u: resources_gpu},
      {r: 'memory', u: resources_memory}, {r: 'network', u: resources_network}]) AS x
    FROM jobs
    WHERE end_kind = 'preempted' AND node IS NOT NULL
  ) AS taken
  WHERE x.u <> 0
), windows AS (
  SELECT tree, epoch_us(from_time) AS begin_us, epoch_us(to_time) AS end_us, (bin_s * 1e6)::BIGINT AS bin_us FROM trees
), clipped AS (
  SELECT p.*, begin_us, bin_us, greatest(from_us, begin_us) - begin_us AS low, least(to_us, end_us) - begin_us AS high
  FROM parts AS p JOIN windows USING (tree)
), within AS (
  SELECT * FROM clipped WHERE low < high
), divided AS ( -- nearly all lie within one bin
  SELECT *, low // bin_us AS bin FROM within WHERE low // bin_us = (high - 1) // bin_us
  UNION ALL
  SELECT *, unnest(range(low // bin_us, (high - 1) // bin_us + 1)) FROM within WHERE low // bin_us <> (high - 1) // bin_us
), weighed AS (
  SELECT *, least(high, (bin + 1) * bin_us) - greatest(low, bin * bin_us) AS us FROM divided
)
SELECT tree, resource, make_timestamp(any_value(begin_us) + bin * any_value(bin_us)) AS bin,
  internal.integral(resource, sum(capacity::HUGEINT * us)) AS capacity, internal.integral(resource, sum(used::HUGEINT * us)) AS used, internal.integral(resource, sum(preempted::HUGEINT * us)) AS used_preempted,
  internal.integral(resource, sum(not_schedulable::HUGEINT * us)) AS not_schedulable, internal.integral(resource, sum(allocatable::HUGEINT * us)) AS allocatable,
  internal.integral(resource, sum((open - fragmented)::HUGEINT * us)) AS unclaimed, internal.integral(resource, sum(fragmented::HUGEINT * us)) AS fragmented, internal.integral(resource, sum(invalid::HUGEINT * us)) AS invalid
FROM weighed
GROUP BY tree, resource, bin;

-- What became of each node's capacity over the window, per resource: integrals. Units are
-- slot·s, core·s, device·s, GiB·s and unit·s.
-- @columns tree, node, resource
-- @column  capacity amount·s — resources of the node
-- @column  used amount·s — used by jobs
-- @column  idle amount·s — free, and large enough for the smallest job of the tree
-- @column  not_schedulable amount·s — left over where the smallest job of the tree does not fit
-- @column  invalid amount·s — capacity while jobs took more than the node had
-- @column  used_part ratio — used by capacity
-- @example SELECT node, used_part, idle FROM node_utilization WHERE resource = 'cpu' ORDER BY used_part
CREATE OR REPLACE VIEW node_utilization AS
WITH clipped AS (
  SELECT p.tree, node, resource, capacity, used, allocatable + open AS idle, not_schedulable, invalid,
    least(to_us, epoch_us(t.to_time)) - greatest(from_us, epoch_us(t.from_time)) AS us
  FROM internal.node_parts AS p JOIN trees AS t USING (tree)
)
SELECT tree, node, resource, internal.integral(resource, sum(capacity::HUGEINT * us)) AS capacity, internal.integral(resource, sum(used::HUGEINT * us)) AS used,
  internal.integral(resource, sum(idle::HUGEINT * us)) AS idle, internal.integral(resource, sum(not_schedulable::HUGEINT * us)) AS not_schedulable,
  internal.integral(resource, sum(invalid::HUGEINT * us)) AS invalid,
  sum(used::HUGEINT * us)::DOUBLE / nullif(sum(capacity::HUGEINT * us)::DOUBLE, 0) AS used_part
FROM clipped
WHERE us > 0
GROUP BY tree, node, resource;
