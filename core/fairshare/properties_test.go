package fairshare

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"poolproof/core/resource"
)

// checkWorlds checks a property of generated trees. Rapid draws the seed only:
// shrinking would lead to equal numbers, and with them to ties (§8.2).
func checkWorlds(t *testing.T, check func(t *rapid.T, w *world)) {
	rapid.Check(t, func(t *rapid.T) {
		w := newTameWorld(seededChooser(rapid.Uint64().Draw(t, "seed")))
		w.grow(1+w.chooser(8), 1+w.chooser(25))
		check(t, w)
	})
}

// update updates a tree that must not be refused.
func update(t *rapid.T, tree *Tree) {
	if err := tree.Update(1_700_000_000_000_000, NoUpdate); err != nil {
		t.Fatal(err)
	}
}

// alive calls do with every element of a tree.
func alive(tree *Tree, do func(e Element, r *Result)) {
	var visit func(Element)
	visit = func(e Element) {
		do(e, tree.Result(e))
		for _, c := range tree.nodes[e].children {
			visit(c)
		}
	}
	visit(Root)
}

const slack = 1e-8

func TestShareStaysWithinDemandAndLimits(t *testing.T) {
	checkWorlds(t, func(t *rapid.T, w *world) {
		update(t, w.trees[0])
		alive(w.trees[0], func(e Element, r *Result) {
			if !r.FairShare.Total.FitsIn(r.DemandShare.Min(r.LimitsShare).Plus(slack)) {
				t.Errorf("element %d: share %v, demand %v, limits %v", e, r.FairShare.Total, r.DemandShare, r.LimitsShare)
			}
			if r.FairShare.Total.Least() < 0 {
				t.Errorf("element %d: share %v", e, r.FairShare.Total)
			}
		})
	})
}

func TestChildrenSumToTheParent(t *testing.T) {
	checkWorlds(t, func(t *rapid.T, w *world) {
		tree := w.trees[0]
		update(t, tree)
		alive(tree, func(e Element, r *Result) {
			var sum resource.Share
			for _, c := range tree.nodes[e].children {
				sum = sum.Add(tree.Result(c).FairShare.Total)
			}
			if tree.nodes[e].pool != nil && !alike("", plain(sum), plain(r.FairShare.Total), slack) {
				t.Errorf("element %d: share %v, children %v", e, r.FairShare.Total, sum)
			}
			parts := r.FairShare.Strong.Add(r.FairShare.Integral).Add(r.FairShare.Weight)
			if !alike("", plain(parts), plain(r.FairShare.Total), 1e-15) {
				t.Errorf("element %d: share %v, its parts %v", e, r.FairShare.Total, parts)
			}
		})
		if total := tree.Result(Root).FairShare.Total; total.Dominant() > 1+slack {
			t.Errorf("the tree gives %v", total)
		}
	})
}

// TestGuaranteesAreMet looks at trees of one resource, where a guarantee is
// met or demand is. With several, growth inside a guarantee stops at the first
// component that is exhausted (§12).
func TestGuaranteesAreMet(t *testing.T) {
	checkWorlds(t, func(t *rapid.T, w *world) {
		tree := w.trees[0]
		total := w.size()
		tree.SetTotal(resource.Vector{resource.CPU: total[resource.CPU]})
		for _, p := range w.pools { // limits below would bound what is demanded
			config := tree.nodes[p].pool.config
			config.Settings = Settings{StrongGuarantee: config.StrongGuarantee}
			tree.SetPool(p, config)
		}
		for _, o := range w.operations {
			tree.SetOperation(o, Operation{})
		}
		update(t, tree)
		alive(tree, func(e Element, r *Result) {
			owed := min(r.StrongShare[resource.CPU], r.DemandShare[resource.CPU])
			if got := r.FairShare.Total[resource.CPU]; got < owed-slack {
				t.Errorf("element %d: share %v, owed %v", e, got, owed)
			}
		})
	})
}

