package fairshare

import (
	"slices"
	"strings"
	"testing"
)

// TestConformanceChains runs the consecutive updates of the family chain on one
// tree each, which carries its own state from one to the next: volumes and
// share ratios are not taken from the input of later steps.
func TestConformanceChains(t *testing.T) {
	chains := map[string][]corpusLine{}
	var names []string
	readCorpus(t, "random.jsonl.gz", func(line corpusLine) {
		if name, _, ok := strings.Cut(line.ID, "-step"); ok {
			if chains[name] == nil {
				names = append(names, name)
			}
			chains[name] = append(chains[name], line)
		}
	})
	if len(names) == 0 {
		t.Fatal("the corpus has no chains")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { runChain(t, chains[name]) })
	}
}

func runChain(t *testing.T, steps []corpusLine) {
	tree, elements := steps[0].Input.build()
	ids := func(line *corpusLine) (list []string) {
		for _, n := range line.Input.Nodes {
			list = append(list, n.ID)
		}
		return list
	}
	for i := range steps {
		line := &steps[i]
		if !slices.Equal(ids(line), ids(&steps[0])) {
			t.Skip("elements come and go")
		}
		if i > 0 {
			line.Input.apply(tree, elements)
		}
		if err := tree.Update(line.Input.Now, line.Input.previous()); err != nil {
			t.Fatal(err)
		}
		for j, e := range elements {
			for _, d := range differences(attributes(tree, e), line.Expected.Nodes[j], shareTolerance) {
				t.Errorf("%s: %s: %s", line.ID, line.Input.Nodes[j].ID, d)
			}
		}
		checkErrors(t, tree, line.Expected.Errors)
	}
}

// apply gives the elements of a tree the configuration, usage and demand of
// another input with the same nodes.
func (in *corpusInput) apply(tree *Tree, elements []Element) {
	other, same := in.build()
	tree.SetTotal(other.Total())
	for i, e := range elements {
		n := &other.nodes[same[i]]
		if n.pool != nil {
			tree.SetPool(e, n.pool.config)
			continue
		}
		tree.SetOperation(e, *n.operation)
		tree.SetDemand(e, n.demand)
		tree.SetUsage(e, n.usage)
	}
}
