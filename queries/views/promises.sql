-- What the configuration promises. Package audit grades each row by the findings
-- of the audits that judge its kind (@judges in their headers) and writes the
-- table promises. A kind more is one more SELECT in promise_terms.

-- What a pool was like over the window, one row per pool: whether anything tested
-- what it was promised.
CREATE OR REPLACE VIEW pool_facts AS
SELECT
  tree,
  pool,
  max(demand_ratio_max) AS demand_ratio,
  max(min_share_ratio) AS min_share_ratio,
  max(operation_count) AS operations,
  max(running_operation_count) AS running_operations,
  any_value(max_operation_count) AS max_operation_count,
  any_value(max_running_operation_count) AS max_running_operation_count,
  -- Whether the resource that demand takes most of was ever a guaranteed one.
  bool_or(demand_ratio > 0 AND (
    demand_share_user_slots >= demand_ratio AND strong_guarantee_share_user_slots > 0 OR
    demand_share_cpu >= demand_ratio AND strong_guarantee_share_cpu > 0 OR
    demand_share_gpu >= demand_ratio AND strong_guarantee_share_gpu > 0 OR
    demand_share_memory >= demand_ratio AND strong_guarantee_share_memory > 0 OR
    demand_share_network >= demand_ratio AND strong_guarantee_share_network > 0)) AS guaranteed_dominates,
  -- Whether demand ever reached what limits leave of the tree.
  bool_or(
    demand_share_user_slots >= limits_share_user_slots AND limits_share_user_slots < 1 OR
    demand_share_cpu >= limits_share_cpu AND limits_share_cpu < 1 OR
    demand_share_gpu >= limits_share_gpu AND limits_share_gpu < 1 OR
    demand_share_memory >= limits_share_memory AND limits_share_memory < 1 OR
    demand_share_network >= limits_share_network AND limits_share_network < 1) AS demand_reached_limits,
  -- Whether it ever had less than its fair share, beyond the tolerance of shares.
  bool_or(usage_ratio_min < fair_share_ratio_max - 1e-4) AS lacked,
  max(resource_demand_user_slots) AS demand_user_slots,
  max(resource_demand_cpu) AS demand_cpu,
  max(resource_demand_gpu) AS demand_gpu,
  max(resource_demand_memory) AS demand_memory,
  max(resource_demand_network) AS demand_network
FROM pool_intervals
GROUP BY tree, pool;

-- What pools were promised of each resource, one row per pool and resource of
-- which the configuration says something.
CREATE OR REPLACE VIEW pool_resources AS
WITH each AS (
  SELECT p.tree, p.pool, p.path, p.parent, unnest([
    {'resource': 'user_slots', 'guarantee': strong_guarantee_user_slots, 'limit': resource_limits_user_slots, 'demand': demand_user_slots, 'total': total_user_slots},
    {'resource': 'cpu', 'guarantee': strong_guarantee_cpu, 'limit': resource_limits_cpu, 'demand': demand_cpu, 'total': total_cpu},
    {'resource': 'gpu', 'guarantee': strong_guarantee_gpu, 'limit': resource_limits_gpu, 'demand': demand_gpu, 'total': total_gpu},
    {'resource': 'memory', 'guarantee': strong_guarantee_memory, 'limit': resource_limits_memory, 'demand': demand_memory, 'total': total_memory},
    {'resource': 'network', 'guarantee': strong_guarantee_network, 'limit': resource_limits_network, 'demand': demand_network, 'total': total_network}]) AS one
  FROM pools AS p
  JOIN trees AS t USING (tree)
  LEFT JOIN pool_facts AS f ON f.tree = p.tree AND f.pool = p.pool
  WHERE p.configured
)
SELECT
  e.tree, e.pool, e.path, e.parent,
  one.resource AS resource,
  one.guarantee::DOUBLE AS guarantee,
  one."limit"::DOUBLE AS limit_amount,
  one.demand::DOUBLE AS demand,
  nullif(one.total, 0)::DOUBLE AS total,
  c.usage AS usage_state
FROM each AS e
JOIN resource_coverage AS c ON c.tree = e.tree AND c.resource = one.resource
WHERE one.guarantee IS NOT NULL OR one."limit" IS NOT NULL;

