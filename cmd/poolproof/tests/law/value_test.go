package law

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"poolproof/ingest/yson"
)

// Values of logs are those of encoding/json, with json.Number for numbers: a text keeps any bytes.
// Attributes of YSON stand beside the value as JSON has them: $attributes and $value.

// readJSON reads values, one after the other.
func readJSON(t testing.TB, text []byte) (values []any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		var v any
		switch err := d.Decode(&v); {
		case err == nil:
			values = append(values, v)
		case errors.Is(err, io.EOF):
			return values
		default:
			t.Fatal(err)
		}
	}
}

// readYSON reads the first values of a list fragment, all of them if most is 0.
func readYSON(t testing.TB, text []byte, most int) (values []any) {
	t.Helper()
	var d yson.Decoder
	d.Reset(text)
	for {
		k, err := d.Next()
		if err != nil {
			t.Fatal(err)
		}
		if k == yson.End || most > 0 && len(values) == most {
			return values
		}
		v, err := ysonValue(&d, k)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
	}
}

// ysonValue reads the value that begins with a token.
func ysonValue(d *yson.Decoder, k yson.Kind) (any, error) {
	switch k {
	case yson.Attributes:
		attributes, err := ysonEntries(d, yson.EndAttributes)
		if err != nil {
			return nil, err
		}
		if k, err = d.Next(); err != nil {
			return nil, err
		}
		v, err := ysonValue(d, k)
		return map[string]any{"$attributes": attributes, "$value": v}, err
	case yson.Map:
		return ysonEntries(d, yson.EndMap)
	case yson.List:
		list := []any{}
		for {
			k, err := d.Next()
			if err != nil || k == yson.EndList {
				return list, err
			}
			v, err := ysonValue(d, k)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
	case yson.String:
		return string(d.Text()), nil
	case yson.Int64:
		return json.Number(strconv.FormatInt(int64(d.Bits()), 10)), nil
	case yson.Uint64:
		return json.Number(strconv.FormatUint(d.Bits(), 10)), nil
	case yson.Double:
		return json.Number(strconv.FormatFloat(math.Float64frombits(d.Bits()), 'e', -1, 64)), nil
	case yson.Boolean:
		return d.Bits() == 1, nil
	case yson.Entity:
		return nil, nil
	}
	return nil, fmt.Errorf("a value begins with %v", k)
}

func ysonEntries(d *yson.Decoder, end yson.Kind) (map[string]any, error) {
	entries := map[string]any{}
	for {
		k, err := d.Next()
		if err != nil || k == end {
			return entries, err
		}
		key := string(d.Text())
		if k, err = d.Next(); err != nil {
			return nil, err
		}
		if entries[key], err = ysonValue(d, k); err != nil {
			return nil, err
		}
	}
}

// appendJSON writes a value. Bytes of texts that are not UTF-8 stand as they are, which
// encoding/json would replace.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		b = append(b, '{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, key), ':')
			b = appendJSON(b, v[key])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, one := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, one)
		}
		return append(b, ']')
	case string:
		return appendText(b, v)
	case json.Number:
		return append(b, v...)
	case bool:
		return strconv.AppendBool(b, v)
	case nil:
		return append(b, "null"...)
	}
	panic(fmt.Sprintf("a log holds no %T", v))
}

func appendText(b []byte, text string) []byte {
	b = append(b, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// at returns the value at a path, and whether there is one.
func at(v any, path []string) (any, bool) {
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[key]; !ok {
			return nil, false
		}
	}
	return v, true
}

func has(v any, path []string) bool {
	_, ok := at(v, path)
	return ok
}

// withValue returns a copy of a value in which another one stands at a path, or none if it is gone.
// What the path does not touch is shared.
func withValue(v any, path []string, value any, gone bool) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	m = maps.Clone(m)
	switch inner, has := m[path[0]]; {
	case len(path) > 1 && has:
		m[path[0]] = withValue(inner, path[1:], value, gone)
	case len(path) > 1:
	case gone:
		delete(m, path[0])
	default:
		m[path[0]] = value
	}
	return m
}
