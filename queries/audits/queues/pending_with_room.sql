-- @audit     pending_with_room
-- @title     Operation kept waiting although nothing limited it
-- @promise   A pending operation has a full pool above it, but for the minute until the next rescan; room that a leaving operation made is used at once.
-- @invariant PEND-01, PEND-04
-- @breaks    max_running_operation_count, max_running_operation_count_per_pool
-- @reads     pending_episodes, excuse_windows, coverage, trees
-- @param     scan_s 60 s — period of the rescan of queues
-- @param     slack_s 6 s — until a written configuration is in force
-- @param     leave_s 1 s — until the room of a leaving operation is used
-- @why       Only the first operation of a queue is judged, since those behind it wait for
--            it. The longest part of a wait outside the global excuse windows counts; of
--            room that a leaving operation made, the time before the first of them. The
--            rescan leaves out the root's own queue, which only leaving operations serve.
--            An operation whose wait the log never records may have been running. Where the
--            log does not record the pool of some step of an operation, there may have been
--            no room. Where it records when operations came to run, but does not
--            distinguish a wait for admission from one for resources, a wait is suspect at
--            most, and room that a leaving operation made is not judged.
WITH due AS (
  SELECT tree, operation, pool, 'PEND-01' AS invariant, longest_due_from AS from_time, longest_due_us AS us, longest_due_pool AS queue,
    recorded, held_us, blocking_pool, ended, window_from,
    longest_due_pool = '<Root>' AND due_after_leave_us < longest_due_us AS unserved
  FROM internal.whole_pending_episodes
  WHERE longest_due_us > ($scan_s + $slack_s) * 1e6
  UNION ALL
  SELECT tree, operation, pool, 'PEND-04', due_after_leave_from, due_after_leave_us, NULL, recorded, held_us, blocking_pool, ended, window_from, false
  FROM internal.whole_pending_episodes
  WHERE due_after_leave_us > $leave_s * 1e6
), spans AS (
  SELECT due.*, from_time + to_microseconds(us) AS to_time, internal.windows_within(from_time, from_time + to_microseconds(us), windows) AS windows
  FROM due JOIN internal.excuse_lists USING (tree)
), clear AS (
  SELECT *, CASE invariant
    WHEN 'PEND-01' THEN internal.longest_outside(from_time, to_time, windows)
    ELSE internal.longest_outside(from_time, coalesce(greatest(windows[1].from_time, from_time), to_time), [])
  END AS part
  FROM spans
), excused AS (
  SELECT c.tree, operation, pool, invariant, queue, held_us, blocking_pool, ended, window_from,
    CASE
      WHEN s.placed THEN 'The log does not record whether it waited for admission or for resources.'
      WHEN s.assumed OR NOT recorded THEN 'The log does not record that it waited, or not which pools others were in: that follows from full pools when it was ready.'
    END AS doubt,
    coalesce(
      CASE WHEN NOT over THEN internal.window_text(windows[1].cause) END,
      CASE WHEN unserved THEN 'the queue of the root itself is served by leaving operations only' END
    ) AS excuse,
    CASE WHEN over THEN part ELSE {'seconds': us / 1e6, 'from_time': from_time, 'to_time': to_time} END AS told
  FROM (SELECT *, part.seconds > CASE invariant WHEN 'PEND-01' THEN $scan_s + $slack_s ELSE $leave_s END AS over FROM clear) AS c
  JOIN internal.operation_states AS s ON s.tree = c.tree
  WHERE NOT (s.placed AND invariant = 'PEND-04')
)
SELECT
  tree, invariant, invariant AS aspect,
  CASE WHEN excuse IS NOT NULL THEN 'excused' WHEN doubt IS NOT NULL THEN 'suspect' ELSE 'violated' END AS verdict,
  'operation' AS subject_kind, operation AS subject, told.from_time AS from_time, told.to_time AS to_time, told.seconds AS magnitude, 's' AS unit,
  printf('Operation %s of pool %s stood first in its queue for %s %s and was not admitted.%s%s', operation, pool, internal.span_text(told.seconds),
    CASE invariant WHEN 'PEND-04' THEN 'after another had left room for it' ELSE 'with room in all pools above it' END,
    coalesce(printf(' Excused: %s.', excuse), ''),
    CASE WHEN excuse IS NULL THEN coalesce(' ' || doubt, '') ELSE '' END) || internal.parts_text(told.from_time, told.to_time, window_from) AS reason,
  CASE WHEN doubt IS NOT NULL THEN 'possible' ELSE 'recorded' END AS judged,
  json_object('promised', list_transform(list_distinct([pool, coalesce(queue, pool)]), p -> {'pool': p, 'verdict': verdict}), 'pool', pool, 'queue', queue, 'held_s', held_us / 1e6, 'blocking_pool', blocking_pool, 'ended', ended) AS evidence,
  excuse
FROM excused
ORDER BY tree, from_time, subject, aspect;
-- @seen
SELECT tree, count(operation) AS seen, 'waits' AS unit,
  CASE WHEN count(operation) = 0 THEN 'no operation waited for admission' END AS reason,
  count(operation) = 0 AND tree NOT IN (SELECT tree FROM internal.operation_states WHERE assumed) AS idle
FROM trees LEFT JOIN pending_episodes USING (tree)
GROUP BY tree
ORDER BY tree;
