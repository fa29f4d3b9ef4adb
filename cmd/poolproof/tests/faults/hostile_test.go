package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/trace"
	"poolproof/replay/tables"
)

// What a command may take for a hostile trace of some hundred kilobytes.
const (
	hostileMemory = 700 << 10 // KiB
	hostileTime   = 2 * time.Minute
)

// TestSweepHostileTraces damages a trace in one place or some, and replays it: exit code
// 0, 1, 3 or 65, with a reason, within bounds of memory and time, without a control
// character on the terminal, and with nothing written but the run.
//
// POOLPROOF_HOSTILE says how many mutants there are (100), and then those that can be
// replayed are audited, too. POOLPROOF_HOSTILE_FROM is the number of the first one (0).
func TestSweepHostileTraces(t *testing.T) {
	part := sweep.Take(t, 9) // of each kind of mutation
	count, first, thorough := 100, 0, false
	if text := os.Getenv("POOLPROOF_HOSTILE"); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		thorough = true
	}
	if text := os.Getenv("POOLPROOF_HOSTILE_FROM"); text != "" {
		var err error
		if first, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	sound := filepath.Join(t.TempDir(), "trace")
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "generate", "--preset", "none", "--plant", "start_over_pool_limit,older_victim_first", "--out", sound, "--quiet")); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var h hostileTally
	slots := make(chan struct{}, 2)
	var all sync.WaitGroup
	for i := first; i < first+count; i++ {
		if !part.Has(i) {
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			h.try(t, sound, i, thorough || i%10 == 0)
		})
	}
	all.Wait()
	t.Log(h.String())
}

// A hostileTally counts how mutants ended.
type hostileTally struct {
	mu      sync.Mutex
	codes   map[string]int // by mutation and exit code
	peak    int64          // KiB
	longest time.Duration
}

func (h *hostileTally) note(kind string, code int, peak int64, took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.codes == nil {
		h.codes = map[string]int{}
	}
	h.codes[fmt.Sprintf("%s: %d", kind, code)]++
	h.peak, h.longest = max(h.peak, peak), max(h.longest, took)
}

func (h *hostileTally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "peak=%d MiB longest=%v\n", h.peak>>10, h.longest.Round(time.Millisecond))
	for _, k := range slices.Sorted(maps.Keys(h.codes)) {
		fmt.Fprintf(&b, "%s in %d\n", k, h.codes[k])
	}
	return b.String()
}

// try makes mutant i of a trace and looks what becomes of it.
func (h *hostileTally) try(t *testing.T, sound string, i int, full bool) {
	dir := t.TempDir()
	defer os.RemoveAll(dir) // all runs of a sweep together would fill the disk
	hostile, scratch := filepath.Join(dir, "trace"), filepath.Join(dir, "scratch")
	if err := os.CopyFS(hostile, os.DirFS(sound)); err != nil {
		t.Error(err)
		return
	}
	if err := os.Mkdir(scratch, 0o777); err != nil {
		t.Error(err)
		return
	}
	m := &mutator{rand.New(rand.NewPCG(uint64(i), 23)), hostile, ""}
	kind, err := m.mutate(i)
	if err != nil {
		t.Errorf("mutant %d: %v", i, err)
		return
	}
	before := digestsOrNone(hostile)
	command := "replay"
	if full {
		command = "run"
	}
	ctx, stop := context.WithTimeout(context.Background(), hostileTime)
	defer stop()
	c := exec.CommandContext(ctx, "poolproof", command, hostile, "--out", filepath.Join(dir, "run"))
	c.Env = append(os.Environ(), "TMPDIR="+scratch)
	var stdout bytes.Buffer
	c.Stdout = &stdout
	start := time.Now()
	code, stderr, peak := commandtest.Process(t, c)
	took := time.Since(start)
	h.note(kind, code, peak, took)
	fail := func(format string, args ...any) {
		t.Errorf("mutant %d (%s): %s: %s\n%.2000s", i, m.what, kind, fmt.Sprintf(format, args...), stderr)
	}
	switch code {
	case exit.Kept, exit.Violated, exit.Coverage:
	case exit.BadInput:
		if strings.TrimSpace(stderr) == "" {
			fail("exit code 65 without a reason")
		}
	default:
		fail("exit code %d\n%.3000s", code, stdout.String())
	}
	if peak > hostileMemory {
		fail("it took %d MiB", peak>>10)
	}
	for name, text := range map[string]string{"standard output": stdout.String(), "standard error": stderr} {
		if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }); at >= 0 {
			fail("%s has a control character: %q", name, text[max(0, at-40):min(len(text), at+10)])
		}
	}
	if !maps.Equal(before, digestsOrNone(hostile)) {
		fail("the trace has changed")
	}
	h.nothingElse(fail, dir, scratch, code)
}

// nothingElse looks at what stands in the directories of a mutant.
func (h *hostileTally) nothingElse(fail func(string, ...any), dir, scratch string, code int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		fail("%v", err)
	}
	for _, e := range entries {
		if name := e.Name(); name != "trace" && name != "scratch" && (name != "run" || code == exit.BadInput) {
			fail("%s is left", name)
		}
	}
	if left, _ := os.ReadDir(scratch); len(left) > 0 {
		fail("%s is left in the temporary directory", left[0].Name())
	}
	b, err := os.ReadFile(filepath.Join(dir, "run", audit.FindingsName))
	if err == nil && !json.Valid(b) {
		fail("%s is no JSON", audit.FindingsName)
	}
}

// digestsOrNone returns the digests of the files of a trace that can be read.
func digestsOrNone(dir string) map[string]string {
	sums := map[string]string{}
	names, _ := trace.InputFiles(dir)
	for _, name := range names {
		if sum, err := tables.DigestOf(filepath.Join(dir, name)); err == nil {
			sums[name] = sum
		}
	}
	return sums
}

// A mutator damages a trace.
type mutator struct {
	*rand.Rand
	dir  string
	what string // what it did
}

// mutate does one thing to the trace, and at times some more.
func (m *mutator) mutate(i int) (kind string, err error) {
	mutations := []struct {
		kind string
		do   func() error
	}{
		{"flip", m.flip}, {"truncate", m.truncate}, {"drop", m.drop}, {"duplicate", m.duplicate}, {"reorder", m.reorder},
		{"extreme", m.extreme}, {"name", m.name}, {"retype", m.retype}, {"manifest", m.manifest}, {"extreme", m.extreme},
	}
	chosen := mutations[i%len(mutations)]
	if err := chosen.do(); err != nil {
		return chosen.kind, err
	}
	if m.IntN(4) == 0 {
		return chosen.kind + "+extreme", m.extremeIfReadable()
	}
	return chosen.kind, nil
}

// files returns the files of the trace.
func (m *mutator) files() []string {
	names, err := trace.InputFiles(m.dir)
	if err != nil {
		panic(err)
	}
	return names
}

// pick returns a table's file.
func (m *mutator) pick() string {
	names := m.files()[1:]
	return names[m.IntN(len(names))]
}

func (m *mutator) did(format string, args ...any) { m.what += fmt.Sprintf(format, args...) + "; " }
func (m *mutator) path(name string) string        { return filepath.Join(m.dir, name) }
