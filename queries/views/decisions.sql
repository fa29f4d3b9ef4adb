-- What the audits of recorded starts and preemptions share.

-- The pools of some cases, each once with the worst verdict, in the order of names.
CREATE OR REPLACE MACRO internal.promised_by(cases) AS
  list_transform(list_sort(list_distinct(list_filter(list_transform(cases, c -> c.pool), p -> p IS NOT NULL))), p -> {'pool': p,
    'verdict': internal.ranked_verdict(list_max(list_transform(list_filter(cases, c -> c.pool = p), c -> c.weight)))});

-- What proves a preemption fair or unfair, as evidence: p is a row of preemptions and
-- better_started the start of its better_victim. Shares are those of the tree, place is
-- the victim's among the candidates, from 1; null is what is not there or not known.
CREATE OR REPLACE MACRO internal.preemption_proof(p, better_started) AS json_object(
  'time', internal.time_text(p.time), 'node', p.node,
  'victim', p.job, 'victim_operation', p.operation, 'victim_pool', p.pool, 'victim_started', internal.time_text(p.start_time),
  'ran_s', span_seconds(p.start_time, p.time), 'lost_s', p.lost_us / 1e6,
  'user_slots', p.resources_user_slots, 'cores', p.resources_cpu, 'gpus', internal.column_amount('gpu', p.resources_gpu, internal.source_unit('gpu')), 'memory_gib', p.resources_memory / 1073741824, 'network', p.resources_network,
  'reason', p.reason, 'reason_judged', p.reason_judged, 'mode', nullif(p.mode, ''), 'judged', p.judged,
  'list', p.list, 'level', p.level, 'recorded_level', nullif(p.recorded_level, ''),
  'usage_share_before', p.usage_ratio_before, 'usage_share_after', p.usage_ratio_after, 'fair_share', p.fair_share_ratio,
  'satisfaction_before', CASE WHEN p.satisfaction_before < 1e9 THEN p.satisfaction_before END, 'satisfaction_after', CASE WHEN p.satisfaction_after < 1e9 THEN p.satisfaction_after END,
  'blocker_pool', p.blocker_pool, 'blocked_by_operation', p.blocked_by_operation,
  'candidates', p.candidates, 'place', p.rank + 1, 'better_victim', nullif(p.better_victim, ''), 'better_victim_started', internal.time_text(better_started),
  'had_room', p.had_room,
  'beneficiary', p.beneficiary, 'beneficiary_pool', p.beneficiary_pool, 'beneficiary_job', nullif(p.beneficiary_job, ''),
  'stage_priority', p.stage_priority, 'beneficiary_priority', p.beneficiary_priority, 'own_priority', p.own_priority,
  'starving_pool', p.starving_pool, 'starving_for', nullif(p.starving_for, ''), 'below_since', internal.time_text(p.starving_since), 'below_s', span_seconds(p.starving_since, p.time),
  'timeout_s', p.starving_timeout_us / 1e6,
  'facts', p.facts, 'verdict', p.verdict, 'violated', p.violated, 'suspect', p.suspect, 'excused', p.excused);

