package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"poolproof/cmd/poolproof/exit"
)

// BenchmarkLarge replays a trace of preset large and audits the run, each in a process of its
// own, of one build of the program after the other: what changed between them is seen side by
// side. bench-large makes the trace that POOLPROOF_BENCH_LARGE names and lists the builds, as a
// list of paths, in POOLPROOF_BENCH_BUILDS.
func BenchmarkLarge(b *testing.B) {
	trace, builds := os.Getenv("POOLPROOF_BENCH_LARGE"), filepath.SplitList(os.Getenv("POOLPROOF_BENCH_BUILDS"))
	if trace == "" || len(builds) == 0 {
		b.Skip("POOLPROOF_BENCH_LARGE names no trace, or POOLPROOF_BENCH_BUILDS no program: make bench-large")
	}
	for _, build := range builds {
		run := filepath.Join(b.TempDir(), "run")
		b.Run("stage=replay/build="+build, func(b *testing.B) {
			measureProcess(b, build, "replay", trace, "--out", run, "--replace", "--quiet")
		})
		b.Run("stage=audit/build="+build, func(b *testing.B) {
			if err := os.RemoveAll(filepath.Join(run, "run.duckdb")); err != nil {
				b.Fatal(err)
			}
			measureProcess(b, build, "audit", run, "--quiet")
		})
	}
}

// measureProcess runs a command as often as the benchmark asks and reports the seconds of CPU
// that it takes and the most memory.
func measureProcess(b *testing.B, program string, args ...string) {
	cpu, peak := 0.0, int64(0)
	for b.Loop() {
		c := exec.Command(program, args...)
		if out, err := c.CombinedOutput(); err != nil && c.ProcessState.ExitCode() != exit.Violated {
			b.Fatalf("%v: %v\n%s", c.Args, err, out)
		}
		cpu += (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
		peak = max(peak, c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) // KiB, of Linux
	}
	b.ReportMetric(cpu/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(peak)/1024, "peak-MiB")
}
