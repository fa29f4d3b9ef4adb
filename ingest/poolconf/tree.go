package poolconf

import (
	"slices"

	"poolproof/ingest/trace"
)

type treeRow = trace.TreeConfig

// Keys of the file that hold descriptions and not options.
const (
	poolsKey = "pools"
	treesKey = "trees"
)

// readFile reads the whole file.
func readFile(n *node) (*File, error) {
	if n.kind == null {
		n.kind = mapping
	}
	if n.kind != mapping {
		return nil, n.errorf("the file must be a map: options of the tree, %s, or %s", poolsKey, treesKey)
	}
	f := &File{}
	if nodes := n.valueOf(nodesKey); nodes != nil {
		if _, err := readNodes(nodes); err != nil {
			return nil, err
		}
	}
	for i, key := range n.keys {
		if key.text != treesKey {
			continue
		}
		if slices.ContainsFunc(n.keys, func(key *node) bool { return key.text != treesKey && key.text != nodesKey }) {
			return nil, key.errorf("beside %s nothing else may stand: it describes each tree by itself", treesKey)
		}
		return f, f.readTrees(n.values[i])
	}
	var err error
	f.all, err = readTree(n, nodesKey)
	return f, err
}

func (f *File) readTrees(n *node) error {
	if n.kind != mapping {
		return n.errorf("%s must be a map from names to descriptions", treesKey)
	}
	f.trees = map[string]*tree{}
	for i, key := range n.keys {
		if err := checkName("tree", key); err != nil {
			return err
		}
		t, err := readTree(n.values[i])
		if err != nil {
			return err
		}
		f.trees[key.text] = t
	}
	return nil
}

// readTree reads a tree. The keys in besides, and pools, are not options.
func readTree(n *node, besides ...string) (*tree, error) {
	besides = append(besides, poolsKey)
	row := treeRow{Source: "assumed"} // a file with pools alone does not describe the tree: its defaults are not promises
	if slices.ContainsFunc(n.keys, func(key *node) bool { return !slices.Contains(besides, key.text) }) {
		row.Source = "export"
	}
	r := newReading(&row)
	if err := apply(treeOptions, "a tree", r, n, besides...); err != nil {
		return nil, err
	}
	row.ConfigJSON = encode(r.extra)
	t := &tree{config: row}
	return t, t.readPools(n, "", 1, map[string]int{})
}