-- The findings of all rules of decisions: one per rule and operation, with the worst verdict
-- among its cases and the first of them in words. The evidence has the proofs of the
-- first three preemptions. For a job that did not run (PRE-23) it has those of its
-- preemptions, how long it was waited for and by when it had to run. This is a table, since
-- two dozen audits use it and each would be planned with all of it.
CREATE OR REPLACE TABLE internal.found_decisions AS
WITH cases AS (
  SELECT tree, invariant, operation, pool, node, job, decision, time, verdict, judged, sentence, policy, other_operation, limit_pool, found, bound, measure, resource, excuse,
    internal.verdict_rank(verdict) AS weight,
    {'rank': -weight, 'time': time, 'job': job} AS place -- the worst come first
  FROM decisions
  WHERE verdict <> 'undecidable' AND (severity <> 'info' OR (tree, decision, time, job) NOT IN (
    -- A note calls a decision legal. None is made of one that a rule calls violated, nor of one for
    -- which no element in scope may have starved (scheduling.md 10.10, F2).
    SELECT (tree, decision, time, job) FROM decisions
    WHERE severity <> 'info' AND (verdict = 'violated' OR verdict = 'suspect' AND invariant IN ('PRE-03', 'PRE-04'))))
), told AS MATERIALIZED (
  SELECT tree, invariant, operation,
    arg_min({'verdict': verdict, 'decision': decision, 'pool': pool, 'node': node, 'job': job, 'time': time, 'sentence': sentence, 'policy': policy, 'other_operation': other_operation,
      'limit_pool': limit_pool, 'judged': judged, 'weight': weight, 'found': found, 'bound': bound, 'measure': measure, 'resource': resource, 'excuse': excuse}, place, 10) AS first_ten,
    arg_min({'weight': weight, 'time': time, 'job': job}, place, 3) FILTER (decision = 'preemption') AS first_three,
    max({'weight': weight, 'time': time}).time AS to_time, -- of the worst
    -- The pools that promised the limit or the guarantee, each with its worst verdict.
    list(DISTINCT {'pool': limit_pool, 'weight': weight}) FILTER (invariant IN ('LIM-01', 'LIM-03', 'GUA-07')) AS limits,
    count(*) FILTER (verdict = 'violated') AS violated, count(*) FILTER (verdict = 'suspect') AS suspect, count(*) FILTER (verdict = 'excused') AS excused,
    replace(first(excuse ORDER BY place) FILTER (verdict = 'excused' AND excuse <> ''), '_', ' ') AS excuse
  FROM cases
  GROUP BY tree, invariant, operation
), counted AS ( -- by the finding of its rule: the cases with the worst verdict
  SELECT tree, decision, time, job, operation, invariant, weight FROM cases
  QUALIFY weight = max(weight) OVER (PARTITION BY tree, invariant, operation)
), several AS ( -- decisions that the findings of several rules count
  SELECT tree, operation, list(invariant ORDER BY invariant) AS rules FROM counted GROUP BY tree, decision, time, job, operation, weight HAVING count(*) > 1
), shared AS (
  SELECT tree, operation, invariant, to_json(list({'rules': rules, 'decisions': n} ORDER BY rules)) AS shared
  FROM (SELECT *, unnest(rules) AS invariant FROM (SELECT tree, operation, rules, count(*) AS n FROM several GROUP BY ALL)) AS each
  GROUP BY tree, operation, invariant
), preempted AS (
  SELECT tree, invariant, operation, unnest(first_three) AS one FROM told
), in_vain AS (
  SELECT c.tree, c.invariant, c.operation, c.weight, c.time, p.job, json_object('waited_s', c.found / 1e6, 'allowed_s', c.bound / 1e6) AS outcome
  FROM cases AS c
  JOIN preemptions AS p ON p.tree = c.tree AND p.time = c.time AND p.beneficiary_job = c.job
  WHERE c.invariant = 'PRE-23' AND c.job <> ''
  QUALIFY row_number() OVER (PARTITION BY c.tree, c.operation ORDER BY c.weight DESC, c.time, c.job, p.rank, p.job) <= 3
), proving AS MATERIALIZED (
  SELECT c.invariant, c.weight, c.outcome, c.operation, p
  FROM (SELECT tree, invariant, operation, one.weight AS weight, one.time AS time, one.job AS job, NULL::JSON AS outcome FROM preempted UNION ALL FROM in_vain) AS c
  JOIN preemptions AS p ON p.tree = c.tree AND p.time = c.time AND p.job = c.job
), better AS ( -- few, if any
  SELECT tree, job, start_time FROM jobs WHERE (tree, job) IN (SELECT (p.tree, p.better_victim) FROM proving WHERE p.better_victim <> '')
), proved AS (
  SELECT tree, invariant, operation,
    list(CASE WHEN outcome IS NULL THEN proof ELSE json_merge_patch(proof, outcome) END ORDER BY weight DESC, time, job) AS proofs
  FROM (
    SELECT c.p.tree AS tree, c.invariant, c.operation, c.weight, c.p.time AS time, c.p.job AS job, c.outcome, internal.preemption_proof(c.p, better.start_time) AS proof
    FROM proving AS c LEFT JOIN better ON better.tree = c.p.tree AND better.job = c.p.better_victim
  ) AS each
  GROUP BY tree, invariant, operation
), summed AS (
  SELECT tree, invariant, operation, first_ten[1] AS one, first_ten, first_ten[1].time AS from_time, to_time,
    CASE first_ten[1].weight WHEN 3 THEN violated WHEN 2 THEN suspect ELSE excused END AS n,
    limits, violated, suspect, excused, excuse,
    list_transform(first_ten, c -> {'time': internal.time_text(c.time), 'job': CASE c.decision WHEN 'start' THEN c.job END, 'victim': CASE c.decision WHEN 'preemption' THEN c.job END, 'node': c.node, 'verdict': c.verdict,
      'other_operation': CASE c.decision WHEN 'start' THEN c.other_operation END, 'beneficiary': CASE c.decision WHEN 'preemption' THEN c.other_operation END, 'limit_pool': c.limit_pool,
      'found': internal.side_value(c.found, c.measure, c.resource, gpu_unit), 'bound': internal.side_value(c.bound, c.measure, c.resource, gpu_unit), 'unit': internal.side_unit_text(c.measure, c.resource), 'resource': c.resource, 'excuse': c.excuse})
      AS first_cases
  FROM (SELECT *, internal.source_unit('gpu') AS gpu_unit FROM told)
)
SELECT
  tree,
  invariant,
  invariant AS aspect,
  one.verdict AS verdict,
  'operation' AS subject_kind,
  operation AS subject,
  from_time,
  to_time,
  n::DOUBLE AS magnitude,
  CASE one.decision WHEN 'start' THEN 'starts' ELSE 'preemptions' END AS unit, -- of PRE-13 either
  printf('%s of operation %s%s%s %s the rule that %s. The policy would %s.',
    internal.count_text(n, one.decision),
    operation, coalesce(' in pool ' || one.pool, ''), -- one that has left the tree is in none
    printf(CASE WHEN n > 1 THEN ', first of job %s,' ELSE ' (job %s)' END, one.job),
    CASE one.weight
      WHEN 2 THEN 'may break'
      WHEN 1 THEN CASE WHEN n > 1 THEN 'break' ELSE 'breaks' END || ', with an excuse,'
      ELSE CASE WHEN n > 1 THEN 'break' ELSE 'breaks' END END,
    regexp_replace(one.sentence, '^[A-Z]+-[0-9]+ [a-z]+: ', ''),
    replace(one.policy, ': ', ', since ')) ||
    coalesce(printf(' The beneficiary is operation %s.', CASE one.decision WHEN 'preemption' THEN one.other_operation END), '') ||
    CASE WHEN invariant IN ('LIM-01', 'LIM-03', 'GUA-07')
      THEN printf(' The %s is %s.', CASE invariant WHEN 'GUA-07' THEN 'guarantee' ELSE 'limit' END, coalesce('that of pool ' || one.limit_pool, 'the operation''s own')) ELSE '' END AS reason,
  one.judged AS judged,
  json_merge_patch(json_object('pool', one.pool, 'promised', internal.promised_by(limits), 'violated', violated, 'suspect', suspect, 'excused', excused,
    'first_cases', first_cases, 'proofs', coalesce(proofs, [])), CASE WHEN shared IS NULL THEN '{}' ELSE json_object('shared', shared) END) AS evidence,
  excuse
