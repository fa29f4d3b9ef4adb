package scheduling

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWinners changes children at random, many of which tie, and checks that the one
// who wins is always the one that a heap made of all of them has in front.
func TestWinners(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	some := func(child int) rung {
		return rung{float64(random.IntN(4)), Element(child), random.IntN(5) > 0}
	}
	ties := 0
	for n := 1; n < 70; n++ {
		b := branch{isHeap: true}
		for i := range n {
			b.rungs = append(b.rungs, some(i))
		}
		b.playAll()
		for range 200 {
			var places []int32
			for range 1 + random.IntN(3) {
				i := random.IntN(n)
				b.rungs[i] = some(i)
				places = append(places, int32(i))
			}
			for _, place := range places {
				b.play(place)
			}
			heap := branch{isHeap: true, rungs: slices.Clone(b.rungs)}
			heap.order()
			if got, want := b.best(), heap.best(); got != want {
				t.Fatalf("of %d children %d wins, and the heap has %d in front", n, got, want)
			}
			if first := slices.IndexFunc(b.rungs, func(r rung) bool { return !heap.heapRung(0).goesFirst(&r) }); Element(first) != heap.best() {
				ties++
			}
		}
	}
	if ties == 0 {
		t.Error("no winner tied with an earlier child")
	}
}
