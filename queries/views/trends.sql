-- What only a series of runs shows: put these to several runs (poolproof query RUNS), or to a
-- lake (poolproof export). Each groups by cluster as well where runs of several are asked: the
-- column then stands in for the comment.

-- How promises were kept, week by week; each run counts every promise once per version of its
-- setting.
-- @column  week UTC — Monday on which the week begins
-- @columns tree
-- @column  promise — kind of promise: the setting that makes the promise
-- @column  promises promises — how many there were
-- @column  broken promises — that were broken
-- @column  impossible promises — that the configuration could not keep
-- @column  unverifiable promises — that the log does not let anybody judge
-- @column  excused promises — that were kept but for a time that the rules excuse
-- @column  vacuous promises — that nothing tested
-- @column  kept promises — that were tested and kept
-- @column  kept_part ratio — kept by kept and broken; null where neither is
-- @example SELECT week, promise, broken, kept_part FROM promises_by_week WHERE broken > 0 ORDER BY week, broken DESC
CREATE OR REPLACE VIEW promises_by_week AS
SELECT /* cluster, */ date_trunc('week', from_time)::TIMESTAMP AS week, tree, promise,
  count(*) AS promises,
  count(*) FILTER (grade = 'broken') AS broken,
  count(*) FILTER (grade = 'impossible') AS impossible,
  count(*) FILTER (grade = 'unverifiable') AS unverifiable,
  count(*) FILTER (grade = 'excused') AS excused,
  count(*) FILTER (grade = 'vacuous') AS vacuous,
  count(*) FILTER (grade = 'kept') AS kept,
  count(*) FILTER (grade = 'kept') / nullif(count(*) FILTER (grade IN ('kept', 'broken')), 0) AS kept_part
FROM promises
GROUP BY ALL;

-- How long pools and their operations starved, month by month. A span counts in the month in
-- which it begins; one that lasts over the end of a window is cut there, and goes on in the next
-- run.
-- @column  month UTC — first day of the month
-- @columns tree, pool
-- @column  starved_s s — time for which the pool itself starved
-- @column  operations_starved_s s — time for which its operations starved, summed over them
-- @column  operations operations — different operations of it that starved
-- @column  missing_share_seconds share·s — what the pool lacked while it starved, summed over the time
-- @example SELECT month, pool, starved_s, operations_starved_s FROM starved_by_month ORDER BY month, operations_starved_s DESC
CREATE OR REPLACE VIEW starved_by_month AS
SELECT /* cluster, */ date_trunc('month', from_time)::TIMESTAMP AS month, tree, pool,
  coalesce(sum(epoch_us(to_time) - epoch_us(from_time)) FILTER (element_kind = 'pool'), 0) / 1e6 AS starved_s,
  coalesce(sum(epoch_us(to_time) - epoch_us(from_time)) FILTER (element_kind = 'operation'), 0) / 1e6 AS operations_starved_s,
  count(DISTINCT element) FILTER (element_kind = 'operation') AS operations,
  coalesce(sum(round(missing_share_seconds * 1e9)::HUGEINT) FILTER (element_kind = 'pool'), 0) / 1e9 AS missing_share_seconds
FROM starvation_spans
GROUP BY ALL;

-- Troubles that come back: findings of one fingerprint, which is that of a rule and a lasting
-- subject, on more than one day.
-- @column  fingerprint — the same in every night that has the trouble
-- @column  audit — id of the audit that finds it
-- @columns tree
-- @column  subject_kind — what the latest finding is about: pool, operation, job, node, tree
-- @column  subject — name or id of that
-- @column  days days — days on which it began
-- @column  findings findings — how many there were
-- @column  violated findings — how many of them are wrong under every reading of the log
-- @column  first_time UTC — when the first began
-- @column  last_time UTC — when the latest began
-- @column  reason — what happened the latest time
-- @example SELECT audit, subject, days, violated, first_time, last_time FROM recurring_incidents ORDER BY days DESC, violated DESC
CREATE OR REPLACE VIEW recurring_incidents AS
SELECT /* cluster, */ fingerprint, audit, tree,
  arg_max(subject_kind, (from_time, finding_id)) AS subject_kind,
  arg_max(subject, (from_time, finding_id)) AS subject,
  count(DISTINCT from_time::DATE) AS days,
  count(*) AS findings,
  count(*) FILTER (verdict = 'violated') AS violated,
  min(from_time) AS first_time,
  max(from_time) AS last_time,
  arg_max(reason, (from_time, finding_id)) AS reason
FROM findings
WHERE verdict IN ('violated', 'suspect', 'damaged', 'noted')
GROUP BY ALL
HAVING count(DISTINCT from_time::DATE) > 1;
