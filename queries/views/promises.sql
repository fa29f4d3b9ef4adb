-- What the configuration promises. Package audit grades each row by the findings
-- of the audits that judge its kind (@judges in their headers) and writes the
-- table promises. A kind more is one more SELECT in promise_terms.

-- What a pool was like while a version of its settings was in force, one row per
-- version: whether anything tested what it was promised.
CREATE OR REPLACE VIEW pool_facts AS
SELECT
  v.tree,
  v.pool,
  v.from_time,
  v.to_time,
  max(demand_ratio_max) AS demand_ratio,
  max(min_share_ratio) AS min_share_ratio,
  max(operation_count) AS operations,
  -- Whether it demanded while a strong guarantee had a share, was owed some of an
  -- integral one, or had jobs.
  bool_or(min_share_ratio > 0 AND demand_ratio_max > 0) AS asked_guarantee,
  bool_or(integral_share_ratio > 0) AS owed_integral,
  bool_or(usage_ratio_max > 0 OR resource_usage_user_slots > 0 OR resource_usage_cpu > 0 OR resource_usage_gpu > 0
    OR resource_usage_memory > 0 OR resource_usage_network > 0) AS used,
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
FROM pool_versions AS v
JOIN pool_intervals AS i ON i.tree = v.tree AND i.pool = v.pool AND i.from_time < v.to_time AND i.to_time > v.from_time -- few per pool
GROUP BY v.tree, v.pool, v.from_time, v.to_time;

-- What pools were promised of each resource, one row per version and resource of
-- which the configuration says something.
CREATE OR REPLACE VIEW pool_resources AS
WITH each AS (
  SELECT p.tree, p.pool, p.path, p.parent, p.from_time, p.to_time, unnest([
    {'resource': 'user_slots', 'guarantee': strong_guarantee_user_slots, 'limit': resource_limits_user_slots, 'demand': demand_user_slots, 'total': total_user_slots},
    {'resource': 'cpu', 'guarantee': strong_guarantee_cpu, 'limit': resource_limits_cpu, 'demand': demand_cpu, 'total': total_cpu},
    {'resource': 'gpu', 'guarantee': strong_guarantee_gpu, 'limit': resource_limits_gpu, 'demand': demand_gpu, 'total': total_gpu},
    {'resource': 'memory', 'guarantee': strong_guarantee_memory, 'limit': resource_limits_memory, 'demand': demand_memory, 'total': total_memory},
    {'resource': 'network', 'guarantee': strong_guarantee_network, 'limit': resource_limits_network, 'demand': demand_network, 'total': total_network}]) AS one
  FROM pool_versions AS p
  JOIN trees AS t USING (tree)
  LEFT JOIN pool_facts AS f ON f.tree = p.tree AND f.pool = p.pool AND f.from_time = p.from_time
)
SELECT
  e.tree, e.pool, e.path, e.parent, e.from_time, e.to_time,
  one.resource AS resource,
  one.guarantee::DOUBLE AS guarantee,
  one."limit"::DOUBLE AS limit_amount,
  one.demand::DOUBLE AS demand,
  nullif(one.total, 0)::DOUBLE AS total,
  c.usage AS usage_state
FROM each AS e
JOIN resource_coverage AS c ON c.tree = e.tree AND c.resource = one.resource
WHERE one.guarantee IS NOT NULL OR one."limit" IS NOT NULL;

