package faults

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/replay/tables"
)

// TestChangedMeanwhile changes a trace while it is replayed: exit code 65, the file
// named, and no run. A run would name digests of bytes that were never judged.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	original := commandtest.BusyTrace{Heartbeats: 120_000}.Make(t)
	for name, change := range map[string]func(file string) error{
		"appended to": func(file string) error {
			f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			f.Write([]byte("x"))
			return f.Close()
		},
		"replaced by another": func(file string) error {
			b, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if err := os.WriteFile(file+".new", b, 0o644); err != nil {
				return err
			}
			return os.Rename(file+".new", file)
		},
		"changed, and its time set back": func(file string) error {
			info, err := os.Stat(file)
			if err != nil {
				return err
			}
			f, err := os.OpenFile(file, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			f.WriteAt([]byte("PAR1"), 0)
			f.Close()
			return os.Chtimes(file, info.ModTime(), info.ModTime())
		},
		"removed": os.Remove,
		"joined by another": func(file string) error {
			return os.WriteFile(strings.Replace(file, "-000", "-001", 1), nil, 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			copied := filepath.Join(dir, "trace")
			if err := os.CopyFS(copied, os.DirFS(original)); err != nil {
				t.Fatal(err)
			}
			c, stderr := underWay(t, filepath.Join(dir, begunReplay), "replay", copied, "--out", filepath.Join(dir, "run"), "--quiet")
			if err := change(filepath.Join(copied, "tree=cpu", "demand-000.parquet")); err != nil {
				t.Fatal(err)
			}
			c.Wait()
			if code := c.ProcessState.ExitCode(); code != exit.BadInput || !strings.Contains(stderr.String(), "changed while the trace was read") {
				t.Errorf("exit code %d: %s", code, stderr.String())
			}
			commandtest.NothingLeft(t, dir, "trace")
		})
	}
}

// TestBesideTheTables replays a trace in which other things stand, the run that is
// being made among them: they neither matter nor are digested.
func TestBesideTheTables(t *testing.T) {
	trace := commandtest.BusyTrace{Heartbeats: 2000}.Make(t)
	for _, folder := range []string{trace, filepath.Join(trace, "tree=cpu")} {
		if err := syscall.Mkfifo(filepath.Join(folder, "fifo"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("nowhere", filepath.Join(folder, "broken")); err != nil {
			t.Fatal(err)
		}
	}
	run := filepath.Join(trace, "run")
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for range 2 { // the second time an older run stands there
		c := exec.CommandContext(ctx, "poolproof", "replay", trace, "--out", run, "--replace", "--quiet")
		if code, stderr, _ := commandtest.Process(t, c); code != exit.Kept {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
	}
	b, err := os.ReadFile(filepath.Join(run, tables.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Inputs map[string]string }
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	for name := range m.Inputs {
		if name != "manifest.json" && !strings.HasSuffix(name, ".parquet") || strings.HasPrefix(name, "run") {
			t.Errorf("%s is no input", name)
		}
	}
	if m.Inputs["manifest.json"] == "" || m.Inputs["tree=cpu/jobs-000.parquet"] == "" {
		t.Errorf("the inputs are %v", m.Inputs)
	}
}
