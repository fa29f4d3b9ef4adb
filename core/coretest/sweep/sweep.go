// Package sweep selects the cases that a long test runs. A sweep is a test of many independent
// cases, which together take minutes. `make test` runs a sample of each sweep, `make sweep` all
// of it, and CI the next part with each commit. The names of sweeps begin with TestSweep.
package sweep

import (
	"hash/fnv"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Variable is the variable of the environment that says how much of each sweep is tried: "all"
// of it, or a part like "3/16", the third of sixteen from 0 on. A number beyond is counted on,
// so that the number of commits names the next part. Without it the sample is tried.
const Variable = "POOLPROOF_SWEEP_PART"

// A Part says which cases of a sweep are tried.
type Part struct {
	nth, of int
	sample  bool
}

// Take returns the part of a test's cases that is asked for. The sample is the first of so many.
// The test runs beside other sweeps from here on, so that all processors have work.
func Take(t *testing.T, sample int) Part {
	t.Helper()
	t.Parallel()
	if !strings.HasPrefix(t.Name(), "TestSweep") {
		t.Fatalf("%s is a sweep: its name begins with TestSweep, by which make sweep finds it", t.Name())
	}
	p, ok := partOf(os.Getenv(Variable), t.Name(), sample)
	if !ok {
		t.Fatalf("%s=%s: write all, or a part like 3/16", Variable, os.Getenv(Variable))
	}
	return p
}

// partOf reads the part of a sweep.
func partOf(text, name string, sample int) (p Part, ok bool) {
	switch text {
	case "":
		return Part{0, sample, true}, true
	case "all":
		return Part{0, 1, false}, true
	}
	first, second, ok := strings.Cut(text, "/")
	nth, err := strconv.Atoi(first)
	of, err2 := strconv.Atoi(second)
	if !ok || err != nil || err2 != nil || nth < 0 || of < 1 {
		return Part{}, false
	}
	// Where there are fewer cases than parts, those of all sweeps shall not be in the same.
	h := fnv.New32a()
	h.Write([]byte(name))
	return Part{(nth%of + int(h.Sum32()%uint32(of))) % of, of, false}, true
}

// Has reports whether the case of a number is tried.
func (p Part) Has(i int) bool { return i%p.of == p.nth }

// All reports whether every case is, because all are asked for.
func (p Part) All() bool { return p.of == 1 && !p.sample }

// Sample reports whether nothing but the sample is.
func (p Part) Sample() bool { return p.sample }
