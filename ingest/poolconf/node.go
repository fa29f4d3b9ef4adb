package poolconf

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"poolproof/ingest/input"
)

// A node is a value of the file with its place. Only this file uses go.yaml.in/yaml: its time is
// linear in the size of a file, where goccy/go-yaml takes 0.4 s for 4,000 pools and 3 s for 16,000.
// Policies and descriptions of clusters are small and are read by goccy/go-yaml, whose syntax errors have
// the right line and a column; those of go.yaml.in/yaml have a line that may be one off, or none.
type node struct {
	file   string
	line   int
	kind   kind
	text   string  // of a scalar
	quoted bool    // a scalar in quotes is text, whatever it looks like
	keys   []*node // of a map, in the file's order
	values []*node // of a map, by key; of a list
}

type kind uint8

const (
	scalar kind = iota
	null
	mapping
	list
)

func (n *node) errorf(format string, args ...any) *input.PlaceError {
	return input.At(n.file, n.line, format, args...)
}

const (
	// maxBytes is far above any real configuration.
	maxBytes = 16 << 20
	// longestName is far above any real name.
	longestName = 64 << 10
)

// parseYAML returns the file's one document. JSON is YAML.
func parseYAML(file string, b []byte) (n *node, err error) {
	// The library counts a line break of two bytes as two.
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	if len(b) > maxBytes {
		return nil, input.At(file, 1, "the file has %d bytes, and a pool configuration has at most %d", len(b), maxBytes)
	}
	if line := input.TooDeep(b); line > 0 {
		return nil, input.At(file, line, "values nest deeper than %d levels", input.MaxDepth)
	}
	defer func() {
		if p := recover(); p != nil {
			n, err = nil, input.At(file, 1, "this is neither YAML nor JSON: %v", p)
		}
	}()
	r := reader{file}
	documents := yaml.NewDecoder(bytes.NewReader(b))
	var body *yaml.Node
	for {
		var d yaml.Node
		if err := documents.Decode(&d); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, syntaxError(file, err)
		}
		switch content := d.Content[0]; {
		case content.Kind == yaml.ScalarNode && content.Style == 0 && content.Value == "": // of comments alone
		case body != nil:
			return nil, r.errorf(content, "a second document begins here, and a file has one")
		default:
			body = content
		}
	}
	if body == nil {
		return &node{file: file, line: 1, kind: mapping}, nil
	}
	return r.node(body)
}

// syntaxError names the line that the library found in its own way.
func syntaxError(file string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if number, found, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				line, text = n, found
			}
		}
	}
	return input.At(file, line, "%s", text)
}

type reader struct{ file string }

func (r reader) errorf(n *yaml.Node, format string, args ...any) *input.PlaceError {
	return input.At(r.file, max(n.Line, 1), format, args...)
}

func (r reader) node(n *yaml.Node) (*node, error) {
	out := &node{file: r.file, line: max(n.Line, 1)}
	if n.Anchor != "" || n.Kind == yaml.AliasNode || n.Style&yaml.TaggedStyle != 0 {
		return nil, r.errorf(n, "anchors, aliases and tags are not taken: write the value out")
	}
	switch n.Kind {
	case yaml.MappingNode:
		return out, r.mapping(out, n.Content)
	case yaml.SequenceNode:
		out.kind = list
		for _, v := range n.Content {
			item, err := r.node(v)
			if err != nil {
				return nil, err
			}
			out.values = append(out.values, item)
		}
		return out, nil
	case yaml.ScalarNode:
		out.text = n.Value
		out.quoted = n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
		if !out.quoted && n.ShortTag() == "!!null" {
			out.kind, out.text = null, ""
		}
		return out, nil
	}
	return nil, r.errorf(n, "this is not a value, a list or a map")
}

// mapping reads pairs, a key and its value in turns.
func (r reader) mapping(out *node, pairs []*yaml.Node) error {
	out.kind = mapping
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i].ShortTag() == "!!merge" {
			return r.errorf(pairs[i], "anchors, aliases and tags are not taken: write the value out")
		}
		key, err := r.node(pairs[i])
		if err != nil {
			return err
		}
		if key.kind != scalar {
			return key.errorf("a key must be a name")
		}
		if len(key.text) > longestName {
			return key.errorf("a name of %d bytes stands here, and %d are the most", len(key.text), longestName)
		}
		value, err := r.node(pairs[i+1])
		if err != nil {
			return err
		}
		out.keys = append(out.keys, key)
		out.values = append(out.values, value)
	}
	return nil
}