-- The faults of configurations in force that make a promise void, one row per pool,
-- kind of promise and span. A fault of a set of children stands at their parent, or
-- at the tree.
CREATE OR REPLACE VIEW void_promises AS
WITH faults AS (
  SELECT tree, nullif(pool, '') AS at, rule, option_name, from_time, to_time,
    meaning || printf(' (%s)', concat_ws(': ', nullif(pool, ''), nullif(detail, ''))) AS reason,
    CASE option_name WHEN 'strong_guarantee_resources' THEN ['strong'] ELSE ['burst', 'relaxed'] END AS guarantees
  FROM configuration_faults
  WHERE NOT refused AND rule IN ('guarantee_above_total', 'guarantee_sum', 'guarantee_without_parent', 'integral_under_integral')
)
SELECT f.tree, v.pool, v.from_time AS version, kind, f.from_time, f.to_time, reason
FROM faults AS f
JOIN (
  SELECT tree, pool, parent, from_time, to_time, unnest([
    CASE WHEN coalesce(strong_guarantee_user_slots, strong_guarantee_cpu, strong_guarantee_gpu, strong_guarantee_memory, strong_guarantee_network) IS NOT NULL THEN 'strong' END,
    CASE WHEN integral_guarantee_type <> 'none' THEN integral_guarantee_type::VARCHAR END]) || '_guarantee' AS kind
  FROM pool_versions
) AS v ON v.tree = f.tree AND v.kind IS NOT NULL AND list_contains(guarantees, replace(v.kind, '_guarantee', ''))
  AND CASE rule WHEN 'guarantee_above_total' THEN v.parent = '<Root>' WHEN 'guarantee_sum' THEN v.parent = f.at ELSE v.pool = f.at END
  AND f.from_time < v.to_time AND f.to_time > v.from_time;

-- What is void of each version's guarantees, one row per version and kind of promise:
-- for how many seconds, and why. Faults that overlap count twice: it is at most so
-- much.
CREATE OR REPLACE VIEW void_seconds AS
SELECT p.tree, p.pool, p.version, p.kind, string_agg(DISTINCT reason, '; ' ORDER BY reason) AS reason,
  max(overlap_seconds(p.from_time, p.to_time, v.from_time, v.to_time)) AS seconds
FROM void_promises AS p
JOIN pool_versions AS v ON v.tree = p.tree AND v.pool = p.pool AND v.from_time = p.version
GROUP BY p.tree, p.pool, p.version, p.kind;

-- Why a strong guarantee could not be kept whatever the scheduler did, one row
-- per version and reason, beyond the faults of the configuration.
CREATE OR REPLACE VIEW impossible_guarantees AS
SELECT g.tree, g.pool, g.from_time, printf('pool %s is limited to %s', held.pool, amount_text(g.resource, held.limit_amount)) AS reason
FROM pool_resources AS g
JOIN pool_resources AS held ON held.tree = g.tree AND held.resource = g.resource AND starts_with(g.path || '/', held.path || '/')
  AND held.from_time <= g.from_time AND held.to_time > g.from_time
WHERE g.guarantee > held.limit_amount
UNION ALL
SELECT f.tree, f.pool, f.from_time, printf('a max_share_ratio of %.4g of pool %s is below its share of %.4g', held.max_share_ratio, held.pool, f.min_share_ratio)
FROM pool_facts AS f
JOIN pool_versions AS p ON p.tree = f.tree AND p.pool = f.pool AND p.from_time = f.from_time
JOIN pool_versions AS held ON held.tree = f.tree AND held.max_share_ratio IS NOT NULL AND starts_with(p.path || '/', held.path || '/')
  AND held.from_time <= p.from_time AND held.to_time > p.from_time
WHERE held.max_share_ratio < f.min_share_ratio - 1e-4
UNION ALL
SELECT f.tree, f.pool, f.from_time, 'what its operations demanded most of was never a resource that it is guaranteed'
FROM pool_facts AS f
WHERE f.min_share_ratio > 0 AND f.demand_ratio > 0 AND NOT f.guaranteed_dominates;

