package command

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

// TestSameBytes replays one log with one and with two workers, and with its
// row groups cut differently: the tables are the same, byte for byte.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	const heartbeats = 60_000
	whole := commandtest.BusyTrace{Heartbeats: heartbeats}.Make(t)
	cut := commandtest.BusyTrace{Heartbeats: heartbeats, RowGroupRows: 10_007}.Make(t)
	var first map[string]string
	for _, run := range []struct{ trace, workers string }{{whole, "1"}, {whole, "2"}, {cut, "2"}} {
		out := filepath.Join(t.TempDir(), "run")
		if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "replay", run.trace, "--out", out, "--workers", run.workers, "--quiet")); code != exit.Kept {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		sums := commandtest.Digests(t, filepath.Join(out, "tables"))
		if first == nil {
			first = sums
			if len(first) < 2*11 {
				t.Fatalf("only %d tables", len(first))
			}
			continue
		}
		for path, sum := range sums {
			if first[path] != sum {
				t.Errorf("%s differs with %s workers", path, run.workers)
			}
		}
		if len(sums) != len(first) {
			t.Errorf("%d tables, then %d", len(first), len(sums))
		}
	}
}

// TestDifferentLogsDiffer makes sure that TestSameBytes can fail.
func TestDifferentLogsDiffer(t *testing.T) {
	sums := func(heartbeats int) string {
		out := filepath.Join(t.TempDir(), "run")
		if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "replay", commandtest.BusyTrace{Heartbeats: heartbeats}.Make(t), "--out", out, "--quiet")); code != exit.Kept {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		all := commandtest.Digests(t, filepath.Join(out, "tables"))
		for path, sum := range all {
			if strings.HasPrefix(path, "jobs/tree=cpu") {
				return sum
			}
		}
		t.Fatal("no table of jobs")
		return ""
	}
	if sums(20_000) == sums(20_400) {
		t.Error("logs of different length give the same jobs")
	}
}
