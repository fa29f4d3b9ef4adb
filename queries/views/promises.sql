-- What the configuration promises. Package audit grades each row by the findings
-- of the audits that judge its kind (@judges in their headers) and writes the
-- table promises. A kind more is one more SELECT in promise_versions.

-- What pools promise by switches, thresholds and filters (pool_setting_versions), in the
-- columns of promise_terms.
CREATE OR REPLACE VIEW internal.pool_promises AS
WITH tested AS (
  SELECT s.tree, s.kind, s.pool, s.from_time
  FROM internal.pool_setting_versions AS s
  ASOF JOIN internal.promise_tests AS x ON x.tree = s.tree AND x.kind = s.kind AND x.subject = s.pool AND x.from_time < s.to_time
  WHERE x.reach >= s.from_time
)
SELECT s.tree, s.kind, s.pool, s.path, s.statement,
  CASE
    WHEN s.kind = 'enable_lightweight_operations' AND t.profile NOT IN ('documented', 'current') THEN printf('schedulers of the profile %s ignore it', t.profile)
    WHEN s.kind = 'enable_lightweight_operations' AND s.mode <> 'fifo' THEN 'it is no FIFO pool, and only such have lightweight operations'
  END AS impossible,
  CASE WHEN x.kind IS NULL THEN CASE s.kind
    WHEN 'allow_aggressive_preemption' THEN 'aggressive preemption came to no node that had a job of it'
    WHEN 'allow_normal_preemption' THEN 'normal preemption came to no node that had a job of it'
    WHEN 'non_preemptible_resource_usage_threshold' THEN 'no job of it was preempted'
    WHEN 'scheduling_tag_filter' THEN 'no job of it started'
    WHEN 'allow_regular_jobs_on_ssd_nodes' THEN 'no job started on an SSD-priority node while its jobs started'
    WHEN 'forbid_immediate_operations' THEN 'no operation started in it or below'
    ELSE 'it had no lightweight operation'
  END END AS untested,
  s.from_time, s.to_time
FROM internal.pool_setting_versions AS s
JOIN trees AS t USING (tree)
LEFT JOIN tested AS x ON x.tree = s.tree AND x.kind = s.kind AND x.pool = s.pool AND x.from_time = s.from_time;

-- Every promise of the configuration, one row for every version of the pool that makes it.
-- statement: what is promised, with {sla} for the policy's tolerance; impossible: why it
-- could not be kept; missing: what the log would have to record; untested: why nothing
-- tested it. The last three are null if there is nothing to say. A default is no promise.
-- This is a table, since planning it takes longer than making it.
CREATE OR REPLACE TABLE internal.promise_versions AS
SELECT
  g.tree, 'strong_guarantee' AS kind, 'pool' AS subject_kind, g.pool AS subject, g.path,
  printf('Pool %s gets %s within {sla} of demanding them.', g.pool, string_agg(internal.amount_text(g.resource, g.guarantee), ', ' ORDER BY g.resource)) AS statement,
  (SELECT string_agg(reason, '; ' ORDER BY reason) FROM internal.impossible_guarantees AS i WHERE i.tree = g.tree AND i.pool = g.pool AND i.from_time = g.from_time) AS impossible,
  CASE WHEN bool_and(g.total IS NULL) THEN 'what the tree''s nodes have of ' || string_agg(g.resource, ', ' ORDER BY g.resource) END AS missing,
  CASE WHEN coalesce(any_value(f.demand_ratio), 0) <= 0 THEN 'it demanded nothing' END AS untested,
  g.from_time, g.to_time
FROM internal.pool_resources AS g
LEFT JOIN internal.pool_facts AS f ON f.tree = g.tree AND f.pool = g.pool AND f.from_time = g.from_time
WHERE g.guarantee > 0
GROUP BY g.tree, g.pool, g.path, g.from_time, g.to_time
UNION ALL
SELECT
  tree, 'resource_limits', 'pool', pool, path,
  printf('Pool %s never uses more than %s.', pool, string_agg(internal.amount_text(resource, limit_amount), ', ' ORDER BY resource)),
  NULL,
  CASE WHEN bool_and(usage_state NOT IN ('recorded', 'requested')) THEN 'what jobs use of ' || string_agg(resource, ', ' ORDER BY resource) END,
  CASE WHEN NOT coalesce(bool_or(demand >= limit_amount), false) THEN 'it never demanded as much' END,
  from_time, to_time
FROM internal.pool_resources
WHERE limit_amount IS NOT NULL
GROUP BY tree, pool, path, from_time, to_time
UNION ALL
SELECT
  p.tree, 'max_share_ratio', 'pool', p.pool, p.path,
  printf('Pool %s has no fair share above %s of what it may be given.', p.pool, internal.share_text(p.max_share_ratio)),
  NULL, NULL,
  CASE WHEN NOT coalesce(f.demand_reached_limits, false) THEN 'it never demanded as much' END,
  p.from_time, p.to_time
