package pooltree

// AllOptions returns the names of all options of trees, pools, operations and clusters, those
// inside of others and other names included.
func AllOptions() []string {
	names := SpecOptions()
	names = appendNames(names, treeOptions)
	names = appendNames(names, treeIntegralOptions)
	names = appendNames(names, poolOptions)
	names = appendNames(names, subpoolOptions)
	names = appendNames(names, integralOptions)
	names = appendNames(names, clusterOptions)
	names = appendNames(names, segmentOptions)
	names = appendNames(names, packingOptions)
	return appendNames(names, eligibilityOptions)
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
