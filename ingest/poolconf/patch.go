package poolconf

import (
	"maps"
	"slices"

	"poolproof/core/pooltree"
)

// A Patch is options of a tree or a pool that go over those it has.
type Patch struct {
	Tree    string // "" for every tree
	Pool    string // "" for the tree itself
	Line    int
	Options pooltree.Attributes // by their own names; nil takes an option away
}

// A Value is the value of a key that is not an option.
type Value struct {
	Line int
	Of   any // of pooltree.Attributes
}

// ParsePatches reads a file in the form of a File whose options are to go over those of a
// configuration; where a pool stands among the others says nothing. What stands at its top
// under one of besides is returned as it is.
func ParsePatches(file string, b []byte, besides ...string) ([]Patch, map[string]Value, error) {
	n, err := parseAny(file, b)
	if err != nil {
		return nil, nil, err
	}
	if n.kind == null {
		n.kind = mapping
	}
	if n.kind != mapping {
		return nil, nil, n.errorf("the file must be a map: options of the tree, %s, or %s", poolsKey, treesKey)
	}
	p := patches{}
	besides = append(besides, treesKey)
	if err := p.read("", n, besides...); err != nil {
		return nil, nil, err
	}
	if trees := n.valueOf(treesKey); trees != nil {
		if trees.kind != mapping {
			return nil, nil, trees.errorf("%s must be a map from names to descriptions", treesKey)
		}
		for i, key := range trees.keys {
			if err := p.read(key.text, trees.values[i]); err != nil {
				return nil, nil, err
			}
		}
	}
	others := map[string]Value{}
	for i, key := range n.keys {
		if key.text != treesKey && slices.Contains(besides, key.text) {
			others[key.text] = Value{key.line, n.values[i].json()}
		}
	}
	return p.all, others, nil
}

type patches struct{ all []Patch }

// read reads the options of a tree and of its pools. Keys in besides are the caller's.
func (p *patches) read(tree string, n *node, besides ...string) error {
	if err := addPatch(p, treeOptions, newReading(&treeRow{}), "a tree", Patch{Tree: tree, Line: n.line}, n, besides...); err != nil {
		return err
	}
	return p.readPools(tree, n, 1)
}

func (p *patches) readPools(tree string, n *node, depth int) error {
	pools := n.valueOf(poolsKey)
	if pools == nil || pools.kind == null {
		return nil
	}
	if pools.kind != mapping {
		return pools.errorf("%s must be a map from names to pools", poolsKey)
	}
	for i, key := range pools.keys {
		if err := checkName("pool", key); err != nil {
			return err
		}
		if depth > maxPoolDepth {
			return key.errorf("pool %s is nested deeper than %d levels", key.text, maxPoolDepth)
		}
		of := Patch{Tree: tree, Pool: key.text, Line: key.line}
		row := unconfigured
		if err := addPatch(p, poolOptions, newReading(&row), "a pool", of, pools.values[i]); err != nil {
			return err
		}
		if err := p.readPools(tree, pools.values[i], depth+1); err != nil {
			return err
		}
	}
	return nil
}

// addPatch adds the options of a map, unless it has none.
func addPatch(p *patches, all options, r *reading, what string, of Patch, n *node, besides ...string) error {
	besides = append(besides, poolsKey)
	if err := apply(all, what, r, n, besides...); err != nil {
		return err
	}
	of.Options = pooltree.Attributes{}
	for i, key := range n.keys {
		if !slices.Contains(besides, key.text) {
			of.Options[all[find(all, key.text)].Name] = n.values[i].json()
		}
	}
	if len(of.Options) > 0 {
		p.all = append(p.all, of)
	}
	return nil
}

// Over returns attributes with the patch over them. Of an option that is a map it replaces
// the keys that it has.
func (p *Patch) Over(a pooltree.Attributes) pooltree.Attributes {
	aliases := poolOptions.aliases
	if p.Pool == "" {
		aliases = treeOptions.aliases
	}
	b := &builder{attributes: maps.Clone(a), aliases: aliases}
	if b.attributes == nil {
		b.attributes = pooltree.Attributes{}
	}
	for name, v := range p.Options {
		before := b.get(name)
		if b.put(name, merged(before, v)); v == nil {
			delete(b.attributes, name)
		}
	}
	return b.attributes
}

// merged is a value over another.
func merged(before, v any) any {
	old, wasMap := before.(map[string]any)
	patch, isMap := v.(map[string]any)
	if !wasMap || !isMap {
		return v
	}
	m := maps.Clone(old)
	for key, value := range patch {
		m[key] = merged(old[key], value)
	}
	return m
}

// ParseValue reads any YAML or JSON that may stand in a configuration, as a value of
// pooltree.Attributes.
func ParseValue(file string, b []byte) (any, error) {
	n, err := parseAny(file, b)
	if err != nil {
		return nil, err
	}
	return n.json(), nil
}
