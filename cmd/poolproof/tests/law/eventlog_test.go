package law

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/testcorpus"
)

// The parts of an event log.
const (
	logRows = "rows"
	export  = "export" // of the pool trees: one row
)

// A goodLog is a log of a cluster that a mutation damages.
type goodLog interface {
	// mutate draws the edits of a mutation, and says what kinds they are of.
	mutate(r *dice) (kinds []string, edits []edit)
	// write writes the log with edits into a folder and returns its trace, or why it is refused.
	write(t testing.TB, dir string, edits []edit) (trace, refused string)
	// row returns a row of a part, to be shown.
	row(part string, number int) string
}

// An eventLog is the scheduler's event log of a cluster, with the export of its pool trees.
type eventLog struct {
	parts    map[string][]any
	index    *index
	exported [][]string // what the export may lose: trees, pools, and what is configured of them
}

// readEventLog reads the first rows of a log, all of them if most is 0.
func readEventLog(t testing.TB, rows, trees string, most int) *eventLog {
	t.Helper()
	l := &eventLog{parts: map[string][]any{}}
	l.parts[logRows] = valuesOf(t, rows, most)
	if l.parts[export] = valuesOf(t, trees, 0); len(l.parts[export]) != 1 {
		t.Fatalf("%s holds %d values", trees, len(l.parts[export]))
	}
	l.index, l.exported = newIndex(l.parts[logRows]), objectsOf(l.parts[export][0], nil)
	return l
}

// objectsOf are the paths of the trees and pools in an export, of their attributes and of the attribute
// config. A single option is no such thing: one that is absent is not set.
func objectsOf(exported any, above []string) (paths [][]string) {
	here := func(keys ...string) []string { return slices.Concat(above, keys) }
	attributes := here("$attributes")
	if has(exported, attributes) && len(above) > 0 {
		paths = append(paths, attributes)
		if config := here("$attributes", "config"); has(exported, config) {
			paths = append(paths, config)
		}
	}
	children, ok := at(exported, here("$value"))
	if !ok {
		return paths
	}
	below, _ := children.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(below)) {
		paths = append(append(paths, here("$value", name)), objectsOf(exported, here("$value", name))...)
	}
	return paths
}

// valuesOf reads the first values of a file of YSON, or all of it and of one of JSON.
func valuesOf(t testing.TB, path string, most int) []any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var in io.Reader
	switch plain := bytes.NewReader(text); filepath.Ext(path) {
	case ".gz":
		in, err = gzip.NewReader(plain)
	case ".zst":
		in, err = zstd.NewReader(plain)
	default:
		in = plain
	}
	if err == nil {
		text, err = io.ReadAll(in)
	}
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(filepath.Base(path), ".yson") {
		return readYSON(t, text, most)
	}
	return readJSON(t, text)
}

func (l *eventLog) row(part string, number int) string {
	return string(appendJSON(nil, l.parts[part][number]))
}

func (l *eventLog) write(t testing.TB, dir string, edits []edit) (trace, refused string) {
	t.Helper()
	var text []byte
	for _, r := range damaged(l.parts[logRows], logRows, edits) {
		line := appendJSON(nil, r.value)
		text = append(append(text, line[:len(line)*r.left/100]...), '\n')
	}
	log, trees := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "pool_trees.json")
	trace = filepath.Join(dir, "trace")
	put := func(path string, text []byte) {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put(log, text)
	args := []string{"import", "ytsaurus", log, "--out", trace, "--quiet"}
	for _, r := range damaged(l.parts[export], export, edits) {
		line := appendJSON(nil, r.value)
		put(trees, line[:len(line)*r.left/100])
		args = append(args, "--pool-trees", trees)
	}
	return trace, refusal(t, args...)
}

// refusal runs a command and returns why it refuses its input, "" if it does not. To end in another
// way is a failure.
func refusal(t testing.TB, args ...string) string {
	t.Helper()
	switch code, stdout, stderr := commandtest.Run(t, args...); {
	case code == exit.Kept:
		return ""
	case code == exit.BadInput && strings.TrimSpace(stderr) != "":
		return stderr
	default:
		t.Errorf("poolproof %s: exit code %d\n%.1000s%.3000s", strings.Join(args, " "), code, stdout, stderr)
		return "it failed"
	}
}

// goodLogs are the logs that the law is tried on.
var goodLogs = []struct {
	name string
	read func(t testing.TB) goodLog
}{
	{"2020", sample("2020")},
	{"2023", sample("2023")},
	{"2025", sample("2025")},
	{"waiting", simulated("waiting")},
	{"adopted", simulated("adopted")},
	{"deleted", simulated("deleted")},
	{"ordinary", shared("ordinary", 700)},
	{"ephemeral", shared("ephemeral", 700)},
	{"protected", shared("protected", 700)},
	{"small", generated("small", "3m")},
	{"neighbour", generated("incident-neighbour", "5m")},
}

// sample is a log of an age.
func sample(age string) func(testing.TB) goodLog {
	return func(t testing.TB) goodLog {
		dir := commandtest.InProject("ingest/ytsaurus/testdata/samples")
		return readEventLog(t, filepath.Join(dir, age+".jsonl.gz"), filepath.Join(dir, "pool_trees."+age+".json"), 0)
	}
}

// simulated is a small log that the scheduler's own code wrote.
func simulated(name string) func(testing.TB) goodLog {
	return func(t testing.TB) goodLog {
		dir := commandtest.InProject("ingest/ytsaurus/testdata/simulator")
		return readEventLog(t, filepath.Join(dir, name+".yson.zst"), filepath.Join(dir, name+".pool_trees.yson"), 0)
	}
}

// shared is the beginning of a long one.
func shared(name string, rows int) func(testing.TB) goodLog {
	return func(t testing.TB) goodLog {
		dir := testcorpus.File(t, testcorpus.Data, "ytsaurus-simulator")
		return readEventLog(t, filepath.Join(dir, name+".yson.zst"), filepath.Join(dir, name+".pool_trees.yson"), rows)
	}
}
