package pooltree

import (
	"cmp"
	"maps"
	"slices"
)

// A Template patches the options of the trees that its filter names
// (core/spec/scheduling.md §2.1).
type Template struct {
	Filter   Formula // over the tree's name, as its only tag
	Priority int64   // unique; the higher one goes first
	Options  Attributes
}

// TreeAttributes returns the options of a tree: those of the matching
// templates in ascending priority, each over the ones before, and over all of
// them the tree's own. Maps are merged key by key. The tree's own options are
// its attribute config; in older layouts they are plain attributes of the tree
// object, which is what is passed (core/spec/scheduling.md §2.1).
func TreeAttributes(tree string, object Attributes, templates []Template) Attributes {
	sorted := slices.Clone(templates)
	slices.SortStableFunc(sorted, func(a, b Template) int { return cmp.Compare(a.Priority, b.Priority) })
	merged := Attributes{}
	for _, t := range sorted {
		if t.Filter.Match(Tags{tree}) {
			merged = merge(merged, ownNames(t.Options))
		}
	}
	own := object
	if config, ok := attributeMap(object["config"]); ok {
		own = config
	}
	return merge(merged, ownNames(own))
}

// ownNames returns options of a tree by their own names, so that one goes over the other whatever
// the names under which they stand. An alias beside the own name stays: ParseTree reports both.
func ownNames(a Attributes) Attributes {
	out := Attributes{}
	for _, name := range sortedNames(a) {
		own := name
		if o := optionOf(treeOptions, name); o != nil {
			own = o.name
		}
		if _, both := a[own]; both {
			own = name
		}
		out[own] = a[name]
	}
	return out
}

// merge returns the attributes of both maps, those of over where both have
// one, maps merged likewise.
func merge(under, over Attributes) Attributes {
	out := maps.Clone(under)
	for _, name := range sortedNames(over) {
		a, isMap := attributeMap(under[name])
		b, both := attributeMap(over[name])
		if isMap && both {
			out[name] = merge(a, b)
		} else {
			out[name] = over[name]
		}
	}
	return out
}
