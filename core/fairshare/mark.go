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

	below   // some element below has a flag
	rebuilt // S of this element, or of one below, is not that of the last update
	touched // its result may have changed
	listed  // it is in Tree.touched

	allFlags = changedSettings | changedAmounts | changedRatios | changedGuarantee | changedOrder |
		changedFunction | changedPlot | below | touched
)

// mark sets flags of e, and tells all above that something below has some.
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
		if t.nodes[e].pool != nil {
			t.mark(p, changedRatios)
		}
	}
}

// touch notes that the result of e may change.
func (t *Tree) touch(e Element) {
	if t.flags[e]&listed == 0 {
		t.flags[e] |= listed
		t.touched = append(t.touched, e)
	}
}

// markAll marks everything.
func (t *Tree) markAll(e Element) {
	t.flags[e] = allFlags
	t.touch(e)
	for _, c := range t.nodes[e].children {
		t.markAll(c)
	}
}
