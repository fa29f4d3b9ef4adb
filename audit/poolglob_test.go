package audit

import "testing"

func TestPoolsOfAPattern(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, tree, path string
		want                bool
	}{
		{"research/dora", "physical", "research/dora", true},
		{"physical/research/dora", "physical", "research/dora", true},
		{"physical/research/*", "physical", "research/dora", true},
		{"physical/**", "physical", "research/dora", true},
		{"cloud/research/dora", "physical", "research/dora", false},
		// A name, which is no pattern.
		{"dora", "physical", "research/dora", true},
		{"physical/dora", "physical", "research/dora", true},
		{"cloud/dora", "physical", "research/dora", false},
		{"dor*", "physical", "research/dora", false},
		{"physical/dor*", "physical", "research/dora", false},
		{"dora", "physical", "dora/emil", false},
		// What a wildcard stands for is no tree: these are pools of the second level.
		{"*/dora", "physical", "dora", false},
		{"*/dora", "physical", "research/dora", true},
		{"?hysical/dora", "physical", "dora", false},
		// Of two readings each holds: the pool below a pool, and the pool of a tree.
		{"prod/etl", "prod", "etl", true},
		{"prod/etl", "physical", "prod/etl", true},
		// What is about no pool.
		{"**", "physical", "", true},
		{"physical/**", "physical", "", false},
		{"physical/dora", "physical", "", false},
	} {
		if got := newPoolGlob(c.pattern).matchesPool(c.tree, c.path); got != c.want {
			t.Errorf("%s, pool %q of tree %s: %v", c.pattern, c.path, c.tree, got)
		}
	}
}
