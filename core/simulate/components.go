package simulate

import (
	"cmp"
	"reflect"
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
)

// Components returns the trees of a plan in groups that do not affect each other: RunTrees can
// decide each group alone. Two trees are in one group if an operation requests both or a user names
// it in both, if a node serves both over time, or if a pool of one offloads to the other. All trees
// are in one group if the log records different facts about the scheduler and the cluster in them.
// The limit on operations of the cluster may couple groups in addition: see Crowded.
func Components(p *Plan) [][]int {
	c := coupling{plan: p, with: make([]int, len(p.Trees))}
	for i := range c.with {
		c.with[i] = i
	}
	for i := range p.Operations {
		for _, r := range p.Operations[i].Requests {
			c.couple(p.Operations[i].home(), r.Tree)
		}
	}
	served := make([]int, len(p.Phases)) // by node: the first tree, counted from 1
	for tree := range p.Trees {
		if !reflect.DeepEqual(clusterFacts(&p.Trees[tree]), clusterFacts(&p.Trees[0])) {
			c.couple(0, tree)
		}
		for i := range p.Trees[tree].Facts {
			switch f := &p.Trees[tree].Facts[i]; f.Kind {
			case core.NodeChanged:
				if first := &served[f.Node]; *first == 0 {
					*first = tree + 1
				} else {
					c.couple(*first-1, tree)
				}
			case core.OperationChanged:
				c.couple(p.Operations[f.Operation].home(), tree)
			case core.PoolConfigured:
				c.offload(tree, f.Config.Offloading)
			case core.TreeConfigured:
				for k := range f.Tree.Presets {
					c.offload(tree, f.Tree.Presets[k].Config.Offloading)
				}
			}
		}
	}
	return c.components()
}

// home returns the tree whose group decides an operation: the first that it requests or, without a
// request, the first of the plan.
func (o *Operation) home() int {
	if len(o.Requests) == 0 {
		return 0
	}
	return o.Requests[0].Tree
}

// clusterFacts returns the facts that concern all trees.
func clusterFacts(t *Tree) (facts []core.Event) {
	for i := range t.Facts {
		if k := t.Facts[i].Kind; k == core.ProcessChanged || k == core.ClusterConfigured {
			facts = append(facts, t.Facts[i])
			facts[len(facts)-1].Seq = 0
		}
	}
	return facts
}

// A coupling is a union-find structure over trees: each points to an earlier one of its group, the
// first to itself.
type coupling struct {
	plan *Plan
	with []int
}

func (c *coupling) first(tree int) int {
	for c.with[tree] != tree {
		tree = c.with[tree]
	}
	return tree
}

func (c *coupling) couple(a, b int) {
	a, b = c.first(a), c.first(b)
	c.with[max(a, b)] = min(a, b)
}

func (c *coupling) offload(tree int, to []pooltree.Offload) {
	for _, o := range to {
		if other := slices.IndexFunc(c.plan.Trees, func(t Tree) bool { return t.Name == o.Tree }); other >= 0 {
			c.couple(tree, other)
		}
	}
}

// components returns the groups in the order of their first trees.
func (c *coupling) components() (all [][]int) {
	place := make([]int, len(c.with))
	for tree := range c.with {
		first := c.first(tree)
		if first == tree {
			place[tree] = len(all)
			all = append(all, nil)
		}
		all[place[first]] = append(all[place[first]], tree)
	}
	return all
}

// A Crowd lists when operations were submitted, admitted and ended.
type Crowd []passage

// A passage is a change of the numbers of submitted and live operations.
type passage struct {
	at              core.Time
	submitted, live int64
}

// AddOperations adds operations that are submitted at a time, and those that are live from then on.
func (c *Crowd) AddOperations(at core.Time, submitted, live int64) {
	*c = append(*c, passage{at, submitted, live})
}

// Crowded reports whether the operations of several components may at some time exceed the limit of
// the cluster. Then no component can be decided alone. Within one instant it counts all arrivals
// before departures.
func Crowded(p *Plan, crowds ...Crowd) bool {
	most := p.MaxOperations
	for i := range p.Trees {
		for k := range p.Trees[i].Facts {
			if f := &p.Trees[i].Facts[k]; f.Kind == core.ClusterConfigured {
				if v := f.Cluster.MaxOperationCount.Value; v > 0 && (most == 0 || v < most) {
					most = v
				}
			}
		}
	}
	if most == 0 {
		return false
	}
	all := slices.Concat(crowds...)
	slices.SortStableFunc(all, func(a, b passage) int { return cmp.Compare(a.at, b.at) })
	live := int64(0)
	for len(all) > 0 {
		now := passage{at: all[0].at}
		for ; len(all) > 0 && all[0].at == now.at; all = all[1:] {
			now.submitted, now.live = now.submitted+all[0].submitted, now.live+all[0].live
		}
		if live+now.submitted > most {
			return true
		}
		live += now.live
	}
	return false
}