-- The integral guarantees, one row per version that has one: what it was promised, and
-- why it could not be kept (CFG-17: what is missing is taken as zero; CFG-09 for
-- amounts that the tree does not have).
CREATE OR REPLACE VIEW integral_promises AS
WITH each AS (
  SELECT p.tree, p.pool, p.path, p.from_time, p.to_time, p.integral_guarantee_type AS type, unnest([
    {'resource': 'user_slots', 'flow': resource_flow_user_slots, 'burst': burst_guarantee_user_slots, 'total': total_user_slots},
    {'resource': 'cpu', 'flow': resource_flow_cpu, 'burst': burst_guarantee_cpu, 'total': total_cpu},
    {'resource': 'gpu', 'flow': resource_flow_gpu, 'burst': burst_guarantee_gpu, 'total': total_gpu},
    {'resource': 'memory', 'flow': resource_flow_memory, 'burst': burst_guarantee_memory, 'total': total_memory},
    {'resource': 'network', 'flow': resource_flow_network, 'burst': burst_guarantee_network, 'total': total_network}]) AS one
  FROM pool_versions AS p
  JOIN trees AS t USING (tree)
  WHERE p.integral_guarantee_type <> 'none'
), amounts AS (
  SELECT e.tree, e.pool, e.path, e.type, e.from_time, e.to_time, e.one.resource AS resource,
    any_value(e.one.flow)::DOUBLE AS flow, any_value(e.one.burst)::DOUBLE AS burst, any_value(e.one.total)::DOUBLE AS total,
    sum(beside.one.flow)::DOUBLE AS all_flow, sum(beside.one.burst)::DOUBLE AS all_burst -- of those in force together
  FROM each AS e
  JOIN each AS beside ON beside.tree = e.tree AND beside.one.resource = e.one.resource AND beside.from_time <= e.from_time AND beside.to_time > e.from_time
  GROUP BY e.tree, e.pool, e.path, e.type, e.from_time, e.to_time, e.one.resource
)
SELECT
  tree, pool, path, type, from_time, to_time,
  string_agg(amount_text(resource, flow), ', ' ORDER BY resource) FILTER (flow > 0) AS flow,
  string_agg(amount_text(resource, burst), ', ' ORDER BY resource) FILTER (burst > 0) AS burst,
  CASE WHEN bool_and(coalesce(total, 0) = 0) FILTER (flow > 0) THEN string_agg(resource, ', ' ORDER BY resource) FILTER (flow > 0) END AS sizeless,
  string_agg(printf('pools are promised a flow of %s, and the tree has %s', amount_text(resource, all_flow), amount_text(resource, total)), '; ' ORDER BY resource)
    FILTER (flow > 0 AND total > 0 AND all_flow > total * 1.02) AS flow_oversold,
  string_agg(printf('pools are promised bursts of %s, and the tree has %s', amount_text(resource, all_burst), amount_text(resource, total)), '; ' ORDER BY resource)
    FILTER (burst > 0 AND total > 0 AND all_burst > total * 1.02) AS burst_oversold
FROM amounts
GROUP BY tree, pool, path, type, from_time, to_time;

-- The limits of operation counts, one row per version and kind, with what tested
-- them and why the room that they speak of cannot be there (CFG-13).
CREATE OR REPLACE VIEW count_promises AS
WITH limits AS (
  SELECT tree, pool, path, parent, from_time, to_time, 'max_running_operation_count' AS kind, max_running_operation_count AS most,
    own_max_running_operation_count IS NOT NULL AND NOT is_ephemeral AS stated
  FROM pool_versions
  UNION ALL
  SELECT tree, pool, path, parent, from_time, to_time, 'max_operation_count', max_operation_count, own_max_operation_count IS NOT NULL AND NOT is_ephemeral FROM pool_versions
  UNION ALL -- of the tree as a whole, which is no row of pools
  SELECT tree, pool, '', NULL, from_time, to_time, 'max_running_operation_count', max_running_operation_count, false FROM pool_intervals WHERE pool = '<Root>'
  UNION ALL
  SELECT tree, pool, '', NULL, from_time, to_time, 'max_operation_count', max_operation_count, false FROM pool_intervals WHERE pool = '<Root>'
), stated AS ( -- what only a default says is no promise
  SELECT tree, pool, path, parent, from_time, to_time, kind, most FROM limits WHERE stated AND most IS NOT NULL
), above AS (
  SELECT s.tree, s.pool, s.kind, s.from_time, any_value(l.pool) AS parent, any_value(l.most) AS most
  FROM stated AS s
  ASOF JOIN limits AS l ON l.tree = s.tree AND l.pool = s.parent AND l.kind = s.kind AND l.from_time <= s.from_time
  WHERE l.to_time > s.from_time AND l.most IS NOT NULL
  GROUP BY ALL
), siblings AS (
  SELECT s.tree, s.pool, s.kind, s.from_time, sum(b.most)::BIGINT AS promised, count(*) AS pools
  FROM stated AS s
  JOIN stated AS b ON b.tree = s.tree AND b.parent = s.parent AND b.kind = s.kind AND b.from_time <= s.from_time AND b.to_time > s.from_time
  GROUP BY ALL
)
SELECT
  s.tree, s.pool, s.path, s.kind, s.most, s.from_time, s.to_time,
  CASE
    WHEN above.most < s.most THEN printf('its parent %s has room for %d only', above.parent, above.most)
    WHEN above.most < b.promised AND b.pools > 1 THEN printf('with its siblings it has room for %d, and their parent %s for %d', b.promised, above.parent, above.most)
  END AS impossible,
  coalesce(f.operations, 0) AS operations
