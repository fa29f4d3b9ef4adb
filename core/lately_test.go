package core_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// TestUsedSince compares the least and the most that was used lately with what a diary of
// every instant says.
func TestUsedSince(t *testing.T) {
	const lag = 3 * core.Second
	type page struct {
		at, until core.Time
		usage     map[core.OperationID]resource.Vector
		root      resource.Vector
	}
	rapid.Check(t, func(t *rapid.T) {
		h := &history{T: t}
		tree := core.New(&historyDims, core.Baseline)
		tree.KeepChanges(lag)
		var diary []page
		for now := core.Time(0); len(h.events) < 100; {
			e := h.next()
			if e.Time > now {
				diary = append(diary, page{at: now, until: e.Time, usage: usages(tree), root: tree.UsageOf(fairshare.Root)})
				pass(t, tree, now, e.Time)
			}
			now = e.Time
			tree.Step(e)
			check := func(what string, e fairshare.Element, usage resource.Vector, of func(*page) resource.Vector) {
				least, most := usage, usage
				for i := range diary {
					if p := &diary[i]; p.until >= now-lag {
						least, most = least.Min(of(p)), most.Max(of(p))
					}
				}
				if low, high := tree.UsageSince(e, now-lag); low != least || high != most {
					t.Fatalf("at %d %s used from %v to %v lately, the diary says from %v to %v", now, what, low, high, least, most)
				}
			}
			check("the tree", fairshare.Root, tree.UsageOf(fairshare.Root), func(p *page) resource.Vector { return p.root })
			for slot := range tree.Operations() {
				if o := tree.Operation(int32(slot)); o.Alive && o.Enabled() {
					check(fmt.Sprint("operation ", o.ID), o.Element, o.Usage, func(p *page) resource.Vector { return p.usage[o.ID] })
				}
			}
		}
	})
}

func usages(tree *core.Tree) map[core.OperationID]resource.Vector {
	u := map[core.OperationID]resource.Vector{}
	for slot := range tree.Operations() {
		if o := tree.Operation(int32(slot)); o.Alive {
			u[o.ID] = o.Usage
		}
	}
	return u
}
