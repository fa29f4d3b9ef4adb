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

// TreeOptions returns the names of the options of a tree, other names left out.
func TreeOptions() []string { return optionNames(treeOptions) }

// PoolOptions returns the same of a pool.
func PoolOptions() []string { return optionNames(poolOptions) }

// OperationOptions returns the same of an operation's spec, those by which it chooses
// its trees included.
func OperationOptions() []string {
	return append(append(optionNames(operationOptions), optionNames(treeSpecOptions)...), perTreeOptions()[0])
}

// TreeAliases returns the other names of an option of a tree.
func TreeAliases(name string) []string { return aliasesOf(treeOptions, name) }

// PoolAliases returns the same of a pool.
func PoolAliases(name string) []string { return aliasesOf(poolOptions, name) }

func aliasesOf[C any](options []option[C], name string) []string {
	for i := range options {
		if options[i].name == name {
			return options[i].aliases
		}
	}
	return nil
}

func optionNames[C any](options []option[C]) (names []string) {
	for i := range options {
		names = append(names, options[i].name)
	}
	return names
}
