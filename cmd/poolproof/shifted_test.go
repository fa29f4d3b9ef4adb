package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolproof/audit"
	"poolproof/ingest/synthetic"
)

// A shift is a log that tells some of what happened earlier or later than the others that
// it was made of, as the logs of different processes do.
type shift struct {
	name   string
	allows string // what says that logs may be so
	// By the table that is told otherwise, the query of its rows. $scan is those of the
	// log, $jobs and $steps those of the jobs and of op_events of its tree, $from when it begins.
	tables   map[string]string
	from, to string // the window, if it is another
}

// unmended are rules that still accuse where a log is so, by preset and by the beginning of
// the shift's name. One process tells when jobs start, what the same heartbeat takes for them,
// what its ticks say of who starves and what its records count: a preemption stands at the
// start of the job that it serves, exactly (spec/trace-formats.md §4.3), and no record holds
// jobs that have yet to start. No log should tell otherwise.
var unmended = map[string]map[string][]string{
	"small": {
		"starts of jobs ": {"PRE-03"},
	},
	"day": {
		"preemptions ":             {"PRE-11"},
		"starts of jobs ":          {"HB-06", "LOG-01", "PRE-01", "PRE-03", "PRE-06", "PRE-11", "PRE-12", "STV-01", "STV-04"},
		"records of shares -":      {"LOG-01"},
		"records of shares jitter": {"LOG-01"},
	},
}

// isUnmended reports whether a rule is one of them.
func (s *shift) isUnmended(preset, invariant string) bool {
	for name, rules := range unmended[preset] {
		if strings.HasPrefix(s.name, name) && slices.Contains(rules, invariant) {
			return true
		}
	}
	return false
}

// query tells the rows of files so, of a log that begins at a moment: what is there by then
// stands at that moment (spec/trace-formats.md §3.7) and stays.
func (s *shift) query(from synthetic.Instant) func(file, scan string) string {
	begins := time.UnixMicro(int64(from)).UTC().Format("TIMESTAMPTZ '2006-01-02 15:04:05.000000+00'")
	return func(file, scan string) string {
		q := s.tables[fileOf(file)]
		if q == "" {
			return "FROM " + scan
		}
		beside := func(table string) string {
			return strings.Replace(scan, "/"+path.Base(file), "/"+table+"-000.parquet", 1)
		}
		return strings.NewReplacer("$scan", scan, "$jobs", beside("jobs"), "$steps", beside("op_events"), "$from", begins).Replace(q)
	}
}

// of has a trace that was told so have the window.
func (s *shift) of(t *testing.T, trace string) string {
	t.Helper()
	if s.from == "" && s.to == "" {
		return trace
	}
	name := filepath.Join(trace, "manifest.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var manifest map[string]any
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	window := manifest["window"].(map[string]any)
	window["from"], window["to"] = cmp.Or(s.from, window["from"].(string)), cmp.Or(s.to, window["to"].(string))
	if text, err = json.Marshal(manifest); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return trace
}

// retold is the query of rows that are told some microseconds later: by is an expression of
// SQL, and of which rows a condition.
func retold(by, of string) string {
	return fmt.Sprintf("SELECT * REPLACE (CASE WHEN (%s) AND time > $from THEN %s ELSE time END AS time) FROM $scan ORDER BY time, seq", of, after("time", by))
}

// after is a moment some microseconds after another. A type of time with a zone knows no
// intervals without an extension.
func after(moment, microseconds string) string {
	return fmt.Sprintf("(%s::TIMESTAMP + to_microseconds(%s))::TIMESTAMPTZ", moment, microseconds)
}

// By how much: within slack clock (spec/scheduling.md §13.5), or anywhere within it.
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
		for _, of := range []struct{ name, table, rows string }{
			{"states of jobs ", "allocations", "action = 'state'"},
			{"usage of jobs ", "allocations", "action = 'usage'"},
			{"heartbeats ", "heartbeats", "true"},
			{"demand ", "demand", "true"},
			{"steps of operations ", "op_events", "true"},
			{"starts of operations ", "op_events", "event IN ('started', 'prepared', 'materialized')"},
			{"states of operations ", "op_events", "event IN ('running', 'pending', 'suspended', 'resumed')"},
			{"ends of operations ", "op_events", "event IN ('completed', 'failed', 'aborted')"},
			{"parameters of operations ", "op_events", "event IN ('params_changed', 'pool_changed')"},
			{"starvation of operations ", "op_events", "event LIKE 'starvation%'"},
			{"states of nodes ", "node_state", "true"},
			{"configurations of pools ", "pool_config", "true"},
			{"configurations of trees ", "tree_config", "true"},
			{"processes ", "process_events", "true"},
		} {
			add(of.name, skew, by.name, map[string]string{of.table: retold(us, of.rows)})
		}
		record := us
		if by.name == "jitter" {
			record = "(hash(time) % 49999)::BIGINT - 24999"
		}
		add("records of shares ", skew, by.name, map[string]string{"snap_tree": retold(record, "true"), "snap_pools": retold(record, "true"), "snap_ops": retold(record, "true")})
	}
	add("everything but decisions ", skew, "jitter", eachByItself())
	add("states of nodes ", "trace-formats.md §3.3: a row tells all of a node", "twice", map[string]string{"node_state": twice("node_ix")})
	add("configurations ", "trace-formats.md §3.3: a row per version, whatever it changes", "twice", map[string]string{
		"pool_config": twice("pool_ix"), "tree_config": twice("true"),
	})
	all = append(all, begun(), cut())
	return all
}

