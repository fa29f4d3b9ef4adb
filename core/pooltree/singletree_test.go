package pooltree

import (
	"testing"

	"poolproof/core/resource"
)

// TestSingleTreeOfCurrent: schedulers of 2025 and 2026 fall back to trees that others do not keep.
func TestSingleTreeOfCurrent(t *testing.T) {
	some, none := resource.Vector{resource.CPU: 1000}, resource.Vector{}
	guarantee := resource.Share{resource.CPU: 0.5}
	for _, c := range []struct {
		name              string
		trees             []TreeEstimate
		guarantees        bool
		current, baseline int // -1: the operation fails
	}{
		{"running before pending", []TreeEstimate{{Total: some, Guarantee: guarantee}, {Total: some, Running: true}}, false, 1, 1},
		{"pending in all", []TreeEstimate{{Total: some}, {Total: some, Guarantee: guarantee}}, false, 1, -1},
		{"resources before none", []TreeEstimate{{Total: none, Running: true}, {Total: some}}, false, 1, -1},
		{"a guarantee before running", []TreeEstimate{{Total: some, Running: true}, {Total: none, Guarantee: guarantee}}, true, 1, -1},
		{"no guarantee", []TreeEstimate{{Total: some, Running: true}}, true, -1, -1},
	} {
		for p, want := range map[Profile]int{Current: c.current, Baseline: c.baseline} {
			got, err := ChooseSingleTree(c.trees, resource.Vector{resource.CPU: 10}, c.guarantees, p)
			if got != want || (err != nil) != (want < 0) {
				t.Errorf("%s, %v: tree %d, %v, want %d", c.name, p, got, err, want)
			}
		}
	}
}
