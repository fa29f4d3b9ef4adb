package fairshare

import "poolproof/core/resource"

// makeLists finds the pools that play a part of their own: depth-first, a
// parent before its children, in child order (§4). It is needed only after
// pools came, went or were configured.
func (t *Tree) makeLists() {
	if !t.listsStale {
		return
	}
	t.burst, t.relaxed, t.historic = t.burst[:0], t.relaxed[:0], t.historic[:0]
	t.hosts = t.hosts[:0]
	t.promising, t.nestedPromising = t.promising[:0], t.nestedPromising[:0]
	for _, e := range t.integralPath {
		if t.nodes[e].pool != nil {
			t.setProposed(e, resource.Share{})
		}
	}
	t.integralPath = t.integralPath[:0]
	t.nested = false
	t.list(Root, false, false)
	t.withoutDonor, t.hasPriority = t.withoutDonor[:0], false
	t.listPriority(Root, false)
}

// list adds e and all below to the lists and reports whether an integral pool is among them.
// Inside says that an integral pool lies above, computed that a pool above computes promised
// guarantee shares.
func (t *Tree) list(e Element, inside, computed bool) bool {
	p := t.nodes[e].pool
	p.overflow, p.acceptable = resource.Volume{}, resource.Volume{}
	p.accepted, p.childrenOverflow = resource.Volume{}, resource.Volume{}
	p.nextVolume, p.nextLast, p.capacity = p.volume, p.last, resource.Volume{}
	t.touch(e)
	config := &p.config
	nested := config.ComputePromisedGuarantee && computed
	if config.ComputePromisedGuarantee && !computed {
		t.promising = append(t.promising, e)
		computed = true
	}
	if !computed {
		t.clearPromise(e)
	}
	if config.InferWeightsFromHistory || config.HistoryAlpha.Set {
		t.historic = append(t.historic, e)
	}
	integral := e != Root && config.Integral.Type != NoGuarantee
	switch {
	case integral && config.Integral.Type == Burst:
		t.burst = append(t.burst, e)
	case integral:
		p.burst = 0
		t.relaxed = append(t.relaxed, e)
	default:
		p.burst = 0
	}
	t.nested = t.nested || integral && inside
	found := integral
	for _, c := range t.nodes[e].pool.pools {
		if t.list(c, inside || integral, computed) {
			found = true
		}
	}
	if nested {
		t.nestedPromising = append(t.nestedPromising, e) // children first
	}
	if found || e == Root {
		t.integralPath = append(t.integralPath, e)
	}
	if found && !integral && !inside {
		t.hosts = append(t.hosts, e) // post-order: children first
	}
	return found
}

// clearPromise takes back what e, outside the pools that compute promised
// guarantee shares, and its operations were promised by earlier updates.
func (t *Tree) clearPromise(e Element) {
	promised := t.given[guaranteeShares]
	promised[e] = distribution{}
	for _, c := range t.nodes[e].children { // a pool may be promised something by itself from now on
		if n := &t.nodes[c]; n.pool == nil && n.promising && promised[c] != (distribution{}) {
			promised[c] = distribution{}
			t.touchShare(c)
		}
	}
}
