package core_test

import (
	"testing"

	"pgregory.net/rapid"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// TestMostUsed compares the most that was used lately with what a diary of every instant
// says.
func TestMostUsed(t *testing.T) {
	const lag = 3 * core.Second
	type page struct {
		at, until core.Time
		usage     map[core.OperationID]resource.Vector
		root      resource.Vector
	}
	rapid.Check(t, func(t *rapid.T) {
		h := &history{T: t}
		tree := core.New(&historyDims, core.Baseline)
		tree.RememberUsage(lag)
		var diary []page
		for now := core.Time(0); len(h.events) < 100; {
			e := h.next()
			if e.Time > now {
				diary = append(diary, page{at: now, until: e.Time, usage: usages(tree), root: tree.Uses(fairshare.Root)})
				pass(t, tree, now, e.Time)
			}
			now = e.Time
			tree.Step(e)
			most := func(usage resource.Vector, of func(*page) resource.Vector) resource.Vector {
				for i := range diary {
					if p := &diary[i]; p.until >= now-lag {
						usage = usage.Max(of(p))
					}
				}
				return usage
			}
			want := most(tree.Uses(fairshare.Root), func(p *page) resource.Vector { return p.root })
			if got := tree.MostUsed(fairshare.Root, now-lag); got != want {
				t.Fatalf("at %d the tree used %v at most lately, the diary says %v", now, got, want)
			}
			for slot := range tree.Operations() {
				o := tree.Operation(int32(slot))
				if !o.Alive || !o.Enabled() {
					continue
				}
				want := most(o.Usage, func(p *page) resource.Vector { return p.usage[o.ID] })
				if got := tree.MostUsed(o.Element, now-lag); got != want {
					t.Fatalf("at %d operation %d used %v at most lately, the diary says %v", now, o.ID, got, want)
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