// unscaled reports whether all guarantees of a tree are in full: only then do
// idle siblings and the order of children not show.
func unscaled(tree *Tree) bool {
	ok := len(tree.Errors()) == 0
	alive(tree, func(e Element, r *Result) {
		if e != Root && r.StrongShare != tree.unscaledGuarantee(e) {
			ok = false
		}
	})
	return ok
}

// sameTotals compares the fair shares of the elements of two trees, for which
// there is a handle in the second.
func sameTotals(t *rapid.T, a, b *Tree, handles map[Element]Element, tolerance float64) {
	alive(a, func(e Element, r *Result) {
		h, ok := handles[e]
		if !ok {
			return
		}
		for k, share := range r.FairShare.Total {
			if math.Abs(share-b.Result(h).FairShare.Total[k]) > tolerance {
				t.Errorf("element %d: share %v, now %v", e, r.FairShare.Total, b.Result(h).FairShare.Total)
				return
			}
		}
	})
}

func TestMoreWeightNeverLowersTheShare(t *testing.T) {
	checkWorlds(t, func(t *rapid.T, w *world) {
		tree := w.trees[0]
		update(t, tree)
		if !unscaled(tree) || len(w.pools) < 2 {
			return
		}
		e := w.pools[1+w.chooser(len(w.pools)-1)]
		before := tree.Result(e).FairShare.Total
		config := tree.nodes[e].pool.config
		config.Weight = Some(tree.Result(e).Weight * (1 + float64(w.chooser(1000))/100))
		tree.SetPool(e, config)
		update(t, tree)
		if after := tree.Result(e).FairShare.Total; !before.FitsIn(after.Plus(slack)) {
			t.Errorf("element %d: share %v, with more weight %v", e, before, after)
		}
	})
}

func TestRemovingAnIdlePoolChangesNobody(t *testing.T) {
	checkWorlds(t, func(t *rapid.T, w *world) {
		tree := w.trees[0]
		update(t, tree)
		if !unscaled(tree) {
			return
		}
		other, handles := clone(tree)
		for _, p := range w.pools[1:] {
			if tree.Result(p).Demand.IsZero() {
				other.Remove(handles[p])
				update(t, other)
				delete(handles, p)
				sameTotals(t, tree, other, handles, slack)
				return
			}
		}
	})
}

func TestOrderOfSiblingsDoesNotMatter(t *testing.T) {
	checkWorlds(t, func(t *rapid.T, w *world) {
		tree := w.trees[0]
		update(t, tree)
		if !unscaled(tree) {
			return
		}
		other, handles := clone(tree)
		alive(tree, func(e Element, _ *Result) {
			children := other.nodes[handles[e]].children
			w.shuffle(children)
			if p := other.nodes[handles[e]].pool; p != nil {
				p.pools = p.pools[:0]
				for _, c := range children {
					if other.nodes[c].pool != nil {
						p.pools = append(p.pools, c)
					}
				}
			}
		})
		update(t, other)
		sameTotals(t, tree, other, handles, slack)
	})
}

