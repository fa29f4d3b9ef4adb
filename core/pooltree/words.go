package pooltree

// AllOptions returns the names of all options of trees, pools, operations and clusters, those
// inside of others and other names included.
func AllOptions() []string { return allNames(nil, Options()) }

func allNames(names []string, options []OptionInfo) []string {
	for _, o := range options {
		names = append(append(names, o.Name), o.Aliases...)
		names = allNames(names, o.Inside)
	}
	return names
}

// AllWords returns the words that options may hold.
func AllWords() (words []string) {
	for _, list := range [][]string{
		modeNames, keyNames, orderNames, guaranteeNames, scopeNames, segmentNames, packingMetricNames,
		graceNames, averageNames, segmentModes, moduleTypes, moduleHeuristics,
	} {
		words = append(words, list...)
	}
	return words
}