-- Why a strong guarantee could not be kept whatever the scheduler did, one row
-- per pool and reason (CFG-04, CFG-09 with its 2 %, CFG-14). Guarantees of
-- siblings that exceed what there is are scaled down, all of them.
CREATE OR REPLACE VIEW impossible_guarantees AS
WITH siblings AS (
  SELECT tree, parent, resource, sum(guarantee) AS promised, any_value(total) AS total
  FROM pool_resources
  WHERE guarantee > 0
  GROUP BY tree, parent, resource
)
SELECT g.tree, g.pool,
  CASE
    WHEN s.parent = '<Root>' THEN printf('the pools of the first level are guaranteed %s, and the tree has %s', amount_text(g.resource, s.promised), amount_text(g.resource, s.total))
    ELSE printf('pool %s and its siblings are guaranteed %s, and their parent %s', g.pool, amount_text(g.resource, s.promised), amount_text(g.resource, above.guarantee))
  END AS reason
FROM pool_resources AS g
JOIN siblings AS s ON s.tree = g.tree AND s.parent = g.parent AND s.resource = g.resource
LEFT JOIN pool_resources AS above ON above.tree = g.tree AND above.pool = g.parent AND above.resource = g.resource
WHERE g.guarantee > 0
  AND (s.parent = '<Root>' AND s.promised > s.total * 1.02 OR s.parent <> '<Root>' AND s.promised > above.guarantee * (1 + 1e-6))
UNION ALL
SELECT g.tree, g.pool, printf('pool %s is limited to %s', held.pool, amount_text(g.resource, held.limit_amount))
FROM pool_resources AS g
JOIN pool_resources AS held ON held.tree = g.tree AND held.resource = g.resource AND starts_with(g.path || '/', held.path || '/')
WHERE g.guarantee > held.limit_amount
UNION ALL
SELECT f.tree, f.pool, printf('a max_share_ratio of %.4g of pool %s is below its share of %.4g', held.max_share_ratio, held.pool, f.min_share_ratio)
FROM pool_facts AS f
JOIN pools AS p ON p.tree = f.tree AND p.pool = f.pool AND p.configured
JOIN pools AS held ON held.tree = f.tree AND held.max_share_ratio IS NOT NULL AND starts_with(p.path || '/', held.path || '/')
WHERE held.max_share_ratio < f.min_share_ratio - 1e-4
UNION ALL
SELECT f.tree, f.pool, 'what its operations demanded most of was never a resource that it is guaranteed'
FROM pool_facts AS f
WHERE f.min_share_ratio > 0 AND f.demand_ratio > 0 AND NOT f.guaranteed_dominates;

-- The integral guarantees, one row per pool that has one: what it was promised, and
-- why it could not be kept (CFG-17: what is missing is taken as zero; CFG-09 for
-- amounts that the tree does not have).
CREATE OR REPLACE VIEW integral_promises AS
WITH each AS (
  SELECT p.tree, p.pool, p.path, p.parent, p.integral_guarantee_type AS type, unnest([
    {'resource': 'user_slots', 'flow': resource_flow_user_slots, 'burst': burst_guarantee_user_slots, 'total': total_user_slots},
    {'resource': 'cpu', 'flow': resource_flow_cpu, 'burst': burst_guarantee_cpu, 'total': total_cpu},
    {'resource': 'gpu', 'flow': resource_flow_gpu, 'burst': burst_guarantee_gpu, 'total': total_gpu},
    {'resource': 'memory', 'flow': resource_flow_memory, 'burst': burst_guarantee_memory, 'total': total_memory},
    {'resource': 'network', 'flow': resource_flow_network, 'burst': burst_guarantee_network, 'total': total_network}]) AS one
  FROM pools AS p
  JOIN trees AS t USING (tree)
  WHERE p.configured AND p.integral_guarantee_type <> 'none'
), amounts AS (
  SELECT tree, pool, path, type, one.resource AS resource, one.flow::DOUBLE AS flow, one.burst::DOUBLE AS burst, one.total::DOUBLE AS total,
    sum(one.flow) OVER (PARTITION BY tree, one.resource) AS all_flow,
    sum(one.burst) OVER (PARTITION BY tree, one.resource) AS all_burst
  FROM each
)
SELECT
  tree, pool, path, type,
  string_agg(amount_text(resource, flow), ', ' ORDER BY resource) FILTER (flow > 0) AS flow,
  string_agg(amount_text(resource, burst), ', ' ORDER BY resource) FILTER (burst > 0) AS burst,
  string_agg(printf('pools are promised a flow of %s, and the tree has %s', amount_text(resource, all_flow::DOUBLE), amount_text(resource, total)), '; ' ORDER BY resource)
    FILTER (flow > 0 AND total > 0 AND all_flow > total * 1.02) AS flow_oversold,
  string_agg(printf('pools are promised bursts of %s, and the tree has %s', amount_text(resource, all_burst::DOUBLE), amount_text(resource, total)), '; ' ORDER BY resource)
    FILTER (burst > 0 AND total > 0 AND all_burst > total * 1.02) AS burst_oversold
