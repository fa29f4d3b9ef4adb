package ytsaurus_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"poolproof/ingest/parquetlog"
	"poolproof/ingest/parquetlog/foreigntest"
	"poolproof/ingest/parquetlog/parquetlogtest"
	"poolproof/ingest/trace"
	"poolproof/ingest/ytsaurus"
)

// parquetForms is what testdata/parquet.py wrote.
const parquetForms = "testdata/parquet.tar.zst"

func importFiles(t *testing.T, paths ...string) (map[string]string, *ytsaurus.Summary, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "trace")
	s, err := ytsaurus.Import(t.Context(), ytsaurus.Options{
		Sources: paths, Out: out, Exports: []ytsaurus.Export{{Path: filepath.Join(samples, "pool_trees.2023.json")}},
	})
	if err != nil {
		return nil, nil, err
	}
	return traceFiles(t, out), s, nil
}

// TestParquetFormsTellTheSame imports copies of the log as Parquet of all forms: with
// maps as YSON, JSON or nested columns, times and numbers of any width.
func TestParquetFormsTellTheSame(t *testing.T) {
	dir := t.TempDir()
	names := foreigntest.Unpack(t, parquetForms, dir)
	traces := map[string]map[string]string{}
	for _, log := range []string{"rows.jsonl", "millis.jsonl"} {
		files, s, err := importFiles(t, filepath.Join(dir, log))
		if err != nil {
			t.Fatal(err)
		}
		if s.QuarantinedRows() != 0 || s.Jobs < 60 || s.Operations < 15 {
			t.Fatalf("%s: %d rows quarantined, %d jobs, %d operations", log, s.QuarantinedRows(), s.Jobs, s.Operations)
		}
		traces[log] = files
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".parquet") || strings.HasPrefix(name, "bad/") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want, with := traces["rows.jsonl"], []string{filepath.Join(dir, name)}
			switch {
			case strings.HasPrefix(name, "millis/"):
				want = traces["millis.jsonl"]
			case strings.HasPrefix(name, "no rows/"):
				with = append(with, filepath.Join(dir, "rows.jsonl"))
			}
			got, s, err := importFiles(t, with...)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(want) {
				t.Errorf("%d files, and %d of JSON lines; %d rows quarantined", len(got), len(want), s.QuarantinedRows())
			}
			for file := range want {
				if empty := len(with) > 1; empty && (file == "manifest.json" || file == "global/problems.parquet") {
					continue // they tell of the source without rows
				}
				if got[file] != want[file] {
					t.Errorf("%s is another (%d bytes, not %d)", file, len(got[file]), len(want[file]))
				}
			}
		})
	}
}

// TestParquetThatIsNotRead refuses what it cannot read by file, column and reason.
func TestParquetThatIsNotRead(t *testing.T) {
	dir := t.TempDir()
	foreigntest.Unpack(t, parquetForms, dir)
	whole, err := os.ReadFile(filepath.Join(dir, "dump/utf8.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bad/cut.parquet"), whole[:len(whole)-100], 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string][2]string{
		"decimal":         {"resource_limits", "DECIMAL(10,2)"},
		"time of day":     {"start_time", "TIME"},
		"half":            {"reason", "FLOAT16"},
		"keys of numbers": {"pools", "keys that are not texts"},
		"no event type":   {"event_type", "no such column"},
		"no timestamp":    {"timestamp", "no such column"},
		"cut":             {"", "not a whole Parquet file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "bad", name+".parquet")
			_, _, err := importFiles(t, path)
			var format *parquetlog.FormatError
			if !errors.As(err, &format) || format.File != path || format.Column != c[0] || !strings.Contains(format.Found, c[1]) || format.Advice == "" {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestParquetThatIsPacked reads a Parquet file that is compressed as a whole, from a
// file and from standard input.
func TestParquetThatIsPacked(t *testing.T) {
	dir := t.TempDir()
	foreigntest.Unpack(t, parquetForms, dir)
	plain := filepath.Join(dir, "dump/utf8.parquet")
	want, _, err := importFiles(t, plain)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	packed := filepath.Join(dir, "packed")
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(whole); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(packed, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{packed, "-"} {
		if from == "-" {
			stdin, err := os.Open(plain)
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			defer func(f *os.File) { os.Stdin = f }(os.Stdin)
			os.Stdin = stdin
		}
		got, _, err := importFiles(t, from)
		if err != nil {
			t.Fatal(from, err)
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: the trace is another", from)
		}
	}
}

// TestABadCellIsAProblemOfItsRow imports a file of which one cell holds no YSON, and
// another one that is damaged after some pages.
func TestABadCellIsAProblemOfItsRow(t *testing.T) {
	type row struct {
		Timestamp string `parquet:"timestamp"`
		Event     string `parquet:"event_type"`
		Address   string `parquet:"address,plain"`
		Nodes     []byte `parquet:"nodes,optional"`
	}
	write := func(name string, rows []row, o ...parquet.WriterOption) string {
		path := filepath.Join(t.TempDir(), name)
		if err := parquet.WriteFile(path, rows, o...); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var rows []row
	for i := range 6 {
		rows = append(rows, row{fmt.Sprintf("2025-03-03T08:00:%02d.000000Z", i), "master_connected", fmt.Sprintf("scheduler-%d:9010", i), nil})
	}
	rows[3].Nodes = []byte("{\x01\x02a=")
	path := write("cell.parquet", rows)
	found := importProblems(t, path)
	if len(found) != 1 || found[0].Row != 3 || found[0].Source != path || found[0].Code != "bad_row" || found[0].Column.Value != "nodes" {
		t.Errorf("the problems are %+v", found)
	}
	rows[3].Nodes = nil
	path = write("damage.parquet", rows, parquet.MaxRowsPerRowGroup(2))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[bytes.Index(b, []byte("\x10\x00\x00\x00scheduler-4"))] ^= 0x40 // the length of the text
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	found = importProblems(t, path)
	if len(found) != 1 || found[0].Row != -1 || found[0].Code != "source_ends_early" || !strings.Contains(found[0].Value.Value, path+": column address: ") {
		t.Errorf("the problems are %+v", found)
	}
}

// importProblems imports a file and returns its problems.
func importProblems(t *testing.T, path string) []trace.Problem {
	t.Helper()
	out := filepath.Join(t.TempDir(), "trace")
	if _, err := ytsaurus.Import(t.Context(), ytsaurus.Options{Sources: []string{path}, Out: out}); err != nil {
		t.Fatal(err)
	}
	problems, err := parquetlogtest.ReadAll(trace.Problems, filepath.Join(out, "global", "problems.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(problems, func(p trace.Problem) bool { return p.Source != path }) // others are of the log as a whole
}
