package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/sweep"
)

// TestWhoHoldsTheDatabase: a reader that keeps run.duckdb open, or another audit, is
// named, and the exit code is that of input and output.
func TestWhoHoldsTheDatabase(t *testing.T) {
	run := filepath.Join(commandtest.CopyOfMade(t, commandtest.StartOverLimit), "run")
	db, err := audit.OpenDatabase(run, 0)
	if err != nil {
		t.Fatal(err)
	}
	code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "audit", run, "--quiet"))
	if want := fmt.Sprintf("(process %d)", os.Getpid()); code != exit.IO || !strings.Contains(stderr, want) || !strings.Contains(stderr, "run.duckdb") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(run)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	code, stderr, _ = commandtest.Process(t, exec.Command("poolproof", "audit", run, "--quiet"))
	if code != exit.IO || !strings.Contains(stderr, "another audit") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	held.Close()
	if code, stderr, _ = commandtest.Process(t, exec.Command("poolproof", "audit", run, "--quiet")); code != exit.Violated {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if _, err := os.Stat(filepath.Join(run, audit.FindingsName)); err != nil {
		t.Error("an audit that could not begin took the verdict away")
	}
}

// TestSweepKilledAudit kills audits of a run at different moments, each of which would come to
// another verdict than the one before: its database and its findings.json never disagree.
func TestSweepKilledAudit(t *testing.T) {
	part := sweep.Take(t, 8)
	run := filepath.Join(commandtest.CopyOfMade(t, commandtest.StartOverLimit), "run")
	start := time.Now()
	whole := exec.Command("poolproof", "audit", run, "--quiet")
	commandtest.Process(t, whole)
	long := time.Since(start)
	agreed, without := 0, 0
	for i := range 8 {
		if !part.Has(i) {
			continue
		}
		c := exec.Command("poolproof", "audit", run, "--quiet", "--min-coverage", fmt.Sprintf("0.%d", i+1))
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(long * time.Duration(i+3) / 11)
		c.Process.Kill()
		c.Wait()
		b, err := os.ReadFile(filepath.Join(run, audit.FindingsName))
		if err != nil {
			without++
			continue
		}
		var verdict struct {
			Findings []struct {
				ID string `json:"finding_id"`
			}
		}
		if err := json.Unmarshal(b, &verdict); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		q := exec.Command("poolproof", "query", run, "SELECT finding_id FROM findings ORDER BY ALL", "--output", "json")
		q.Stdout = &out
		if code, stderr, _ := commandtest.Process(t, q); code != exit.Kept {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		for _, f := range verdict.Findings {
			if !strings.Contains(out.String(), f.ID) {
				t.Errorf("the database does not have the finding %s", f.ID)
			}
		}
		agreed++
	}
	t.Logf("%d runs had a verdict, %d had none", agreed, without)
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "audit", run, "--quiet")); code != exit.Violated {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	commandtest.NothingLeft(t, run, "manifest.json", "tables", "run.duckdb", "findings.json", "report.html")
}
