-- The tables of the verdict in run.duckdb. What stands in braces is how they are made, and
-- the list of the words of a column in the order of their meaning, the worst first, by which
-- it is sorted.

-- One row per audit and tree: what became of it.
-- @column  audit — id of the audit
-- @column  title — what is wrong where it finds something
-- @column  statement — what holds where it finds nothing
-- @column  invariants — ids of its rules, after commas
-- @column  severity — how bad a violation is: {severities}
-- @columns tree
-- @column  verdict — the worst of its findings: failed, violated, suspect, damaged (rows of the log are lost or contradict each other), noted (legal, and worth attention), undecidable or excused; ok without any, not applicable where nothing happened that it is about
-- @column  seen seen_unit — how much was judged; nothing is undecidable, never a pass
-- @column  seen_unit — unit of seen
-- @column  findings findings — how many it found, whatever their verdict
-- @column  reason — what could not be judged and why, or why the audit failed
-- @example SELECT verdict, count(*) AS audits FROM audits GROUP BY verdict ORDER BY verdict
{create} audits (
	audit VARCHAR, title VARCHAR, statement VARCHAR, invariants VARCHAR, severity ENUM({severities}), tree VARCHAR,
	verdict ENUM({verdicts}), seen BIGINT, seen_unit VARCHAR, findings BIGINT, reason VARCHAR);

-- One row per case that an audit found.
-- @column  finding_id — the same in every run that finds the case
-- @column  fingerprint — the same in every night that has the trouble
-- @column  status — new or persisting against the baseline; empty without one
-- @column  incident_id — incident that it is part of; empty if it alleges nothing
-- @column  audit — id of the audit that found it
-- @column  invariant — id of the rule that is broken
-- @columns tree
-- @column  verdict — violated (wrong under every reading of the log), suspect (under some), damaged (rows of the log are lost or contradict each other), noted (legal, and worth attention), undecidable or excused
-- @column  severity — how bad a violation is: {severities}
-- @column  subject_kind — what it is about: pool, operation, job, node, tree
-- @column  subject — name or id of that
-- @column  aspect — which of several limits or resources; may be empty
-- @column  from_time UTC — when it began
-- @column  to_time UTC — when it ended; null where the log knows no end
-- @column  magnitude unit — how bad it is, in the unit of the column unit
-- @column  unit — unit of the magnitude
-- @column  reason — what happened, as sentences
-- @column  judged — how it is known: {judged}
-- @column  evidence — JSON; its keys are the audit's
-- @column  suppressed_by — owner of the suppression that covers the finding; null if none does
-- @column  suppressed_until — last day of the suppression; null if none covers the finding
-- @column  suppressed_reason — why it is suppressed; null if it is not
-- @example SELECT verdict, severity, audit, subject, reason FROM findings ORDER BY verdict, severity, magnitude DESC
{create} findings (
	finding_id VARCHAR, fingerprint VARCHAR, status ENUM({statuses}), incident_id VARCHAR, audit VARCHAR, invariant VARCHAR, tree VARCHAR, verdict ENUM({verdicts}), severity ENUM({severities}),
	subject_kind VARCHAR, subject VARCHAR, aspect VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP,
	magnitude DOUBLE, unit VARCHAR, reason VARCHAR, judged ENUM({judged}), evidence VARCHAR,
	suppressed_by VARCHAR, suppressed_until VARCHAR, suppressed_reason VARCHAR);

-- One row per finding of the baseline that is gone, in the columns of findings.
-- @like    findings
-- @example SELECT audit, subject, reason FROM fixed_findings ORDER BY severity
{create} fixed_findings AS FROM findings;

-- One row per group of violated, suspect, damaged and noted findings with the same cause;
-- findings.incident_id names it.
-- @column  incident_id — the same in every run that finds the incident
-- @column  title — what happened, in a few words
-- @column  audit — id of the audit that found it
-- @columns tree
-- @column  cause_kind — what brought it about: pool, operation, job, node, tree
-- @column  cause — name or id of that
-- @column  from_time UTC — when its first finding began
-- @column  to_time UTC — when its last finding ended; null where the log knows no end
-- @column  verdict — the worst of its findings
-- @column  severity — how bad a violation is: {severities}
-- @column  suppressed — whether suppressions cover all of its findings
-- @column  status — new or persisting against the baseline; empty without one
-- @column  findings findings — how many findings it has
-- @column  totals — JSON: the magnitudes of its findings, summed per unit; a decision that breaks several rules counts once
-- @example SELECT verdict, severity, title, from_time FROM incidents ORDER BY suppressed, verdict, severity, from_time
{create} incidents (
	incident_id VARCHAR, title VARCHAR, audit VARCHAR, tree VARCHAR, cause_kind VARCHAR, cause VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP,
	verdict ENUM({verdicts}), severity ENUM({severities}), suppressed BOOLEAN, status ENUM({statuses}), findings BIGINT, totals VARCHAR);

