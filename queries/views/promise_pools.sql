-- What pools promise by switches, thresholds and filters, and what tested it.

-- Those settings, one row per version that states one. reach says to which pools it
-- applies: to all below, to those up to one that states its own (nearest), or to the pool
-- itself. This is a table, since the texts of thresholds take long to plan.
CREATE OR REPLACE TABLE internal.pool_setting_versions AS
WITH each AS (
  SELECT tree, pool, path, mode, from_time, to_time, unnest([
    CASE WHEN NOT allow_aggressive_preemption THEN {'kind': 'allow_aggressive_preemption', 'reach': 'below',
      'statement': printf('Aggressive preemption takes nothing of pool %s but what is beyond a fair share.', pool)} END,
    CASE WHEN NOT allow_normal_preemption THEN {'kind': 'allow_normal_preemption', 'reach': 'below',
      'statement': printf('Normal preemption takes no job of pool %s.', pool)} END,
    CASE WHEN NOT allow_regular_jobs_on_ssd_nodes THEN {'kind': 'allow_regular_jobs_on_ssd_nodes', 'reach': 'below',
      'statement': printf('Jobs of pool %s that ask for no SSD start on no SSD-priority node.', pool)} END,
    CASE WHEN threshold <> '' THEN {'kind': 'non_preemptible_resource_usage_threshold', 'reach': 'nearest',
      'statement': printf('An operation of pool %s that uses less than %s loses no job to preemption.', pool, threshold)} END,
    CASE WHEN scheduling_tag_filter <> '' THEN {'kind': 'scheduling_tag_filter', 'reach': 'below',
      'statement': printf('Jobs of pool %s start only on nodes whose tags match %s.', pool, scheduling_tag_filter)} END,
    CASE WHEN forbid_immediate_operations THEN {'kind': 'forbid_immediate_operations', 'reach': 'itself',
      'statement': printf('No operation starts directly in pool %s.', pool)} END,
    CASE WHEN enable_lightweight_operations THEN {'kind': 'enable_lightweight_operations', 'reach': 'itself',
      'statement': printf('Vanilla operations of pool %s never wait for admission.', pool)} END]) AS one
  FROM (
    SELECT *, internal.threshold_text(non_preemptible_user_slots, non_preemptible_cpu, non_preemptible_gpu, non_preemptible_memory, non_preemptible_network) AS threshold
    FROM pool_versions
  )
)
SELECT tree, pool, path, mode, from_time, to_time, one.kind AS kind, one.reach AS reach, one.statement AS statement FROM each WHERE one IS NOT NULL;

-- In which pools such a setting of a pool counts, itself included.
CREATE OR REPLACE VIEW internal.pool_setting_scopes AS
SELECT DISTINCT s.tree, s.kind, s.pool AS subject, p.pool
FROM (SELECT tree, pool, unnest(paths_above(path)) AS above FROM pools) AS p
JOIN internal.pool_setting_versions AS s ON s.tree = p.tree AND s.path = p.above
WHERE s.reach = 'below' OR s.reach = 'itself' AND p.pool = s.pool;

-- When a promise about what preemption may take was tested, for @tested: a job of the
-- pool was taken and the rule judged that, or, where the stage must take none, a job of it
-- was on the node from which the stage took another.
CREATE OR REPLACE MACRO internal.protections_tested(kinds) AS TABLE
WITH rules AS (
  SELECT one.kind AS kind, one.invariant AS rule FROM (SELECT unnest(kinds) AS one)
), taken AS ( -- with the ids of rules, each between commas
  SELECT tree, pool, time, ',' || concat_ws(',', held, violated, suspect, excused) || ',' AS judged, ',' || undecidable || ',' AS undecided
  FROM preemptions
), passed AS MATERIALIZED ( -- pools that a stage must not preempt, where it preempted jobs of another
  SELECT t.tree, s.kind, s.pool, t.node, t.time
  FROM rules AS r
  JOIN internal.pool_setting_scopes AS s ON s.kind = r.kind
  JOIN preemptions AS t ON t.tree = s.tree
  WHERE t.pool IS DISTINCT FROM s.pool AND CASE r.kind WHEN 'allow_aggressive_preemption' THEN contains(t.reason, 'aggressive') WHEN 'allow_normal_preemption' THEN t.reason = 'preemption' END
), there AS MATERIALIZED ( -- their jobs there
  SELECT tree, node, pool, start_time, end_time FROM jobs SEMI JOIN passed USING (tree, node, pool)
), moves AS (
  SELECT tree, node, pool, start_time AS time, 1 AS step FROM there
  UNION ALL
  SELECT tree, node, pool, end_time, -1 FROM there WHERE end_time IS NOT NULL
), stood AS (
  SELECT tree, node, pool, time, sum(step) OVER (PARTITION BY tree, node, pool ORDER BY time) AS jobs FROM moves
), tests AS (
  SELECT t.tree, r.kind, t.pool, t.time, CASE WHEN NOT contains(t.judged, ',' || r.rule || ',') THEN 'the log lacks what judging a preemption needs: see decision_counts' END AS missing
  FROM taken AS t JOIN rules AS r ON contains(t.judged, ',' || r.rule || ',') OR contains(t.undecided, ',' || r.rule || ',')
  UNION ALL
  SELECT t.tree, t.kind, t.pool, t.time, NULL
  FROM passed AS t ASOF JOIN stood AS j ON j.tree = t.tree AND j.node = t.node AND j.pool = t.pool AND j.time < t.time
  WHERE j.jobs > 0
)
SELECT tree, kind, pool AS subject, min(time) AS from_time, max(time) AS to_time, CASE WHEN bool_and(missing IS NOT NULL) THEN any_value(missing) END AS missing
FROM tests
GROUP BY tree, kind, pool, time_bucket(INTERVAL 1 MINUTE, time);

