package sweep

import (
	"slices"
	"testing"
)

func TestParts(t *testing.T) {
	tried := func(text, name string, sample int) (cases []int) {
		p, ok := partOf(text, name, sample)
		if !ok {
			t.Fatalf("%q is no part", text)
		}
		for i := range 12 {
			if p.Has(i) {
				cases = append(cases, i)
			}
		}
		return cases
	}
	if got := tried("", "TestSweepA", 5); !slices.Equal(got, []int{0, 5, 10}) {
		t.Errorf("the sample is %v", got)
	}
	if got := tried("all", "TestSweepA", 5); len(got) != 12 {
		t.Errorf("all are %v", got)
	}
	for _, name := range []string{"TestSweepA", "TestSweepB", "TestSweepC"} {
		var all []int
		for _, text := range []string{"4/4", "5/4", "6/4", "7/4"} { // as commits count
			part := tried(text, name, 5)
			if len(part) != 3 {
				t.Errorf("%s: part %s is %v", name, text, part)
			}
			all = append(all, part...)
		}
		if slices.Sort(all); !slices.Equal(all, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
			t.Errorf("%s: the parts together are %v", name, all)
		}
	}
	if slices.Equal(tried("0/12", "TestSweepA", 5), tried("0/12", "TestSweepB", 5)) && slices.Equal(tried("0/12", "TestSweepA", 5), tried("0/12", "TestSweepC", 5)) {
		t.Error("the first cases of all sweeps are in the same part")
	}
	for _, text := range []string{"some", "1", "/4", "1/0", "-1/4", "1/x"} {
		if _, ok := partOf(text, "TestSweepA", 5); ok {
			t.Errorf("%q is a part", text)
		}
	}
}