-- One row per promise of the configuration and time in which it was in force.
-- @column  promise_id — the same every night: a hash of tree, promise, subject and number of the version
-- @columns tree
-- @column  promise — kind of promise: the setting that makes it
-- @column  subject_kind — who has it: pool or tree
-- @column  subject — name of the pool or tree
-- @column  path — path of the pool; empty of a tree
-- @column  statement — what is promised
-- @column  from_time UTC — since when it was in force, within the window
-- @column  to_time UTC — until when, exclusive
-- @column  grade — broken, impossible (the configuration could not keep it), unverifiable, excused (not kept for a time that the rules excuse), vacuous (nothing tested it) or kept
-- @column  reason — why this grade
-- @column  missing — what the log lacks, or leaves open; empty unless it is unverifiable
-- @column  findings findings — how many findings are about it, whatever their verdict
-- @column  tested_s s — for how long something tested the promise; 0 where no time is known
-- @column  kept_s s — for how much of tested_s it was delivered: usage was not below a guarantee, and no finding is about it, excused and suspect ones included
-- @column  below_s s — of a guarantee, for how long usage was below what was guaranteed and demanded; null of other promises, and where nothing is known of it
-- @column  episodes stretches — how many such stretches began while the promise was in force
-- @column  longest_below_s s — the longest of them
-- @column  allowed_s s — how long one may last: sla_s of the policy; null where no audit judges it
-- @column  lacked_share_s share·s — what was lacking then, of the resource that lacked most
-- @column  lacked unit — the same in the unit of the column lacked_unit; null where the size of the tree is not known
-- @column  lacked_unit — unit of lacked: core·h, GiB·h, device·h, slot·h or unit·h
-- @column  most_lacked unit — the most that was lacking at once
-- @column  most_lacked_unit — unit of most_lacked
-- @column  excused_s s — the part of below_s that is excused
-- @column  excuse — why, with the time of each reason; empty if nothing is excused
-- @example SELECT grade, promise, count(*) AS promises FROM promises GROUP BY grade, promise ORDER BY grade, promise
{create} promises (
	promise_id VARCHAR, tree VARCHAR, promise VARCHAR, subject_kind VARCHAR, subject VARCHAR, path VARCHAR, statement VARCHAR,
	from_time TIMESTAMP, to_time TIMESTAMP, grade ENUM({grades}), reason VARCHAR, missing VARCHAR, findings BIGINT,
	tested_s DOUBLE, kept_s DOUBLE, below_s DOUBLE, episodes BIGINT, longest_below_s DOUBLE, allowed_s DOUBLE, lacked_share_s DOUBLE, lacked DOUBLE, lacked_unit VARCHAR,
	most_lacked DOUBLE, most_lacked_unit VARCHAR, excused_s DOUBLE, excuse VARCHAR);

-- One row per pool or tree and kind of promise that it has, all versions of the setting
-- together.
-- @columns tree
-- @column  subject_kind — who has it: pool or tree
-- @column  subject — name of the pool or tree
-- @column  path — path of the pool; empty of a tree
-- @column  promise — kind of promise: the setting that makes it
-- @column  grade — the worst of its versions
-- @column  tested_s s — for how long something tested the promise; 0 where no time is known
-- @column  kept_s s — for how much of tested_s it was delivered: usage was not below a guarantee, and no finding is about it, excused and suspect ones included
-- @column  kept_part ratio — kept_s by tested_s; null where nothing tested it
-- @column  shortfall — where the promise was missed most, as a sentence; empty unless it is broken
-- @column  magnitude unit — by how much it was missed then
-- @column  unit — unit of the magnitude
-- @column  finding_id — finding that tells of it
-- @column  trend — against the baseline: worse, same, better or new; empty where it cannot be told
-- @column  baseline_grade — grade in the baseline; empty without one
-- @column  baseline_kept_part ratio — kept_part in the baseline; null where that measured it otherwise
-- @column  below_s s — of a guarantee, for how long usage was below what was guaranteed and demanded; null of other promises, and where nothing is known of it
-- @column  episodes stretches — how many such stretches began while the promise was in force
-- @column  longest_below_s s — the longest of them
-- @column  allowed_s s — how long one may last: sla_s of the policy; null where no audit judges it
-- @column  lacked_share_s share·s — what was lacking then, of the resource that lacked most
-- @column  lacked unit — the same in the unit of the column lacked_unit; null where the size of the tree is not known
-- @column  lacked_unit — unit of lacked: core·h, GiB·h, device·h, slot·h or unit·h
-- @column  most_lacked unit — the most that was lacking at once
-- @column  most_lacked_unit — unit of most_lacked
-- @column  excused_s s — the part of below_s that is excused
-- @column  excuse — why, with the time of each reason; empty if nothing is excused
-- @example SELECT path, promise, grade, kept_part, below_s, longest_below_s, lacked, lacked_unit FROM scorecard ORDER BY grade, kept_part
{create} scorecard (
	tree VARCHAR, subject_kind VARCHAR, subject VARCHAR, path VARCHAR, promise VARCHAR, grade ENUM({grades}), tested_s DOUBLE, kept_s DOUBLE, kept_part DOUBLE,
	shortfall VARCHAR, magnitude DOUBLE, unit VARCHAR, finding_id VARCHAR, trend ENUM({trends}), baseline_grade ENUM({grades}, ''), baseline_kept_part DOUBLE,
	below_s DOUBLE, episodes BIGINT, longest_below_s DOUBLE, allowed_s DOUBLE, lacked_share_s DOUBLE, lacked DOUBLE, lacked_unit VARCHAR,
	most_lacked DOUBLE, most_lacked_unit VARCHAR, excused_s DOUBLE, excuse VARCHAR);

-- One row per tree: how much of its time could be judged, and how many of its checks were
-- settled.
-- @columns tree
-- @column  seconds s — length of the window
-- @column  judged_seconds s — the part of it that could be judged
-- @column  checks checks — one rule about one recorded start or preemption, and recorded steps of admission
-- @column  judged_checks checks — how many of these the log settles
-- @column  reason — what is missing; empty if nothing is
-- @example SELECT tree, judged_seconds / seconds AS judged_part FROM tree_coverage ORDER BY tree
{create} tree_coverage (
	tree VARCHAR, seconds DOUBLE, judged_seconds DOUBLE, checks BIGINT, judged_checks BIGINT, reason VARCHAR);
