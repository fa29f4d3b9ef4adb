package faults

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/synthetic"
)

// TestSweepMemory replays logs of which one is four times as long as the other: the
// peak resident size stays below the bound and does not follow the length, once
// the batches of the tables have grown to what they may hold.
// The sample is a quarter of the shorter one alone. POOLPROOF_MEMORY_HEARTBEATS sets the longer length.
func TestSweepMemory(t *testing.T) {
	part := sweep.Take(t, 1)
	if !part.Has(0) {
		t.Skip("it is in another part")
	}
	long := 8_000_000
	if text := os.Getenv("POOLPROOF_MEMORY_HEARTBEATS"); text != "" {
		var err error
		if long, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	var peaks []int64
	lengths, bound := []int{long / 4, long}, int64(1<<20) // KiB
	if part.Sample() {
		lengths, bound = []int{long / 16}, 400<<10
	}
	for _, heartbeats := range lengths {
		trace := commandtest.BusyTrace{Heartbeats: heartbeats}.Make(t)
		code, stderr, peak := commandtest.Process(t, exec.Command("poolproof", "replay", trace, "--out", filepath.Join(t.TempDir(), "run"), "--quiet"))
		if code != exit.Kept {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		t.Logf("heartbeats=%d peak=%d MiB", heartbeats, peak>>10)
		peaks = append(peaks, peak)
	}
	least, most := slices.Min(peaks), slices.Max(peaks)
	if least == 0 {
		t.Fatal("the peak was not seen")
	}
	if most > bound {
		t.Errorf("peak %d MiB is over %d MiB", most>>10, bound>>10)
	}
	if most > least*3/2 {
		t.Errorf("peak grows from %d to %d MiB with the length of the log", least>>10, most>>10)
	}
}

// TestMemoryOfManyTrees replays a trace of many small trees: what a tree took is
// given back before the next one, and all can be surveyed at once.
func TestMemoryOfManyTrees(t *testing.T) {
	if testing.Short() {
		t.Skip("generates many trees")
	}
	var kinds []string
	for _, p := range synthetic.Plants() {
		if !p.OfTheWholeScheduler() && len(kinds) < 40 {
			kinds = append(kinds, p.Kind)
		}
	}
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	for _, args := range [][]string{
		{"generate", "--preset", "none", "--plant", strings.Join(kinds, ","), "--out", trace, "--quiet"},
		{"replay", trace, "--out", filepath.Join(dir, "run"), "--quiet"},
	} {
		code, stderr, peak := commandtest.Process(t, exec.Command("poolproof", args...))
		if code != exit.Kept {
			t.Fatalf("%s: exit code %d: %s", args[0], code, stderr)
		}
		t.Logf("%s: peak=%d MiB", args[0], peak>>10)
		const bound = 400 << 10 // KiB
		if args[0] == "replay" && peak > bound {
			t.Errorf("peak %d MiB is over %d MiB", peak>>10, bound>>10)
		}
	}
}

// begunReplay is what stands beside the run that a replay makes once it has begun.
var begunReplay = filepath.Join(".run.tmp-*", "new", "tables", "jobs", "*")

// underWay starts poolproof and returns once a file is there.
func underWay(t *testing.T, pattern string, args ...string) (c *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	c, stderr = exec.Command("poolproof", args...), &bytes.Buffer{}
	c.Stderr = stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for found := []string(nil); len(found) == 0; time.Sleep(time.Millisecond) {
		var err error
		if found, err = filepath.Glob(pattern); err != nil {
			t.Fatal(err)
		}
	}
	return c, stderr
}

// TestInterrupt stops a replay half-way: exit code 130, and nothing is left.
func TestInterrupt(t *testing.T) {
	trace := commandtest.BusyTrace{Heartbeats: 1_000_000}.Make(t)
	dir := t.TempDir()
	c, stderr := underWay(t, filepath.Join(dir, begunReplay), "replay", trace, "--out", filepath.Join(dir, "run"), "--quiet")
	c.Process.Signal(os.Interrupt)
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != exit.Interrupted {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	if !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("it says %q", stderr.String())
	}
	commandtest.NothingLeft(t, dir)
}

// TestInterruptedWhatIf stops a what-if before its control is decided and while that is replayed: exit
// code 130, and nothing is left.
func TestInterruptedWhatIf(t *testing.T) {
	trace := commandtest.BusyTrace{Heartbeats: 1_000_000}.Make(t)
	edit := filepath.Join(t.TempDir(), "edit.yaml")
	if err := os.WriteFile(edit, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, begun := range []string{"", "control/tables/jobs/*"} {
		dir := t.TempDir()
		c, stderr := underWay(t, filepath.Join(dir, ".answer.tmp-*", "new", filepath.FromSlash(begun)), "what-if", trace, "--edit", edit, "--out", filepath.Join(dir, "answer"), "--quiet")
		c.Process.Signal(os.Interrupt)
		c.Wait()
		if code := c.ProcessState.ExitCode(); code != exit.Interrupted || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("exit code %d: %s", code, stderr.String())
		}
		commandtest.NothingLeft(t, dir)
	}
}

// TestKilled kills a generator with its draft half written: the next trace that is
// made beside it takes away what it left.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "trace")
	c := exec.Command("poolproof", "generate", "--preset", "small", "--out", out, "--quiet")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var left []string
	for len(left) == 0 {
		var err error
		if left, err = filepath.Glob(filepath.Join(dir, ".trace.tmp-*", "new", "scratch")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	c.Process.Kill()
	c.Wait()
	next := filepath.Join(dir, "next")
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "import", "swf", commandtest.DemoFile("cluster.swf"), "--out", next, "--quiet")); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	commandtest.NothingLeft(t, dir, "next")
}

// TestFullDisk replays and imports where no file may grow beyond a few
// kilobytes: exit code 74, the table named, and nothing left.
func TestFullDisk(t *testing.T) {
	trace := commandtest.BusyTrace{Heartbeats: 20_000}.Make(t)
	for name, line := range map[string]string{
		"replay": `ulimit -f 8; exec poolproof replay "$0" --out "$1/out" --quiet`,
		"import": `ulimit -f 8; exec poolproof import swf ` + commandtest.DemoFile("cluster.swf") + ` --out "$1/out" --quiet`,
		"run":    `ulimit -f 8; exec poolproof run "$0" --out "$1/out" --quiet`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			code, stderr, _ := commandtest.Process(t, exec.Command("bash", "-c", line, trace, dir))
			if code != exit.IO || !strings.Contains(stderr, "file too large") {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			commandtest.NothingLeft(t, dir)
		})
	}
}

