package pooltree

// KeepTrees says in which of its trees an operation starts, given why each refuses
// it, nil where it does not. A tentative tree whose limits it violates is left out
// silently, and a regular one if the operation says so
// (erase_trees_with_pool_limit_violations); otherwise, and if no tree is left, the
// error is a *Refusal (core/spec/scheduling.md §5.3).
func KeepTrees(refused []*Refusal, tentative []bool, erase bool) (kept []bool, err error) {
	kept = make([]bool, len(refused))
	left := 0
	for i, r := range refused {
		switch {
		case r == nil:
			kept[i] = true
			left++
		case r.Code() != CodeTooManyOperations || !tentative[i] && !erase:
			return nil, r
		}
	}
	if left == 0 {
		return nil, &Refusal{Reason: AllTreesErased}
	}
	return kept, nil
}
