package fairshare

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolproof/core/coretest/testcorpus"
)

// referenceTimes is the time that the published reference implementation needs
// for one full update of a tree, in times of the calibration program.
var referenceTimes = []struct {
	tree   string // a file of the corpus
	copies int    // of its operations, or of all its pools
	ratio  float64
}{
	{"bench-100-1k", 1, 1.74},
	{"bench-1k-10k", 1, 16.1},
	{"bench-fifo-1pool-300", 1, 1.08},
	{"bench-flat-1pool-1k", 1, 2.51},
	{"bench-1k-10k", 3, 52},
	{"bench-flat-1pool-1k", 10, 190},
	{"bench-fifo-1pool-300", 4, 6.4}, // of a pool of 1,000, a sixth less
}

// TestBenchFairShare prints how long full and incremental updates of the large
// trees take, in times of the calibration program in the same run. What is compared
// is CPU time, of which others on the machine take little. It runs only if
// POOLPROOF_BENCH is set.
func TestBenchFairShare(t *testing.T) {
	if os.Getenv("POOLPROOF_BENCH") == "" {
		t.Skip("set POOLPROOF_BENCH to compare with the reference")
	}
	calibrate := calibration(t)
	fmt.Printf("%-26s %10s %9s %9s %9s %12s %9s %9s %8s\n", "tree", "full, ms", "÷ calib", "reference",
		"faster", "1 %, ms", "÷ calib", "÷ full", "allocs")
	least := calibrate()
	for _, r := range referenceTimes {
		tree, elements, now := enlarged(t, r.tree, r.copies)
		full := fastest(15, func() { tree.Recompute(); mustUpdate(t, tree, now, now-1_000_000) })
		step := changer(tree, elements)
		next := func() {
			now += 1_000_000
			mustUpdate(t, tree, now, now-1_000_000)
		}
		for range 50 {
			step()
			next()
		}
		part := time.Duration(1 << 62)
		for range 40 {
			step()
			part = min(part, fastest(1, next))
		}
		allocations := testing.AllocsPerRun(20, func() { step(); next() })
		calib := calibrate()
		least = min(least, calib)
		name := r.tree
		if r.copies > 1 {
			name += " × " + strconv.Itoa(r.copies)
		}
		of := func(d time.Duration) float64 { return d.Seconds() / calib.Seconds() }
		fmt.Printf("%-26s %10.3f %9.3f %9.2f %8.1f× %12.3f %9.3f %9.3f %8.0f\n", name, full.Seconds()*1e3, of(full),
			r.ratio, r.ratio/of(full), part.Seconds()*1e3, of(part), of(part)/of(full), allocations)
		if of(full) > r.ratio/10 {
			t.Errorf("%s: a full update takes %.3f of calib, more than a tenth of the reference's %.2f", name, of(full), r.ratio)
		}
		if r.tree == "bench-1k-10k" && r.copies == 1 && of(part) > max(0.2, of(full)/20) {
			t.Errorf("%s: an incremental update takes %.3f of calib and %.3f of a full one", name, of(part), of(part)/of(full))
		}
	}
	fmt.Printf("calib: %.3f ms\n", least.Seconds()*1e3)
}

func mustUpdate(t *testing.T, tree *Tree, now, previous int64) {
	if err := tree.Update(now, previous); err != nil {
		t.Fatal(err)
	}
}

// fastest returns the least CPU time of several runs.
func fastest(runs int, do func()) time.Duration {
	took := make([]time.Duration, runs)
	for i := range took {
		start := usedCPU()
		do()
		took[i] = usedCPU() - start
	}
	return slices.Min(took)
}

// usedCPU is what the process has used so far.
func usedCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// calibrationPasses is how often the calibration program does its work.
const calibrationPasses = 7

// calibration compiles the calibration program, and returns what runs it and
// returns the CPU time of one pass.
func calibration(t *testing.T) func() time.Duration {
	program := filepath.Join(t.TempDir(), "calib")
	source := testcorpus.File(t, testcorpus.Conformance, "calib.c")
	if out, err := exec.Command("gcc", "-O2", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("compile calib.c: %v\n%s", err, out)
	}
	return func() time.Duration {
		run := exec.Command(program)
		if err := run.Run(); err != nil {
			t.Fatal(err)
		}
		return (run.ProcessState.UserTime() + run.ProcessState.SystemTime()) / calibrationPasses
	}
}

// enlarged builds a tree of the corpus with several copies, not quite the
// same, of all below the root, or of the operations of its only pool.
func enlarged(t *testing.T, name string, copies int) (tree *Tree, elements []Element, now int64) {
	random := rand.New(rand.NewPCG(3, 4))
	readCorpus(t, name+".jsonl.gz", func(line corpusLine) {
		in := line.Input
		var nodes []corpusNode
		single := strings.Contains(name, "1pool")
		for i := range copies {
			for _, n := range in.Nodes {
				stays := n.Kind == "root" || single && n.Kind == "pool"
				if stays && i > 0 {
					continue
				}
				if !stays {
					n.ID += "/" + strconv.Itoa(i)
				}
				if n.Kind != "root" && n.Parent != in.Nodes[0].ID && !(single && n.Kind == "operation") {
					n.Parent += "/" + strconv.Itoa(i)
				}
				if n.Weight != nil && i > 0 {
					weight := *n.Weight * (0.5 + random.Float64())
					n.Weight = &weight
				}
				nodes = append(nodes, n)
			}
		}
		in.Nodes = nodes
		tree, elements = in.build()
		now = in.Now
	})
	return tree, elements, now
}
