package fairshare

import (
	"slices"
	"testing"

	"poolproof/core/resource"
)

// TestTheLastChildTakesThePlaceOfOneThatLeaves: a child that comes or moves is appended (fair-share.md §3.7).
func TestTheLastChildTakesThePlaceOfOneThatLeaves(t *testing.T) {
	tree := New(Options{})
	a, b := tree.AddPool(Root, Pool{}), tree.AddPool(Root, Pool{})
	var in []Element
	for range 4 {
		in = append(in, tree.AddOperation(a, Operation{}))
	}
	tree.Remove(in[1])
	if got, want := tree.Children(a), []Element{in[0], in[3], in[2]}; !slices.Equal(got, want) {
		t.Errorf("after one left: %v, want %v", got, want)
	}
	other := tree.AddOperation(b, Operation{})
	tree.Move(in[0], b)
	if got, want := tree.Children(a), []Element{in[2], in[3]}; !slices.Equal(got, want) {
		t.Errorf("after one moved: %v, want %v", got, want)
	}
	if got, want := tree.Children(b), []Element{other, in[0]}; !slices.Equal(got, want) {
		t.Errorf("where it moved to: %v, want %v", got, want)
	}
}

// TestRecordedPlacesDecideTies: a recorded fifo_index decides where the sort parameters leave operations equal, and
// nowhere else. Operations without one come after the others (fair-share.md §2.7).
func TestRecordedPlacesDecideTies(t *testing.T) {
	tree := New(Options{})
	tree.SetTotal(resource.Vector{resource.UserSlots: 10})
	queue := tree.AddPool(Root, Pool{Mode: FIFO, FIFOSort: [3]FIFOKey{ByPendingJobs}})
	late := tree.AddOperation(queue, Operation{StartTime: 1, ID: 1})
	second := tree.AddOperation(queue, Operation{StartTime: 2, ID: 2, Place: 2})
	first := tree.AddOperation(queue, Operation{StartTime: 3, ID: 3, Place: 1})
	last := tree.AddOperation(queue, Operation{StartTime: 0, ID: 4, Place: 3, PendingJobs: 1})
	if err := tree.Update(0, NoUpdate); err != nil {
		t.Fatal(err)
	}
	for i, e := range []Element{first, second, late, last} {
		if got := tree.Result(e).FIFOIndex; got != int32(i) {
			t.Errorf("element %d has place %d, want %d", e, got, i)
		}
	}
}
