package report

import (
	"slices"
	"testing"
)

// TestCommonUsage: of a tree in which nobody used anything it is not said that all is the same.
func TestCommonUsage(t *testing.T) {
	t.Parallel()
	none, some, part := 0.0, 5.0, 0.25
	got := CommonUsage([]Believed{
		{Tree: "a", Measure: "usage of cpu", Recorded: &some, Control: &some, Part: &part, Whole: true},
		{Tree: "a", Measure: "of it by pool p", Recorded: &some, Control: &some, Part: &part},
		{Tree: "b", Measure: "usage of cpu", Recorded: &none, Control: &none, Whole: true},
	})
	want := []string{
		"The control of tree a reproduces the recorded log with grade poor: they have 25 % of their usage in common, pool by pool over time. What differs between the two runs says little about the cluster.",
		"Nobody used anything in tree b, neither in the control nor in the recorded log: how near they are cannot be said.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
