package eventlogtest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// sample returns the content of a file of the samples, unpacked.
func sample(t *testing.T, name string) []byte {
	t.Helper()
	return unpacked(t, "../testdata/samples/"+name)
}

func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var in io.Reader = bufio.NewReader(f)
	switch {
	case strings.HasSuffix(path, ".gz"):
		if in, err = gzip.NewReader(in); err != nil {
			t.Fatal(err)
		}
	case strings.HasSuffix(path, ".zst"):
		z, err := zstd.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		in = z
	}
	b, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// decoded reads JSON lines into values, keys in their order, texts back to the bytes
// that their characters stand for.
func decoded(t *testing.T, b []byte) (rows []Value) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	for d.More() {
		rows = append(rows, decodedValue(t, d))
	}
	return rows
}

func decodedValue(t *testing.T, d *json.Decoder) Value {
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch token := token.(type) {
	case nil:
		return Value{}
	case bool:
		return boolOf(token)
	case string:
		return textOf(bytesOf(t, token))
	case json.Number:
		if strings.ContainsAny(token.String(), ".e") {
			f, err := token.Float64()
			if err != nil {
				t.Fatal(err)
			}
			return realOf(f)
		}
		n, err := token.Int64()
		if err != nil {
			t.Fatal(err)
		}
		return intOf(n)
	}
	v := Value{kind: list}
	if token == json.Delim('{') {
		v.kind = mapping
	}
	for d.More() {
		if v.kind == mapping {
			key, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			v.keys = append(v.keys, bytesOf(t, key.(string)))
		}
		v.items = append(v.items, decodedValue(t, d))
	}
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	return v
}

func bytesOf(t *testing.T, s string) string {
	var b []byte
	for _, c := range s {
		if c > 0xff {
			t.Fatalf("%q has a character that is no byte", s)
		}
		b = append(b, byte(c))
	}
	return string(b)
}

// The vendor's own encoder wrote the samples.
func TestEncodersWriteWhatTheVendorWrites(t *testing.T) {
	original := sample(t, "2023.jsonl.gz")
	rows := decoded(t, original)
	for _, c := range []struct {
		form Form
		want []byte
	}{
		{JSONL, original}, {TextYSON, sample(t, "2023.text.yson.zst")}, {BinaryYSON, sample(t, "2023.binary.yson.zst")},
	} {
		var got bytes.Buffer
		e := encoderOf(c.form, &got, nil)
		for i := range rows {
			if err := e.row(&rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		if at := firstDifference(got.Bytes(), c.want); at >= 0 {
			t.Errorf("%s: byte %d: got %q, want %q", c.form, at, around(got.Bytes(), at), around(c.want, at))
		}
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	return -1
}

func around(b []byte, at int) []byte { return b[max(0, at-40):min(len(b), at+40)] }

// pathsOf lists the paths of keys of rows by kind. Keys that are names are one.
func pathsOf(rows []Value) map[string]bool {
	all := map[string]bool{}
	for i := range rows {
		walk(&rows[i], rows[i].at("event_type").text, all)
	}
	return all
}

var namesBelow = map[string]bool{
	"pools": true, "operations": true, "nodes": true, "scheduling_info_per_tree": true, "accumulated_resource_usage_per_tree": true,
	"scheduling_options_per_pool_tree": true,
}

func walk(v *Value, path string, all map[string]bool) {
	all[path] = true
	last := path[strings.LastIndex(path, ".")+1:]
	for i := range v.items {
		switch {
		case v.kind == list:
			walk(&v.items[i], path, all)
		case namesBelow[last] || path == "pools_info.pools.*":
			walk(&v.items[i], path+".*", all)
		default:
			walk(&v.items[i], path+"."+v.keys[i], all)
		}
	}
}
