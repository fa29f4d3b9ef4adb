package docs

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

// TestTheNightlyJob runs the packaged script for two nights: the second
// is compared with the one before, and only the last keeps its tables. The first has no policy.
func TestTheNightlyJob(t *testing.T) {
	t.Parallel()
	job := commandtest.InProject("cmd/poolproof/packaging/poolproof-nightly")
	home := t.TempDir()
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	nights := []string{"2024-05-01", "2024-05-02"}
	for _, night := range nights {
		args := []string{"import", "swf", commandtest.DemoFile("cluster.swf"), "--config", commandtest.DemoFile("pools.yaml"), "--quiet", "--out", filepath.Join(home, "traces", night)}
		if err := os.MkdirAll(filepath.Join(home, "traces"), 0o755); err != nil {
			t.Fatal(err)
		}
		if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", args...)); code != exit.Kept {
			t.Fatalf("import: exit code %d: %s", code, stderr)
		}
	}
	at := func(night, file string) error {
		_, err := os.Stat(filepath.Join(home, "runs", night, file))
		return err
	}
	for i, night := range nights {
		if i > 0 {
			write(filepath.Join(home, "policy.yaml"), "fail_on: [major]\n")
		}
		c := exec.Command("sh", job, night)
		c.Env = append(os.Environ(), "POOLPROOF_HOME="+home, "KEEP=1")
		out, err := c.Output()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != exit.Violated {
			t.Fatalf("%s: %v %s", night, err, out)
		}
		if compared := strings.Contains(string(out), "Against 2024-05-01 02:00:00"); compared != (i > 0) {
			t.Errorf("%s: compared with the night before: %v", night, compared)
		}
	}
	for i, night := range nights {
		kept := i == len(nights)-1
		for _, file := range []string{"tables", "run.duckdb"} {
			if got := at(night, file) == nil; got != kept {
				t.Errorf("%s/%s is there: %v", night, file, got)
			}
		}
		for _, file := range []string{"manifest.json", "findings.json", "report.html"} {
			if err := at(night, file); err != nil {
				t.Error(err)
			}
		}
	}
	metrics, err := os.ReadFile(filepath.Join(home, "metrics", "poolproof.prom"))
	if err != nil || !regexp.MustCompile(`poolproof_findings_compared\{cluster="[^"]*",status="new"\} 0`).Match(metrics) {
		t.Errorf("metrics: %v\n%s", err, metrics)
	}
	if got := firing(t, string(metrics), time.Date(2024, 5, 3, 4, 0, 0, 0, time.UTC)); got != "PromiseBroken" {
		t.Errorf("alerts %q", got)
	}
}
