package poolconf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"poolproof/ingest/input"
)

// parseJSON returns the one value of a JSON text, with lines. A key may stand
// twice: both are kept, in order.
func parseJSON(file string, b []byte) (*node, error) {
	r := &jsonReader{file: file, text: b, decoder: json.NewDecoder(bytes.NewReader(b)), line: 1}
	r.decoder.UseNumber()
	n, err := r.value(0)
	if err == nil {
		var more json.Token
		if more, err = r.decoder.Token(); err == nil {
			return nil, r.errorf("%v follows the value: a file holds one", more)
		} else if err == io.EOF {
			return n, nil
		}
	}
	if bad, ok := err.(*input.PlaceError); ok {
		return nil, bad
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	r.step()
	return nil, r.errorf("this is not JSON: %v", err)
}

type jsonReader struct {
	file    string
	text    []byte
	decoder *json.Decoder
	line    int
	counted int64 // bytes whose line breaks line counts
}

func (r *jsonReader) errorf(format string, args ...any) *input.PlaceError {
	return input.At(r.file, r.line, format, args...)
}

// step brings line to where the decoder is. No token holds a line break.
func (r *jsonReader) step() {
	at := r.decoder.InputOffset()
	r.line += bytes.Count(r.text[r.counted:at], []byte("\n"))
	r.counted = at
}

func (r *jsonReader) value(depth int) (*node, error) {
	t, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	r.step()
	if depth > input.MaxDepth {
		return nil, r.errorf("values nest deeper than %d levels", input.MaxDepth)
	}
	n := &node{file: r.file, line: r.line}
	switch t := t.(type) {
	case nil:
		n.kind = null
	case json.Number:
		n.text = t.String()
	case bool:
		n.text = fmt.Sprint(t)
	case string:
		n.text, n.quoted = t, true
	case json.Delim:
		n.kind = list
		if t == '{' {
			n.kind = mapping
		}
		for r.decoder.More() {
			if n.kind == mapping {
				key, err := r.value(depth) // a string: the decoder sees to that
				if err != nil {
					return nil, err
				}
				if len(key.text) > longestName {
					return nil, r.errorf("a name of %d bytes stands here, and %d are the most", len(key.text), longestName)
				}
				n.keys = append(n.keys, key)
			}
			v, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.values = append(n.values, v)
		}
		if _, err := r.decoder.Token(); err != nil {
			return nil, err
		}
	}
	return n, nil
}
