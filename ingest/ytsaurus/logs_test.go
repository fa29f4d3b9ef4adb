package ytsaurus_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"poolproof/core"
	"poolproof/core/coretest/testcorpus"
	"poolproof/ingest/joblog"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/synthetic"
	"poolproof/ingest/trace"
	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

var ages = []eventlogtest.Age{eventlogtest.Age2020, eventlogtest.Age2023, eventlogtest.Age2025}

// smallTrace is the trace of preset small that the tests write as logs.
var smallTrace = struct {
	sync.Once
	dir string
	err error
}{}

func TestMain(m *testing.M) {
	code := m.Run()
	if smallTrace.dir != "" {
		os.RemoveAll(filepath.Dir(smallTrace.dir))
	}
	os.Exit(code)
}

// small returns a trace of some minutes of preset small.
func small(t testing.TB) string {
	t.Helper()
	smallTrace.Do(func() {
		spec, err := synthetic.Preset("small")
		if err != nil {
			smallTrace.err = err
			return
		}
		spec.Length = synthetic.Duration(4 * 60 * core.Second)
		parent, err := os.MkdirTemp("", "ytsaurus")
		if err != nil {
			smallTrace.err = err
			return
		}
		smallTrace.dir = filepath.Join(parent, "trace")
		_, smallTrace.err = synthetic.Generate(context.Background(), synthetic.Options{Spec: spec, Seed: 1, Out: smallTrace.dir})
	})
	if smallTrace.err != nil {
		t.Fatal(smallTrace.err)
	}
	return smallTrace.dir
}

// A log is the rows of a cluster's event log, with the export of its pool trees.
type log struct {
	rows   [][]byte // lines of JSON, without their ends
	export string
}

// sampleLog returns the sample of an age.
func sampleLog(t testing.TB, age eventlogtest.Age) log {
	t.Helper()
	dir := testcorpus.File(t, testcorpus.Data, "ytsaurus-event-log")
	return log{linesOf(t, filepath.Join(dir, string(age)+".jsonl.gz")), filepath.Join(dir, "pool_trees."+string(age)+".json")}
}

// writtenLog returns the log that a cluster of that age would have written of the
// small trace.
func writtenLog(t testing.TB, age eventlogtest.Age) log {
	t.Helper()
	r := eventlogtest.Write(t, small(t), filepath.Join(t.TempDir(), "log"), eventlogtest.Options{Age: age, Form: eventlogtest.JSONL, Seed: 1})
	return log{linesOf(t, r.Logs[0]), r.PoolTrees}
}

// linesOf returns the lines of a file, unpacked.
func linesOf(t testing.TB, path string) (lines [][]byte) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var in io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(in); err != nil {
			t.Fatal(err)
		}
	}
	b, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
}

// writeRows writes rows as a file, packed as its name says.
func writeRows(t testing.TB, path string, rows [][]byte) string {
	t.Helper()
	text := bytes.Join(append(rows[:len(rows):len(rows)], nil), []byte("\n"))
	return writeText(t, path, packed(t, text, filepath.Ext(path)))
}

func writeText(t testing.TB, path string, text []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func packed(t testing.TB, text []byte, extension string) []byte {
	t.Helper()
	var out bytes.Buffer
	var packer io.WriteCloser
	switch extension {
	case ".gz":
		packer = gzip.NewWriter(&out)
	case ".zst":
		z, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		packer = z
	default:
		return text
	}
	if _, err := packer.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// An imported is a trace that an import made.
type imported struct {
	dir     string
	summary *joblog.Summary
}

func importLog(t testing.TB, o ytsaurus.Options) imported {
	t.Helper()
	if o.Out == "" {
		o.Out = filepath.Join(t.TempDir(), "trace")
	}
	s, err := ytsaurus.Import(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return imported{o.Out, s}
}

func (i imported) manifest(t testing.TB) *trace.Manifest {
	t.Helper()
	m, err := trace.ReadManifest(i.dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// bundle returns the files of a trace by name. Of the manifest what tells of the
// files and rows of the log, and not of the cluster, is left out.
func (i imported) bundle(t testing.TB) map[string]string {
	t.Helper()
	files := joblogtest.Digest(t, i.dir)
	var m map[string]any
	if err := json.Unmarshal([]byte(files[trace.ManifestName]), &m); err != nil {
		t.Fatal(err)
	}
	delete(m, "sources")
	delete(m, "log")
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	files[trace.ManifestName] = string(b)
	return files
}

// difference names the first file in which two traces differ, "" for none.
func difference(a, b map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if other, ok := b[name]; !ok {
			return name + " is missing"
		} else if a[name] != other {
			return name + lineDifference(a[name], other)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[name]; !ok {
			return name + " is new"
		}
	}
	return ""
}

// lineDifference shows the first lines in which two texts differ.
func lineDifference(a, b string) string {
	if !utf8.ValidString(a) || !utf8.ValidString(b) {
		return " differs"
	}
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf(" differs in line %d: %s, not %s", i+1, y[i], x[i])
		}
	}
	return fmt.Sprintf(" has %d lines, not %d", len(y), len(x))
}
