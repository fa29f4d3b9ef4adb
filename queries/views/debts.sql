-- Who or what had the share that pools and operations lacked, over a part of the window. A row
-- of share_debts that lies in it only in part counts in proportion: the sums are of whole
-- numbers, so that they are exact.

-- What every pool and operation lacked between two moments, one row per element, level and
-- cause, in the resource that it lacked most.
-- @param   begins UTC — start of the part
-- @param   ends UTC — end of the part, exclusive
-- @columns tree, element_kind
-- @column  element — name of the pool, or id of the operation
-- @columns pool
-- @column  level — what usage is compared with: guarantee, fair_share, or demand, what is wanted beyond the fair share
-- @column  cause — why the share was lacking
-- @column  obstacle — why preemption did not take the share back, or why the operation got no jobs
-- @column  holder_pool — the pool that had the share, or whose limit held the element back
-- @column  holder_operation — the operation that had the share
-- @column  blocking_pool — the pool that protects the jobs of the holder
-- @column  limiting_resource — of a limit or of fragmentation, the resource
-- @column  from_time UTC — when the first span with the cause began
-- @column  to_time UTC — when the last one ended
-- @column  lacked share·s — what is booked to the cause
-- @column  part ratio — of all that the element lacked at that level
-- @example SELECT level, cause, holder_pool, round(lacked, 3) AS lacked FROM debts_between('2025-03-03 08:02:00', '2025-03-03 08:06:00') WHERE element = 'research' ORDER BY level, lacked DESC
CREATE OR REPLACE MACRO debts_between(begins, ends) AS TABLE
WITH clipped AS (
  SELECT *, epoch_us(to_time) - epoch_us(from_time) AS span_us,
    epoch_us(least(to_time, ends::TIMESTAMP)) - epoch_us(greatest(from_time, begins::TIMESTAMP)) AS us
  FROM share_debts
  WHERE from_time < ends::TIMESTAMP AND to_time > begins::TIMESTAMP
), summed AS (
  SELECT tree, element_kind, coalesce(operation, pool) AS element, arg_max(pool, from_time) AS pool, level, cause, obstacle, holder_pool,
    holder_operation, blocking_pool, limiting_resource,
    greatest(min(from_time), begins::TIMESTAMP) AS from_time, least(max(to_time), ends::TIMESTAMP) AS to_time,
    sum(owed_share_seconds::HUGEINT * us // span_us)::BIGINT AS lacked
  FROM clipped
  GROUP BY ALL
)
SELECT tree, element_kind, element, pool, level, cause, obstacle, holder_pool, holder_operation, blocking_pool, limiting_resource, from_time, to_time,
  lacked / 1e9 AS lacked, lacked / nullif(sum(lacked) OVER (PARTITION BY tree, element_kind, element, level), 0) AS part
FROM summed;

-- The main cause of what every pool and operation lacked between two moments, one row per
-- element. The level is the first of guarantee, fair_share and demand whose deficit is a quarter
-- of all that the element wanted and did not have, else that of the greatest deficit.
-- @param   begins UTC — start of the part
-- @param   ends UTC — end of the part, exclusive
-- @columns tree, element_kind
-- @column  element — name of the pool, or id of the operation
-- @columns pool
-- @column  level — what usage is compared with
-- @column  cause — the cause of the greatest part of the deficit
-- @column  lacked share·s — what is booked to the cause
-- @column  part ratio — of all that the element lacked at that level
-- @column  deficit share·s — all that the element lacked at that level
-- @column  holder_pool — of the cause, the pool with the greatest part
-- @column  holder_operation — likewise the operation
-- @column  obstacle — likewise what was in the way
-- @example SELECT element, level, cause, holder_pool FROM main_causes('2025-03-03 08:02:00', '2025-03-03 08:06:00') WHERE element_kind = 'pool' ORDER BY deficit DESC
CREATE OR REPLACE MACRO main_causes(begins, ends) AS TABLE
WITH levels AS (
  SELECT tree, element_kind, element, level, sum(lacked) AS deficit, CASE level WHEN 'guarantee' THEN 0 WHEN 'fair_share' THEN 1 ELSE 2 END AS rank
  FROM debts_between(begins, ends)
  GROUP BY ALL
), wanted AS (
  SELECT *, sum(deficit) FILTER (level <> 'guarantee') OVER (PARTITION BY tree, element_kind, element) AS wanted FROM levels
), chosen AS (
  SELECT tree, element_kind, element, level, deficit FROM wanted
  QUALIFY row_number() OVER (PARTITION BY tree, element_kind, element ORDER BY deficit < coalesce(wanted, 0) / 4, CASE WHEN deficit < coalesce(wanted, 0) / 4 THEN -deficit END, rank) = 1
), causes AS (
  SELECT tree, element_kind, element, level, cause, sum(lacked) AS lacked, sum(part) AS part, arg_max(pool, lacked) AS pool
  FROM debts_between(begins, ends)
  GROUP BY ALL
), holders AS (
  SELECT tree, element_kind, element, level, cause, arg_max(holder_pool, (held, holder_pool)) AS holder_pool, arg_max(holder_operation, (held, holder_pool)) AS holder_operation
  FROM (SELECT tree, element_kind, element, level, cause, holder_pool, holder_operation, sum(lacked) AS held FROM debts_between(begins, ends) WHERE holder_pool IS NOT NULL GROUP BY ALL)
  GROUP BY ALL
), obstacles AS (
  SELECT tree, element_kind, element, level, cause, arg_max(obstacle, (held, obstacle)) AS obstacle
  FROM (SELECT tree, element_kind, element, level, cause, obstacle, sum(lacked) AS held FROM debts_between(begins, ends) GROUP BY ALL)
  GROUP BY ALL
)
SELECT tree, element_kind, element, c.pool, level, c.cause, c.lacked, c.part, l.deficit, h.holder_pool, h.holder_operation, o.obstacle
FROM chosen AS l
JOIN causes AS c USING (tree, element_kind, element, level)
LEFT JOIN holders AS h USING (tree, element_kind, element, level, cause)
JOIN obstacles AS o USING (tree, element_kind, element, level, cause)
QUALIFY row_number() OVER (PARTITION BY tree, element_kind, element ORDER BY c.lacked DESC, c.cause) = 1;

-- Who had the share that others lacked, one row per holder, over the whole window: what it had
-- above its own fair share while others were below theirs.
-- @columns tree
-- @column  holder_pool — the pool of the holder
-- @column  holder_operation — the operation that had the share; null if the row stands for several of the pool
-- @column  level — guarantee or fair_share: what the others lacked
-- @column  creditors pools — pools that lacked it
-- @column  held share·s — what is booked to the holder by pools; what a pool lacks and pools below it lack as well counts once
-- @column  preemptible share·s — the part of it while nothing was in the way of preemption
-- @example SELECT holder_pool, holder_operation, creditors, round(held, 3) AS held FROM top_debtors WHERE level = 'fair_share' ORDER BY held DESC LIMIT 10
CREATE OR REPLACE VIEW top_debtors AS
SELECT tree, holder_pool, holder_operation, level, count(DISTINCT pool) AS creditors, sum(owed_share_seconds - nested_held_share_seconds)::BIGINT / 1e9 AS held,
  coalesce(sum(owed_share_seconds - nested_held_share_seconds) FILTER (obstacle = 'preemptible'), 0)::BIGINT / 1e9 AS preemptible
FROM share_debts
WHERE element_kind = 'pool' AND cause = 'others_over_fair_share'
GROUP BY ALL;
