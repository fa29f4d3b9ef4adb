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
