package pooltree

import (
	"fmt"
	"slices"
	"strings"
)

// A TreeFilter is a tree of a set, with the nodes it claims.
type TreeFilter struct {
	Name  string
	Nodes Formula // nodes_filter
}

// A TreeSet is the set of trees that a cluster is configured to have.
type TreeSet struct {
	Default string // @default_tree, "": none
	Trees   []TreeFilter
}

// A Node is a node of an Assignment.
type Node int32

// Where a node is that serves no tree: the names of trees are not empty.
const (
	NoTree   = ""  // it matches no tree and is offered nothing
	Conflict = "|" // it matches several, and is offline
)

// node is the state of a node.
type node struct {
	name string
	tags Tags
	tree string // a tree, NoTree or Conflict
}

// A NodeMove is a change of the tree of a node.
type NodeMove struct {
	Node     Node
	From, To string // trees, NoTree or Conflict
}

// An Assignment holds which nodes serve which trees.
type Assignment struct {
	set   TreeSet
	nodes []node
	index map[string]Node
}

// NewAssignment returns an assignment without trees and nodes.
func NewAssignment() *Assignment {
	return &Assignment{index: map[string]Node{}}
}

// A TreeSetError says why a set of trees was not taken over.
type TreeSetError struct {
	Default string   // the default tree that does not exist
	Node    string   // or the node that several trees claim
	Trees   []string // those trees
}

func (e *TreeSetError) Error() string {
	if e.Node == "" {
		return fmt.Sprintf("the default tree %q does not exist", e.Default)
	}
	return fmt.Sprintf("node %s belongs to several trees: %s", e.Node, strings.Join(e.Trees, ", "))
}

// Update takes over a set of trees as a whole and assigns every node anew, or
// keeps the old set with the error as its alert: if the default tree is not in
// the set, or if a known node would match two trees
// (core/spec/scheduling.md §2.3).
func (a *Assignment) Update(set TreeSet) ([]NodeMove, error) {
	if err := a.check(&set); err != nil {
		return nil, err
	}
	a.set = TreeSet{set.Default, slices.Clone(set.Trees)}
	var moves []NodeMove
	for n := range a.nodes {
		if m, moved := a.Process(Node(n)); moved {
			moves = append(moves, m)
		}
	}
	return moves, nil
}

func (a *Assignment) check(set *TreeSet) error {
	if set.Default != "" && !slices.ContainsFunc(set.Trees, func(t TreeFilter) bool { return t.Name == set.Default }) {
		return &TreeSetError{Default: set.Default}
	}
	for n := range a.nodes {
		if trees := set.matching(a.nodes[n].tags); len(trees) > 1 {
			return &TreeSetError{Node: a.nodes[n].name, Trees: trees}
		}
	}
	return nil
}

func (s *TreeSet) matching(tags Tags) (trees []string) {
	for i := range s.Trees {
		if s.Trees[i].Nodes.Match(tags) {
			trees = append(trees, s.Trees[i].Name)
		}
	}
	return trees
}

// SetNode takes over the tags of a node, which may be new. Its tree stays as it is until Process
// or Update.
func (a *Assignment) SetNode(name string, tags Tags) Node {
	n, known := a.index[name]
	if !known {
		n = Node(len(a.nodes))
		a.nodes = append(a.nodes, node{name: name})
		a.index[name] = n
	}
	a.nodes[n].tags = tags
	return n
}

// Process handles a heartbeat of a node: it gets the tree its tags say, or
// goes offline where they say several.
func (a *Assignment) Process(n Node) (NodeMove, bool) {
	s := &a.nodes[n]
	tree := NoTree
	switch trees := a.set.matching(s.tags); len(trees) {
	case 0:
	case 1:
		tree = trees[0]
	default:
		tree = Conflict
	}
	m := NodeMove{n, s.tree, tree}
	s.tree = tree
	return m, m.From != m.To
}

// Trees returns the set of trees in force.
func (a *Assignment) Trees() TreeSet { return a.set }

// Claims returns the trees in force that a node's tags match, in their order.
func (a *Assignment) Claims(n Node) []string { return a.set.matching(a.nodes[n].tags) }