FROM stated AS s
LEFT JOIN above ON above.tree = s.tree AND above.pool = s.pool AND above.kind = s.kind AND above.from_time = s.from_time
LEFT JOIN siblings AS b ON b.tree = s.tree AND b.pool = s.pool AND b.kind = s.kind AND b.from_time = s.from_time
LEFT JOIN pool_facts AS f ON f.tree = s.tree AND f.pool = s.pool AND f.from_time = s.from_time;

-- Whose promise of a timeout counts in a pool: its own, or that of the nearest pool
-- above it that states one. One row per pool and kind.
CREATE OR REPLACE VIEW promise_scopes AS
WITH stated AS (
  SELECT DISTINCT tree, pool, path, unnest([
    CASE WHEN fair_share_starvation_timeout_ms IS NOT NULL THEN 'fair_share_starvation_timeout' END,
    CASE WHEN min_share_preemption_timeout_ms IS NOT NULL THEN 'min_share_preemption_timeout' END]) AS kind
  FROM pool_versions
)
SELECT p.tree, s.kind, max_by(s.pool, length(s.path)) AS subject, p.pool
FROM pools AS p
JOIN stated AS s ON s.tree = p.tree AND s.kind IS NOT NULL AND starts_with(p.path || '/', s.path || '/')
GROUP BY p.tree, s.kind, p.pool;

-- When something tested a promise of a timeout: somebody there lacked a share.
CREATE OR REPLACE VIEW timeout_tests AS
SELECT s.tree, s.kind, s.subject, f.from_time, f.to_time
FROM promise_scopes AS s
JOIN pool_facts AS f ON f.tree = s.tree AND f.pool = s.pool
WHERE CASE s.kind WHEN 'fair_share_starvation_timeout' THEN f.lacked ELSE f.asked_guarantee END
UNION ALL
SELECT s.tree, s.kind, s.subject, e.since_time, e.to_time
FROM promise_scopes AS s
JOIN starvation_episodes AS e ON e.tree = s.tree AND e.pool = s.pool
WHERE s.kind = 'fair_share_starvation_timeout';

-- Every promise of the configuration, one row each for every version of the pool that
-- makes it. statement is what is promised; impossible why nobody could keep it;
-- missing what the log would have to tell of it; untested why nothing tested it. The
-- last three are null if there is nothing to say. A default is no promise.
CREATE OR REPLACE VIEW promise_terms AS
SELECT
  g.tree, 'strong_guarantee' AS kind, 'pool' AS subject_kind, g.pool AS subject, g.path,
  printf('Pool %s gets %s whenever it demands them.', g.pool, string_agg(amount_text(g.resource, g.guarantee), ', ' ORDER BY g.resource)) AS statement,
  (SELECT string_agg(reason, '; ' ORDER BY reason) FROM impossible_guarantees AS i WHERE i.tree = g.tree AND i.pool = g.pool AND i.from_time = g.from_time) AS impossible,
  CASE WHEN bool_and(g.total IS NULL) THEN 'what the tree''s nodes have of ' || string_agg(g.resource, ', ' ORDER BY g.resource) END AS missing,
  CASE WHEN coalesce(any_value(f.demand_ratio), 0) <= 0 THEN 'it demanded nothing' END AS untested,
  g.from_time, g.to_time
