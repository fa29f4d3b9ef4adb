package fairshare

// flags say what of an element the next update has to compute anew.
type flags uint16

const (
	changedSettings  flags = 1 << iota // its own limits
	changedAmounts                     // its usage or demand
	changedRatios                      // its burst and flow ratios, or those of pools below
	changedGuarantee                   // the guarantees, weights and promises of its children
	changedOrder                       // the FIFO order of its children
	changedFunction                    // F: the plots or the weights of its children
	changedPlot                        // S: its amounts, guarantee or limits

	unchecked   // its configuration may be one to refuse
	below       // some element below has a flag, or this one
	rebuilt     // S of this element, or of one below, is not that of the last update
	listed      // it is in Tree.touched: its result may have changed
	whole       // ... in other fields than the fair shares, too
	unsatisfied // its satisfaction, or that of some below, is to be computed
	published   // its fair shares changed

	allFlags = changedSettings | changedAmounts | changedRatios | changedGuarantee | changedOrder |
		changedFunction | changedPlot | below
)

// mark sets flags of e, and marks all above as having flags below.
func (t *Tree) mark(e Element, f flags) {
	t.flags[e] |= f | below
	for p := t.nodes[e].parent; p != none && t.flags[p]&below == 0; p = t.nodes[p].parent {
		t.flags[p] |= below
	}
}

// markAbove marks what the settings of e, or its coming and going, change in
// its parent.
func (t *Tree) markAbove(e Element) {
	if p := t.nodes[e].parent; p != none {
		t.mark(p, changedGuarantee|changedOrder|changedFunction)
		if t.nodes[e].pool == nil {
			return
		}
		for ; p != none; p = t.nodes[p].parent {
			t.flags[p] |= changedRatios
		}
	}
}

// touch notes that the result of e may change.
func (t *Tree) touch(e Element) {
	t.touchShare(e)
	t.flags[e] |= whole
}

// touchShare notes that the fair share of e, but nothing else, may change.
func (t *Tree) touchShare(e Element) {
	if t.flags[e]&listed == 0 {
		t.flags[e] |= listed
		t.touched = append(t.touched, e)
	}
}

// markAll marks e and everything below.
func (t *Tree) markAll(e Element) {
	t.flags[e] |= allFlags
	t.touch(e)
	for _, c := range t.nodes[e].children {
		t.markAll(c)
	}
}

// unmark clears the flags of e and of all below, once an update is done.
func (t *Tree) unmark(e Element) {
	if t.flags[e]&below != 0 {
		for _, c := range t.nodes[e].children {
			t.unmark(c)
		}
	}
	t.clear(e)
}

// clear clears the flags of e. What was not found good is looked at again.
func (t *Tree) clear(e Element) {
	if t.refused == nil {
		t.flags[e] = 0
	} else {
		t.flags[e] &= unchecked
	}
}
