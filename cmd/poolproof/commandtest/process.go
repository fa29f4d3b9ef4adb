package commandtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"poolproof/cmd/poolproof/exit"
)

// Process runs poolproof as a process of its own and returns how it ended.
func Process(t testing.TB, c *exec.Cmd) (code int, stderr string, peakKiB int64) {
	t.Helper()
	var out bytes.Buffer
	c.Stderr = &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	peak := make(chan int64)
	done := make(chan struct{})
	go func() { peak <- watchPeak(c.Process.Pid, done) }()
	err := c.Wait()
	close(done)
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), <-peak
}

// watchPeak returns the peak resident size that a process has reached until it
// is done, in KiB. Its resource usage would not do: a process starts with the
// peak of the one that made it.
func watchPeak(pid int, done <-chan struct{}) (peakKiB int64) {
	status := fmt.Sprintf("/proc/%d/status", pid)
	for {
		if text, err := os.ReadFile(status); err == nil {
			if _, rest, ok := strings.Cut(string(text), "VmHWM:"); ok {
				var kib int64
				if _, err := fmt.Sscan(rest, &kib); err == nil {
					peakKiB = max(peakKiB, kib)
				}
			}
		}
		select {
		case <-done:
			return peakKiB
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// NothingLeft fails if anything but the named entries stands in a directory.
func NothingLeft(t *testing.T, dir string, but ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left := true
		for _, name := range but {
			left = left && e.Name() != name
		}
		if left {
			t.Errorf("%s is left behind", e.Name())
		}
	}
}

// Run runs a command line as a process of its own.
func Run(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out bytes.Buffer
	c := exec.Command("poolproof", args...)
	c.Stdout = &out
	code, stderr, _ = Process(t, c)
	return code, out.String(), stderr
}

// Succeed runs a command line that ends with exit code 0, and returns what it prints.
func Succeed(t testing.TB, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := Run(t, args...)
	if code != exit.Kept {
		t.Fatalf("poolproof %s: exit code %d: %s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}