func (w *world) shuffle(list []Element) {
	for i := range list {
		j := i + w.chooser(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
}

func TestScaleDoesNotMatter(t *testing.T) {
	checkWorlds(t, func(t *rapid.T, w *world) {
		tree := w.trees[0]
		update(t, tree)
		other, handles := clone(tree)
		factor := int64(2 + w.chooser(50))
		scale := func(v *resource.Vector) {
			for k := range v {
				v[k] *= factor
			}
		}
		total := tree.Total()
		scale(&total)
		other.SetTotal(total)
		for _, p := range w.pools {
			config := tree.nodes[p].pool.config
			scale(&config.ResourceLimits.Amounts)
			scale(&config.StrongGuarantee.Amounts)
			other.SetPool(handles[p], config)
		}
		for _, o := range w.operations {
			n := &tree.nodes[o]
			config, usage, demand := *n.operation, n.usage, n.demand
			scale(&config.ResourceLimits.Amounts)
			scale(&usage)
			scale(&demand)
			other.SetOperation(handles[o], config)
			other.SetDemand(handles[o], demand)
			other.SetUsage(handles[o], usage)
		}
		update(t, other)
		sameTotals(t, tree, other, handles, 1e-6)
	})
}

// What a scheduler does not store, it does not know once it comes back.
func TestARestartForgetsAllButVolumes(t *testing.T) {
	cores := func(n int64) (p resource.Partial) {
		p.Set[resource.CPU], p.Amounts[resource.CPU] = true, n*resource.CentsPerCore
		return p
	}
	tree := New(Options{MainResource: resource.CPU})
	total := resource.Vector{resource.UserSlots: 100, resource.CPU: 100 * resource.CentsPerCore}
	tree.SetTotal(total)
	pool := tree.AddPool(Root, Pool{Integral: Integral{Type: Burst, ResourceFlow: cores(25), BurstGuarantee: cores(50)}})
	was := tree.AddPool(Root, Pool{Integral: Integral{Type: Burst, ResourceFlow: cores(25), BurstGuarantee: cores(50)}})
	operation := tree.AddOperation(pool, Operation{})
	tree.SetDemand(operation, total)
	second := func(n int64) int64 { return n * 1_000_000 }
	update := func(now, previous int64) *IntegralResult {
		if err := tree.Update(now, previous); err != nil {
			t.Fatal(err)
		}
		return tree.Result(pool).Integral
	}
	update(0, NoUpdate)
	before := *update(second(60), 0)
	if before.LastShareRatio == 0 || before.Volume.IsZero() {
		t.Fatalf("%+v", before)
	}
	tree.SetPool(was, Pool{})
	tree.Restart()
	after := *update(second(90), NoUpdate)
	if after.Volume != before.Volume {
		t.Errorf("the volume was %v and is %v", before.Volume, after.Volume)
	}
	if v := tree.nodes[was].pool.volume; !v.IsZero() {
		t.Errorf("a pool without a guarantee keeps %v", v)
	}
	tree.Restart()
	if last := tree.nodes[pool].pool.last; last != 0 {
		t.Errorf("a scheduler that comes back knows that it granted %v", last)
	}
}

// The direct construction of plots, which large trees have, gives the shares of the
// literal one: of 6000 generated trees of 65 to 500 elements none was farther off
// than 5e-15.
func TestLargeTreesHaveTheLiteralShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(seededChooser(rapid.Uint64().Draw(t, "seed")), 2)
		w.scale = pick(w.chooser, 1, 1000, 1_000_000) // with ties, and without
		w.each(func(t *Tree) { t.SetTotal(w.size()) })
		pools, elements := 1+w.chooser(60), literalElements+1+w.chooser(500-literalElements)
		w.grow(pools, elements-pools-1)
		direct, literal := w.trees[0], w.trees[1]
		direct.literalElements, literal.literalElements = literalElements, math.MaxInt
		update(t, direct)
		update(t, literal)
		alive(direct, func(e Element, r *Result) {
			other := literal.Result(e)
			for part, pair := range map[string][2]resource.Share{
				"fair share":          {r.FairShare.Total, other.FairShare.Total},
				"guaranteed share":    {r.FairShare.Strong, other.FairShare.Strong},
				"integral share":      {r.FairShare.Integral, other.FairShare.Integral},
				"promised fair share": {r.PromisedGuarantee.Total, other.PromisedGuarantee.Total},
			} {
				if a, b := pair[0], pair[1]; !a.FitsIn(b.Plus(1e-12)) || !b.FitsIn(a.Plus(1e-12)) {
					t.Errorf("element %d of %d: %s %v, literally %v", e, elements, part, a, b)
				}
			}
		})
	})
}
