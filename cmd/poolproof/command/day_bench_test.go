package command

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"poolproof/audit"
	"poolproof/replay/env"
)

// BenchmarkDay replays a trace of preset day and audits the run, in full: into
// DuckDB, all audits, the report. The audit is to take less than the replay
// (bench-day makes the trace that POOLPROOF_BENCH_DAY names). Other work on the
// machine disturbs cpu-s less than it does ns.
func BenchmarkDay(b *testing.B) {
	trace := os.Getenv("POOLPROOF_BENCH_DAY")
	if trace == "" {
		b.Skip("POOLPROOF_BENCH_DAY names no trace: make bench-day")
	}
	run := filepath.Join(b.TempDir(), "run")
	p := &progress{quiet: true}
	b.Run("stage=replay", func(b *testing.B) {
		var q replayRequest
		q.workers, q.resolution = defaultWorkers, env.DefaultResolution
		var events int64
		measureCPU(b, func() {
			if err := os.RemoveAll(run); err != nil {
				b.Fatal(err)
			}
			if err := os.Mkdir(run, 0o755); err != nil {
				b.Fatal(err)
			}
			m, err := replayInto(b.Context(), run, trace, &q, p)
			if err != nil {
				b.Fatal(err)
			}
			events += m.Events
		})
		b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	})
	b.Run("stage=audit", func(b *testing.B) {
		measureCPU(b, func() {
			if err := os.RemoveAll(filepath.Join(run, audit.DatabaseName)); err != nil {
				b.Fatal(err)
			}
			if _, err := runAudits(b.Context(), run, audit.Options{}, defaultWorkers, p); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// measureCPU runs do as often as the benchmark asks and reports the seconds of CPU
// that it takes.
func measureCPU(b *testing.B, do func()) {
	before := usedCPU(b)
	for b.Loop() {
		do()
	}
	b.ReportMetric((usedCPU(b)-before).Seconds()/float64(b.N), "cpu-s/op")
}

// usedCPU is what the process has used so far, of both user and system.
func usedCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
