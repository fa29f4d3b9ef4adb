-- @audit     starving_too_long
-- @title     Starving for too long
-- @promise   No schedulable operation starves for longer than the agreed bound while preemption could serve it.
-- @invariant STV-09
-- @reads     starvation_episodes, excuse_windows, operation_intervals, trees, coverage
-- @param     bound_s 600 s — longest unbroken starvation
-- @needs     demand recorded|snapshots|reconstructed — what operations waited for
-- @needs     tree_config history|single — timeouts of starvation
-- @why       Episodes are recomputed. Those for the strong guarantee and for the fair share
--            may overlap, and time counts once. The promise is broken only if the following
--            held for longer than the bound without a break: some node had room for the
--            operation's smallest waiting job once the jobs that a stage may take there
--            were gone, and tags, segment and limits allowed its start. A finding is
--            suspect if the log does not show for so long that a job was so small, or does
--            not record what pools had accumulated before it began. A state that comes and
--            goes is excused. The log does not record whether the controller declined or
--            whether the disks had room, so that a finding is worth a look and is no fault.
--            Time within global excuse windows does not count.
WITH long AS (
  SELECT s.tree, s.element, s.pool, kinds, starvation_status, since_time, s.from_time, s.to_time, s.clipped_from, s.clipped_to, window_from, end_cause, gap, s.resource,
    limited_s, missing_share_seconds,
    -- What is sure to have been preemptible for so long is alleged; else what may have been.
    coalesce(surely_preemptible_s > $bound_s, false) AS sure,
    coalesce(CASE WHEN sure THEN surely_preemptible_s ELSE s.preemptible_s END, 0) AS stretch_s,
    CASE WHEN sure THEN surely_preemptible_from_time ELSE s.preemptible_from_time END AS stretch_from_time,
    span_seconds(s.from_time, s.to_time) AS seconds,
    internal.windows_within(s.from_time, s.to_time, windows) AS windows,
    CASE WHEN stretch_s > $bound_s THEN internal.longest_outside(stretch_from_time, stretch_from_time + to_microseconds((stretch_s * 1e6)::BIGINT), windows) END AS part
  FROM internal.whole_starvation_spans AS s
  JOIN internal.excuse_lists USING (tree)
  WHERE s.element_kind = 'operation'
), judged AS (
  SELECT *, CASE
    WHEN part.seconds > $bound_s THEN NULL
    WHEN len(windows) > 0 THEN internal.window_text(windows[1].cause)
    WHEN seconds - limited_s <= $bound_s THEN printf('a resource limit held it back for %s of it', internal.span_text(limited_s))
    ELSE printf('preemption could have made room for one of its jobs %s', CASE WHEN stretch_s > 0 THEN 'for only ' || internal.span_text(stretch_s) || ' at a stretch' ELSE 'at no time' END)
  END AS excuse,
  excuse IS NULL AND NOT sure AS unsized -- the log does not show that a job was so small
  FROM long
  WHERE seconds > $bound_s AND EXISTS (
    SELECT 1 FROM coverage AS c WHERE c.tree = long.tree AND c.aspect = 'tree_config' AND c.state IN ('history', 'single')
  )
)
SELECT
  tree,
  '' AS aspect,
  CASE WHEN excuse IS NOT NULL THEN 'excused' WHEN stale OR unsized THEN 'suspect' ELSE 'violated' END AS verdict,
  'operation' AS subject_kind,
  element AS subject,
  from_time,
  to_time,
  seconds AS magnitude,
  's' AS unit,
  printf('Operation %s of pool %s starved for its %s for %s and was up to %s of the tree''s %s below its share.%s%s%s', element, pool,
    replace(list_aggregate(kinds, 'string_agg', ' and its '), '_', ' '), internal.span_text(seconds), internal.share_text(gap), resource,
    CASE WHEN excuse IS NULL THEN printf(' For %s of it without a break, preemption could have made room for one of its jobs.', internal.span_text(part.seconds)) ELSE '' END,
    coalesce(printf(' Excused: %s.', excuse), ''),
    internal.parts_text(from_time, to_time, window_from) || internal.clip_text(clipped_from, clipped_to)) ||
    CASE WHEN unsized THEN ' It is uncertain whether one of them was small enough throughout: the log records only the least of each resource that any job takes, or an average, or it begins after events that fair shares depend on.' ELSE '' END ||
    CASE WHEN stale THEN printf(' In the window, %s.', refused_updates.reason) ELSE '' END AS reason,
  CASE WHEN stale OR unsized THEN 'possible' ELSE 'recomputed' END AS judged,
  json_object('pool', pool, 'starving_for', kinds, 'status', starvation_status, 'since_time', internal.time_text(since_time), 'limited_s', limited_s,
    'preemptible_s', stretch_s, 'preemptible_from_time', internal.time_text(stretch_from_time), 'missing_share_seconds', missing_share_seconds,
    'end_cause', end_cause, 'clipped_from', clipped_from, 'clipped_to', clipped_to) AS evidence,
  excuse
FROM judged JOIN internal.refused_updates USING (tree)
ORDER BY tree, from_time, element;
-- @seen
WITH lived AS (
  SELECT tree, count(DISTINCT operation) AS operations FROM operation_intervals WHERE running GROUP BY tree
)
SELECT tree, CASE WHEN all_refused THEN 0 ELSE coalesce(operations, 0) END AS seen, 'operations that ran' AS unit,
  coalesce(refused_updates.reason, CASE WHEN operations IS NULL THEN 'no operation ran' END) AS reason,
  NOT all_refused AND operations IS NULL AS idle
FROM internal.refused_updates LEFT JOIN lived USING (tree)
ORDER BY tree;