FROM amounts
GROUP BY tree, pool, path, type;

-- The limits of operation counts, one row per pool and kind, with what tested
-- them and why the room that they speak of cannot be there (CFG-13).
CREATE OR REPLACE VIEW count_promises AS
WITH limits AS (
  SELECT tree, pool, path, parent, 'max_running_operation_count' AS kind, max_running_operation_count AS most,
    own_max_running_operation_count IS NOT NULL AND NOT is_ephemeral AS stated
  FROM pools
  UNION ALL
  SELECT tree, pool, path, parent, 'max_operation_count', max_operation_count, own_max_operation_count IS NOT NULL AND NOT is_ephemeral FROM pools
  UNION ALL -- of the tree as a whole, which is no row of pools
  SELECT tree, pool, '', NULL, 'max_running_operation_count', max_running_operation_count, false FROM pool_facts WHERE pool = '<Root>'
  UNION ALL
  SELECT tree, pool, '', NULL, 'max_operation_count', max_operation_count, false FROM pool_facts WHERE pool = '<Root>'
), in_force AS (
  SELECT tree, pool, parent, kind, most FROM limits WHERE most IS NOT NULL
), stated AS ( -- what only a default says is no promise
  SELECT tree, pool, path, parent, kind, most FROM limits WHERE stated
), siblings AS (
  SELECT tree, parent, kind, sum(most)::BIGINT AS promised, count(*) AS pools FROM stated GROUP BY tree, parent, kind
)
SELECT
  s.tree, s.pool, s.path, s.kind, s.most,
  CASE
    WHEN above.most < s.most THEN printf('its parent %s has room for %d only', above.pool, above.most)
    WHEN above.most < b.promised AND b.pools > 1 THEN printf('with its siblings it has room for %d, and their parent %s for %d', b.promised, above.pool, above.most)
  END AS impossible,
  coalesce(f.operations, 0) AS operations
FROM stated AS s
LEFT JOIN in_force AS above ON above.tree = s.tree AND above.pool = s.parent AND above.kind = s.kind
LEFT JOIN siblings AS b ON b.tree = s.tree AND b.parent = s.parent AND b.kind = s.kind
LEFT JOIN pool_facts AS f ON f.tree = s.tree AND f.pool = s.pool;

-- Every promise of the configuration, one row each. statement is what is
-- promised; impossible why nobody could keep it; missing what the log would have
-- to tell of it; untested why nothing tested it. The last three are null if there
-- is nothing to say. A default is no promise.
CREATE OR REPLACE VIEW promise_terms AS
SELECT
  g.tree, 'strong_guarantee' AS kind, 'pool' AS subject_kind, g.pool AS subject, g.path,
  printf('Pool %s gets %s whenever it demands them.', g.pool, string_agg(amount_text(g.resource, g.guarantee), ', ' ORDER BY g.resource)) AS statement,
  (SELECT string_agg(reason, '; ' ORDER BY reason) FROM impossible_guarantees AS i WHERE i.tree = g.tree AND i.pool = g.pool) AS impossible,
  CASE WHEN bool_and(g.total IS NULL) THEN 'what the tree''s nodes have of ' || string_agg(g.resource, ', ' ORDER BY g.resource) END AS missing,
  CASE WHEN coalesce(any_value(f.demand_ratio), 0) <= 0 THEN 'it demanded nothing' END AS untested
FROM pool_resources AS g
LEFT JOIN pool_facts AS f ON f.tree = g.tree AND f.pool = g.pool
WHERE g.guarantee > 0
GROUP BY g.tree, g.pool, g.path
UNION ALL
SELECT
  tree, 'resource_limits', 'pool', pool, path,
  printf('Pool %s never uses more than %s.', pool, string_agg(amount_text(resource, limit_amount), ', ' ORDER BY resource)),
  NULL,
  CASE WHEN bool_and(usage_state NOT IN ('recorded', 'requested')) THEN 'what jobs use of ' || string_agg(resource, ', ' ORDER BY resource) END,
  CASE WHEN NOT coalesce(bool_or(demand >= limit_amount), false) THEN 'it never demanded as much' END
