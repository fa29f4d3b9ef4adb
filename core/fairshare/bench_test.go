package fairshare

import (
	"math/rand/v2"
	"testing"

	"poolproof/core/resource"
)

// benchTrees are the large trees of the corpus.
var benchTrees = []string{"bench-100-1k", "bench-1k-10k", "bench-fifo-1pool-300", "bench-flat-1pool-1k"}

// BenchmarkUpdate times a full update of the corpus's large trees.
func BenchmarkUpdate(b *testing.B) {
	for _, name := range benchTrees {
		b.Run("tree="+name, func(b *testing.B) {
			readCorpus(b, name+".jsonl.gz", func(line corpusLine) {
				tree, _ := line.Input.build()
				b.ReportAllocs()
				for b.Loop() {
					tree.Recompute()
					if err := tree.Update(line.Input.Now, line.Input.previous()); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// BenchmarkIncremental times an update after 1 % of the operations changed.
func BenchmarkIncremental(b *testing.B) {
	for _, name := range benchTrees {
		b.Run("tree="+name, func(b *testing.B) {
			readCorpus(b, name+".jsonl.gz", func(line corpusLine) {
				tree, elements := line.Input.build()
				step := changer(tree, elements)
				now := line.Input.Now
				for range 20 { // buffers grow to what is needed
					step()
					now += 1_000_000
					if err := tree.Update(now, now-1_000_000); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportAllocs()
				changed := 0
				for b.Loop() {
					step()
					now += 1_000_000
					if err := tree.Update(now, now-1_000_000); err != nil {
						b.Fatal(err)
					}
					changed += len(tree.Changed())
				}
				b.ReportMetric(float64(changed)/float64(b.N), "changed/op")
			})
		})
	}
}

// changer returns a function that changes demand and usage of 1 % of the
// operations of a tree, back and forth about what they were.
func changer(tree *Tree, elements []Element) func() {
	type amounts struct {
		e             Element
		usage, demand resource.Vector
	}
	var operations []amounts
	for _, e := range elements {
		if n := &tree.nodes[e]; n.operation != nil {
			operations = append(operations, amounts{e, n.usage, n.demand})
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	return func() {
		for range max(1, len(operations)/100) {
			o := operations[random.IntN(len(operations))]
			factor := 0.9 + 0.2*random.Float64()
			tree.SetDemand(o.e, o.demand.Times(factor))
			tree.SetUsage(o.e, o.usage.Times(factor))
		}
	}
}
