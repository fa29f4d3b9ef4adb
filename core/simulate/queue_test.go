package simulate

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"poolproof/core"
)

// TestQueue: items come by their time and rank, equals as they were pushed, whatever goes in between
// and whether they stand in line.
func TestQueue(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var q queue
	var want []item
	pop := func() {
		slices.SortFunc(want, func(a, b item) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))
		})
		if got := q.pop(); got.id != want[0].id {
			t.Fatalf("item %d comes at %d, want %d at %d", got.id, got.at, want[0].id, want[0].at)
		}
		want = want[1:]
	}
	now := core.Time(0)
	for id := range int64(4000) {
		i := item{at: now + core.Time(random.IntN(5000)), rank: core.Kind(random.IntN(3)), what: jobEnds, id: id}
		if random.IntN(3) == 0 {
			i.what = heartbeat
		}
		q.push(i)
		want = append(want, i)
		if random.IntN(3) == 0 {
			pop()
		}
		now += core.Time(random.IntN(2))
	}
	for len(want) > 0 {
		pop()
	}
	if !q.empty() {
		t.Error("something is left")
	}
}