FROM pool_resources
WHERE limit_amount IS NOT NULL
GROUP BY tree, pool, path
UNION ALL
SELECT
  p.tree, 'max_share_ratio', 'pool', p.pool, p.path,
  printf('Pool %s has no fair share above %.4g %% of what it may be given.', p.pool, 100 * p.max_share_ratio),
  NULL, NULL,
  CASE WHEN NOT coalesce(f.demand_reached_limits, false) THEN 'it never demanded as much' END
FROM pools AS p
LEFT JOIN pool_facts AS f ON f.tree = p.tree AND f.pool = p.pool
WHERE p.configured AND p.max_share_ratio < 1
UNION ALL
SELECT
  tree, kind, 'pool', pool, path,
  printf('Pool %s has room for %s and never more.', pool, count_text(most, CASE WHEN kind = 'max_operation_count' THEN 'operation' ELSE 'running operation' END)),
  impossible, NULL,
  CASE
    WHEN operations = 0 THEN 'it had no operation'
    WHEN operations < most THEN printf('it never had more than %s', count_text(operations, 'operation'))
  END
FROM count_promises
UNION ALL
SELECT
  i.tree, CASE WHEN i.type = 'burst' THEN 'burst_guarantee' ELSE 'relaxed_guarantee' END, 'pool', i.pool, i.path,
  CASE WHEN i.type = 'burst'
    THEN printf('Pool %s gets %s when it demands them, while the volume lasts that a flow of %s gathers.', i.pool, coalesce(i.burst, 'nothing'), coalesce(i.flow, 'nothing'))
    ELSE printf('Pool %s gets a flow of %s over time, when it demands it.', i.pool, coalesce(i.flow, 'nothing'))
  END,
  CASE
    WHEN i.flow IS NULL THEN 'it has no resource_flow, which is taken as zero'
    WHEN i.type = 'burst' AND i.burst IS NULL THEN 'it has no burst_guarantee_resources, which is taken as zero'
    WHEN i.type = 'burst' THEN coalesce(i.burst_oversold, i.flow_oversold)
    ELSE i.flow_oversold
  END,
  NULL,
  CASE WHEN coalesce(f.demand_ratio, 0) <= 0 THEN 'it demanded nothing' END
FROM integral_promises AS i
LEFT JOIN pool_facts AS f ON f.tree = i.tree AND f.pool = i.pool
UNION ALL
SELECT
  p.tree, 'fair_share_starvation_timeout', 'pool', p.pool, p.path,
  printf('What lacks its fair share in pool %s for %s is declared starving.', p.pool, span_text(p.fair_share_starvation_timeout_ms / 1e3)),
  NULL, NULL,
  CASE WHEN NOT coalesce(f.lacked, false) THEN 'the pool never lacked its fair share' END
FROM pools AS p
LEFT JOIN pool_facts AS f ON f.tree = p.tree AND f.pool = p.pool
WHERE p.configured AND p.fair_share_starvation_timeout_ms IS NOT NULL
UNION ALL
SELECT
  p.tree, 'min_share_preemption_timeout', 'pool', p.pool, p.path,
  printf('Pool %s is declared starving when it lacks its strong guarantee for %s.', p.pool, span_text(p.min_share_preemption_timeout_ms / 1e3)),
  CASE WHEN t.profile IN ('baseline', 'current') THEN printf('schedulers of the profile %s take no notice of it', t.profile) END,
  NULL,
  CASE WHEN coalesce(f.demand_ratio, 0) <= 0 OR coalesce(f.min_share_ratio, 0) <= 0 THEN 'it demanded nothing that it was guaranteed' END
FROM pools AS p
JOIN trees AS t USING (tree)
LEFT JOIN pool_facts AS f ON f.tree = p.tree AND f.pool = p.pool
WHERE p.configured AND p.min_share_preemption_timeout_ms IS NOT NULL
UNION ALL
SELECT
  p.tree, 'fifo_order', 'pool', p.pool, p.path,
  printf('Operations of pool %s get their jobs in the order of its queue.', p.pool),
  NULL, NULL,
  CASE WHEN coalesce(f.operations, 0) < 2 THEN 'it never had two operations at once' END
