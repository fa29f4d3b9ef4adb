-- What trees, pools and operations got and missed, in a form in which two runs can be
-- compared: one number per row, with its unit, whether more or less of it is better, and what it is
-- measured against: that has to be the same in both runs.

-- A sum of seconds that is the same in any order: of whole microseconds.
CREATE OR REPLACE MACRO internal.whole_seconds(seconds) AS sum(round(seconds * 1e6)::BIGINT)::BIGINT / 1e6;

-- A share summed over spans, in 1e-9 share·s.
CREATE OR REPLACE MACRO internal.share_seconds(share, from_time, to_time) AS sum(round(share * (epoch_us(to_time::TIMESTAMP) - epoch_us(from_time::TIMESTAMP)) * 1e3)::BIGINT)::BIGINT;

-- Operations with what each waited for, took and lost. One that was there before the window
-- waited for its first job within the window alone; one that got none waited until it or the
-- window ended.
CREATE OR REPLACE VIEW internal.operation_metrics AS
WITH lost AS (
  SELECT tree, operation, count(*) AS preempted, sum(lost_us)::BIGINT / 1e6 AS lost_s FROM preemptions GROUP BY tree, operation
)
SELECT o.tree, o.operation, o.pool,
  CASE WHEN o.final_state NOT IN ('rejected', 'ended') AND coalesce(first_job_time, finish_time, t.to_time) >= t.from_time
    THEN span_seconds(greatest(o.start_time, t.from_time), coalesce(first_job_time, finish_time, t.to_time)) END AS wait_s,
  CASE WHEN o.final_state = 'completed' THEN span_seconds(o.start_time, o.finish_time) END AS duration_s,
  (o.final_state = 'completed' AND o.finish_time >= t.from_time)::BIGINT AS completed,
  (o.final_state = 'rejected')::BIGINT AS rejected,
  o.job_count AS jobs, coalesce(l.preempted, 0) AS preempted, CASE WHEN l.preempted IS NULL THEN 0 ELSE l.lost_s END AS lost_s
FROM operations AS o
JOIN trees AS t USING (tree)
LEFT JOIN lost AS l USING (tree, operation);

