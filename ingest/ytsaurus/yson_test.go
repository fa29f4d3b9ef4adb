package ytsaurus

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/ingest/joblog"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// sampleText returns the decompressed text of a sample.
func sampleText(t *testing.T, name string) []byte {
	f, err := joblog.Open(filepath.Join("testdata/samples", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// imported imports a log and tells what became of its rows.
func imported(t *testing.T, sources ...string) string {
	s, err := Import(t.Context(), Options{Sources: sources, Out: filepath.Join(t.TempDir(), "trace")})
	if err != nil {
		t.Fatal(err)
	}
	told := fmt.Sprintf("%d rows, %d jobs", s.Rows, s.Jobs)
	for _, c := range s.Quarantined {
		told += fmt.Sprintf(", %d %s", c.Rows, c.Code)
	}
	for _, note := range s.Notes {
		if strings.Contains(note, "passed over") {
			told += ", " + note
		}
	}
	return told
}

// A record that is damaged is left out, and those behind it are read.
func TestDamagedRecordsOfYSON(t *testing.T) {
	text, bin := sampleText(t, "2023.text.yson.zst"), sampleText(t, "2023.binary.yson.zst")
	rows := bytes.SplitAfter(text, []byte("};\n"))
	half := func(b []byte) []byte { return b[:len(b)/2] }
	second := bytes.Index(bin[1:], []byte("};{\x01")) + 3
	for _, c := range []struct {
		name string
		log  [][]byte
		want string
	}{
		{"text", [][]byte{text}, "861 rows, 238 jobs"},
		{"binary", [][]byte{bin}, "861 rows, 238 jobs"},
		{"half a row of text", [][]byte{half(rows[0]), []byte("\n"), text}, "862 rows, 238 jobs, 1 bad_row"},
		{"half a row of text at the end", [][]byte{text, half(rows[0])}, "862 rows, 238 jobs, 1 truncated_row"},
		{"half a row of binary, which the first row runs into", [][]byte{half(bin[:second]), bin}, "861 rows, 238 jobs, 1 bad_row"},
		{"half a row of binary at the end", [][]byte{bin, bin[:second/2]}, "862 rows, 238 jobs, 1 truncated_row"},
		{"no semicolon at the end", [][]byte{bytes.TrimRight(text, ";\n")}, "861 rows, 238 jobs"},
		{"what is no row", [][]byte{[]byte("{schema=\"yt.scheduler.pools.compute.v1\";id=x};\n<table_index=0>#;\n2023-11-28 I Logging\tthread {\n"), text}, "863 rows, 238 jobs, 2 lines record no event and were passed over."},
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, slices.Concat(c.log...), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := imported(t, path); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

// Structured logs record the same in JSON and in both forms of YSON, and have records of
// others.
func TestStructuredLogsOfAllForms(t *testing.T) {
	dir := t.TempDir()
	first := filepath.Join(dir, "first")
	if _, err := Import(t.Context(), Options{Sources: []string{"testdata/samples/2023.jsonl.gz"}, Out: first}); err != nil {
		t.Fatal(err)
	}
	var want string
	for _, form := range []eventlogtest.Form{eventlogtest.JSONL, eventlogtest.TextYSON, eventlogtest.BinaryYSON} {
		logs := filepath.Join(dir, string(form))
		result := eventlogtest.Write(t, first, logs, eventlogtest.Options{Age: eventlogtest.Age2023, Form: form, Compression: "gz", Structured: true})
		got := imported(t, result.Logs...)
		if want == "" {
			want = got
		}
		if got != want || !strings.Contains(got, "passed over") {
			t.Errorf("%s: %s, and in JSON %s", form, got, want)
		}
	}
}

// A source is told by how it begins.
func TestDetect(t *testing.T) {
	for in, want := range map[string]string{
		"":                                KindJSON,
		`{"timestamp": 1}`:                KindJSON,
		`{"timestamp"=1};`:                KindYSON,
		"{timestamp=1};":                  KindYSON,
		"{\n    \"timestamp\" = 1;\n};":   KindYSON,
		"{\x01\x02a=#};":                  KindYSON,
		"<table_index=0>#;{a=1}":          KindYSON,
		"hello {\n{\"timestamp\" = 1};\n": KindYSON,
		"hello {\n{\"timestamp\" : 1}\n":  KindJSON,
		"<default_tree=physical>{}":       KindPoolTrees,
		`{"$attributes": {}, "$value":`:   KindPoolTrees,
		"PAR1":                            KindParquet,
		// The first row is damaged, the second is not.
		"{\xefevent_type\":1}\n{\"event_type\":2}": KindJSON,
		"{\x01event_type\":1}\n{\"event_type\":2}": KindJSON,
		"<\"event_type\":1}\n{\"event_type\":2}":   KindJSON,
		"{\"event_type\":1};\n{\"event_type\"=2};": KindYSON,
		// What has lost its event type is no Orchid dump in a log.
		`{"nodes":{"n:1":{"resource_limits":{},"tags":[]}}}`:                               KindOrchid,
		`{"nodes":{"n:1":{"resource_limits":{},"tags":[]}}}` + "\n" + `{"event_type":"x"}`: KindJSON,
	} {
		if got := detect([]byte(in)); got != want {
			t.Errorf("%q is %s, not %s", in, got, want)
		}
	}
}