FROM summed LEFT JOIN proved USING (tree, invariant, operation) LEFT JOIN shared USING (tree, invariant, operation);

-- The findings of the rules with the given ids.
CREATE OR REPLACE MACRO internal.decisions_findings(ids) AS TABLE
  SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, excuse
  FROM internal.found_decisions
  WHERE list_contains(ids, invariant);

-- How many checks there are by the rules with the ids of each set, by tree, how many were
-- left out, and which inputs they lack.
CREATE OR REPLACE MACRO internal.decisions_seen(sets) AS TABLE
  WITH asked AS (
    SELECT DISTINCT unnest(sets) AS ids
  ), judged AS (
    SELECT tree, ids,
      coalesce(sum(decisions) FILTER (verdict <> 'undecidable'), 0) AS seen,
      coalesce(sum(decisions) FILTER (verdict = 'undecidable'), 0) AS left_out,
      string_agg(DISTINCT replace(note, '_', ' '), ', ' ORDER BY replace(note, '_', ' ')) FILTER (verdict = 'undecidable') AS missing
    FROM decision_counts JOIN (SELECT ids, unnest(ids) AS invariant FROM asked) AS a USING (invariant)
    GROUP BY tree, ids
  )
  SELECT ids, tree, coalesce(seen, 0)::BIGINT AS seen, 'rule checks on starts and preemptions' AS unit,
    CASE
      WHEN judged.tree IS NULL THEN 'no recorded decision concerns the rule'
      WHEN left_out > 0 THEN printf('%s %s an input: %s', internal.count_text(left_out, 'rule check'), CASE WHEN left_out = 1 THEN 'lacks' ELSE 'lack' END, missing)
    END AS reason,
    -- A log without details of preemptions may lack the preemptions themselves.
    judged.tree IS NULL AND NOT (coalesce(c.state, '') = 'none' AND list_aggregate(list_transform(ids, i -> NOT regexp_matches(i, '^(HB|SEG)-|^LIM-0[13]$')), 'bool_or')) AS idle
  FROM (SELECT tree, unnest(list_distinct(sets)) AS ids FROM trees) AS t LEFT JOIN judged USING (tree, ids)
  LEFT JOIN (SELECT tree, state FROM coverage WHERE aspect = 'preemption_details') AS c USING (tree);

-- When promises of trees were judged, for @tested. kinds are pairs of a kind and the rule
-- that judges it. A minute counts if it lies wholly in a version of the tree's settings.
CREATE OR REPLACE MACRO internal.decisions_tested(kinds) AS TABLE
  WITH each AS (
    SELECT d.tree, k.one.kind AS kind, d.verdict, d.note, v.from_time, v.to_time
    FROM decision_counts AS d
    JOIN (SELECT unnest(kinds) AS one) AS k ON k.one.invariant = d.invariant
    ASOF JOIN tree_versions AS v ON v.tree = d.tree AND v.from_time <= d.minute
    WHERE v.clipped_to OR d.minute + INTERVAL 1 MINUTE <= v.to_time
  )
  SELECT tree, kind, tree AS subject, from_time, to_time,
    CASE WHEN bool_and(verdict = 'undecidable') THEN printf('the log lacks an input: %s', string_agg(DISTINCT replace(note, '_', ' '), ', ' ORDER BY replace(note, '_', ' '))) END AS missing
  FROM each
  GROUP BY tree, kind, from_time, to_time;