-- One row per tree, pool with those below it, or operation, and metric: a number to compare
-- runs by; where the value is null there was nothing to measure.
-- @columns tree
-- @column  element_kind — tree, pool or operation
-- @column  element — name of the tree or the pool, or id of the operation
-- @column  metric — what is measured: see queries/README.md
-- @column  value unit — how much, in the unit of the column unit
-- @column  unit — unit of the value
-- @column  better — whether more or less of it is better; empty if neither is
-- @column  against — metric that has to be the same in two runs for one of them to be better; empty if none has
-- @example SELECT metric, value, unit FROM metrics WHERE element_kind = 'tree' ORDER BY metric
CREATE OR REPLACE VIEW metrics AS
WITH above AS ( -- every pool with itself and those above it
  SELECT b.tree, b.pool AS below, a.pool, a.path
  FROM (SELECT tree, pool, unnest(paths_above(path)) AS path FROM pools WHERE pool <> '<Root>') AS b
  JOIN pools AS a USING (tree, path)
), groups AS (
  SELECT tree, 'tree' AS element_kind, tree AS element, * EXCLUDE (tree, operation, pool) FROM internal.operation_metrics
  UNION ALL
  SELECT m.tree, 'pool', a.pool, m.* EXCLUDE (tree, operation, pool) FROM internal.operation_metrics AS m JOIN above AS a ON a.tree = m.tree AND a.below = m.pool
  UNION ALL
  SELECT tree, 'operation', operation, * EXCLUDE (tree, operation, pool) FROM internal.operation_metrics
), summed AS MATERIALIZED (
  SELECT tree, element_kind, element,
    internal.whole_seconds(wait_s) / count(wait_s) AS wait_s, max(wait_s) AS longest_wait_s, internal.whole_seconds(duration_s) / count(duration_s) AS duration_s,
    sum(completed)::BIGINT AS completed, sum(rejected)::BIGINT AS rejected, sum(jobs)::BIGINT AS jobs, sum(preempted)::BIGINT AS preempted, internal.whole_seconds(lost_s) AS lost_s
  FROM groups
  GROUP BY tree, element_kind, element
), starved AS (
  SELECT tree, element_kind, element, internal.whole_seconds(span_seconds(from_time, to_time)) AS starved_s FROM starvation_spans GROUP BY ALL
  UNION ALL
  SELECT tree, 'tree', tree, internal.whole_seconds(span_seconds(from_time, to_time)) FROM starvation_spans WHERE element_kind = 'operation' GROUP BY tree
), missed AS MATERIALIZED (
  SELECT tree, pool, sum(owed_share_seconds - delivered_share_seconds)::BIGINT AS missing, sum(epoch_us(to_time) - epoch_us(from_time))::BIGINT / 1e6 AS below_s
  FROM guarantee_episodes GROUP BY tree, pool
), within AS ( -- what the next pools below miss of their own guarantees, which are part of the pool's
  SELECT tree, pool, sum(missing)::BIGINT AS missing
  FROM (
    SELECT m.tree, a.pool, m.missing
    FROM missed AS m JOIN above AS a ON a.tree = m.tree AND a.below = m.pool AND a.pool <> m.pool SEMI JOIN missed AS s ON s.tree = a.tree AND s.pool = a.pool
    QUALIFY row_number() OVER (PARTITION BY m.tree, m.pool ORDER BY length(a.path) DESC) = 1
  )
  GROUP BY tree, pool
), short AS (
  SELECT tree, 'pool' AS element_kind, pool AS element, missing / 1e9 AS missing, below_s FROM missed
  UNION ALL
  SELECT m.tree, 'tree', m.tree, sum(greatest(0, m.missing - coalesce(w.missing, 0)))::BIGINT / 1e9, internal.whole_seconds(below_s)
  FROM missed AS m LEFT JOIN within AS w USING (tree, pool) GROUP BY m.tree
), owed AS ( -- by the ledger; of a tree what its pools lack of guarantees, once where pools stand within others, and its operations of the rest
  SELECT tree, element_kind, coalesce(operation, pool) AS element, sum(owed_share_seconds) FILTER (level = 'guarantee')::BIGINT / 1e9 AS guarantee,
    sum(owed_share_seconds) FILTER (level = 'fair_share')::BIGINT / 1e9 AS fair_share, sum(owed_share_seconds) FILTER (level <> 'guarantee')::BIGINT / 1e9 AS wanted
  FROM share_debts GROUP BY ALL
  UNION ALL
  SELECT tree, 'tree', tree, sum(owed_share_seconds - nested_share_seconds) FILTER (element_kind = 'pool' AND level = 'guarantee')::BIGINT / 1e9,
    sum(owed_share_seconds) FILTER (element_kind = 'operation' AND level = 'fair_share')::BIGINT / 1e9, sum(owed_share_seconds) FILTER (element_kind = 'operation' AND level <> 'guarantee')::BIGINT / 1e9
  FROM share_debts GROUP BY tree
), fair AS MATERIALIZED (
  SELECT tree, element_kind, element, delay, usage, satisfaction FROM fairness
), sizes AS (
  SELECT tree, max(resource_limits_user_slots) AS slots, max(resource_limits_cpu) AS cpu, max(resource_limits_gpu) AS gpu, max(resource_limits_memory) AS memory, max(resource_limits_network) AS network
  FROM pool_intervals WHERE pool = '<Root>' AND tree IN (SELECT tree FROM coverage WHERE aspect = 'job_ends' AND state = 'partial') GROUP BY tree
), endless AS ( -- what jobs would have used that are counted to the end of the window because the source does not record when they ended
  SELECT j.tree, j.operation, j.pool, sum(round(1e9 * span_seconds(greatest(start_time, from_time), coalesce(end_time, to_time)) * greatest(coalesce(resources_user_slots / nullif(slots, 0), 0),
    coalesce(resources_cpu / nullif(cpu, 0), 0), coalesce(resources_gpu / nullif(gpu, 0), 0), coalesce(resources_memory / nullif(memory, 0), 0), coalesce(resources_network / nullif(network, 0), 0)))::BIGINT)::BIGINT AS unknown
  FROM jobs AS j JOIN sizes USING (tree) JOIN trees USING (tree) WHERE end_kind = 'unknown' GROUP BY ALL
), unknown AS MATERIALIZED (
  SELECT tree, 'tree' AS element_kind, tree AS element, sum(unknown)::BIGINT AS unknown FROM endless GROUP BY tree
  UNION ALL
  SELECT e.tree, 'pool', a.pool, sum(unknown)::BIGINT FROM endless AS e JOIN above AS a ON a.tree = e.tree AND a.below = e.pool GROUP BY e.tree, a.pool
  UNION ALL
  SELECT tree, 'operation', operation, sum(unknown)::BIGINT FROM endless GROUP BY tree, operation
), whole AS (
  SELECT tree, element_kind, element, delay, usage, satisfaction, NULL AS us FROM fair
  UNION ALL
  SELECT tree, 'tree', tree, (SELECT sum(round(delay * 1e9)::BIGINT)::BIGINT / 1e9 FROM fair AS f WHERE f.tree = i.tree AND f.element_kind = 'operation'),
    sum(usage_ratio_seconds)::BIGINT / 1e9, NULL, sum(epoch_us(to_time) - epoch_us(from_time))::BIGINT
  FROM pool_intervals AS i WHERE pool = '<Root>' GROUP BY tree
), promised AS ( -- of a tree the guarantees of its pools, and the fair shares of its operations
  SELECT tree, 'pool' AS element_kind, pool AS element, internal.share_seconds(min_share_ratio + coalesce(resource_flow_ratio, 0) + coalesce(burst_ratio, 0), from_time, to_time) AS guarantee,
    sum(fair_share_ratio_seconds)::BIGINT AS fair_share
  FROM pool_intervals WHERE pool <> '<Root>' GROUP BY tree, pool
  UNION ALL
  SELECT tree, 'operation', operation, internal.share_seconds(min_share_ratio, from_time, to_time), sum(fair_share_ratio_seconds)::BIGINT
  FROM operation_intervals GROUP BY tree, operation
), entitled AS (
  SELECT tree, element_kind, element, guarantee / 1e9 AS guarantee, fair_share / 1e9 AS fair_share FROM promised
  UNION ALL
  SELECT tree, 'tree', tree, sum(guarantee) FILTER (element_kind = 'pool')::BIGINT / 1e9, sum(fair_share) FILTER (element_kind = 'operation')::BIGINT / 1e9 FROM promised GROUP BY tree
), shares AS MATERIALIZED ( -- usage that is known; that of such jobs, at most, is unknown_usage
  SELECT tree, element_kind, element, delay, CASE WHEN unknown IS NULL THEN usage ELSE greatest(usage - unknown / 1e9, 0) END AS usage,
    CASE WHEN unknown IS NULL THEN satisfaction END AS satisfaction, unknown / 1e9 AS unknown_usage,
    CASE WHEN unknown IS NULL THEN round(usage * 1e9)::BIGINT ELSE greatest(round(usage * 1e9)::BIGINT - unknown, 0) END / 1e3 / us AS utilization
  FROM whole LEFT JOIN unknown USING (tree, element_kind, element)
), over AS (
  SELECT tree, element_kind, coalesce(operation, pool) AS element, sum(epoch_us(to_time) - epoch_us(from_time))::BIGINT / 1e6 AS over_s
  FROM limit_episodes WHERE element_kind IN ('pool', 'operation') GROUP BY ALL
), elements AS (
  SELECT tree, element_kind, element FROM summed UNION SELECT tree, element_kind, element FROM shares UNION SELECT tree, element_kind, element FROM short
)
SELECT tree, element_kind, element, unnest([
  {'metric': 'starved', 'value': coalesce(starved_s, 0)::DOUBLE, 'unit': 's', 'better': 'less', 'against': 'fair_share'},
  {'metric': 'below_guarantee', 'value': CASE WHEN element_kind <> 'operation' THEN coalesce(below_s, 0) END::DOUBLE, 'unit': 's', 'better': 'less', 'against': 'guarantee'},
  {'metric': 'missing_guarantee', 'value': CASE WHEN element_kind <> 'operation' THEN coalesce(missing, 0) END::DOUBLE, 'unit': 'share·s', 'better': 'less', 'against': 'guarantee'},
  {'metric': 'owed_guarantee', 'value': coalesce(owed.guarantee, 0)::DOUBLE, 'unit': 'share·s', 'better': 'less', 'against': 'guarantee'},
  {'metric': 'owed_fair_share', 'value': coalesce(owed.fair_share, 0)::DOUBLE, 'unit': 'share·s', 'better': 'less', 'against': 'fair_share'},
  {'metric': 'unmet_demand', 'value': coalesce(owed.wanted, 0)::DOUBLE, 'unit': 'share·s', 'better': 'less', 'against': ''},
  {'metric': 'delay', 'value': delay::DOUBLE, 'unit': 'share·s', 'better': 'less', 'against': 'fair_share'},
  {'metric': 'satisfaction', 'value': satisfaction::DOUBLE, 'unit': 'ratio', 'better': 'more', 'against': 'fair_share'},
  {'metric': 'guarantee', 'value': round(coalesce(entitled.guarantee, 0), 3)::DOUBLE, 'unit': 'share·s', 'better': '', 'against': ''},
  {'metric': 'fair_share', 'value': coalesce(entitled.fair_share, 0)::DOUBLE, 'unit': 'share·s', 'better': '', 'against': ''},
  {'metric': 'usage', 'value': usage::DOUBLE, 'unit': 'share·s', 'better': 'more', 'against': 'lost'},
  {'metric': 'unknown_usage', 'value': unknown_usage::DOUBLE, 'unit': 'share·s', 'better': '', 'against': ''},
  {'metric': 'utilization', 'value': utilization::DOUBLE, 'unit': 'share', 'better': 'more', 'against': 'lost'},
  {'metric': 'wait', 'value': wait_s::DOUBLE, 'unit': 's', 'better': 'less', 'against': ''},
  {'metric': 'longest_wait', 'value': CASE WHEN element_kind <> 'operation' THEN longest_wait_s END::DOUBLE, 'unit': 's', 'better': 'less', 'against': ''},
  {'metric': 'duration', 'value': duration_s::DOUBLE, 'unit': 's', 'better': 'less', 'against': ''},
  {'metric': 'completed', 'value': completed::DOUBLE, 'unit': 'operations', 'better': 'more', 'against': ''},
  {'metric': 'rejected', 'value': rejected::DOUBLE, 'unit': 'operations', 'better': 'less', 'against': ''},
  {'metric': 'jobs', 'value': jobs::DOUBLE, 'unit': 'jobs', 'better': '', 'against': ''},
  {'metric': 'preempted', 'value': preempted::DOUBLE, 'unit': 'jobs', 'better': 'less', 'against': ''},
  {'metric': 'lost', 'value': lost_s::DOUBLE, 'unit': 's', 'better': 'less', 'against': ''},
  {'metric': 'over_limit', 'value': CASE WHEN element_kind <> 'tree' THEN coalesce(over_s, 0) END::DOUBLE, 'unit': 's', 'better': '', 'against': ''}
], recursive := true)
FROM elements
LEFT JOIN summed USING (tree, element_kind, element)
LEFT JOIN starved USING (tree, element_kind, element)
LEFT JOIN short USING (tree, element_kind, element)
LEFT JOIN owed USING (tree, element_kind, element)
LEFT JOIN shares USING (tree, element_kind, element)
LEFT JOIN entitled USING (tree, element_kind, element)
LEFT JOIN over USING (tree, element_kind, element);
