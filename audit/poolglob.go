package audit

import "strings"

// A poolGlob is a pattern over pools: over their paths, as prod/**, and over these in
// one tree, as physical/prod/**. Without a wildcard it may be the pool's name, too, alone
// or after its tree: dora or physical/dora. Where one pattern can be read in several
// ways, it matches by each.
type poolGlob struct {
	glob
	tree   string // its first segment, which may be a tree
	inTree glob   // what follows that
}

// allPools is the pattern that everything matches, what is about no pool included.
var allPools = newPoolGlob("**")

func newPoolGlob(text string) poolGlob {
	g := poolGlob{glob: newGlob(text)}
	if tree, rest, ok := strings.Cut(text, "/"); ok && !strings.ContainsAny(tree, "*?") {
		g.tree, g.inTree = tree, newGlob(rest)
	}
	return g
}

// matchesPool reports whether it matches the pool of a path in a tree.
func (g poolGlob) matchesPool(tree, path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	return g.matches(path) || g.text == name || path != "" && g.tree == tree && (g.inTree.matches(path) || g.inTree.text == name)
}
