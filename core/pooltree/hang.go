package pooltree

import (
	"poolproof/core/resource"
)

// LimitBelow returns the first resource in which specified limits leave less than the smallest
// job of an operation needs (core/spec/scheduling.md §5.9).
func LimitBelow(limits resource.Partial, needed resource.Vector) (k resource.Kind, small bool) {
	for k, set := range limits.Set {
		if set && needed[k] > limits.Amounts[k] {
			return resource.Kind(k), true
		}
	}
	return 0, false
}
