-- Why an excuse window excuses, for a person; null without a window. README.md of the
-- folder above shows how an audit finds the window of its rows.
CREATE OR REPLACE MACRO internal.window_text(cause) AS CASE cause
  WHEN 'scheduler_reconnecting' THEN 'the scheduler was away, or had just come back'
  WHEN 'trees_updating' THEN 'the set of trees had just been changed'
  WHEN 'update_pools_alert' THEN 'the scheduler could not load its configuration (alert update_pools)'
END;

-- The global excuse windows of each tree, and those before its window: what the log of this run
-- records of them, else what the adjoining night before does.
CREATE OR REPLACE VIEW internal.whole_excuse_windows AS
SELECT tree, cause, from_time, to_time, clipped_from, clipped_to FROM excuse_windows
UNION ALL
SELECT tree, cause, from_time, to_time, clipped_from, clipped_to FROM earlier_excuse_windows
UNION ALL
SELECT tree, cause, from_time, to_time, clipped_from, clipped_to FROM internal.baseline_excuse_windows AS b
WHERE tree NOT IN (SELECT tree FROM earlier_excuse_windows);

-- They as one list of each tree, in order.
CREATE OR REPLACE VIEW internal.excuse_lists AS
SELECT trees.tree, coalesce(list({'cause': cause, 'from_time': b.from_time, 'to_time': b.to_time} ORDER BY b.from_time) FILTER (b.tree IS NOT NULL), []) AS windows
FROM trees LEFT JOIN internal.whole_excuse_windows AS b ON b.tree = trees.tree
GROUP BY trees.tree;

-- The windows of a list that overlap a span.
CREATE OR REPLACE MACRO internal.windows_within(span_from, span_to, windows) AS
  list_filter(windows, w -> w.from_time < span_to AND w.to_time > span_from);

-- The longest part of a span outside all windows of a list, with its seconds; 0 seconds if
-- the windows cover the span. No window excuses what lasted for too long in that part.
CREATE OR REPLACE MACRO internal.longest_outside(span_from, span_to, windows) AS
  list_max(list_transform(
    list_zip(
      list_prepend(span_from, list_transform(internal.windows_within(span_from, span_to, windows), w -> least(w.to_time, span_to))),
      list_append(list_transform(internal.windows_within(span_from, span_to, windows), w -> greatest(w.from_time, span_from)), span_to)),
    part -> {'seconds': span_seconds(part[1], part[2]), 'from_time': part[1], 'to_time': part[2]}));