FROM pools AS p
LEFT JOIN pool_facts AS f ON f.tree = p.tree AND f.pool = p.pool
WHERE p.configured AND p.mode = 'fifo'
UNION ALL
SELECT
  tree, 'nodes_filter', 'tree', tree, '',
  printf('The nodes of tree %s serve no other tree.', tree),
  NULL, NULL,
  CASE WHEN node_count = 0 THEN 'it had no nodes' WHEN (SELECT count(*) FROM trees) = 1 THEN 'the run has no other tree' END
FROM trees
WHERE configured;

-- How much of each tree's time and of its recorded decisions could be judged. A
-- decision is a job's start or its preemption in the window, once for each rule
-- that judges it (decision_counts; where there is none, judged is a start on a node
-- of known size), or a step of an operation that the rules of admission have a say
-- in.
CREATE OR REPLACE VIEW judged_parts AS
WITH decisions AS (
  SELECT trees.tree, count(*) FILTER (start_time >= trees.from_time) AS starts,
    count(*) FILTER (end_kind = 'preempted' AND end_time >= trees.from_time) AS preemptions
  FROM jobs JOIN trees USING (tree)
  GROUP BY trees.tree
), counted AS (
  SELECT tree, sum(decisions)::BIGINT AS decisions, coalesce(sum(decisions) FILTER (verdict <> 'undecidable'), 0)::BIGINT AS judged
  FROM decision_counts
  GROUP BY tree
), steps AS (
  SELECT tree, count(*) AS steps, count(*) FILTER (judged) AS judged_steps
  FROM (SELECT tree, bool_or(verdict <> 'undecidable') AS judged FROM admissions GROUP BY tree, time, operation, action) AS s
  GROUP BY tree
), blind AS (
  SELECT trees.tree, sum(overlap_seconds(b.from_time, b.to_time, trees.from_time, trees.to_time)) AS seconds
  FROM blind_windows AS b JOIN trees USING (tree)
  GROUP BY trees.tree
), placed AS (
  SELECT tree, max(capacity_seen) FILTER (capacity IN ('recorded', 'header') AND usage = 'recorded') AS starts
  FROM resource_coverage
  GROUP BY tree
)
SELECT
  t.tree,
  span_seconds(t.from_time, t.to_time) AS seconds,
  -- Refused and blind times that overlap count twice: it is at least so much.
  CASE WHEN u.all_refused OR t.update_count = 0 THEN 0
    ELSE greatest(span_seconds(t.from_time, t.to_time) - t.refused_us / 1e6 - coalesce(b.seconds, 0), 0) END AS judged_seconds,
  (coalesce(c.decisions, coalesce(d.starts, 0) + coalesce(d.preemptions, 0)) + coalesce(s.steps, 0))::BIGINT AS decisions,
  (coalesce(c.judged, least(coalesce(p.starts, 0), coalesce(d.starts, 0))) + coalesce(s.judged_steps, 0))::BIGINT AS judged_decisions,
  concat_ws('; ',
    CASE WHEN t.update_count = 0 THEN 'no fair share was computed' ELSE u.reason END,
    CASE WHEN b.seconds > 0 THEN printf('for %s nothing is alleged: see the table blind_windows', span_text(b.seconds)) END,
    CASE WHEN c.judged < c.decisions THEN printf('%s of starts and preemptions that the log does not settle: see decision_counts', count_text(c.decisions - c.judged, 'judgement')) END,
    CASE WHEN c.decisions IS NULL AND coalesce(d.preemptions, 0) > 0 THEN printf('no audit judges %s', count_text(d.preemptions, 'preemption')) END,
    CASE WHEN s.judged_steps < s.steps THEN printf('%s whose admission the log does not settle', count_text(s.steps - s.judged_steps, 'step')) END,
    CASE WHEN c.decisions IS NULL AND coalesce(p.starts, 0) < coalesce(d.starts, 0) THEN
      printf('%s on nodes or with a use that the log does not tell', count_text(d.starts - coalesce(p.starts, 0), 'job start')) END) AS reason
FROM trees AS t
JOIN refused_updates AS u USING (tree)
LEFT JOIN decisions AS d USING (tree)
LEFT JOIN placed AS p USING (tree)
LEFT JOIN steps AS s USING (tree)
LEFT JOIN counted AS c USING (tree)
LEFT JOIN blind AS b USING (tree)
ORDER BY t.tree;
