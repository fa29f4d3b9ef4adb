package poolconf

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"poolproof/ingest/input"
	"poolproof/ingest/yson"
)

// isYSON reports whether a text begins as YSON does and JSON and YAML do not: with
// attributes, or with a map whose first key has an equals sign behind it.
func isYSON(b []byte) bool {
	b = bytes.TrimSpace(b)
	if bytes.HasPrefix(b, []byte("<")) {
		return !bytes.HasPrefix(b, []byte("<<:"))
	}
	if !bytes.HasPrefix(b, []byte("{")) {
		return false
	}
	var d yson.Decoder
	d.Reset(b)
	if _, err := d.Next(); err != nil {
		return false
	}
	k, err := d.Next()
	return err == nil && k == yson.Key
}

// parseYSON returns the one value of a text of YSON, with lines where it is text.
// Attributes stand beside the value as JSON has them (ingest/trace/FORMAT.md §1.4).
func parseYSON(file string, b []byte) (*node, error) {
	if len(b) > maxExport {
		return nil, input.At(file, 1, "the file has %d bytes, and an export has at most %d", len(b), maxExport)
	}
	r := &ysonReader{file: file, text: b, line: 1, binary: bytes.IndexByte(b, 1) >= 0}
	r.decoder.Reset(b)
	k, err := r.next()
	if err != nil {
		return nil, err
	}
	n, err := r.value(k)
	if err != nil {
		return nil, err
	}
	if k, err = r.next(); err != nil {
		return nil, err
	}
	if k != yson.End {
		return nil, input.At(file, r.line, "something follows the value: a file holds one")
	}
	return n, nil
}

type ysonReader struct {
	file    string
	text    []byte
	decoder yson.Decoder
	line    int
	counted int64 // bytes whose line breaks line counts
	binary  bool  // it has no lines
}

func (r *ysonReader) next() (yson.Kind, error) {
	k, err := r.decoder.Next()
	if at := r.decoder.Offset(); !r.binary {
		r.line += bytes.Count(r.text[r.counted:at], []byte("\n"))
		r.counted = at
	}
	if err != nil {
		return 0, input.At(r.file, r.line, "%s", "this is not YSON: "+err.Error())
	}
	return k, nil
}

// value returns the value that begins with a token.
func (r *ysonReader) value(k yson.Kind) (*node, error) {
	n := &node{file: r.file, line: r.line}
	switch k {
	case yson.Attributes:
		return r.attributed(n)
	case yson.Map:
		return n, r.entries(n)
	case yson.List:
		n.kind = list
		for {
			k, err := r.next()
			if k == yson.EndList || err != nil {
				return n, err
			}
			item, err := r.value(k)
			if err != nil {
				return nil, err
			}
			n.values = append(n.values, item)
		}
	case yson.Entity, yson.End:
		n.kind = null
	case yson.String:
		n.text, n.quoted = r.string(), true
	case yson.Int64:
		n.text = strconv.FormatInt(int64(r.decoder.Bits()), 10)
	case yson.Uint64:
		n.text = strconv.FormatUint(r.decoder.Bits(), 10)
	case yson.Double:
		n.text = doubleText(math.Float64frombits(r.decoder.Bits()))
	case yson.Boolean:
		n.text = strconv.FormatBool(r.decoder.Bits() == 1)
	}
	return n, nil
}

// attributed returns a value with its attributes.
func (r *ysonReader) attributed(n *node) (*node, error) {
	attributes := &node{file: r.file, line: r.line}
	if err := r.entries(attributes); err != nil {
		return nil, err
	}
	k, err := r.next()
	if err != nil {
		return nil, err
	}
	v, err := r.value(k)
	if err != nil || len(attributes.keys) == 0 {
		return v, err
	}
	n.kind = mapping
	for _, name := range []string{attributesKey, valueKey} {
		n.keys = append(n.keys, &node{file: r.file, line: n.line, text: name, quoted: true})
	}
	n.values = []*node{attributes, v}
	return n, nil
}

// entries reads the rest of a map or of attributes.
func (r *ysonReader) entries(n *node) error {
	n.kind = mapping
	for {
		k, err := r.next()
		if k != yson.Key || err != nil {
			return err
		}
		key := &node{file: r.file, line: r.line, text: r.string(), quoted: true}
		if strings.HasPrefix(key.text, "$") {
			key.text = "$" + key.text
		}
		if k, err = r.next(); err != nil {
			return err
		}
		v, err := r.value(k)
		if err != nil {
			return err
		}
		n.keys, n.values = append(n.keys, key), append(n.values, v)
	}
}

func (r *ysonReader) string() string {
	return strings.ToValidUTF8(string(r.decoder.Text()), "\ufffd")
}

// doubleText writes a double so that it does not read as an integer.
func doubleText(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if strings.Trim(s, "-0123456789") == "" {
		s += ".0"
	}
	return s
}
