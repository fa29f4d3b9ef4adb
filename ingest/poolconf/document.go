package poolconf

import (
	"bytes"
	"slices"

	"poolproof/core/pooltree"
	"poolproof/ingest/input"
)

// A Document is a configuration as a file holds it, not yet judged: what its
// trees and pools say, and where.
type Document struct {
	File        string
	Export      bool   // of a cluster's pool trees; otherwise it is a File
	DefaultTree string // "" if none is named
	Trees       []DocumentTree
	Nodes       []Node
	Refusals    []Refusal
}

// A DocumentTree is a tree of a Document. The name is "" in a File that
// describes every tree.
type DocumentTree struct {
	Object
	OldLayout bool           // options stand beside what the cluster keeps of the tree
	Pools     []DocumentPool // parents before children
}

// A DocumentPool is a pool of a Document. Names may stand twice.
type DocumentPool struct {
	Object
	Parent string // "" under the root
}

// An Object holds the options of a tree or a pool.
type Object struct {
	Name       string
	Line       int
	Attributes pooltree.Attributes
	Lines      map[string]int // of attributes
	Bare       bool           // an export lacks the attributes that hold its configuration
}

// LineOf returns the line of an option under any of its names, or else of the object.
func (o *Object) LineOf(option string) int {
	if line, ok := o.lineOf(option); ok {
		return line
	}
	return o.Line
}

// Has reports whether the object sets an option, under any of its names.
func (o *Object) Has(option string) bool {
	_, ok := o.lineOf(option)
	return ok
}

func (o *Object) lineOf(option string) (line int, ok bool) {
	for _, name := range slices.Concat([]string{option}, poolOptions.aliases(option), treeOptions.aliases(option)) {
		if line, ok := o.Lines[name]; ok {
			return line, true
		}
	}
	return 0, false
}

// A Refusal says why a file cannot be read as a configuration although it breaks no rule of
// pooltree: it has a key that an import does not know and that a cluster stores as an attribute of
// the user's own, or a value that is not an object.
type Refusal struct {
	Tree, Pool, Option string
	Line               int
	Found              string
}

// maxExport is the most bytes that an export may have: some hundred times what
// the largest clusters have.
const maxExport = 512 << 20

// ParseDocument reads a File or the pool trees of a cluster as `yt get
// //sys/pool_trees` exports them with their attributes, in JSON or YSON
// (ingest/trace/FORMAT.md §1.4). File is its name in errors. A PlaceError says that it
// is neither.
func ParseDocument(file string, b []byte) (*Document, error) {
	n, err := parseAny(file, b)
	if err != nil {
		return nil, err
	}
	if n.kind == null {
		n.kind = mapping
	}
	if n.kind != mapping {
		return nil, n.errorf("the file must be a map: an export of pool trees, or options of a tree, %s, or %s", poolsKey, treesKey)
	}
	d := &Document{File: file, Export: isExport(n, 3)}
	if d.Export {
		d.readExport(n)
		d.findBare()
		return d, nil
	}
	return d, d.readDescription(n)
}

// parseAny reads YSON or JSON, which may be large, or YAML, which JSON is too.
func parseAny(file string, b []byte) (*node, error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if isYSON(b) {
		return parseYSON(file, b)
	}
	if !bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		return parseYAML(file, b)
	}
	if len(b) > maxExport {
		return nil, input.At(file, 1, "the file has %d bytes, and an export has at most %d", len(b), maxExport)
	}
	export := bytes.Contains(b, []byte(`"`+attributesKey+`"`))
	n, err := parseJSON(file, b)
	if err == nil {
		if export {
			n.decodeBytes()
		}
		return n, nil
	}
	if export || len(b) > maxBytes {
		return nil, err
	}
	return parseYAML(file, b)
}

// readDescription reads a File, however wrong its options are.
func (d *Document) readDescription(n *node) error {
	if nodes := n.valueOf(nodesKey); nodes != nil {
		var err error
		if d.Nodes, err = readNodes(nodes); err != nil {
			return err
		}
	}
	trees := n.valueOf(treesKey)
	if trees == nil {
		return d.describeTree("", n.line, n, nodesKey)
	}
	if trees.kind != mapping {
		return trees.errorf("%s must be a map from names to descriptions", treesKey)
	}
	for _, key := range n.keys {
		if key.text != treesKey && key.text != nodesKey {
			d.refuse("", "", key, "beside trees nothing else may stand but nodes")
		}
	}
	for i, key := range trees.keys {
		if err := d.describeTree(key.text, key.line, trees.values[i]); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) refuse(tree, pool string, key *node, found string) {
	d.Refusals = append(d.Refusals, Refusal{tree, pool, key.text, key.line, found})
}

// describeTree reads a tree. The keys in besides, and pools, are not options.
func (d *Document) describeTree(name string, line int, n *node, besides ...string) error {
	if n.kind != mapping && n.kind != null {
		return n.errorf("tree %s must be a map", name)
	}
	besides = append(besides, poolsKey)
	t := DocumentTree{Object: describe(name, line, n, besides...)}
	refusals(d, name, "", treeOptions, newReading(&treeRow{}), "a tree", n, besides...)
	err := d.describePools(&t, "", n)
	d.Trees = append(d.Trees, t)
	return err
}

func (d *Document) describePools(t *DocumentTree, parent string, n *node) error {
	pools := n.valueOf(poolsKey)
	if pools == nil || pools.kind == null {
		return nil
	}
	if pools.kind != mapping {
		return pools.errorf("%s must be a map from names to pools", poolsKey)
	}
	for i, key := range pools.keys {
		v := pools.values[i]
		if v.kind != mapping && v.kind != null {
			d.refuse(t.Name, key.text, key, "a pool must be a map of its options")
			continue
		}
		t.Pools = append(t.Pools, DocumentPool{describe(key.text, key.line, v, poolsKey), parent})
		refusals(d, t.Name, key.text, poolOptions, newReading(&poolRow{}), "a pool", v, poolsKey)
		if err := d.describePools(t, key.text, v); err != nil {
			return err
		}
	}
	return nil
}

// refusals notes the options that an import would not take, each by itself.
func refusals(d *Document, tree, pool string, all options, r *reading, what string, n *node, besides ...string) {
	for i := range n.keys {
		one := *n
		one.keys, one.values = n.keys[i:i+1], n.values[i:i+1]
		if err := apply(all, what, r, &one, besides...); err != nil {
			found := err.Error()
			line := n.keys[i].line
			if bad, ok := err.(*input.PlaceError); ok {
				found, line = bad.Found, bad.Line
			}
			d.Refusals = append(d.Refusals, Refusal{tree, pool, n.keys[i].text, line, found})
		}
	}
}

// describe returns what a map says, except for some keys.
func describe(name string, line int, n *node, besides ...string) Object {
	o := Object{Name: name, Line: line, Attributes: pooltree.Attributes{}, Lines: map[string]int{}}
	for i, key := range n.keys {
		if !slices.Contains(besides, key.text) {
			o.Attributes[key.text], o.Lines[key.text] = n.values[i].json(), key.line
		}
	}
	return o
}

// valueOf returns the value of a key, nil if there is none. Of duplicate keys the last
// counts.
func (n *node) valueOf(key string) *node {
	for i := len(n.keys) - 1; i >= 0; i-- {
		if n.keys[i].text == key {
			return n.values[i]
		}
	}
	return nil
}
