package pooltree

import (
	"fmt"
	"testing"

	"poolproof/core/resource"
)

// A filter that everybody dropped costs nothing any more, and its number is
// right for the next formula.
func TestDroppedFiltersAreForgotten(t *testing.T) {
	totals := NewTagTotals()
	node := func(n int, cpu int64, tags ...string) {
		totals.SetNode(n, tags, resource.Vector{0, cpu}, true)
	}
	node(0, 100, "a")
	node(1, 200, "b")
	filter := func(text string) Filter {
		f, err := ParseFormula(text)
		if err != nil {
			t.Fatal(err)
		}
		return totals.Filter(f)
	}
	kept := filter("b")
	for i := range 1000 {
		f := filter(fmt.Sprintf("a | host%d", i))
		node(0, int64(100+i), "a")
		if got := totals.Total(f)[resource.CPU]; got != int64(100+i) {
			t.Fatalf("filter %d matches %d cpu, want %d", i, got, 100+i)
		}
		totals.Drop(f)
	}
	if len(totals.formulas) != 3 {
		t.Errorf("%d formulas are kept for one in use", len(totals.formulas)-1)
	}
	again := filter("b")
	totals.Drop(kept)
	node(1, 300, "b")
	if got := totals.Total(again)[resource.CPU]; got != 300 {
		t.Errorf("a filter that one of two dropped matches %d cpu, want 300", got)
	}
}

// Sizes of nodes are counted per filter, and follow nodes that change or leave.
func TestMemoriesFollowNodes(t *testing.T) {
	totals := NewTagTotals()
	f, err := ParseFormula("a")
	if err != nil {
		t.Fatal(err)
	}
	tagged := totals.Filter(f)
	node := func(n int, memory int64, serves bool, tags ...string) {
		totals.SetNode(n, tags, resource.Vector{resource.UserSlots: 1, resource.Memory: memory}, serves)
	}
	node(0, 64, true, "a")
	node(1, 32, true)
	node(2, 64, true)
	node(3, 0, true, "a") // no memory, no size
	if all, some := fmt.Sprint(totals.Memories(0)), fmt.Sprint(totals.Memories(tagged)); all != "[{32 1} {64 2}]" || some != "[{64 1}]" {
		t.Errorf("sizes of all nodes are %s, of tagged ones %s", all, some)
	}
	before := totals.Resized()
	node(2, 64, true)
	if totals.Resized() != before {
		t.Error("a node that stays what it was counts as changed")
	}
	node(0, 64, false, "a")
	node(2, 128, true, "a")
	if all, some := fmt.Sprint(totals.Memories(0)), fmt.Sprint(totals.Memories(tagged)); all != "[{32 1} {128 1}]" || some != "[{128 1}]" {
		t.Errorf("sizes of all nodes are %s, of tagged ones %s", all, some)
	}
}
