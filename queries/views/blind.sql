-- Why a blind window excuses, for a person; null without one. README.md of the
-- folder above shows how an audit finds the window of its rows.
CREATE OR REPLACE MACRO blind_text(cause) AS CASE cause
  WHEN 'scheduler_reconnecting' THEN 'the scheduler was away, or had just come back'
  WHEN 'trees_updating' THEN 'the set of trees had just been changed'
  WHEN 'update_pools_alert' THEN 'the scheduler could not take its configuration over (alert update_pools)'
END;
