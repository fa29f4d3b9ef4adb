package ytsaurus

import (
	"bytes"
	"slices"
	"testing"

	"poolproof/ingest/yson"
)

// FuzzJSONRow reads any bytes as a row of JSON lines: what is a row is the same row when
// it is read again.
func FuzzJSONRow(f *testing.F) {
	for _, line := range []string{
		`{"event_type":"job_started","timestamp":"2023-11-14T22:13:20.000001Z","job_id":"1-2-3-4"}`,
		`{"a":[1,-2.5e3,true,null,{"b":"\u0441\ud83d\ude00\n"}],"pools":{"<Root>":{"usage_ratio":0.5}}}`,
		`{"s":{"$value":1,"$attributes":{"x":"y"}}}`, `{"n":18446744073709551615}`, `{"t":"Ð¿"}`, `{`, `{"a":1}x`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var p jsonReader
		var first, again row
		if err := p.read(line, &first); err != nil {
			return
		}
		if err := p.read(line, &again); err != nil {
			t.Fatalf("%q is a row once only: %v", line, err)
		}
		if !slices.Equal(first.values, again.values) || !bytes.Equal(first.text, again.text) {
			t.Errorf("%q gives another row the second time", line)
		}
	})
}

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
