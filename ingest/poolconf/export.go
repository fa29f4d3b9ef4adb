package poolconf

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"poolproof/core/pooltree"
)

// The keys by which an export tells a node's attributes from its children.
const (
	attributesKey = "$attributes"
	valueKey      = "$value"
)

// isExport reports whether a map, or one some levels below, has the keys of an
// export.
func isExport(n *node, levels int) bool {
	if n.valueOf(attributesKey) != nil || n.valueOf(valueKey) != nil {
		return true
	}
	for _, v := range n.values {
		if levels > 0 && v.kind == mapping && isExport(v, levels-1) {
			return true
		}
	}
	return false
}

// unwrap returns the attributes of a node of an export, nil if it has none, and
// its value.
func (n *node) unwrap() (attributes, value *node) {
	if n.kind != mapping || n.valueOf(attributesKey) == nil && n.valueOf(valueKey) == nil {
		return nil, n
	}
	attributes, value = n.valueOf(attributesKey), n.valueOf(valueKey)
	if attributes != nil && attributes.kind != mapping {
		attributes = nil
	}
	if value == nil {
		value = &node{file: n.file, line: n.line, kind: null}
	}
	return attributes, value
}

// unescape returns a key as it is: one that begins with $ is written with two.
func unescape(key string) string {
	if strings.HasPrefix(key, "$$") {
		return key[1:]
	}
	return key
}

// decodeBytes decodes the texts of an export in JSON, in which the
// vendor writes each byte of a text as a character (ingest/trace/FORMAT.md §2). A text
// whose characters do not form UTF-8 in this way is left as it is.
func (n *node) decodeBytes() {
	if n.kind == scalar && n.quoted {
		n.text = fromBytes(n.text)
	}
	for _, key := range n.keys {
		key.text = fromBytes(key.text)
	}
	for _, v := range n.values {
		v.decodeBytes()
	}
}

func fromBytes(s string) string {
	b := make([]byte, 0, len(s))
	for _, c := range s {
		if c > 0xff {
			return s
		}
		b = append(b, byte(c))
	}
	if !utf8.Valid(b) {
		return s
	}
	return string(b)
}

// readExport reads the pool trees of a cluster, or one tree alone.
func (d *Document) readExport(n *node) {
	attributes, trees := n.unwrap()
	if attributes != nil {
		if name := attributes.valueOf("default_tree"); name != nil && name.kind == scalar {
			d.DefaultTree = name.text
		}
		if attributes.valueOf("config") != nil || attributes.saysType("scheduler_pool_tree") {
			name := ""
			if own := attributes.valueOf("name"); own != nil {
				name = own.text
			}
			d.exportTree(name, n)
			return
		}
	}
	for i, key := range trees.keys {
		d.exportTree(unescape(key.text), trees.values[i])
	}
}

// findBare marks what an export lacks the configuration of: trees without the attribute config and
// without an option of their own, as older clusters have them; and pools without an id, where others have
// one, so that it was asked for.
func (d *Document) findBare() {
	identified := false
	for i := range d.Trees {
		for k := range d.Trees[i].Pools {
			identified = identified || d.Trees[i].Pools[k].Attributes["id"] != nil
		}
	}
	for i := range d.Trees {
		t := &d.Trees[i]
		t.Bare = t.OldLayout && !slices.ContainsFunc(slices.Collect(maps.Keys(t.Attributes)), pooltree.IsTreeOption)
		for k := range t.Pools {
			p := &t.Pools[k]
			p.Bare = identified && p.Attributes["id"] == nil
		}
	}
}

func (n *node) saysType(want string) bool {
	t := n.valueOf("type")
	return t != nil && t.text == want
}

// exportTree reads a tree. Its options stand in the attribute config, and in
// older clusters beside it.
func (d *Document) exportTree(name string, n *node) {
	attributes, pools := n.unwrap()
	if attributes == nil {
		attributes = &node{file: n.file, line: n.line, kind: mapping}
	}
	oldLayout := true
	if config := attributes.valueOf("config"); config != nil && config.kind == mapping {
		attributes, oldLayout = config, false
	}
	t := DocumentTree{Object: describe(name, n.line, attributes), OldLayout: oldLayout}
	d.exportPools(&t, "", pools)
	d.Trees = append(d.Trees, t)
}

func (d *Document) exportPools(t *DocumentTree, parent string, n *node) {
	if n.kind != mapping {
		if n.kind != null {
			d.Refusals = append(d.Refusals, Refusal{t.Name, parent, "", n.line, "the pools below must be a map"})
		}
		return
	}
	for i, key := range n.keys {
		name := unescape(key.text)
		attributes, children := n.values[i].unwrap()
		if attributes == nil {
			attributes = &node{file: n.file, line: key.line, kind: mapping}
		}
		t.Pools = append(t.Pools, DocumentPool{describe(name, key.line, attributes), parent})
		d.exportPools(t, name, children)
	}
}
