package pooltree

// SpecOptions returns the names of what ParseOperation and ParseTreeSpec read of
// an operation's spec, other names included: all that scheduling ever asks of
// one. The rest of a spec may be large.
func SpecOptions() []string {
	names := perTreeOptions()
	names = appendNames(names, operationOptions)
	return appendNames(names, treeSpecOptions)
}

// perTreeOptions are the names under which a spec holds options by tree.
func perTreeOptions() []string {
	return []string{"scheduling_options_per_pool_tree", "fair_share_options_per_pool_tree"}
}

func appendNames[C any](names []string, options []option[C]) []string {
	for i := range options {
		names = append(append(names, options[i].name), options[i].aliases...)
	}
	return names
}

// TreesWithOptions returns the trees for which a spec holds options of their
// own, sorted.
func TreesWithOptions(spec Attributes) []string {
	for _, name := range perTreeOptions() {
		if trees, ok := attributeMap(spec[name]); ok {
			return sortedNames(trees)
		}
	}
	return nil
}
