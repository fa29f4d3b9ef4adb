package fairshare

import "testing"

// BenchmarkUpdate times a full update of the corpus's large trees.
func BenchmarkUpdate(b *testing.B) {
	for _, name := range []string{"bench-100-1k", "bench-1k-10k", "bench-fifo-1pool-300", "bench-flat-1pool-1k"} {
		b.Run("tree="+name, func(b *testing.B) {
			readCorpus(b, name+".jsonl.gz", func(line corpusLine) {
				tree, _ := line.Input.build()
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