// TestFullDiskOfTheDatabase fills the disk of DuckDB: the exit code is 74 wherever it writes, one
// line names the file, and nothing is left. A lake that an export could not finish holds nothing of it.
func TestFullDiskOfTheDatabase(t *testing.T) {
	made := commandtest.Made(t, commandtest.SmallCluster)
	edit, lake := filepath.Join(t.TempDir(), "edit.yaml"), filepath.Join(t.TempDir(), "lake")
	if err := os.WriteFile(edit, []byte("pools:\n  research: {weight: 3}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	commandtest.Succeed(t, "export", filepath.Join(made, "run"), "--out", lake, "--quiet")
	for name, line := range map[string]string{
		"run":     `ulimit -f 2000; exec poolproof run "$0/trace" --out "$1/out" --quiet`,
		"what-if": `ulimit -f 2000; exec poolproof what-if "$0/trace" --edit "$2" --out "$1/out" --quiet`,
		"audit":   `cp -r "$0/run" "$1/run"; rm "$1/run/run.duckdb"; ulimit -f 2000; exec poolproof audit "$1/run" --quiet`,
		"export":  `ulimit -f 100; exec poolproof export "$0/run" --out "$1/lake" --quiet`,
		"query":   `ulimit -f 100; export TMPDIR="$1"; exec poolproof query "$3" "FROM metrics"`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			code, stderr, _ := commandtest.Process(t, exec.Command("bash", "-c", line, made, dir, edit, lake))
			if code != exit.IO || !strings.Contains(stderr, "duckdb") || !strings.HasSuffix(stderr, ": File too large\n") || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			os.RemoveAll(filepath.Join(dir, "run"))
			commandtest.NothingLeft(t, dir)
		})
	}
	t.Run("export of one more", func(t *testing.T) {
		one := filepath.Join(t.TempDir(), "lake")
		commandtest.Succeed(t, "export", filepath.Join(made, "run"), "--out", one, "--table", "trees", "--quiet")
		code, stderr, _ := commandtest.Process(t, exec.Command("bash", "-c", `ulimit -f 1000; exec poolproof export "$0/run" --out "$1" --quiet`, made, one))
		if code != exit.IO {
			t.Errorf("exit code %d: %s", code, stderr)
		}
		commandtest.NothingLeft(t, one, "trees")
	})
}

// TestNoMemoryIsNoVerdict lets the program have so little address space that the Go runtime ends it:
// the exit code is that of no verdict, and the next run removes what it left.
func TestNoMemoryIsNoVerdict(t *testing.T) {
	trace := filepath.Join(commandtest.Made(t, commandtest.StartOverLimit), "trace")
	dir := t.TempDir()
	died := 0
	for _, kib := range []string{"800000", "1000000", "1500000", "2000000"} {
		line := "ulimit -v " + kib + `; exec poolproof run "$0" --out "$1/out" --quiet`
		code, stderr, _ := commandtest.Process(t, exec.Command("bash", "-c", line, trace, dir))
		if strings.Contains(stderr, "fatal error: ") {
			died++
			if code != exit.Died {
				t.Errorf("%s KiB: exit code %d: %.200s", kib, code, stderr)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "out")); code == exit.Died && err == nil {
			t.Errorf("%s KiB: the output is there", kib)
		}
	}
	if died == 0 {
		t.Skip("the program needs less address space here")
	}
	if code, _, stderr := commandtest.Run(t, "run", trace, "--out", filepath.Join(dir, "out"), "--replace", "--quiet"); code != exit.Violated {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	commandtest.NothingLeft(t, dir, "out")
}

// TestUnreadable reads a trace that the user may not read: exit code 74. Tests
// may run as root, who may read all; then the command runs as somebody else.
func TestUnreadable(t *testing.T) {
	dir, err := os.MkdirTemp("", "poolproof-unreadable-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, "poolproof")
	copyFile(t, program, os.Args[0], 0o755)
	trace := commandtest.BusyTrace{Heartbeats: 2000}.Make(t)
	if err := os.Rename(trace, filepath.Join(dir, "trace")); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	for path, mode := range map[string]os.FileMode{dir: 0o755, filepath.Join(dir, "trace"): 0o755, filepath.Join(dir, "trace", "dim", "nodes.parquet"): 0} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(work, 0o777); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "replay", filepath.Join(dir, "trace"), "--out", filepath.Join(work, "run"), "--quiet")
	c.Dir = work
	if os.Geteuid() == 0 {
		const nobody = 65534
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	code, stderr, _ := commandtest.Process(t, c)
	if code != exit.IO || !strings.Contains(stderr, "nodes.parquet") || !strings.Contains(stderr, "permission denied") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	commandtest.NothingLeft(t, work)
}

func copyFile(t *testing.T, to, from string, mode os.FileMode) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, mode)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
