package ytsaurus_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"poolproof/core"
	"poolproof/ingest/trace"
	"poolproof/ingest/ytsaurus"
)

// stamped returns rows of an event type at another time, and leaves them where they are.
func stamped(t testing.TB, rows [][]byte, event, timestamp string) []byte {
	t.Helper()
	i := slices.IndexFunc(rows, func(line []byte) bool { return bytes.Contains(line, []byte(`"`+event+`"`)) })
	f := fieldsOf(t, rows[i])
	f["timestamp"] = timestamp
	return lineOf(t, f)
}

// withoutProblems returns the files of a trace but for what tells of rows left out.
func withoutProblems(t testing.TB, got imported) map[string]string {
	t.Helper()
	files := got.bundle(t)
	var m map[string]any
	if err := json.Unmarshal([]byte(files[trace.ManifestName]), &m); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"quarantined", "tables"} {
		if _, has := m[key]; !has {
			t.Fatalf("the manifest has no %s: %v", key, m)
		}
		delete(m, key)
	}
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	files[trace.ManifestName] = string(b)
	delete(files, "global/problems.parquet")
	return files
}

// Rows of a clock that is wrong by years change nothing but the problems: window, warm-up
// and tables are those of the log without them, in any order and from any source.
func TestStrays(t *testing.T) {
	l := sampleLog(t, "2023")
	exports := []ytsaurus.Export{{Path: l.export}}
	dir := t.TempDir()
	clean := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(dir, "clean"), l.rows)}, Exports: exports})
	want := withoutProblems(t, clean)
	rows := slices.Clone(l.rows)
	for _, event := range []string{"fair_share_info", "nodes_info", "operation_started", "job_started"} {
		rows = append(rows, stamped(t, l.rows, event, "2100-01-01T00:00:00.000000Z"), stamped(t, l.rows, event, "2009-05-05T12:00:00.000000Z"))
	}
	rows = append(rows, stamped(t, l.rows, "fair_share_info", "1970-01-01T00:00:00.000000Z"))
	for name, arrange := range map[string]func(){
		"last":  func() {},
		"first": func() { slices.Reverse(rows) },
		"anywhere": func() {
			rand.New(rand.NewPCG(7, 7)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		},
	} {
		arrange()
		path := writeRows(t, filepath.Join(dir, name), rows)
		for _, source := range []string{path, "-"} {
			if source == "-" {
				in, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				defer func(was *os.File) { os.Stdin = was }(os.Stdin)
				os.Stdin = in
			}
			got := importLog(t, ytsaurus.Options{Sources: []string{source}, Exports: exports})
			if d := difference(want, withoutProblems(t, got)); d != "" {
				t.Errorf("%s, %s: %s", name, source, d)
			}
			if told := codesBeside(got.manifest(t).Quarantined, clean.manifest(t).Quarantined); told != "bad_timestamp 1, time_far_from_log 8" {
				t.Errorf("%s, %s: problems %q", name, source, told)
			}
			checkProblems(t, got)
		}
	}
}

// A bound that is asked for is no stray's.
func TestStraysThatAreAskedFor(t *testing.T) {
	l := sampleLog(t, "2023")
	rows := append(slices.Clone(l.rows), stamped(t, l.rows, "nodes_info", "2030-01-01T00:00:00.000000Z"))
	log := writeRows(t, filepath.Join(t.TempDir(), "log"), rows)
	for _, c := range []struct {
		to   string
		want int64
	}{{"2030-01-02T00:00:00Z", 0}, {"2029-01-01T00:00:00Z", 0}, {"2029-12-31T23:00:00Z", 1}} {
		got := importLog(t, ytsaurus.Options{Sources: []string{log}, To: at(t, c.to)})
		if n := got.manifest(t).Quarantined["time_far_from_log"]; n != c.want {
			t.Errorf("to %s: %d strays, want %d", c.to, n, c.want)
		}
	}
}

// A log in parts keeps them all, however long the pause: here an hour that is written a
// week later, and a day of which every hour has few rows.
func TestPartsAreNoStrays(t *testing.T) {
	l := sampleLog(t, "2023")
	dir := t.TempDir()
	rows := slices.Clone(l.rows)
	for _, line := range l.rows {
		rows = append(rows, []byte(strings.ReplaceAll(string(line), "2025-03-03T", "2025-03-10T")))
	}
	for night := range 24 {
		when := time.Date(2025, 3, 3, 9+night, 30, 0, 0, time.UTC).Format("2006-01-02T15:04:05.000000Z")
		rows = append(rows, stamped(t, l.rows, "fair_share_info", when))
	}
	got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(dir, "log"), rows)}})
	m := got.manifest(t)
	if n := m.Quarantined["time_far_from_log"]; n != 0 {
		t.Errorf("%d rows are left out", n)
	}
	if from, to := at(t, "2025-03-03T09:00:00Z"), at(t, "2025-03-10T08:00:00Z"); m.Window.From >= from || m.Window.To < to {
		t.Errorf("window %v", core.Span(m.Window))
	}
}
