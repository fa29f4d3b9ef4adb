package plants

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/synthetic"
)

// A shift is a log that tells some of what happened earlier or later than the others that
// it was made of, as the logs of different processes do.
type shift struct {
	name   string
	allows string // what says that logs may be so
	// By the table that is told otherwise, the query of its rows. $scan is those of the log,
	// $jobs, $steps and $records those of jobs, op_events and snap_ops of its tree, $from when it begins.
	tables   map[string]string
	from, to string // the window, if it is another
	demand   string // how the log knows demand, if otherwise
}

// unmended are rules that still accuse where a log is so, by preset and by the beginning of
// the shift's name. One process tells when jobs start, what the same heartbeat takes for them,
// what its ticks say of who starves and what its records count: a preemption stands at the
// start of the job that it serves, exactly (ingest/trace/FORMAT.md §4.3), and no record holds
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
// stands at that moment (ingest/trace/FORMAT.md §3.7) and stays.
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
		return strings.NewReplacer("$scan", scan, "$jobs", beside("jobs"), "$steps", beside("op_events"), "$records", beside("snap_ops"), "$from", begins).Replace(q)
	}
}

// of has a trace that was told so have the window and the coverage.
func (s *shift) of(t *testing.T, trace string) string {
	t.Helper()
	if s.from == "" && s.to == "" && s.demand == "" {
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
	coverage := manifest["coverage"].(map[string]any)
	coverage["demand"] = cmp.Or(s.demand, coverage["demand"].(string))
	if text, err = json.Marshal(manifest); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return trace
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

// TestSweepWhatALogTellsLateAccusesNobody: of a cluster whose scheduler kept its promises
// nobody is accused above info because the log tells something a moment sooner or later
// than it was, as far as writers may differ. POOLPROOF_SHIFTS_OF names another preset than
// small, with POOLPROOF_DAY for its length and POOLPROOF_PROFILE for its profile.
func TestSweepWhatALogTellsLateAccusesNobody(t *testing.T) {
	part := sweep.Take(t, 96)
	preset := cmp.Or(os.Getenv("POOLPROOF_SHIFTS_OF"), "small")
	spec, err := synthetic.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	if part.Sample() {
		spec.Length = synthetic.Duration((10 * time.Minute).Microseconds())
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
	if _, err := synthetic.Generate(t.Context(), synthetic.Options{Spec: spec, Seed: 1, Out: trace, Workers: runtime.NumCPU()}); err != nil {
		t.Fatal(err)
	}
	for i, s := range shifts() {
		if !part.Has(i) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			if !s.has(t, trace) {
				t.Skip("the log has none of it")
			}
			shifted := s.of(t, commandtest.Rewrite(t, trace, s.query(spec.Start)))
			v := commandtest.VerdictOn(t, shifted, filepath.Join(t.TempDir(), "run"), 1)
			for i := range v.Findings {
				if f := &v.Findings[i]; f.Verdict == audit.Violated && !s.isUnmended(preset, f.Invariant) {
					t.Errorf("%s of %s %s in tree %s from %s: %s (%s)", f.Invariant, f.SubjectKind, f.Subject, f.Tree, f.From, f.Reason, s.allows)
				}
			}
			if !slices.ContainsFunc(v.Outcomes, func(o audit.Outcome) bool { return o.Seen > 0 }) {
				t.Error("nothing was judged")
			}
		})
	}
}