FROM pool_versions AS p
LEFT JOIN internal.pool_facts AS f ON f.tree = p.tree AND f.pool = p.pool AND f.from_time = p.from_time
WHERE p.max_share_ratio < 1
UNION ALL
SELECT
  tree, kind, 'pool', pool, path,
  printf('Pool %s has at most %s.', pool, internal.count_text(most, CASE WHEN kind = 'max_operation_count' THEN 'operation' ELSE 'running operation' END)),
  impossible, NULL,
  CASE
    WHEN operations = 0 THEN 'it had no operation'
    WHEN operations < most THEN printf('it never had more than %s', internal.count_text(operations, 'operation'))
  END,
  from_time, to_time
FROM internal.count_promises
UNION ALL
SELECT
  i.tree, CASE WHEN i.type = 'burst' THEN 'burst_guarantee' ELSE 'relaxed_guarantee' END, 'pool', i.pool, i.path,
  CASE WHEN i.type = 'burst'
    THEN printf('Pool %s gets %s within {sla} of demanding them, while the volume lasts that a flow of %s gathers.', i.pool, coalesce(i.burst, 'nothing'), coalesce(i.flow, 'nothing'))
    ELSE printf('Pool %s gets a flow of %s over time, within {sla} of demanding it.', i.pool, coalesce(i.flow, 'nothing'))
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
FROM internal.integral_promises AS i
LEFT JOIN internal.pool_facts AS f ON f.tree = i.tree AND f.pool = i.pool AND f.from_time = i.from_time
UNION ALL
SELECT
  p.tree, 'fair_share_starvation_timeout', 'pool', p.pool, p.path,
  printf('What is below its fair share in pool %s for %s is declared starving.', p.pool, internal.span_text(p.fair_share_starvation_timeout_ms / 1e3)),
  NULL, NULL,
  CASE WHEN coalesce(x.reach <= p.from_time, true) THEN 'nothing in it was below its fair share' END,
  p.from_time, p.to_time
FROM pool_versions AS p
ASOF LEFT JOIN (SELECT tree, subject, from_time, reach FROM internal.promise_tests WHERE kind = 'fair_share_starvation_timeout') AS x
  ON x.tree = p.tree AND x.subject = p.pool AND x.from_time < p.to_time
WHERE p.fair_share_starvation_timeout_ms IS NOT NULL
UNION ALL
SELECT
  p.tree, 'min_share_preemption_timeout', 'pool', p.pool, p.path,
  printf('What is below its strong guarantee in pool %s for %s is declared starving.', p.pool, internal.span_text(p.min_share_preemption_timeout_ms / 1e3)),
  CASE WHEN t.profile IN ('baseline', 'current') THEN printf('schedulers of the profile %s ignore it', t.profile) END,
  NULL,
  CASE WHEN coalesce(x.reach <= p.from_time, true) THEN 'nothing in it demanded its guarantee' END,
  p.from_time, p.to_time
FROM pool_versions AS p
JOIN trees AS t ON t.tree = p.tree
ASOF LEFT JOIN (SELECT tree, subject, from_time, reach FROM internal.promise_tests WHERE kind = 'min_share_preemption_timeout') AS x
  ON x.tree = p.tree AND x.subject = p.pool AND x.from_time < p.to_time
WHERE p.min_share_preemption_timeout_ms IS NOT NULL
UNION ALL
SELECT
  p.tree, 'fifo_order', 'pool', p.pool, p.path,
  printf('Operations of pool %s get their jobs in the order of its queue.', p.pool),
  NULL, NULL,
  CASE WHEN coalesce(f.operations, 0) < 2 THEN 'it never had two operations at once' END,
  p.from_time, p.to_time
FROM pool_versions AS p
LEFT JOIN internal.pool_facts AS f ON f.tree = p.tree AND f.pool = p.pool AND f.from_time = p.from_time
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
WHERE configured
UNION ALL
SELECT tree, kind, 'pool', pool, path, statement, impossible, NULL, untested, from_time, to_time FROM internal.pool_promises
UNION ALL
SELECT tree, kind, 'tree', tree, '', statement, impossible, NULL, untested, from_time, to_time FROM internal.tree_promises;

-- The same under the name that queries know.
CREATE OR REPLACE VIEW internal.promise_terms AS
SELECT tree, kind, subject_kind, subject, path, statement, impossible, missing, untested, from_time, to_time FROM internal.promise_versions;

-- Every promise, one row for each time in which it was in force without a break:
-- versions that follow each other and promise the same are one. impossible is set if the
-- promise was impossible all that time; void_text is about a part of it.
CREATE OR REPLACE VIEW internal.promise_spans AS
WITH terms AS (
  SELECT t.*, v.reason AS void_reason, coalesce(v.seconds, 0) AS void_s,
    lag(t.to_time) OVER (PARTITION BY t.tree, t.kind, t.subject, t.statement ORDER BY t.from_time) IS DISTINCT FROM t.from_time AS begins
  FROM internal.promise_versions AS t
  LEFT JOIN internal.void_seconds AS v ON v.tree = t.tree AND v.pool = t.subject AND v.version = t.from_time AND v.kind = t.kind
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
  CASE WHEN void_s > 0 AND void_s < seconds - 1 THEN printf('For %s of its time it could not be kept: %s.', internal.span_text(void_s), void_reason) END AS void_text,
  CASE WHEN s.from_time > t.from_time OR s.to_time < t.to_time THEN printf('It was in force from %s to %s.', internal.clock_text(s.from_time), internal.clock_text(s.to_time)) END AS force_text
FROM spans AS s
JOIN trees AS t USING (tree);
