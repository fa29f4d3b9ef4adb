package foreign

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// An import that is killed while rows are sorted leaves no trace, and the next one
// clears away what it left.
func TestKilledImport(t *testing.T) {
	rows, export := sampleRows(t, "2023")
	text := bytes.Join(rows, nil)
	dir := t.TempDir()
	out := filepath.Join(dir, "trace")
	c := exec.Command("poolproof", "import", "ytsaurus", "-", "--pool-trees", export, "--out", out, "--memory", "100KiB", "--quiet")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; {
		if runs, _ := filepath.Glob(filepath.Join(dir, ".*", "new", "scratch", "*", "run-*")); len(runs) > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("rows never went to files")
		}
		if _, err := in.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("a killed import left a trace: %v", err)
	}
	again := exec.Command("poolproof", "import", "ytsaurus", "-", "--pool-trees", export, "--out", out, "--quiet")
	again.Stdin = bytes.NewReader(text)
	if code, stderr, _ := commandtest.Process(t, again); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != "trace" {
		t.Errorf("beside the trace stands %v", entries)
	}
	if _, err := os.Stat(filepath.Join(out, "scratch")); !os.IsNotExist(err) {
		t.Errorf("files of sorting stay: %v", err)
	}
}

// With little memory an import takes little; the sample is that alone.
func TestSweepImportMemory(t *testing.T) {
	part := sweep.Take(t, 1)
	if part.Sample() || !part.Has(0) {
		t.Skip("it is in another part; its sample is TestImportMemoryBoundsTheProcess")
	}
	dir := t.TempDir()
	peak := func(memory string) int64 {
		r, w := io.Pipe()
		go func() {
			w.CloseWithError(eventlogtest.Bulk(t, w, eventlogtest.JSONL, eventlogtest.BulkOptions{JobEvents: 400_000, Elements: 100, Seconds: 60}))
		}()
		c := exec.Command("poolproof", "import", "ytsaurus", "-", "--out", filepath.Join(dir, memory), "--memory", memory, "--quiet")
		c.Stdin = r
		code, stderr, peak := commandtest.Process(t, c)
		if code != exit.Kept {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return peak
	}
	little := peak("16MiB")
	if little > 320<<10 {
		t.Errorf("with --memory 16MiB %d KiB are taken", little)
	}
	much := peak("1GiB")
	t.Logf("peaks of %d MiB with --memory 16MiB, %d MiB with 1GiB", little>>10, much>>10)
	if little >= much {
		t.Errorf("with --memory 16MiB %d KiB are taken, with 1GiB %d KiB", little, much)
	}
}