FROM pool_resources AS g
LEFT JOIN pool_facts AS f ON f.tree = g.tree AND f.pool = g.pool AND f.from_time = g.from_time
WHERE g.guarantee > 0
GROUP BY g.tree, g.pool, g.path, g.from_time, g.to_time
UNION ALL
SELECT
  tree, 'resource_limits', 'pool', pool, path,
  printf('Pool %s never uses more than %s.', pool, string_agg(amount_text(resource, limit_amount), ', ' ORDER BY resource)),
  NULL,
  CASE WHEN bool_and(usage_state NOT IN ('recorded', 'requested')) THEN 'what jobs use of ' || string_agg(resource, ', ' ORDER BY resource) END,
  CASE WHEN NOT coalesce(bool_or(demand >= limit_amount), false) THEN 'it never demanded as much' END,
  from_time, to_time
FROM pool_resources
WHERE limit_amount IS NOT NULL
GROUP BY tree, pool, path, from_time, to_time
UNION ALL
SELECT
  p.tree, 'max_share_ratio', 'pool', p.pool, p.path,
  printf('Pool %s has no fair share above %.4g %% of what it may be given.', p.pool, 100 * p.max_share_ratio),
  NULL, NULL,
  CASE WHEN NOT coalesce(f.demand_reached_limits, false) THEN 'it never demanded as much' END,
  p.from_time, p.to_time
FROM pool_versions AS p
LEFT JOIN pool_facts AS f ON f.tree = p.tree AND f.pool = p.pool AND f.from_time = p.from_time
WHERE p.max_share_ratio < 1
UNION ALL
SELECT
  tree, kind, 'pool', pool, path,
  printf('Pool %s has room for %s and never more.', pool, count_text(most, CASE WHEN kind = 'max_operation_count' THEN 'operation' ELSE 'running operation' END)),
  impossible, NULL,
  CASE
    WHEN operations = 0 THEN 'it had no operation'
    WHEN operations < most THEN printf('it never had more than %s', count_text(operations, 'operation'))
  END,
  from_time, to_time
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
  'what the tree''s nodes have of ' || i.sizeless,
  CASE WHEN coalesce(f.demand_ratio, 0) <= 0 THEN 'it demanded nothing' END,
  i.from_time, i.to_time
FROM integral_promises AS i
LEFT JOIN pool_facts AS f ON f.tree = i.tree AND f.pool = i.pool AND f.from_time = i.from_time
UNION ALL
SELECT
  p.tree, 'fair_share_starvation_timeout', 'pool', p.pool, p.path,
  printf('What lacks its fair share in pool %s for %s is declared starving.', p.pool, span_text(p.fair_share_starvation_timeout_ms / 1e3)),
  NULL, NULL,
  CASE WHEN NOT EXISTS (SELECT 1 FROM timeout_tests AS x WHERE x.tree = p.tree AND x.kind = 'fair_share_starvation_timeout' AND x.subject = p.pool
    AND x.from_time < p.to_time AND x.to_time > p.from_time) THEN 'nothing in it lacked its fair share' END,
  p.from_time, p.to_time
FROM pool_versions AS p
WHERE p.fair_share_starvation_timeout_ms IS NOT NULL
UNION ALL
SELECT
  p.tree, 'min_share_preemption_timeout', 'pool', p.pool, p.path,
  printf('What lacks its strong guarantee in pool %s for %s is declared starving.', p.pool, span_text(p.min_share_preemption_timeout_ms / 1e3)),
  CASE WHEN t.profile IN ('baseline', 'current') THEN printf('schedulers of the profile %s take no notice of it', t.profile) END,
  NULL,
  CASE WHEN NOT EXISTS (SELECT 1 FROM timeout_tests AS x WHERE x.tree = p.tree AND x.kind = 'min_share_preemption_timeout' AND x.subject = p.pool
    AND x.from_time < p.to_time AND x.to_time > p.from_time) THEN 'nothing in it demanded what it was guaranteed' END,
  p.from_time, p.to_time
