package core

import (
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// Admission is the state of pools and operations that the tree follows.
func (t *Tree) Admission() *pooltree.Tree { return t.admission }

// Registered is an operation's number in the admission, NoOperation once it is over.
func (o *Operation) Registered() pooltree.Operation { return o.registered }

// Children returns how many existing pools the pool counts below it.
func (p *Pool) Children() int { return p.children }

// Waiting returns the slots of the operations that wait in a FIFO pool, in its order.
func (p *Pool) Waiting() []int32 { return p.waiting }

// Exists reports whether a pool has a place among the shares.
func (p *Pool) Exists() bool { return p.exists }

// HandOnAll hands on all that the shares and the scheduling rest on, as if
// everything had changed.
func (t *Tree) HandOnAll() {
	t.shares.SetOptions(t.shareOptions())
	t.scheduling.SetOptions(scheduling.OptionsOf(t.profile, &t.config, &t.cluster))
	for slot := range t.nodes {
		t.setNode(int32(slot))
	}
	for slot := range t.pools {
		if p := &t.pools[slot]; slot > 0 && p.exists {
			t.refilter(&p.filter, p.Config.TagFilter)
			t.shares.SetPool(p.Element, t.sharePool(p))
			t.scheduling.SetPool(p.Element, p.Config)
		}
	}
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && o.enabled {
			t.refilter(&o.filter, o.tagFilter())
			t.pushOperation(int32(slot))
			t.shares.SetUsage(o.Element, o.Usage)
			t.shares.SetDemand(o.Element, o.Demand())
		}
	}
}

// BestAllocation returns the share of the tree that the jobs of an operation could
// fill, as far as the nodes' memory goes, and when that was worked out; all there is
// for one that takes part in no update yet.
func (t *Tree) BestAllocation(operation int32) (share resource.Share, at Time) {
	o := &t.operations[operation]
	if !o.enabled || o.best.at == Never {
		return t.total.ShareOf(t.total), Never
	}
	return o.best.share, o.best.at
}
