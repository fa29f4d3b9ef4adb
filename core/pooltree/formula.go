package pooltree

import (
	"fmt"
	"slices"
)

// A Formula is a boolean formula over node tags: nodes_filter of a tree,
// scheduling_tag_filter of a pool or an operation (core/spec/scheduling.md §2.2).
// The zero value is the empty formula, which matches every node.
type Formula struct {
	root   *formulaNode // nil: empty
	source string
	tokens int
}

// formulaNode is a vertex of a parsed formula.
type formulaNode struct {
	kind        tokenKind // tokenName, tokenTrue, tokenFalse, tokenNot, tokenAnd, tokenOr
	name        string
	left, right *formulaNode // right is nil for tokenNot
}

// Tags are the tags of a node, sorted and without duplicates.
type Tags []string

// NewTags returns the tags in the form that Match reads. It leaves names alone.
func NewTags(names ...string) Tags {
	t := slices.Clone(names)
	slices.Sort(t)
	return slices.Compact(t)
}

// Has reports whether the node carries the tag.
func (t Tags) Has(name string) bool {
	_, found := slices.BinarySearch(t, name)
	return found
}

// IsEmpty reports whether f is the empty formula.
func (f Formula) IsEmpty() bool { return f.root == nil }

// String returns the formula as it was written.
func (f Formula) String() string { return f.source }

// Match reports whether a node with these tags satisfies the formula.
func (f Formula) Match(tags Tags) bool { return f.root == nil || f.root.match(tags) }

func (n *formulaNode) match(tags Tags) bool {
	switch n.kind {
	case tokenName:
		return tags.Has(n.name)
	case tokenTrue:
		return true
	case tokenNot:
		return !n.left.match(tags)
	case tokenAnd:
		return n.left.match(tags) && n.right.match(tags)
	case tokenOr:
		return n.left.match(tags) || n.right.match(tags)
	}
	return false // tokenFalse
}

// A SyntaxError says where a text stops being a formula.
type SyntaxError struct {
	Position int    // of the offending token, in bytes from 1
	Expected string // what may stand there
	Found    string // what does
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("position %d: expected %s, found %s", e.Position, e.Expected, e.Found)
}
