// Package audit judges a run: it loads the result tables into DuckDB, runs the
// audits, which are SQL, and collects what they find.
//
//	v, err := audit.Run(ctx, audit.Options{Dir: "run", Queries: queries.Files, Workers: 2})
//	report.Write(ctx, os.Stdout, "text", v, "run", 0)
//	os.Exit(v.ExitCode())
//
// # Loading
//
// A manifest must give its own digest and list every table of every tree; a run
// without trees is refused, since nothing in it could be kept or broken.
// run.duckdb is made once per result: of all Arrow files, checked against the
// digests of the manifest, and compared with them after loading by the number of
// rows and a checksum of every column. It is made beside its place and renamed.
// A later audit of the same result checks the files' digests again, since they are what
// is judged and the database is their copy, and replaces only the findings, in one
// transaction. DuckDB's and Arrow's libraries are known to duckdb.go alone.
//
// Judge, and Run of some audits alone, write nothing into the run. They load the tables and
// columns that their queries name, into memory where they fit; Ask loads them without judging.
//
// # An audit
//
// An audit is a file audits/<topic>/<id>.sql: a header, the query for findings,
// the query for what was seen and, if it judges promises, the one for whose.
//
//	-- @audit     pool_over_operation_count       as the file is called
//	-- @title     Pool over max_operation_count   what is wrong where it finds something
//	-- @promise   A pool has no more than ...     what holds where it finds nothing
//	-- @invariant CNT-05                          ids of core/spec/rules.txt, which has the severity
//	-- @judges    max_operation_count             kinds of promises that it judges, if any; kind:ID by one rule
//	-- @breaks    strong_guarantee:GUA-02         kinds that its findings break, though none of them keeps nothing
//	-- @reads     limit_episodes, pools           tables
//	-- @from      decisions                       where the queries come from that the file does not hold
//	-- @param     sla_s 300 s — sentence          $sla_s in the SQL; default and unit
//	-- @needs     demand recorded|snapshots — what is missing without it
//	-- @source    where the rule stands, if it is more than its id; reports leave it out
//	-- @why       how it judges, for a person
//	SELECT ... ;
//	-- @seen
//	SELECT tree, seen, unit, reason, idle FROM ... ;
//	-- @tested                                  where there is @judges
//	SELECT tree, kind, subject, from_time, to_time, missing, tested_s FROM ... ;
//
// A comment line without a key goes on with the key above. The first query
// returns, in any order, the columns tree, aspect (which of several limits; may
// be empty), verdict, subject_kind, subject, from_time, to_time, magnitude, unit,
// reason, judged and evidence (JSON), and invariant (the rule that it breaks) where
// the audit has several, and excuse (what excuses it, in words) where it excuses any.
// Tree, kind, subject, aspect and span make
// the finding's id and occur once. The second returns for every tree how much
// was judged, of what, why it is nothing or what else was left out, and whether it is
// idle: nothing happened that it is about, as far as a whole log would tell, so that it is
// not applicable. The third
// returns the pools (or the tree) of whose promises anything was judged and when;
// missing says why what there was could not be, and is null where it could; kind is
// null where that goes for all kinds that the audit judges. tested_s may be left out: in
// how much of the span, in seconds, something tested the promise; else all of it did.
//
// Views and macros that audits share are views/*.sql. Most audits only say of which rules
// they are: @from decisions stands for the queries over the macros
// internal.decisions_findings(ids) and internal.decisions_seen(ids), ids being the list of @invariant; @from levels(TRUE) calls
// levels_findings(TRUE) and levels_seen(TRUE). "poolproof validate --explain" prints the
// queries that run.
//
// What the evidence calls pool is the pool of an operation, a job or a node. What
// it calls cause_kind and cause_subject brought the case about; findings of one
// cause that follow each other closely are one incident.
//
// # Promises
//
// views/promises.sql lists what the configuration promises, whether anything
// tested it and why it could not be kept at all. A promise is broken if an audit
// that judges its kind found it violated, in the promise's own pool or tree; else
// impossible, unverifiable, excused, vacuous or kept, in this order. Kept is only what an
// audit judged of that pool or tree, while that version of the promise was in force:
// what was seen of others in the tree keeps nothing. A timeout is promised to all
// below the pool that states it, up to a pool that states its own (promise_scopes).
// What is suspect is not kept for certain, and unverifiable.
//
// # Verdicts
//
// A finding is violated (wrong under every reading of the log), suspect (under
// some), excused (an excuse applies, which the reason names) or undecidable. What
// is only possible cannot be violated. What an audit of severity info finds violated or
// suspect is noted: legal, and worth attention. What an audit of rules about the log finds
// is damaged, which says nothing of the scheduler. For an audit and tree the worst of its
// findings counts, and ok where there are none; but an audit that saw nothing,
// or whose needs the tree's coverage does not meet, is undecidable, and what it
// found there with it. An audit is not applicable where nothing happened that it is about:
// that is neither kept nor a gap of the log. An audit whose SQL fails, or breaks these rules, is
// failed: it never stops the others.
//
// # findings.json
//
// The verdict for programs; FINDINGS.md of this folder explains it key by key, and
// ReadVerdict reads it back. The same result and policy give the same bytes. The
// tables audits and findings of run.duckdb hold the same.
//
// # Asking
//
// A Session answers SQL over run.duckdb. It cannot change the run: the file is
// attached read-only, and access to other files is off. Several runs are attached to a
// database in memory: their tables become views over all of them with a column run, and
// what a query names of views and table macros is asked in one run after the other.
//
// What stands in the schema main is declared above its statement (Object): sentences, columns
// with units, an example. COMMENT ON statements and the reference come from that.
package audit
