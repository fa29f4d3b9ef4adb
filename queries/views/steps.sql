-- What the audits of recorded steps of operations share. The replay has judged
-- every step in the state before it; these macros report it.

-- Why a correct scheduler may have broken a rule, for a person; the words of the
-- column excuse.
CREATE OR REPLACE MACRO internal.excuse_text(excuse) AS CASE excuse
  WHEN '' THEN NULL
  WHEN 'revival' THEN 'it was registered again after a restart, without checks'
  WHEN 'room_without_notification' THEN 'room became free without a notification: by a raised limit, a moved pool or a change of pool'
  WHEN 'pool_changed' THEN 'the operation that was passed over had changed its queue'
  ELSE coalesce(internal.window_text(excuse), replace(excuse, '_', ' '))
END;

-- What was wrong with a step, as the end of "Operation o ".
CREATE OR REPLACE MACRO internal.admission_text(invariant, action, pool, limit_name, full_pool, operation_count, limit_value, placed_pool, overtook) AS CASE
  WHEN invariant IN ('CNT-01', 'LW-03') THEN printf('started in pool %s although pool %s had %s of %d (%s).', pool, full_pool, internal.count_text(operation_count, 'operation'), limit_value, limit_name)
  WHEN invariant IN ('CNT-02', 'LW-04') THEN printf('began to run in pool %s although pool %s had %s of %d (%s).', pool, full_pool, internal.count_text(operation_count, 'running operation'), limit_value, limit_name)
  WHEN invariant = 'CNT-06' THEN printf('was refused in pool %s for too many operations although no pool above it was full.', pool)
  WHEN invariant = 'POOL-01' AND placed_pool <> '' THEN printf('was %s in pool %s although the rules put it into pool %s.', action, pool, placed_pool)
  WHEN invariant = 'POOL-01' THEN printf('was %s in pool %s, a name that no operation may ask for.', action, pool)
  WHEN invariant = 'POOL-02' THEN printf('was %s directly in pool %s, which has forbid_immediate_operations.', action, pool)
  WHEN invariant = 'POOL-03' THEN printf('got the ephemeral pool %s although its user had as many as allowed (max_ephemeral_pools_per_user is %d).', pool, limit_value)
  WHEN invariant = 'POOL-07' THEN 'was attached to the root itself.'
  WHEN invariant = 'POOL-08' THEN printf('was %s in pool %s although it is a gang, pool %s is no FIFO pool and the tree lets gangs start nowhere else.', action, pool, pool)
  WHEN invariant = 'PEND-02' THEN printf('began to run in pool %s before operation %s, which had waited longer in the same queue and could have run.', pool, overtook)
  WHEN invariant = 'PEND-03' THEN printf('began to run in pool %s as soon as it came, although operation %s waited there and could have run.', pool, overtook)
  WHEN invariant = 'PEND-06' THEN printf('was moved to pool %s and did not run there at once.', pool)
  WHEN invariant = 'PEND-07' AND full_pool IS NOT NULL THEN printf('was moved to pool %s although pool %s had %d operations of %d (%s).', pool, full_pool, operation_count, limit_value, limit_name)
  WHEN invariant = 'PEND-07' THEN printf('was moved to pool %s, where it may not be.', pool)
  WHEN invariant = 'LW-02' THEN printf('waits in pool %s although it is lightweight there, so that no limit of running operations applies to it.', pool)
  ELSE printf('was %s in pool %s.', action, pool)
END;

