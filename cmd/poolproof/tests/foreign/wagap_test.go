package foreign

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/sweep"
	"poolproof/core/coretest/testcorpus"
)

const wagap = "metacentrum-wagap-2013/wagap-2013.swf.gz"

// A finding is what another program reads of a run's findings.
type finding struct {
	Audit, Verdict, Subject, Reason string
	From                            string `json:"from_time"`
	To                              string `json:"to_time"`
	Evidence                        json.RawMessage
}

// judgeLog imports a log, runs it and returns what was violated, and which audits found
// nothing in what they judged.
func judgeLog(t *testing.T, source string, args ...string) (code int, violated []finding, kept []string) {
	t.Helper()
	dir := t.TempDir()
	trace, run := filepath.Join(dir, "trace"), filepath.Join(dir, "run")
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", append([]string{"import", "swf", source, "--out", trace, "--quiet"}, args...)...)); code != exit.Kept {
		t.Fatalf("import: exit code %d: %s", code, stderr)
	}
	code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "run", trace, "--out", run, "--quiet"))
	if code != exit.Coverage && code != exit.Violated {
		t.Fatalf("run: exit code %d: %s", code, stderr)
	}
	b, err := os.ReadFile(filepath.Join(run, "findings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Findings []finding
		Outcomes []struct{ Audit, Verdict string }
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for _, f := range all.Findings {
		if f.Verdict == "violated" {
			violated = append(violated, f)
		}
	}
	for _, o := range all.Outcomes {
		if o.Verdict == "ok" {
			kept = append(kept, o.Audit)
		}
	}
	return code, violated, kept
}

// TestSweepWagap judges three months of a real cluster: no node was ever over its
// CPUs, and nothing else is violated. With one job put on a full node for an
// hour, exactly that is found, with the node, the span and the jobs on it. The log holds
// jobs and their nodes, so that no audit but those of jobs and nodes has judged anything.
// Either takes half a minute, so that there is no sample.
func TestSweepWagap(t *testing.T) {
	part := sweep.Take(t, 3)
	source := testcorpus.File(t, testcorpus.Data, wagap)
	if part.Has(2) {
		code, violated, kept := judgeLog(t, source)
		if code != exit.Coverage || len(violated) != 0 { // little can be judged from a log of jobs alone, and so it is not kept
			t.Errorf("exit code %d, violated: %v", code, violated)
		}
		if got := strings.Join(kept, " "); got != "job_in_two_places job_without_end node_over_capacity" {
			t.Errorf("kept are %s", got)
		}
	}
	if !part.Has(1) {
		return
	}

	// Job 7825 had one CPU of node 1270 for 3660 s. Node 1243 was full all that
	// time and longer.
	planted := replaceLine(t, source, `^7825 .*`, func(line string) string {
		return strings.Replace(line, "{1270}", "{1243}", 1)
	})
	code, violated, _ := judgeLog(t, planted, "--machines", strings.TrimSuffix(source, ".gz")+".machines")
	if code != exit.Violated || len(violated) != 1 {
		t.Fatalf("exit code %d, violated: %v", code, violated)
	}
	f := violated[0]
	if f.Audit != "node_over_capacity" || f.Subject != "1243" ||
		!strings.HasPrefix(f.From, "2013-02-26T09:34:51") || !strings.HasPrefix(f.To, "2013-02-26T10:35:51") ||
		!strings.Contains(string(f.Evidence), "7825") {
		t.Errorf("found %+v with evidence %s", f, f.Evidence)
	}
}

// TestOpenb judges a log without placements: whatever needs one is undecidable.
func TestOpenb(t *testing.T) {
	source := testcorpus.File(t, testcorpus.Data, "alibaba-openb-2023")
	dir := t.TempDir()
	trace, run := filepath.Join(dir, "trace"), filepath.Join(dir, "run")
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "import", "openb", source, "--out", trace, "--quiet")); code != exit.Kept {
		t.Fatalf("import: exit code %d: %s", code, stderr)
	}
	out, err := exec.Command("poolproof", "run", trace, "--out", run, "--quiet").Output()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != exit.Coverage || !strings.HasPrefix(string(out), "UNKNOWN: only 3 of the 90 applicable rules could be judged; no violation was found. No configuration was given") {
		t.Errorf("%v %s", err, out)
	}
	out, err = exec.Command("poolproof", "query", run, "SELECT verdict FROM audits WHERE audit = 'node_over_capacity'", "--output", "csv").Output()
	if err != nil || string(out) != "verdict\nundecidable\n" {
		t.Errorf("node_over_capacity is %q, %v", out, err)
	}
}

// replaceLine copies a gzipped log with one line changed.
func replaceLine(t *testing.T, source, pattern string, change func(string) string) string {
	t.Helper()
	f, err := os.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	changed := regexp.MustCompile("(?m)"+pattern).ReplaceAllStringFunc(string(text), change)
	if changed == string(text) || bytes.Count(text, []byte("\n")) != strings.Count(changed, "\n") {
		t.Fatal("no line was changed")
	}
	path := filepath.Join(t.TempDir(), "planted.swf")
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
