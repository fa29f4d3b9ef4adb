package fairshare

import "poolproof/core/resource"

// NoUpdate is the time of the previous update if there was none; zero is a valid time.
const NoUpdate int64 = -1 << 62

// Update computes the shares of all elements at the instant now, in microseconds. previous is the
// instant of the update before, or NoUpdate if there was none since the scheduler became active:
// nothing accrues then.
//
// An input without computable shares is refused by a *RefusedError; results, and what updates
// carry forward, stay those of the last good update.
func (t *Tree) Update(now, previous int64) error {
	t.serial++
	t.now, t.previous, t.refused = now, previous, nil
	t.touched, t.changed = t.touched[:0], t.changed[:0]
	errors := t.errors
	t.compute()
	if t.refused == nil {
		t.publish()
	}
	t.setMargin()
	t.unmark(Root)
	for _, e := range t.touched {
		t.clear(e)
	}
	t.stale, t.listsStale = t.nested || t.refused != nil, t.refused != nil
	if t.refused != nil {
		t.errors = errors
		return t.refused
	}
	return nil
}

// compute is the pipeline of §4.
func (t *Tree) compute() {
	t.makeLists()
	t.chooseSteps()
	if t.stale || t.nested {
		t.setKinds()
		t.markAll(Root)
	}
	t.inputs(Root, false)
	t.setHistory()
	t.setRoot()
	t.effectiveGuarantees(Root)
	t.ratios(Root)
	t.sortQueues(Root)
	if t.refused != nil {
		return
	}
	t.volumes()
	t.rootGuarantee()
	t.adjustGuarantees(Root)
	t.plan(Root, 1, 1)
	t.integralShares()
	t.build(Root)
	if t.refused != nil {
		return
	}
	t.distribute(Root, mainShares, 1)
	t.promiseGuarantees()
}

// setKinds finds the resources that the tree has. Plots leave out the others.
func (t *Tree) setKinds() {
	t.kinds, t.unit = t.kinds[:0], t.total.ShareOf(t.total)
	for k, amount := range t.total {
		if amount > 0 {
			t.kinds = append(t.kinds, resource.Kind(k))
		}
	}
}

// setRoot gives the root all there is.
func (t *Tree) setRoot() {
	root := &t.nodes[Root]
	if root.effective == t.total {
		return
	}
	root.effective = t.total
	t.setPromises(Root, t.total.ShareOf(t.total), root.estimated)
}
