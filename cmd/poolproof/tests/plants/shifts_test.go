package plants

import (
	"fmt"
	"strings"
)

// retold is the query of rows that are told some microseconds later: by is an expression of
// SQL, of which rows a condition, and subject the column whose rows one process tells, one
// after the other.
func retold(by, of, subject string) string {
	return fmt.Sprintf(`SELECT * REPLACE (max(CASE WHEN (%[1]s) AND time > $from THEN %[2]s ELSE time END)
		OVER (PARTITION BY %[3]s, (%[1]s) ORDER BY time, seq ROWS UNBOUNDED PRECEDING) AS time) FROM $scan ORDER BY time, seq`, of, after("time", by), subject)
}

// after is a moment some microseconds after another. A type of time with a zone knows no
// intervals without an extension.
func after(moment, microseconds string) string {
	return fmt.Sprintf("(%s::TIMESTAMP + to_microseconds(%s))::TIMESTAMPTZ", moment, microseconds)
}

// By how much: within slack clock (core/spec/scheduling.md §13.5), or anywhere within it.
var shiftedBy = []struct{ name, microseconds string }{
	{"+20ms", "20000"}, {"-20ms", "-20000"}, {"+45ms", "45000"}, {"-45ms", "-45000"},
	{"jitter", "(hash(time, seq) % 49999)::BIGINT - 24999"},
}

// shifts are all that are tried.
func shifts() (all []shift) {
	skew := "trace-formats.md §4.2: agents and scheduler differ"
	add := func(name, allows, by string, tables map[string]string) {
		all = append(all, shift{name: name + by, allows: allows, tables: tables})
	}
	for _, by := range shiftedBy {
		us := by.microseconds
		add("ends of jobs ", skew, by.name, map[string]string{"jobs": fmt.Sprintf(
			"SELECT * REPLACE (if(finish_time IS NULL, NULL, greatest(%s, %s, preempt_time)) AS finish_time) FROM $scan ORDER BY time, seq", after("finish_time", us), after("time", "1000"))})
		add("preemptions ", skew, by.name, map[string]string{"jobs": fmt.Sprintf(
			"SELECT * REPLACE (if(preempt_time IS NULL, NULL, least(greatest(%s, %s), finish_time)) AS preempt_time) FROM $scan ORDER BY time, seq", after("preempt_time", us), after("time", "1000"))})
		start := us
		if by.name == "jitter" {
			start = "(hash(time, node_ix) % 49999)::BIGINT - 24999"
		}
		add("starts of jobs ", skew, by.name, map[string]string{"jobs": fmt.Sprintf(
			"SELECT * REPLACE (least(%s, %s, preempt_time) AS time) FROM $scan ORDER BY time, seq", after("time", start), after("finish_time", "-1000"))})
		for _, of := range []struct{ name, table, rows, subject string }{
			{"states of jobs ", "allocations", "action = 'state'", "job_ix"},
			{"usage of jobs ", "allocations", "action = 'usage'", "job_ix"},
			{"heartbeats ", "heartbeats", "true", "node_ix"},
			{"demand ", "demand", "true", "op_ix"},
			{"steps of operations ", "op_events", "true", "op_ix"},
			{"starts of operations ", "op_events", "event IN ('started', 'prepared', 'materialized')", "op_ix"},
			{"states of operations ", "op_events", "event IN ('running', 'pending', 'suspended', 'resumed')", "op_ix"},
			{"ends of operations ", "op_events", "event IN ('completed', 'failed', 'aborted')", "op_ix"},
			{"parameters of operations ", "op_events", "event IN ('params_changed', 'pool_changed')", "op_ix"},
			{"starvation of operations ", "op_events", "event LIKE 'starvation%'", "op_ix"},
			{"states of nodes ", "node_state", "true", "node_ix"},
			{"configurations of pools ", "pool_config", "true", "pool_ix"},
			{"configurations of trees ", "tree_config", "true", "true"},
			{"processes ", "process_events", "true", "true"},
		} {
			add(of.name, skew, by.name, map[string]string{of.table: retold(us, of.rows, of.subject)})
		}
		record := us
		if by.name == "jitter" {
			record = "(hash(time) % 49999)::BIGINT - 24999"
		}
		add("records of shares ", skew, by.name, map[string]string{"snap_tree": retold(record, "true", "true"), "snap_pools": retold(record, "true", "true"), "snap_ops": retold(record, "true", "true")})
	}
	add("everything but decisions ", skew, "jitter", eachByItself())
	add("states of nodes ", "trace-formats.md §3.3: a row tells all of a node", "twice", map[string]string{"node_state": twice("node_ix")})
	add("configurations ", "trace-formats.md §3.3: a row per version, whatever it changes", "twice", map[string]string{
		"pool_config": twice("pool_ix"), "tree_config": twice("true"),
	})
	all = append(all, begun(), cut(), recorded())
	return all
}

