package fairshare

import (
	"testing"

	"poolproof/core/resource"
)

// TestSteadyStateAllocatesNothing changes a tree that has been in use for a
// while, and updates it.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	w := newTameWorld(seededChooser(7))
	w.grow(30, 400)
	tree := w.trees[0]
	elements := append([]Element(nil), w.operations...)
	tree.SetPool(w.pools[1], Pool{Integral: Integral{
		Type: Burst, ResourceFlow: resource.Partial{Amounts: w.size(), Set: [resource.Kinds]bool{1: true}},
	}})
	step := changer(tree, elements)
	now := w.now
	update := func() {
		step()
		now += 1_000_000
		if err := tree.Update(now, now-1_000_000); err != nil {
			t.Fatal(err)
		}
	}
	for range 300 {
		update()
	}
	if n := testing.AllocsPerRun(200, update); n != 0 {
		t.Errorf("an update allocates %v times", n)
	}
	if len(tree.Changed()) == 0 {
		t.Error("nothing has changed")
	}
}

// TestComingAndGoingAllocatesNothing replaces operations by others.
func TestComingAndGoingAllocatesNothing(t *testing.T) {
	w := newTameWorld(seededChooser(9))
	w.grow(20, 200)
	tree := w.trees[0]
	now := w.now
	replace := func() {
		for i := range 5 {
			old := w.operations[i]
			parent, config := tree.nodes[old].parent, *tree.nodes[old].operation
			demand, usage := tree.nodes[old].demand, tree.nodes[old].usage
			tree.Remove(old)
			e := tree.AddOperation(parent, config)
			tree.SetDemand(e, demand)
			tree.SetUsage(e, usage)
			w.operations[i] = e
		}
		now += 1_000_000
		if err := tree.Update(now, now-1_000_000); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		replace()
	}
	if n := testing.AllocsPerRun(100, replace); n != 0 {
		t.Errorf("replacing operations allocates %v times", n)
	}
}

// TestNothingChangedCostsNothing updates a tree in which nothing happened.
func TestNothingChangedCostsNothing(t *testing.T) {
	w := newTameWorld(seededChooser(8))
	w.grow(10, 100)
	tree := w.trees[0]
	for range 2 {
		if err := tree.Update(w.now, NoUpdate); err != nil {
			t.Fatal(err)
		}
	}
	if len(tree.Changed()) != 0 || len(tree.touched) > 1 {
		t.Errorf("changed %v, looked at %v", tree.Changed(), tree.touched)
	}
}