// eachByItself has each table differ from the others by its own jitter, but for what one
// process decides, which one clock tells.
func eachByItself() map[string]string {
	by := func(salt string) string { return fmt.Sprintf("(hash(%s) %% 49999)::BIGINT - 24999", salt) }
	tables := map[string]string{
		"allocations": retold(by("time, seq, 'allocations'"), "action IN ('state', 'usage')"),
		"jobs": fmt.Sprintf("SELECT * REPLACE (if(finish_time IS NULL, NULL, greatest(%s, %s, preempt_time)) AS finish_time) FROM $scan ORDER BY time, seq",
			after("finish_time", by("time, seq, 'jobs'")), after("time", "1000")),
	}
	for _, table := range []string{"demand", "op_events", "node_state", "pool_config", "tree_config", "process_events"} {
		tables[table] = retold(by("time, seq, '"+table+"'"), "true")
	}
	for _, table := range []string{"snap_tree", "snap_pools", "snap_ops"} { // at one moment
		tables[table] = retold(by("time, 'records'"), "true")
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

// has reports whether a trace has a file of one of the tables that a shift tells otherwise.
func (s *shift) has(t *testing.T, trace string) (has bool) {
	t.Helper()
	err := filepath.WalkDir(trace, func(path string, _ fs.DirEntry, err error) error {
		has = has || s.tables[fileOf(path)] != ""
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return has
}

// TestWhatALogTellsLateAccusesNobody: of a cluster whose scheduler kept its promises
// nobody is accused above info because the log tells something a moment sooner or later
// than it was, as far as writers may differ. One in POOLPROOF_SHIFTS_EVERY is tried, by
// default the seventh; 1 tries all. POOLPROOF_SHIFTS_OF names another preset than small, with
// POOLPROOF_DAY for its length and POOLPROOF_PROFILE for its profile.
func TestWhatALogTellsLateAccusesNobody(t *testing.T) {
	every, err := strconv.Atoi(cmp.Or(os.Getenv("POOLPROOF_SHIFTS_EVERY"), "7"))
	if err != nil || every < 1 {
		t.Fatalf("POOLPROOF_SHIFTS_EVERY: %d, %v", every, err)
	}
	preset := cmp.Or(os.Getenv("POOLPROOF_SHIFTS_OF"), "small")
	spec, err := synthetic.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	if text := os.Getenv("POOLPROOF_DAY"); text != "" {
		length, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("POOLPROOF_DAY: %v", err)
		}
		spec.Length = synthetic.Duration(length.Microseconds())
	}
	spec.Profile = cmp.Or(os.Getenv("POOLPROOF_PROFILE"), spec.Profile)
	trace := filepath.Join(t.TempDir(), "trace")
	if _, err := synthetic.Generate(t.Context(), synthetic.Options{Spec: spec, Seed: 1, Out: trace, Workers: defaultWorkers}); err != nil {
		t.Fatal(err)
	}
	all := shifts()
	for i := 0; i < len(all); i += every {
		s := all[i]
		t.Run(s.name, func(t *testing.T) {
			if !s.has(t, trace) {
				t.Skip("the log has none of it")
			}
			shifted := s.of(t, rewrite(t, trace, s.query(spec.Start)))
			v := verdictOn(t, shifted, filepath.Join(t.TempDir(), "run"), 1)
			for i := range v.Findings {
				if f := &v.Findings[i]; f.Verdict == audit.Violated && f.Severity != audit.Info && !s.isUnmended(preset, f.Invariant) {
					t.Errorf("%s of %s %s in tree %s from %s: %s (%s)", f.Invariant, f.SubjectKind, f.Subject, f.Tree, f.From, f.Reason, s.allows)
				}
			}
			if !slices.ContainsFunc(v.Outcomes, func(o audit.Outcome) bool { return o.Seen > 0 }) {
				t.Error("nothing was judged")
			}
		})
	}
}