-- The same for promises about where jobs may start: jobs of the pool started on known nodes.
CREATE OR REPLACE MACRO internal.starts_tested(of_kind) AS TABLE
WITH told AS (
  SELECT tree, minute, bool_and(verdict = 'undecidable') AS undecided
  FROM decision_counts WHERE invariant = 'HB-08' GROUP BY tree, minute
)
SELECT j.tree, s.kind, CASE of_kind WHEN 'scheduling_tag_filter' THEN s.subject ELSE j.pool END AS subject, min(j.start_time) AS from_time, max(j.start_time) AS to_time,
  CASE
    WHEN of_kind = 'scheduling_tag_filter' AND bool_and(c.state IS DISTINCT FROM 'recorded') THEN 'the log does not record the tags of nodes'
    WHEN of_kind <> 'scheduling_tag_filter' AND bool_and(told.undecided) THEN 'the log does not record what media its operations ask for'
  END AS missing
FROM (SELECT DISTINCT tree, kind, CASE of_kind WHEN 'scheduling_tag_filter' THEN subject END AS subject, pool FROM internal.pool_setting_scopes WHERE kind = of_kind) AS s
JOIN jobs AS j ON j.tree = s.tree AND j.pool = s.pool
LEFT JOIN coverage AS c ON c.tree = j.tree AND c.aspect = 'tag_filters'
LEFT JOIN told ON told.tree = j.tree AND told.minute = time_bucket(INTERVAL 1 MINUTE, j.start_time)
WHERE of_kind = 'scheduling_tag_filter' OR told.minute IS NOT NULL
GROUP BY j.tree, s.kind, s.subject, j.pool, time_bucket(INTERVAL 1 MINUTE, j.start_time);

-- The same for promises about what may start in the pool: an operation started or was
-- refused in it or below it, or is a lightweight operation of it.
CREATE OR REPLACE MACRO internal.steps_tested(of_kind) AS TABLE
WITH settings AS (
  SELECT tree, kind, pool, path, from_time, to_time FROM internal.pool_setting_versions WHERE kind = of_kind
), reached AS (
  SELECT DISTINCT s.tree, s.pool AS subject, p.pool
  FROM (SELECT tree, pool, unnest(paths_above(path)) AS above FROM pools) AS p
  JOIN settings AS s ON s.tree = p.tree AND s.path = p.above
)
SELECT s.tree, s.kind, s.pool AS subject, s.from_time, s.to_time,
  CASE WHEN bool_and(a.verdict = 'undecidable') THEN printf('the log lacks an input: %s', replace(max(a.missing), '_', ' ')) END AS missing
FROM (SELECT a.tree, a.time, a.action, a.lightweight, a.verdict, a.missing, r.subject, r.subject = r.pool AS in_it FROM admissions AS a JOIN reached AS r USING (tree, pool)) AS a
ASOF JOIN settings AS s ON s.tree = a.tree AND s.pool = a.subject AND s.from_time <= a.time
WHERE a.time < s.to_time AND CASE of_kind WHEN 'enable_lightweight_operations' THEN a.in_it AND a.lightweight ELSE a.action IN ('started', 'rejected') END
GROUP BY s.tree, s.kind, s.pool, s.from_time, s.to_time;

-- What tested the promises of these settings, one row each, judged or not.
CREATE OR REPLACE VIEW internal.pool_setting_tests AS
SELECT tree, kind, subject, from_time, to_time FROM internal.protections_tested([
  {'kind': 'allow_aggressive_preemption', 'invariant': 'PRE-17'},
  {'kind': 'allow_normal_preemption', 'invariant': 'PRE-26'},
  {'kind': 'non_preemptible_resource_usage_threshold', 'invariant': 'LST-05'}])
UNION ALL
SELECT tree, kind, subject, from_time, to_time FROM internal.starts_tested('scheduling_tag_filter')
UNION ALL
SELECT tree, kind, subject, from_time, to_time FROM internal.starts_tested('allow_regular_jobs_on_ssd_nodes')
UNION ALL
SELECT tree, kind, subject, from_time, to_time FROM internal.steps_tested('forbid_immediate_operations')
UNION ALL
SELECT tree, kind, subject, from_time, to_time FROM internal.steps_tested('enable_lightweight_operations');
