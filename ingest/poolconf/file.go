package poolconf

import (
	"fmt"
	"slices"

	"poolproof/core"
	"poolproof/ingest/input"
	"poolproof/ingest/trace"
)

// A File is a pool configuration.
type File struct {
	all   *tree            // describes every tree; nil if the file has trees
	trees map[string]*tree // nil if the file describes every tree
}

// A tree is the description of one tree.
type tree struct {
	config trace.TreeConfig
	pools  []pool // parents before children, siblings as in the file
}

type pool struct {
	name, parent string // parent is "" under the root
	line         int
	config       trace.PoolConfig
}

// ReadText reads the text of the configuration file path, for Parse and ParseDocument.
func ReadText(path string) ([]byte, error) {
	b, err := input.ReadAll(path, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("read pool configuration: %w", err)
	}
	return b, nil
}

// Parse reads a configuration. File is its name in errors.
func Parse(file string, b []byte) (*File, error) {
	n, err := parseAny(file, b)
	if err != nil {
		return nil, err
	}
	return readFile(n)
}

// Trees returns the names of the trees that the file tells apart, sorted; none
// if it describes every tree.
func (f *File) Trees() []string {
	var names []string
	for name := range f.trees {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (f *File) tree(name string) *tree {
	if f.all != nil {
		return f.all
	}
	return f.trees[name]
}

// TreeRow returns the tree's settings as a row of tree_config without a Stamp,
// and false if the file says nothing about the tree.
func (f *File) TreeRow(name string) (trace.TreeConfig, bool) {
	t := f.tree(name)
	if t == nil {
		return trace.TreeConfig{}, false
	}
	return t.config, true
}

// Pools returns the tree's pools, parents before children.
func (f *File) Pools(name string) []string {
	var names []string
	if t := f.tree(name); t != nil {
		for _, p := range t.pools {
			names = append(names, p.name)
		}
	}
	return names
}

// PoolRows returns the tree's pools as rows of pool_config without Stamps, in
// the order of Pools. Number gives every pool of Pools its number.
func (f *File) PoolRows(name string, number map[string]core.PoolID) []trace.PoolConfig {
	t := f.tree(name)
	if t == nil {
		return nil
	}
	rows := make([]trace.PoolConfig, len(t.pools))
	for i, p := range t.pools {
		rows[i] = p.config
		rows[i].Pool = numberOf(number, p.name)
		if p.parent != "" {
			rows[i].Parent = core.Some(numberOf(number, p.parent))
		}
	}
	return rows
}

func numberOf(number map[string]core.PoolID, name string) core.PoolID {
	id, ok := number[name]
	if !ok {
		panic(fmt.Sprintf("poolconf: pool %q has no number", name))
	}
	return id
}
