package poolconf

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// A node is a value of the file with its place. The YAML library ends here.
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

func (n *node) errorf(format string, args ...any) *Error {
	return &Error{n.file, n.line, fmt.Sprintf(format, args...)}
}

const (
	// maxBytes is far above any real configuration.
	maxBytes = 16 << 20
	// maxDepth bounds nesting, before a parser that recurses sees it. Pools nest
	// at most 30 levels (spec/scheduling.md §4.1).
	maxDepth = 200
)

// parseYAML returns the file's one document. JSON is YAML.
func parseYAML(file string, b []byte) (n *node, err error) {
	// The library counts a line break of two bytes as two.
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	if len(b) > maxBytes {
		return nil, &Error{file, 1, fmt.Sprintf("the file has %d bytes, and a pool configuration has at most %d", len(b), maxBytes)}
	}
	if line := tooDeep(b); line > 0 {
		return nil, &Error{file, line, fmt.Sprintf("values nest deeper than %d levels", maxDepth)}
	}
	defer func() {
		if p := recover(); p != nil {
			n, err = nil, &Error{file, 1, fmt.Sprintf("this is neither YAML nor JSON: %v", p)}
		}
	}()
	f, err := parser.ParseBytes(b, 0)
	if err != nil {
		return nil, syntaxError(file, err)
	}
	r := reader{file}
	var body ast.Node
	for _, d := range f.Docs {
		if d.Body == nil {
			continue
		}
		if body != nil {
			return nil, r.errorf(d.Body, "a second document begins here, and a file has one")
		}
		body = d.Body
	}
	if body == nil {
		return &node{file: file, line: 1, kind: mapping}, nil
	}
	return r.node(body)
}

// tooDeep returns the first line on which more than maxDepth brackets or list
// dashes are open, 0 if there is none. It counts those in quotes, too, which
// no real name has so many of.
func tooDeep(b []byte) int {
	depth, dashes, line := 0, 0, 1
	for _, c := range b {
		switch c {
		case '\n':
			line++
			dashes = 0
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '-', '?', ':':
			dashes++
		}
		if depth > maxDepth || dashes > 10*maxDepth {
			return line
		}
	}
	return 0
}

func syntaxError(file string, err error) error {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		return &Error{file, at.GetToken().Position.Line, at.GetMessage()}
	}
	return &Error{file, 1, "this is neither YAML nor JSON: " + err.Error()}
}

type reader struct{ file string }

func (r reader) errorf(n ast.Node, format string, args ...any) *Error {
	return &Error{r.file, lineOf(n), fmt.Sprintf(format, args...)}
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

func (r reader) node(n ast.Node) (*node, error) {
	out := &node{file: r.file, line: lineOf(n)}
	switch n := n.(type) {
	case *ast.NullNode:
		out.kind = null
		return out, nil
	case *ast.MappingNode:
		return out, r.mapping(out, n.Values)
	case *ast.MappingValueNode:
		return out, r.mapping(out, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		out.kind = list
		for _, v := range n.Values {
			item, err := r.node(v)
			if err != nil {
				return nil, err
			}
			out.values = append(out.values, item)
		}
		return out, nil
	case *ast.LiteralNode:
		out.text, out.quoted = n.Value.Value, true
		return out, nil
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode, *ast.TagNode:
		return nil, r.errorf(n, "anchors, aliases and tags are not taken: write the value out")
	case ast.ScalarNode:
		t := n.GetToken()
		out.text = t.Value
		out.quoted = t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
		return out, nil
	}
	return nil, r.errorf(n, "this is not a value, a list or a map")
}

func (r reader) mapping(out *node, pairs []*ast.MappingValueNode) error {
	out.kind = mapping
	for _, p := range pairs {
		key, err := r.node(p.Key)
		if err != nil {
			return err
		}
		if key.kind != scalar {
			return key.errorf("a key must be a name")
		}
		value, err := r.node(p.Value)
		if err != nil {
			return err
		}
		out.keys = append(out.keys, key)
		out.values = append(out.values, value)
	}
	return nil
}