-- The steps that break one of the given rules, as findings.
CREATE OR REPLACE MACRO internal.admissions_findings(ids) AS TABLE
SELECT
  a.tree, a.invariant, a.invariant AS aspect, a.verdict, 'operation' AS subject_kind, a.operation AS subject,
  a.time AS from_time, a.time AS to_time,
  greatest(coalesce(a.operation_count - a.limit_value + 1, 1), 1)::DOUBLE AS magnitude, 'operations' AS unit,
  'Operation ' || a.operation || ' '
    || coalesce(internal.admission_text(a.invariant, a.action, a.pool, a.limit_name, a.full_pool, a.operation_count, a.limit_value, a.placed_pool, a.overtook_operation),
      printf('broke a rule of admission in the step %s.', a.action))
    || CASE
      WHEN a.verdict = 'excused' THEN printf(' Excused: %s.', internal.excuse_text(a.excuse))
      WHEN a.verdict = 'suspect' AND a.judged = 'possible' AND a.action IN ('started', 'revived') THEN ' The log leaves open which operations there were, or which settings were in force.'
      WHEN a.verdict = 'suspect' AND a.judged = 'possible' THEN ' The log does not distinguish what waited from what could run.'
      WHEN a.verdict = 'suspect' AND a.missing = 'queue_moves' THEN ' Meanwhile another pool above that one was full, or its pool changed, so that it may have lost its place: the log does not record in which queue it stood.'
      WHEN a.verdict = 'suspect' AND a.missing = 'queue_scans' THEN ' That one ran soon after, or left: the log does not record when the queues were scanned.'
      WHEN a.verdict = 'suspect' AND a.since_configuration_us < 0 THEN printf(' A configuration recorded %s later may have been in force already.', internal.seconds_text(-a.since_configuration_us / 1e6))
      WHEN a.verdict = 'suspect' AND a.since_configuration_us >= 0 THEN printf(' A configuration had taken effect %s before, so that an older one may still have been in force.', internal.seconds_text(a.since_configuration_us / 1e6))
      WHEN a.verdict = 'suspect' THEN ' Another had left just before.'
      ELSE ''
    END AS reason,
  a.judged,
  json_object(
    -- The pool whose promise is broken: the full pool if too many are let in, the
    -- operation's own if it is kept out although it has room.
    'promised', CASE
      WHEN a.full_pool IS NOT NULL THEN [{'pool': a.full_pool, 'verdict': a.verdict}]
      WHEN a.invariant IN ('CNT-06', 'PEND-06', 'LW-02', 'POOL-02') THEN [{'pool': a.pool, 'verdict': a.verdict}]
      ELSE [] END, 'action', a.action, 'pool', a.pool, 'from_pool', a.from_pool, 'user', a.user_name, 'lightweight', a.lightweight,
    'limit', a.limit_name, 'full_pool', a.full_pool, 'count', a.operation_count, 'limit_value', a.limit_value,
    'requested_pool', a.requested_pool, 'placed_pool', a.placed_pool, 'overtook', a.overtook_operation, 'error_code', a.error_code) AS evidence,
  CASE a.verdict WHEN 'excused' THEN internal.excuse_text(a.excuse) END AS excuse
FROM admissions AS a
WHERE list_contains(ids, a.invariant) AND a.verdict IN ('violated', 'suspect', 'excused');

-- Whether the log distinguishes running operations from waiting ones, by tree. placed: it
-- records when operations came to run, and does not distinguish a wait for admission from
-- one for resources.
CREATE OR REPLACE VIEW internal.operation_states AS
SELECT tree, coalesce(bool_or(c.state = 'assumed'), false) AS assumed, coalesce(bool_or(c.state = 'placed'), false) AS placed
FROM trees LEFT JOIN (SELECT tree, state FROM coverage WHERE aspect = 'operation_states') AS c USING (tree)
GROUP BY tree;

-- Which steps a rule of admission judges, and what one and several of them are called.
CREATE OR REPLACE MACRO internal.admission_steps(invariant) AS CASE
  WHEN invariant IN ('CNT-01', 'LW-03', 'POOL-02', 'POOL-03', 'POOL-07') THEN {'actions': ['started', 'revived'], 'noun': 'start', 'unit': 'starts'}
  WHEN invariant IN ('CNT-02', 'LW-04') THEN {'actions': ['running', 'materialized'], 'noun': 'activation', 'unit': 'activations'}
  WHEN invariant IN ('PEND-02', 'PEND-03') THEN {'actions': ['running'], 'noun': 'activation', 'unit': 'activations'}
  WHEN invariant IN ('PEND-06', 'PEND-07') THEN {'actions': ['pool_changed'], 'noun': 'change of pool', 'unit': 'changes of pool'}
END;

-- How many of the steps that the rules with the ids of each set judge were judged, by tree,
-- with the reason if none was. The rules of a set judge the same steps.
CREATE OR REPLACE MACRO internal.admissions_seen(sets) AS TABLE
WITH asked AS (
  SELECT ids, internal.admission_steps(ids[1]) AS judges FROM (SELECT DISTINCT unnest(sets) AS ids) AS s
), steps AS (
  SELECT tree, time, operation, action, bool_or(verdict <> 'undecidable') AS judged, max(missing) AS missing
  FROM admissions
  GROUP BY tree, time, operation, action
), judged AS (
  SELECT ids, tree, operation, judged, missing FROM steps JOIN (SELECT ids, unnest(judges.actions) AS action FROM asked) AS a USING (action)
)
SELECT ids, tree, count(*) FILTER (judged) AS seen, judges.unit AS unit,
  CASE
    WHEN count(operation) = 0 THEN printf('the log records no %s', judges.noun)
    WHEN count(*) FILTER (judged) = 0 THEN printf('the log lacks the %s for all it records', replace(max(missing), '_', ' '))
  END AS reason,
  count(operation) = 0 AND (judges.noun <> 'activation' OR NOT any_value(assumed)) AS idle
FROM (SELECT tree, assumed, unnest(list_distinct(sets)) AS ids FROM internal.operation_states) AS t
JOIN asked USING (ids)
LEFT JOIN judged USING (tree, ids)
GROUP BY ids, judges, tree;
