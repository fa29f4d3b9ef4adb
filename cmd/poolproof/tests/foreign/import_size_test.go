package foreign

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// TestImportSize imports a log of POOLPROOF_IMPORT_JOB_EVENTS job events, with a
// snapshot of 2,000 elements for every 2,778 of them, from standard input: of 10
// million, that is an hour of a large cluster. The peak resident size stays below
// 2 GiB.
func TestImportSize(t *testing.T) {
	events, err := strconv.Atoi(os.Getenv("POOLPROOF_IMPORT_JOB_EVENTS"))
	if err != nil {
		t.Skip("POOLPROOF_IMPORT_JOB_EVENTS does not say how many job events (make bench-import-size)")
	}
	o := eventlogtest.BulkOptions{JobEvents: events, Elements: 2000, Seconds: max(10, events/2778)}
	log, writer := io.Pipe()
	counted := &counter{w: writer}
	go func() {
		w := bufio.NewWriterSize(counted, 1<<20)
		err := eventlogtest.Bulk(t, w, eventlogtest.BinaryYSON, o)
		if err == nil {
			err = w.Flush()
		}
		writer.CloseWithError(err)
	}()
	out := filepath.Join(t.TempDir(), "trace")
	c := exec.Command("poolproof", "import", "ytsaurus", "-", "--out", out, "--quiet")
	c.Stdin = log
	began := time.Now()
	code, stderr, peak := commandtest.Process(t, c)
	if code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	used := c.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d job events, %d snapshots, %d MiB: %v, %v of CPU, peak %d MiB", events, o.Seconds, counted.bytes>>20, time.Since(began).Round(time.Second),
		time.Duration(used.Utime.Nano()+used.Stime.Nano()).Round(time.Second), peak>>10)
	if peak == 0 || peak > 2<<20 {
		t.Errorf("peak %d MiB", peak>>10)
	}
}

// A counter counts what is written through it.
type counter struct {
	w     io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.bytes += int64(n)
	return n, err
}