FROM pool_versions AS p
JOIN trees AS t USING (tree)
WHERE p.min_share_preemption_timeout_ms IS NOT NULL
UNION ALL
SELECT
  p.tree, 'fifo_order', 'pool', p.pool, p.path,
  printf('Operations of pool %s get their jobs in the order of its queue.', p.pool),
  NULL, NULL,
  CASE WHEN coalesce(f.operations, 0) < 2 THEN 'it never had two operations at once' END,
  p.from_time, p.to_time
FROM pool_versions AS p
LEFT JOIN pool_facts AS f ON f.tree = p.tree AND f.pool = p.pool AND f.from_time = p.from_time
WHERE p.mode = 'fifo'
UNION ALL
SELECT
  tree, 'nodes_filter', 'tree', tree, '',
  printf('The nodes of tree %s serve no other tree.', tree),
  NULL, NULL,
  CASE
    WHEN node_count = 0 THEN 'it had no nodes'
    WHEN tree NOT IN (SELECT tree FROM coverage WHERE aspect = 'other_trees' AND seen > 0) THEN 'the log has no other tree'
  END,
  from_time, to_time
FROM trees
WHERE configured;

-- Every promise, one row for each time in which it was in force without a break:
-- versions that follow each other and promise the same are one. Impossible is what
-- was so all the time; void_text says it of a part of it.
CREATE OR REPLACE VIEW promise_spans AS
WITH terms AS (
  SELECT t.*, v.reason AS void_reason, coalesce(v.seconds, 0) AS void_s,
    lag(t.to_time) OVER (PARTITION BY t.tree, t.kind, t.subject, t.statement ORDER BY t.from_time) IS DISTINCT FROM t.from_time AS begins
  FROM promise_terms AS t
  LEFT JOIN void_seconds AS v ON v.tree = t.tree AND v.pool = t.subject AND v.version = t.from_time AND v.kind = t.kind
), numbered AS (
  SELECT *, sum(begins::BIGINT) OVER (PARTITION BY tree, kind, subject, statement ORDER BY from_time) AS nth FROM terms
), spans AS (
  SELECT tree, kind, subject_kind, subject, max_by(path, from_time) AS path, statement, min(from_time) AS from_time, max(to_time) AS to_time,
    sum(span_seconds(from_time, to_time)) AS seconds,
    sum(CASE WHEN impossible IS NOT NULL THEN span_seconds(from_time, to_time) ELSE void_s END) AS void_s,
    string_agg(DISTINCT concat_ws('; ', impossible, void_reason), '; ') FILTER (impossible IS NOT NULL OR void_reason IS NOT NULL) AS void_reason,
    CASE WHEN bool_and(missing IS NOT NULL) THEN any_value(missing) END AS missing,
    CASE WHEN bool_and(untested IS NOT NULL) THEN max_by(untested, to_time) END AS untested
  FROM numbered
  GROUP BY tree, kind, subject_kind, subject, statement, nth
)
SELECT s.tree, s.kind, subject_kind, subject, path, statement, s.from_time, s.to_time,
  CASE WHEN void_s >= seconds - 1 THEN void_reason END AS impossible,
  missing, untested,
  CASE WHEN void_s > 0 AND void_s < seconds - 1 THEN printf('For %s of its time it could not be kept: %s.', span_text(void_s), void_reason) END AS void_text,
  CASE WHEN s.from_time > t.from_time OR s.to_time < t.to_time THEN printf('It was in force from %s to %s.', time_text(s.from_time), time_text(s.to_time)) END AS force_text
FROM spans AS s
JOIN trees AS t USING (tree);

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
