package simulate

import (
	"cmp"
	"reflect"
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
)

// Components are the trees of a plan, apart where they have nothing to do with each other: each
// can be decided alone by RunTrees. Trees belong together that an operation asks for or that people
// name it in, that a node serves at one time or another, of which a pool of one offloads to the
// other. All do if the log does not record the same of the scheduler and the cluster in each.
// What may couple them beside is the number of operations that the cluster takes: see Crowded.
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

// home is the tree with which an operation is decided: the first that it asks for. One that asks
// for none goes with the first of all.
func (o *Operation) home() int {
	if len(o.Requests) == 0 {
		return 0
	}
	return o.Requests[0].Tree
}

// clusterFacts are those that befall all trees.
func clusterFacts(t *Tree) (facts []core.Event) {
	for i := range t.Facts {
		if k := t.Facts[i].Kind; k == core.ProcessChanged || k == core.ClusterConfigured {
			facts = append(facts, t.Facts[i])
			facts[len(facts)-1].Seq = 0
		}
	}
	return facts
}

// A coupling says which trees belong together: each points to one of them, the first to itself.
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

// components are in the order of their first trees.
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

// A Crowd is when operations were submitted, admitted and gone.
type Crowd []passage

// A passage is what an operation does.
type passage struct {
	at              core.Time
	submitted, live int64
}

// Note adds operations that are submitted at a time, and that are live from then on.
func (c *Crowd) Note(at core.Time, submitted, live int64) {
	*c = append(*c, passage{at, submitted, live})
}

// Crowded reports whether the operations of several components may be so many at some time that
// the cluster refuses one for it. Then no component can be decided alone. Of those that come and go
// in one instant it counts all that come.
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
