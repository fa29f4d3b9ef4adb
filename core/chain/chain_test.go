package chain

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestListsAreAsSlices: lists that share their links are as slices to which one appends
// and from which one deletes, walked either way.
func TestListsAreAsSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var links Links[int32]
		lists := []List[int32]{New[int32](), New[int32]()}
		want := make([][]int32, len(lists))
		in := map[int32]int{}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			m := rapid.Int32Range(0, 9).Draw(t, "member")
			if k, ok := in[m]; ok {
				links.Remove(&lists[k], m)
				want[k] = slices.DeleteFunc(want[k], func(x int32) bool { return x == m })
				delete(in, m)
			} else {
				k := rapid.IntRange(0, len(lists)-1).Draw(t, "list")
				links.Add(&lists[k], m)
				want[k] = append(want[k], m)
				in[m] = k
			}
			other, elsewhere := links.Clone(), lists[0]
			other.Add(&elsewhere, 10) // nobody sees that in the lists themselves
			for k, l := range lists {
				if got := slices.Collect(links.All(l)); !slices.Equal(got, want[k]) {
					t.Fatalf("list %d is %v, want %v", k, got, want[k])
				}
				var back []int32
				for m := l.Last; m != none; m = links.Before(m) {
					back = append(back, m)
				}
				slices.Reverse(back)
				if !slices.Equal(back, want[k]) {
					t.Fatalf("list %d backwards is %v, want %v", k, back, want[k])
				}
			}
		}
	})
}

// TestWhoIsWalkedMayLeave: a walk goes on where the member that was yielded leaves.
func TestWhoIsWalkedMayLeave(t *testing.T) {
	var links Links[int32]
	list := New[int32]()
	for m := range int32(4) {
		links.Add(&list, m)
	}
	var seen []int32
	for m := range links.All(list) {
		seen = append(seen, m)
		links.Remove(&list, m)
	}
	if want := []int32{0, 1, 2, 3}; !slices.Equal(seen, want) || list != New[int32]() {
		t.Fatalf("walked %v, left %v", seen, list)
	}
}
