package ytsaurus

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
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
