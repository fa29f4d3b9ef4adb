package pooltree

// An Entry asks for one tree of an operation that starts in several.
type Entry struct {
	Tree      *Tree
	Pool      string // requested in this tree, "" for none
	Tentative bool
}

// An Admission is how an operation started in several trees, by entry.
type Admission struct {
	Operations []Operation // NoOperation in a tree that was erased
	Erased     []bool      // regular trees whose limits were violated: erased_trees
}

// CheckCluster refuses an operation where the cluster holds as many as it may
// (core/spec/scheduling.md §5.2).
func CheckCluster(live int64, limit Optional[int64]) *Refusal {
	if most := limit.Or(DefaultMaxClusterOperations); live >= most {
		return &Refusal{Reason: TooManyOperations, Limit: most}
	}
	return nil
}

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

// StartInTrees starts an operation in all its trees, or in none, as KeepTrees says.
// Each tree is on its own: the operation may run in one and wait in another
// (core/spec/scheduling.md §2.4, §5.3).
func StartInTrees(entries []Entry, user string, vanilla, erase bool) (Admission, error) {
	places := make([]Placement, len(entries))
	refused, tentative := make([]*Refusal, len(entries)), make([]bool, len(entries))
	for i, e := range entries {
		at, err := e.Tree.Place(user, e.Pool)
		if err != nil {
			return Admission{}, err
		}
		places[i], refused[i], tentative[i] = at, e.Tree.CheckStart(at, user), e.Tentative
	}
	kept, err := KeepTrees(refused, tentative, erase)
	if err != nil {
		return Admission{}, err
	}
	a := Admission{Operations: make([]Operation, len(entries)), Erased: make([]bool, len(entries))}
	for i, e := range entries {
		if kept[i] {
			a.Operations[i] = e.Tree.Register(places[i], Request{user, e.Pool, vanilla})
		} else {
			a.Operations[i], a.Erased[i] = NoOperation, !e.Tentative
		}
	}
	return a, nil
}
