package command

import (
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

// TestSignals: the first signal ends a command that waits for input, which nothing can
// interrupt, soon; the second one at once. Neither leaves anything.
func TestSignals(t *testing.T) {
	for name, args := range map[string][]string{
		"fair-share": {"fair-share", "-"},
		"import":     {"import", "ytsaurus", "-", "--out", "trace"},
	} {
		for _, signals := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s/%d", name, signals), func(t *testing.T) {
				t.Parallel() // it waits, most of the time
				dir := t.TempDir()
				c := exec.Command("poolproof", args...)
				c.Dir = dir
				in, err := c.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(500 * time.Millisecond) // it waits by then
				start := time.Now()
				for range signals {
					c.Process.Signal(syscall.SIGTERM)
					time.Sleep(50 * time.Millisecond)
				}
				c.Wait()
				took := time.Since(start)
				if code := c.ProcessState.ExitCode(); code != exit.Interrupted {
					t.Errorf("exit code %d", code)
				}
				if took > patience+5*time.Second || signals == 2 && took > patience {
					t.Errorf("it took %v", took)
				}
				if signals == 1 {
					commandtest.NothingLeft(t, dir)
				}
			})
		}
	}
}