// eachByItself has each table differ from the others by its own jitter, but for what one
// process decides, which one clock tells.
func eachByItself() map[string]string {
	by := func(salt string) string { return fmt.Sprintf("(hash(%s) %% 49999)::BIGINT - 24999", salt) }
	tables := map[string]string{
		"allocations": retold(by("time, seq, 'allocations'"), "action IN ('state', 'usage')", "job_ix"),
		"jobs": fmt.Sprintf("SELECT * REPLACE (if(finish_time IS NULL, NULL, greatest(%s, %s, preempt_time)) AS finish_time) FROM $scan ORDER BY time, seq",
			after("finish_time", by("time, seq, 'jobs'")), after("time", "1000")),
	}
	for table, subject := range map[string]string{
		"demand": "op_ix", "op_events": "op_ix", "node_state": "node_ix", "pool_config": "pool_ix", "tree_config": "true", "process_events": "true",
	} {
		tables[table] = retold(by("time, seq, '"+table+"'"), "true", subject)
	}
	for _, table := range []string{"snap_tree", "snap_pools", "snap_ops"} { // at one moment
		tables[table] = retold(by("time, 'records'"), "true", "true")
	}
	return tables
}

// twice is the query of rows of which each is told once more three seconds later, unless
// there is another with its key before.
func twice(key string) string {
	again := after("time", "3000000")
	return fmt.Sprintf(`FROM $scan UNION ALL BY NAME
		SELECT * EXCLUDE (next) REPLACE (%s AS time, seq + 1000000000 + row_number() OVER (ORDER BY time, seq) AS seq)
		FROM (SELECT *, lead(time) OVER (PARTITION BY %s ORDER BY time, seq) AS next FROM $scan)
		WHERE next IS NULL OR next > %s ORDER BY time, seq`, again, key, again)
}

// cut is a log that ends in the middle: what goes on then has no end.
func cut() shift {
	const to, at = "2025-03-03T08:17:03.3Z", "TIMESTAMPTZ '2025-03-03 08:17:03.3+00'"
	before := func(column, moment string) string {
		return fmt.Sprintf("if(%s < %s, %s, NULL) AS %s", moment, at, column, column)
	}
	left := []string{"if(finish_time < " + at + ", end_kind, 'running') AS end_kind", before("finish_time", "finish_time"), before("abort_reason", "finish_time"),
		before("interruption_reason", "least(preempt_time, finish_time)")}
	for _, column := range []string{"preempt_time", "preempt_reason", "preempt_mode", "preempted_for_op_ix", "preempted_for_job_id"} {
		left = append(left, before(column, "preempt_time"))
	}
	tables := map[string]string{"jobs": "SELECT * REPLACE (" + strings.Join(left, ", ") + ") FROM $scan WHERE time < " + at + " ORDER BY time, seq"}
	for _, table := range shiftedTables {
		if tables[table] == "" {
			tables[table] = "FROM $scan WHERE time < " + at + " ORDER BY time, seq"
		}
	}
	return shift{name: "the log ends early", allows: "trace-formats.md §4.2: a start without finish", tables: tables, to: to}
}

