package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
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
	// log, $from when it begins.
	tables map[string]string
}

// unmended are rules that still accuse where a log is so, by the beginning of its name. That
// starts stand before the tick after which they were made no log should tell: one process
// tells both.
var unmended = map[string][]string{
	"starts of jobs": {"PRE-03"},
}

// isUnmended reports whether a rule is one of them.
func (s *shift) isUnmended(invariant string) bool {
	for name, rules := range unmended {
		if strings.HasPrefix(s.name, name+" ") && slices.Contains(rules, invariant) {
			return true
		}
	}
	return false
}

// query tells the rows of a file so.
func (s *shift) query(file, scan string) string {
	q := s.tables[fileOf(file)]
	if q == "" {
		return "FROM " + scan
	}
	return strings.NewReplacer("$scan", scan, "$from", shiftedFrom).Replace(q)
}

// shiftedFrom is when the logs begin that are shifted: what is there by then stands at
// that moment (spec/trace-formats.md §3.7) and stays.
const shiftedFrom = "TIMESTAMPTZ '2025-03-03 08:00:00+00'"

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
	return all
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
	spec, err := synthetic.Preset(cmp.Or(os.Getenv("POOLPROOF_SHIFTS_OF"), "small"))
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
			shifted := rewrite(t, trace, s.query)
			v := verdictOn(t, shifted, filepath.Join(t.TempDir(), "run"), 1)
			for i := range v.Findings {
				if f := &v.Findings[i]; f.Verdict == audit.Violated && f.Severity != audit.Info && !s.isUnmended(f.Invariant) {
					t.Errorf("%s of %s %s in tree %s from %s: %s (%s)", f.Invariant, f.SubjectKind, f.Subject, f.Tree, f.From, f.Reason, s.allows)
				}
			}
			if !slices.ContainsFunc(v.Outcomes, func(o audit.Outcome) bool { return o.Seen > 0 }) {
				t.Error("nothing was judged")
			}
		})
	}
}
