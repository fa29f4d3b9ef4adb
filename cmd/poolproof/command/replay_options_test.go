package command

import (
	"path/filepath"
	"testing"

	"poolproof/core"
	"poolproof/ingest"
	"poolproof/ingest/trace"
)

// The log begins before the trace's window by what was recorded then, and the more
// before a window that --from narrows. What it says of its clocks goes with it.
func TestTheLogBeginsBeforeTheWindow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trace")
	w, err := trace.Create(dir, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Abort)
	window := trace.Window{From: epoch, To: epoch + 100*core.Second}
	if err := w.Commit(trace.Manifest{Window: window, WarmupUS: int64(7 * core.Second), ClockUncertaintyUS: 300_000}); err != nil {
		t.Fatal(err)
	}
	recorded, err := ingest.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]core.Time{"": 7 * core.Second, formatTime(epoch + 20*core.Second): 27 * core.Second} {
		opts, err := replayOptions(recorded, &replayRequest{resolution: 1, selection: selection{part: part{from: from}, workers: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if opts.Warmup != want {
			t.Errorf("from %q the log begins %v µs before, want %v", from, opts.Warmup, want)
		}
		if opts.ClockUncertainty != 300_000 {
			t.Errorf("its clocks differ by %v µs", opts.ClockUncertainty)
		}
	}
}
