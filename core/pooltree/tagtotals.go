package pooltree

import (
	"cmp"
	"slices"

	"poolproof/core/resource"
)

// A Filter is a tag filter that a TagTotals keeps the total of. The zero value
// is the empty formula: all nodes of the tree.
type Filter int32

// TagTotals keeps, for every tag filter in use, the resources of the tree's
// online nodes that match it, and how many of them there are of each memory size.
// Filters of ancestors are not combined (core/spec/scheduling.md §3.2, §11.1). A change
// of a node costs the filters.
type TagTotals struct {
	formulas []Formula
	totals   []resource.Vector
	memories [][]resource.NodeMemory // ascending
	resized  int64                   // how often a node came, went or changed
	users    []int                   // who has asked for the filter and not dropped it
	index    map[string]Filter       // by text
	free     []Filter
	nodes    []taggedNode
}

type taggedNode struct {
	tags   Tags
	limits resource.Vector // zero while the node does not serve the tree
}

// NewTagTotals returns totals without nodes.
func NewTagTotals() *TagTotals {
	return &TagTotals{
		formulas: []Formula{{}}, totals: []resource.Vector{{}}, memories: [][]resource.NodeMemory{nil}, users: []int{0}, index: map[string]Filter{"": 0},
	}
}

// Filter returns the filter of a formula, which is kept until everybody who
// asked for it has dropped it.
func (t *TagTotals) Filter(f Formula) Filter {
	if f.IsEmpty() {
		return 0
	}
	id, known := t.index[f.source]
	if !known {
		id = t.add(f)
	}
	t.users[id]++
	return id
}

// Drop gives back a filter that Filter returned, so that the filters of operations that are gone
// cost nothing.
func (t *TagTotals) Drop(f Filter) {
	if f == 0 {
		return
	}
	if t.users[f]--; t.users[f] == 0 {
		delete(t.index, t.formulas[f].source)
		t.formulas[f], t.totals[f], t.memories[f] = Formula{}, resource.Vector{}, t.memories[f][:0]
		t.free = append(t.free, f)
	}
}

func (t *TagTotals) add(f Formula) Filter {
	id := Filter(len(t.formulas))
	if last := len(t.free) - 1; last >= 0 {
		id, t.free = t.free[last], t.free[:last]
		t.formulas[id] = f
	} else {
		t.formulas, t.totals, t.users = append(t.formulas, f), append(t.totals, resource.Vector{}), append(t.users, 0)
		t.memories = append(t.memories, nil)
	}
	t.index[f.source] = id
	for i := range t.nodes {
		t.account(id, &t.nodes[i], 1)
	}
	return id
}

// SetNode says what a node has and whether it serves the tree now. Nodes are
// numbered from zero.
func (t *TagTotals) SetNode(n int, tags Tags, limits resource.Vector, serves bool) {
	for n >= len(t.nodes) {
		t.nodes = append(t.nodes, taggedNode{})
	}
	node := &t.nodes[n]
	if !serves {
		limits = resource.Vector{}
	}
	if node.limits == limits && slices.Equal(node.tags, tags) {
		return
	}
	t.resized++
	t.accountAll(node, -1)
	*node = taggedNode{tags: tags, limits: limits}
	t.accountAll(node, 1)
}

// Memories returns how many of the nodes that match a filter have which memory, in
// ascending order; those without any are left out. It is good until the next
// SetNode.
func (t *TagTotals) Memories(f Filter) []resource.NodeMemory { return t.memories[f] }

// Resized counts the changes of nodes: while it stays, all totals do.
func (t *TagTotals) Resized() int64 { return t.resized }

// Total returns the resources of the nodes that match a filter.
func (t *TagTotals) Total(f Filter) resource.Vector { return t.totals[f] }

func (t *TagTotals) accountAll(n *taggedNode, sign int) {
	if n.limits.IsZero() {
		return
	}
	for f := range t.formulas {
		if f == 0 || t.users[f] > 0 {
			t.account(Filter(f), n, sign)
		}
	}
}

func (t *TagTotals) account(f Filter, n *taggedNode, sign int) {
	if !t.formulas[f].Match(n.tags) {
		return
	}
	if sign > 0 {
		t.totals[f] = t.totals[f].Add(n.limits)
	} else {
		t.totals[f] = t.totals[f].Sub(n.limits)
	}
	if memory := n.limits[resource.Memory]; memory > 0 {
		t.memories[f] = addNodes(t.memories[f], memory, int64(sign))
	}
}

// addNodes adds a number of nodes of one size, which may be negative.
func addNodes(sizes []resource.NodeMemory, memory, count int64) []resource.NodeMemory {
	i, found := slices.BinarySearchFunc(sizes, memory, func(s resource.NodeMemory, memory int64) int {
		return cmp.Compare(s.Memory, memory)
	})
	if !found {
		return slices.Insert(sizes, i, resource.NodeMemory{Memory: memory, Count: count})
	}
	if sizes[i].Count += count; sizes[i].Count == 0 {
		return slices.Delete(sizes, i, i+1)
	}
	return sizes
}
