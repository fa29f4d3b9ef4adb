package scheduling

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// only lets one operation have the smallest job that it waits for, and no other any.
type only struct {
	t *Tree
	e Element
}

func (o only) Offer(e Element, _ Node, _ resource.Vector) Answer {
	if e != o.e {
		return Answer{Refusal: NothingPending}
	}
	return Answer{Resources: o.t.elements[e].operation.least}
}

var allMeasured = [resource.Kinds]bool{true, true, true, true, true}

// served lists who could be served on a node.
func (b *busy) served(n Node, operations []Element, measured [resource.Kinds]bool) map[Element]bool {
	who := map[Element]bool{}
	b.tree.CouldServe(Heartbeat{Node: n, Now: b.now}, operations, measured, func(i int) { who[operations[i]] = true })
	return who
}

// TestCouldServe: an operation could be served where a heartbeat starts a job of it if
// all other controllers decline, and nowhere else; and asking leaves no trace.
func TestCouldServe(t *testing.T) {
	for _, scope := range []Scope{OperationAndAncestors, OperationOnly} {
		c := newMixed(t, scope)
		var starving []Element
		for _, e := range c.operations {
			if c.tree.Priority(e, NoNode) != NoPriority {
				starving = append(starving, e)
			}
		}
		yes, no := map[Priority]int{}, map[Obstacle]int{}
		for _, n := range c.nodes {
			before := fmt.Sprint(c.tree.Describe(starving[0]), c.tree.NodeUsage(n))
			who := c.served(n, starving, allMeasured)
			if again := c.served(n, starving, allMeasured); !maps.Equal(who, again) || fmt.Sprint(c.tree.Describe(starving[0]), c.tree.NodeUsage(n)) != before {
				t.Fatalf("asked about node %d once more, the answer is another", n)
			}
			for _, e := range starving {
				h := Heartbeat{Node: n, Now: c.now, Explain: true}
				out := c.tree.Ask(h, only{c.tree, e})
				starts := slices.ContainsFunc(out.Started, func(s Start) bool { return s.Operation == e })
				if starts != who[e] {
					t.Fatalf("node %d, operation %d: could be served is %v, and a heartbeat says %+v", n, e, who[e], out.Considered)
				}
				if starts {
					yes[c.tree.Priority(e, n)]++
				}
				for _, x := range out.Considered {
					if x.Operation == e && !starts {
						no[x.Result]++
					}
				}
			}
		}
		if len(yes) != 4 {
			t.Errorf("served by priority: %v", yes)
		}
		for _, d := range []Obstacle{RegularJobOnSSDForbidden, UnmatchedTag, NothingFits, LimitsExceeded, NoDemand} {
			if no[d] == 0 {
				t.Errorf("nobody was refused for %v: %v", d, no)
			}
		}
	}
}

// newMixed is a busy cluster with nodes and jobs of several kinds, limits, filters and
// pools of which less may be taken, some of whose operations starve aggressively.
func newMixed(t *testing.T, scope Scope) *busy {
	c := newBusy(t, 25, 120, 60)
	random := rand.New(rand.NewPCG(4, uint64(scope)))
	o := *c.tree.Options()
	o.Scope, o.AggressiveStarvationTimeout, o.SatisfactionThreshold = scope, 60*second, 0.9
	c.tree.SetOptions(o)
	for e := range c.tree.elements {
		n := &c.tree.elements[e]
		if n.pool != nil && Element(e) != Root {
			p := pooltree.PoolConfig{EnableAggressiveStarvation: pooltree.Some(random.IntN(3) == 0), AllowRegularJobsOnSSD: pooltree.Some(random.IntN(4) != 0)}
			if random.IntN(5) == 0 {
				p.ResourceLimits = resource.Partial{Amounts: n.usage, Set: [resource.Kinds]bool{true, true}}
			}
			if random.IntN(5) == 0 { // less than it specifies
				p.ResourceLimits = resource.Partial{Amounts: n.usage.Times(2), Set: [resource.Kinds]bool{true, true}}
				ratio := n.usage.ShareOf(c.tree.total).Dominant()
				c.shares.SetPool(Element(e), fairshare.Pool{Settings: fairshare.Settings{MaxShareRatio: fairshare.Some(ratio)}})
			}
			if random.IntN(5) == 0 {
				p.AllowNormalPreemption = pooltree.Some(false)
			}
			c.tree.SetPool(Element(e), &p)
		}
	}
	for i, e := range c.operations {
		c.tree.SetOperation(e, Operation{RequestsSSD: i%3 == 0, Graceful: i%11 == 0})
		need := unitJob.Times(float64(1 + i%6))
		if i%8 == 0 {
			need[resource.Memory] = 11 * gib // more than it demands
		}
		c.tree.SetNeeds(e, Needs{Smallest: []resource.Vector{need}})
	}
	for _, n := range c.nodes {
		s := c.tree.nodes[n].NodeSettings
		s.SSD = n%4 == 0
		c.tree.SetNode(n, s)
	}
	c.tree.SetAdmission(func(e Element, n Node) bool { return (int(e)+int(n))%7 != 0 })
	for range 2 {
		c.update(t)
		c.now += 70 * second
	}
	c.update(t)
	return c
}

// TestCouldServeNotByItself: what an operation would have to give up itself makes no room
// for it, and resources that are not measured do not count.
func TestCouldServeNotByItself(t *testing.T) {
	b := &busy{shares: fairshare.New(fairshare.Options{MainResource: resource.CPU})}
	o := DefaultOptions(Documented)
	o.Root.AggressiveStarvation, o.CheckStarvation, o.CheckSatisfaction = true, false, false
	b.tree = New(b.shares, o)
	limits := unitJob.Times(10)
	for range 2 {
		b.nodes = append(b.nodes, b.tree.AddNode(NodeSettings{Limits: limits}))
		b.operations = append(b.operations, b.shares.AddOperation(Root, fairshare.Operation{}))
		b.tree.AddOperation(b.operations[len(b.operations)-1], Root, Operation{})
	}
	b.shares.SetTotal(limits.Times(2))
	rich, poor := b.operations[0], b.operations[1]
	for i := range 20 {
		e := rich
		if i >= 13 { // of the second node's jobs three are beyond the share of the rich, and two are those that the poor may lose
			e = poor
		}
		b.tree.AddJob(e, b.nodes[i/10], unitJob, unitJob, int64(i), false)
	}
	for _, c := range []struct {
		need     resource.Vector
		measured [resource.Kinds]bool
		want     bool
	}{
		{unitJob.Times(3), allMeasured, true},
		{unitJob.Times(4), allMeasured, false},
		{resource.Vector{1, 100, 0, 9 * gib, 0}, allMeasured, false},
		{resource.Vector{1, 100, 0, 9 * gib, 0}, [resource.Kinds]bool{resource.UserSlots: true, resource.CPU: true}, true},
		{resource.Vector{}, allMeasured, false}, // nobody knows it
	} {
		b.tree.SetNeeds(poor, Needs{Smallest: []resource.Vector{c.need}})
		for range 3 {
			b.now += 130 * second
			b.update(t)
		}
		if p := b.tree.Priority(poor, NoNode); p != Aggressive {
			t.Fatalf("the priority is %v", p)
		}
		if got := b.served(b.nodes[1], []Element{poor}, c.measured)[poor]; got != c.want {
			t.Errorf("a job of %v in what is measured, %v: %v", c.need, c.measured, got)
		}
	}
}
