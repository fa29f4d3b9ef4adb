package command

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

// TestSignalsAtOnce sends signals as soon as the process catches them, which is before most of it is
// initialized: the exit code is that of later ones, and nothing is left. What was ignored at the start ends nothing.
func TestSignalsAtOnce(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			dir := t.TempDir()
			c, trace := traced(t, exec.Command("poolproof", "generate", "--preset", "small", "--length", "10h", "--out", filepath.Join(dir, "trace")))
			awaitCatching(t, trace)
			c.Process.Signal(s)
			go io.Copy(io.Discard, trace)
			c.Wait()
			if code := c.ProcessState.ExitCode(); code != exit.Interrupted {
				t.Errorf("exit code %d", code)
			}
			commandtest.NothingLeft(t, dir)
		})
	}
	for name, s := range map[string]syscall.Signal{"HUP": syscall.SIGHUP, "INT": syscall.SIGINT} {
		ignoring := exec.Command("sh", "-c", `trap "" `+name+`; exec poolproof fair-share -`)
		in, err := ignoring.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		c, trace := traced(t, ignoring)
		awaitCatching(t, trace)
		c.Process.Signal(s)
		go io.Copy(io.Discard, trace)
		in.Close()
		c.Wait()
		if code := c.ProcessState.ExitCode(); code != exit.Kept {
			t.Errorf("%s ignored at the start: exit code %d", name, code)
		}
	}
}

// traced starts a command that writes to the pipe which of its packages are initialized.
func traced(t *testing.T, c *exec.Cmd) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	pipe, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewReader(pipe)
}

// awaitCatching waits until signals are caught, before packages are initialized that take long.
func awaitCatching(t *testing.T, trace *bufio.Reader) {
	t.Helper()
	for {
		line, err := trace.ReadString('\n')
		switch {
		case err != nil:
			t.Fatalf("package caught is not initialized: %v", err)
		case strings.HasPrefix(line, "init poolproof/cmd/poolproof/caught "):
			return
		case strings.HasPrefix(line, "init poolproof/replay/tables "):
			t.Fatalf("signals are not caught yet: %s", line)
		}
	}
}

// TestSignals interrupts commands that wait for input, which nothing can interrupt. The first signal
// ends them when patience is over, the second one without waiting for that. Neither leaves anything.
func TestSignals(t *testing.T) {
	for name, args := range map[string][]string{
		"fair-share": {"fair-share", "-"},
		"import":     {"import", "ytsaurus", "-", "--out", "trace"},
	} {
		for _, signals := range [][]os.Signal{{syscall.SIGTERM}, {syscall.SIGTERM, syscall.SIGINT}} {
			t.Run(fmt.Sprintf("%s/%d", name, len(signals)), func(t *testing.T) {
				t.Parallel() // it waits, most of the time
				dir := t.TempDir()
				c := exec.Command("poolproof", args...)
				c.Dir = dir
				if len(signals) > 1 {
					c.Env = append(os.Environ(), patienceName+"=1000h")
				}
				in, err := c.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				// More than a pipe holds is written once the command reads it.
				if _, err := in.Write(bytes.Repeat([]byte("\n"), 1<<20)); err != nil {
					t.Fatal(err)
				}
				for _, s := range signals {
					c.Process.Signal(s)
				}
				c.Wait()
				if code := c.ProcessState.ExitCode(); code != exit.Interrupted {
					t.Errorf("exit code %d", code)
				}
				commandtest.NothingLeft(t, dir)
			})
		}
	}
}