// recorded is a log in which nothing but records of shares tells demand: what an operation asks
// for beyond what it uses. Nobody is left out of records before its end.
func recorded() shift {
	columns := []string{"time", "2000000000 + row_number() OVER (ORDER BY time, op_ix) AS seq", "op_ix"}
	for _, of := range []string{"user_slots BIGINT", "cpu_milli BIGINT", "gpu INTEGER", "memory BIGINT", "network BIGINT"} {
		name, kind, _ := strings.Cut(of, " ")
		columns = append(columns, fmt.Sprintf("greatest(0, demand_%[1]s - usage_%[1]s)::%[2]s AS needed_%[1]s, min_needed_%[1]s", name, kind))
	}
	return shift{
		name: "demand told by records", allows: "trace-formats.md §4.1: resource_demand less resource_usage", demand: "snapshots",
		tables: map[string]string{"demand": "SELECT " + strings.Join(columns, ", ") + ", NULL::BIGINT AS pending_jobs, 'snapshot' AS source FROM $records ORDER BY time, seq"},
	}
}

// begun is a log that begins in the middle: of before it tells what was there then.
func begun() shift {
	const from, at = "2025-03-03T08:07:03.3Z", "TIMESTAMPTZ '2025-03-03 08:07:03.3+00'"
	last := func(key, of string) string {
		return fmt.Sprintf(`FROM $scan WHERE time >= %s UNION ALL BY NAME SELECT * EXCLUDE (latest)
			FROM (SELECT *, row_number() OVER (PARTITION BY %s ORDER BY time DESC, seq DESC) AS latest FROM $scan WHERE time < %s)
			WHERE latest = 1 AND %s ORDER BY time, seq`, at, key, at, of)
	}
	const lives = "op_ix NOT IN (SELECT op_ix FROM $steps WHERE event IN ('completed', 'failed', 'aborted', 'rejected') AND time < " + at + ")"
	needed := []string{at + " AS time"}
	for _, of := range []string{"user_slots BIGINT", "cpu_milli BIGINT", "gpu INTEGER", "memory BIGINT", "network BIGINT"} {
		name, kind, _ := strings.Cut(of, " ")
		needed = append(needed, fmt.Sprintf("greatest(0, needed_%s - coalesce((SELECT sum(limits_%s) FROM $jobs j WHERE started), 0))::%s AS needed_%s", name, name, kind, name))
	}
	needed = append(needed, "greatest(0, pending_jobs - (SELECT count(*) FROM $jobs j WHERE started))::BIGINT AS pending_jobs")
	started := "j.op_ix = x.op_ix AND (j.time, j.seq) > (x.time, x.seq) AND j.time < " + at
	tables := map[string]string{
		"jobs":        "FROM $scan WHERE time >= " + at + " OR finish_time IS NULL OR finish_time >= " + at + " ORDER BY time, seq",
		"op_events":   "FROM $scan WHERE time >= " + at + " OR " + lives + " AND event NOT LIKE 'starvation%' ORDER BY time, seq",
		"tree_config": last("true", "true"), "pool_config": last("pool_ix", "NOT deleted"), "node_state": last("node_ix", "true"),
		"demand": fmt.Sprintf(`FROM $scan WHERE time >= %s UNION ALL BY NAME SELECT * EXCLUDE (latest) REPLACE (%s)
			FROM (SELECT *, row_number() OVER (PARTITION BY op_ix ORDER BY time DESC, seq DESC) AS latest FROM $scan WHERE time < %s AND %s) x
			WHERE latest = 1 ORDER BY time, seq`, at, strings.ReplaceAll(strings.Join(needed, ", "), "started", started), at, lives),
	}
	for _, table := range shiftedTables {
		if tables[table] == "" {
			tables[table] = "FROM $scan WHERE time >= " + at + " ORDER BY time, seq"
		}
	}
	return shift{name: "the log begins late", allows: "trace-formats.md §3.7: what is there at the first row", tables: tables, from: from}
}

// shiftedTables are those of what happens.
var shiftedTables = []string{
	"tree_config", "pool_config", "node_state", "heartbeats", "allocations", "jobs", "op_events", "demand", "snap_tree", "snap_pools", "snap_ops", "process_events",
}
