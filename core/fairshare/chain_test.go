package fairshare

import (
	"slices"
	"strings"
	"testing"

	"poolproof/core/coretest/testcorpus"
)

// TestConformanceChains runs the consecutive updates of the family chain on one
// tree each, which carries its own state from one to the next: volumes and
// share ratios are not taken from the input of later steps.
func TestConformanceChains(t *testing.T) {
	for file, path := range testcorpus.Corpus(t, "fair-share") {
		t.Run(file, func(t *testing.T) {
			steps, lines := map[string][]corpusLine{}, 0
			var names []string
			readFile(t, path, func(line corpusLine) {
				lines++
				name, _, ok := strings.Cut(line.ID, "-step")
				if ok && line.ExpectedClamped == nil && line.Expected.Status == "ok" {
					if steps[name] == nil {
						names = append(names, name)
					}
					steps[name] = append(steps[name], line)
				}
			})
			continued := 0
			for _, name := range names {
				t.Run(name, func(t *testing.T) { continued += runChain(t, steps[name]) })
			}
			t.Logf("%d chains, %d updates that continue one", len(names), continued)
			if file == "random" && lines == sameToTheBit[file].lines && continued != 93 {
				t.Errorf("%d updates continue a chain, want 93", continued)
			}
		})
	}
}

// runChain returns how many steps continue the one before them; the others begin
// with the state of their input.
func runChain(t *testing.T, steps []corpusLine) (continued int) {
	var tree *Tree
	var elements []Element
	for i := range steps {
		line := &steps[i]
		if i > 0 && line.follows(&steps[i-1]) {
			line.Input.apply(tree, elements)
			continued++
		} else {
			tree, elements = line.Input.build()
		}
		if err := tree.Update(line.Input.Now, line.Input.previous()); err != nil {
			t.Fatal(err)
		}
		line.Input.checkNodes(t, tree, elements, line.Expected.Nodes)
		checkErrors(t, tree, line.Expected.Errors)
	}
	return continued
}

// follows reports whether a line is the next update of the tree of another one.
func (line *corpusLine) follows(before *corpusLine) bool {
	same := func(a, b corpusNode) bool { return a.ID == b.ID }
	return line.Input.previous() == before.Input.Now && slices.EqualFunc(line.Input.Nodes, before.Input.Nodes, same)
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
