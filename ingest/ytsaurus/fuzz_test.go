package ytsaurus

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"poolproof/ingest/yson"
)

// FuzzJSONRow reads any bytes as a row of JSON lines: what encoding/json takes for a map
// is a row, with its values, the same one when it is read again, and nothing else is. Maps
// and lists that nest deeper than rows may are the exception.
func FuzzJSONRow(f *testing.F) {
	for _, line := range []string{
		`{"event_type":"job_started","timestamp":"2023-11-14T22:13:20.000001Z","job_id":"1-2-3-4"}`,
		`{"a":[1,-2.5e3,true,null,{"b":"\u0441\ud83d\ude00\n"}],"pools":{"<Root>":{"usage_ratio":0.5}}}`,
		`{"s":{"$value":1,"$attributes":{"x":"y"}}}`, `{"n":18446744073709551615}`, `{"t":"Ð¿"}`, `{`, `{"a":1}x`,
		// Malformed where nobody looks, and where somebody does.
		`{"a":[1,}`, `{"a":tru}`, `{"a":nan,"b":Infinity}`, `{"a":01,"b":-,"c":1.,"d":1e}`, `{"a":"\x","b":"\ud83d"}`, `{"a":{"b"}}`, `{"a":[1 2]}`, `{"a":}`, `{"a":1,}`,
		"{\"a\":\"x\ty\"}", "{\"a\":\"\xff\x7f\"}", `{"spec":[1,}]}`, `{"spec":{"a":01,"b":"` + "\x01" + `"}}`, `{"spec":-01.5e+3}`, "{\"sp\x01ec\":1}", `{"spec":truex}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var p jsonReader
		var first, again row
		err := p.read(line, &first)
		valid := json.Valid(line) && firstByte(line) == '{'
		if err == nil && !valid || err != nil && valid && nesting(line) <= maxDepth {
			t.Fatalf("%q is JSON: %v, but the reader says %v", line, valid, err)
		}
		if err != nil {
			return
		}
		if err := p.read(line, &again); err != nil {
			t.Fatalf("%q is a row once only: %v", line, err)
		}
		if !slices.Equal(first.values, again.values) || !bytes.Equal(first.text, again.text) {
			t.Errorf("%q gives another row the second time", line)
		}
		sameValues(t, line)
	})
}

// sameValues compares all that a row holds with what encoding/json reads.
func sameValues(t *testing.T, line []byte) {
	var want, got any
	if json.Unmarshal(line, &want) != nil {
		return // a number beyond float64
	}
	p := jsonReader{document: true, decoded: true}
	var r row
	if err := p.read(line, &r); err != nil {
		t.Fatalf("%q as a document: %v", line, err)
	}
	text := r.root().appendJSON(nil)
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q is read as %q (%v)", line, text, err)
	}
}

// nesting counts the brackets of a line, which is at least how deep its values nest.
func nesting(line []byte) int { return bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{")) }

// FuzzYSONRow reads any bytes as rows of YSON.
func FuzzYSONRow(f *testing.F) {
	for _, rows := range []string{
		`{event_type=job_started;timestamp="2023-11-14T22:13:20.000001Z"};{a=[1;-2.5;%true;#;{b=c}]};`,
		"{\x01\x02a=\x02\x04;\x01\x02b=\x03\x00\x00\x00\x00\x00\x00\xf0\x3f};", `<x=y>#;{`,
	} {
		f.Add([]byte(rows))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var p ysonReader
		var records yson.Reader
		var r row
		records.Reset(bytes.NewReader(b), maxRow)
		for range len(b) + 1 {
			if err := records.Next(func(in *yson.Decoder) error { return p.read(in, &r) }); err != nil {
				return
			}
		}
		t.Errorf("%q has more rows than bytes", b)
	})
}

// FuzzImport reads any bytes as sources of an import, beside a dump of Orchid and an export of
// pool trees: it is refused as bad input, or a trace comes of it. The sources are given
// as they come, told apart by their content.
func FuzzImport(f *testing.F) {
	rows := `{"timestamp":"2025-03-03T08:00:00.000000Z","event_type":"operation_started","operation_id":"1-2-3-4","operation_type":"map","authenticated_user":"u","scheduling_info_per_tree":{"t":{"pool":"p"}},"spec":{"title":"x"}}
{"timestamp":"2025-03-03T08:00:01.000000Z","event_type":"job_started","job_id":"5-6-7-8","operation_id":"1-2-3-4","tree_id":"t","node_address":"n","resource_limits":{"cpu":1,"user_slots":1},"job_type":"map"}
{"timestamp":"2025-03-03T08:00:02.000000Z","event_type":"fair_share_info","tree_id":"t","pools":{"p":{"parent":"<Root>"}},"operations":{"1-2-3-4":{"pool":"p","usage_ratio":0.5}}}
{"timestamp":"2025-03-03T08:00:03.000000Z","event_type":"nodes_info","nodes":{"n":{"state":"online","tree":"t","tags":["t"],"resource_limits":{"cpu":4,"user_slots":4},"resource_usage":{}}}}
{"timestamp":"2025-03-03T08:00:04.000000Z","event_type":"job_completed","job_id":"5-6-7-8","operation_id":"1-2-3-4","tree_id":"t","start_time":"2025-03-03T08:00:01.000000Z","finish_time":"2025-03-03T08:00:04.000000Z","resource_limits":{"cpu":1,"user_slots":1}}
`
	archive := `{"id_hi":17179869187,"id_lo":8589934593,"state":"completed","start_time":1740988800000000,"finish_time":1740988805000000,"spec":{"title":"x"},"events":[{"state":"running","time":"2025-03-03T08:00:00Z"}]}
`
	dump := `{"timestamp":"2025-03-03T08:00:02Z","pool_trees":{"t":{"pools":{"p":{"parent":"<Root>"}},"operations":{"1-2-3-4":{"pool":"p"}}}},"nodes":{"n":{"tags":["t"],"resource_limits":{"cpu":4}}}}`
	trees := `{"$attributes":{"default_tree":"t"},"$value":{"t":{"$attributes":{"nodes_filter":"t"},"$value":{"p":{"$attributes":{"weight":2.0},"$value":{}}}}}}`
	f.Add([]byte(rows+archive), []byte(dump), []byte(trees))
	f.Add([]byte(rows), []byte(`{timestamp="2025-03-03T08:00:02Z";nodes={n={tags=[t];resource_limits={cpu=4}}}}`), []byte(`<default_tree=t>{t=<nodes_filter=t>{p=<weight=2.0>{}}}`))
	f.Add([]byte(`{timestamp="2025-03-03T08:00:01Z";event_type=job_started;job_id="5-6-7-8";operation_id="1-2-3-4";tree_id=t};`), []byte(`{}`), []byte(``))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, log, dump, trees []byte) {
		o := Options{Out: filepath.Join(dir, "trace"), Replace: true, Memory: 64 << 20}
		for i, b := range [][]byte{log, dump, trees} {
			path := filepath.Join(dir, strconv.Itoa(i))
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			if len(b) > 0 {
				o.Sources = append(o.Sources, path)
			}
		}
		if len(o.Sources) == 0 {
			return
		}
		_, err := Import(t.Context(), o)
		var bad interface{ BadInput() bool }
		if err != nil && !errors.As(err, &bad) {
			t.Fatal(err)
		}
	})
}

