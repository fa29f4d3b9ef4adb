-- @audit     node_changed_segment_early
-- @title     Node moved to a segment that did not need it
-- @promise   A node changes its segment only for one that has had too little for longer than its timeout, and not right after the scheduler's start.
-- @invariant SEG-03
-- @reads     segment_moves, trees
-- @why       A segment has too little while it has fewer devices than the fair shares of
--            its operations add up to. Operations whose segment is unknown count for all
--            segments. A finding is suspect at most, since the log does not record whether
--            people moved the node.
SELECT tree, 'SEG-03' AS aspect, verdict, 'node' AS subject_kind, node AS subject,
  time AS from_time, time AS to_time,
  greatest(0, timeout_us - coalesce(date_diff('microseconds', wanting_since, time), 0)) / 1e6 AS magnitude, 's' AS unit,
  printf('Node %s went from segment %s to %s at %s%s%s.', node, from_segment, to_segment, internal.clock_text(time),
    CASE
      WHEN wanting_since IS NULL THEN ', which had enough'
      ELSE printf(', which had had too little for %s of the %s it has to wait', internal.span_text(date_diff('microseconds', wanting_since, time) / 1e6), internal.span_text(timeout_us / 1e6))
    END, CASE verdict WHEN 'suspect' THEN '; the log does not record whether people moved it' ELSE '' END) AS reason,
  judged,
  json_object('module', module, 'wanting_since', internal.time_text(wanting_since), 'excuse', excuse) AS evidence,
  replace(nullif(excuse, ''), '_', ' ') AS excuse
FROM segment_moves
WHERE verdict IN ('violated', 'suspect', 'excused')
ORDER BY tree, from_time, subject;
-- @seen
SELECT tree, count(m.node) FILTER (m.verdict <> 'undecidable') AS seen, 'nodes that changed their segment' AS unit,
  CASE
    WHEN count(m.node) = 0 THEN 'no node changed its segment'
    WHEN count(*) FILTER (m.verdict = 'undecidable') > 0 THEN
      printf('%s lacks an input: %s', internal.count_text(count(*) FILTER (m.verdict = 'undecidable'), 'change'), string_agg(DISTINCT m.missing, ', ' ORDER BY m.missing) FILTER (m.verdict = 'undecidable'))
  END AS reason,
  count(m.node) = 0 AS idle
FROM trees LEFT JOIN segment_moves AS m USING (tree)
GROUP BY tree
ORDER BY tree;
