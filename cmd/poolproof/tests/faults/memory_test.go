package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

const small = 300 << 20 // bytes, for a run of preset small

// TestLittleMemory runs preset small, which takes more where there is more, in 300 MB: it ends
// well or says that it needs more, and the kernel ends nothing.
func TestLittleMemory(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace")
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "generate", "--preset", "small", "--out", trace, "--quiet")); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	// Files in memory count as that of the process. Below /var/tmp they stand on a disk.
	disk, err := os.MkdirTemp("/var/tmp", "poolproof-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(disk)
	c := exec.Command("poolproof", "run", trace, "--out", filepath.Join(disk, "run"), "--quiet")
	inGroup(c, memoryGroup(t, small))
	code, stderr, peak := commandtest.Process(t, c)
	switch {
	case code == exit.Kept:
	case slices.Contains([]int{exit.BadInput, exit.IO}, code) && strings.Contains(stderr, "--memory"):
	default:
		t.Errorf("exit code %d: %s", code, stderr)
	}
	t.Logf("exit code %d, peak %d MiB: %s", code, peak>>10, strings.TrimSpace(stderr))
}

// TestWhatIfInLittleMemory: what-if gives its answer, or says what to do where its databases do not
// have the memory for it.
func TestWhatIfInLittleMemory(t *testing.T) {
	dir := t.TempDir()
	trace, edit := filepath.Join(dir, "trace"), filepath.Join(dir, "edit.yaml")
	if err := os.WriteFile(edit, []byte("pools: {research: {weight: 20}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "generate", "--preset", "small", "--out", trace, "--quiet")); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, memory := range []string{"150MiB", "200MiB"} {
		code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "what-if", trace, "--edit", edit, "--memory", memory, "--quiet"))
		if code != exit.Kept && (code != exit.IO || !strings.Contains(stderr, "give more by --memory")) {
			t.Errorf("of %s: exit code %d: %s", memory, code, stderr)
		}
		t.Logf("of %s: exit code %d, %s", memory, code, strings.TrimSpace(stderr))
	}
}

// memoryGroup makes a cgroup of that many bytes, or skips the test where none can be made.
func memoryGroup(t *testing.T, bytes int64) (dir string) {
	t.Helper()
	for root, limit := range map[string]string{"/sys/fs/cgroup/memory": "memory.limit_in_bytes", "/sys/fs/cgroup": "memory.max"} {
		dir := filepath.Join(root, fmt.Sprint("poolproof-test-", os.Getpid()))
		if _, err := os.Stat(filepath.Join(root, "cgroup.procs")); err != nil || os.Mkdir(dir, 0o777) != nil {
			continue
		}
		t.Cleanup(func() { os.Remove(dir) })
		if os.WriteFile(filepath.Join(dir, limit), []byte(fmt.Sprint(bytes)), 0) == nil {
			return dir
		}
	}
	t.Skip("no cgroup with a bound of memory can be made here")
	return ""
}

// inGroup has the command run in a cgroup.
func inGroup(c *exec.Cmd, group string) {
	c.Args = append([]string{"sh", "-c", `echo $$ >"$0/cgroup.procs" && exec "$@"`, group}, append([]string{c.Path}, c.Args[1:]...)...)
	c.Path = "/bin/sh"
}

// TestMemoryOfPages reads a trace with a page of 80 MB, which takes more than a fifth of
// a small --memory: the message says what to do, and doing it helps.
func TestMemoryOfPages(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace")
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "generate", "--preset", "none", "--plant", "start_over_pool_limit", "--out", trace, "--quiet")); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	trace = commandtest.Rewrite(t, trace, func(file, scan string) string {
		if strings.HasSuffix(file, "/jobs-000.parquet") {
			return fmt.Sprintf("SELECT * REPLACE (job_id || repeat('x', 80_000_000 // (SELECT count(*)::INT FROM %s)) AS job_id) FROM %[1]s", scan)
		}
		return commandtest.Unchanged(file, scan)
	})
	m := &mutator{dir: trace}
	if err := m.editManifest(func(j map[string]any) { j["tables"] = map[string]any{} }); err != nil {
		t.Fatal(err)
	}
	for memory, want := range map[string]int{"300MiB": exit.BadInput, "3GiB": exit.Kept} {
		code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "replay", trace, "--out", filepath.Join(t.TempDir(), "run"), "--memory", memory, "--quiet"))
		if code != want {
			t.Errorf("with %s exit code %d: %s", memory, code, stderr)
		}
		if want == exit.BadInput && !strings.Contains(stderr, "--memory") {
			t.Errorf("it does not advise --memory: %s", stderr)
		}
	}
}

// Every command that replays, reads Parquet or opens DuckDB has the flag.
func TestMemoryIsAFlagOfAllThatTakesMuch(t *testing.T) {
	for _, args := range [][]string{{"run", "t", "--out", "r"}, {"replay", "t", "--out", "r"}, {"audit", "r"}, {"report", "r"}, {"query", "r", "SELECT 1"}, {"explain", "r", "s"}, {"validate", "t"}, {"shrink", "t", "f", "--out", "o"}} {
		code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", append(args, "--memory", "1MiB")...))
		if code != exit.Usage || !strings.Contains(stderr, "the least to work with") {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
	}
	code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "import", "ytsaurus", "-", "--out", "t", "--memory", "much"))
	if code != exit.Usage || !strings.Contains(stderr, "--memory") {
		t.Errorf("import: exit code %d: %s", code, stderr)
	}
}