// FuzzCell reads any bytes as cells of columns of type any: a cell that is no value leaves
// the row as it was.
func FuzzCell(f *testing.F) {
	for _, cell := range []string{`{"a":[1,"x"]}`, `{a=[1;x]}`, "{\x01\x02a=\x02\x04}", `"x"`, `-1.5e3`, `1-2-3-4`, `#`, `<a=b>1u`, `{"a":1`, `null`, "\x03\x00", `{a`} {
		f.Add([]byte(cell), uint8(keySpec))
		f.Add([]byte(cell), uint8(keyJob))
	}
	f.Fuzz(func(t *testing.T, cell []byte, column uint8) {
		var p cellReader
		var r row
		r.add(value{kind: mapping})
		before := len(r.values)
		err := p.read(&r, &filter{document: true}, value{key: key(column) % columnKeys}, cell)
		if err != nil && (len(r.values) != before || len(r.text) != 0 || len(r.open) != 1) {
			t.Fatalf("%q leaves %v, %q", cell, r.values, r.text)
		}
		if err == nil && (len(r.values) == before || len(r.open) != 1) {
			t.Fatalf("%q becomes %v", cell, r.values)
		}
		r.close()
		if text := r.root().appendSortedJSON(nil); err == nil && !json.Valid(text) {
			t.Fatalf("%q becomes %q", cell, text)
		}
	})
}
