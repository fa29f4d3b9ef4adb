package scheduling

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// TestAllocations checks that a decision allocates nothing.
func TestAllocations(t *testing.T) {
	c := newBusy(t, 100, 1000, 500)
	statuses := map[Status]int{}
	for _, e := range c.operations {
		statuses[c.tree.elements[e].starvation.Status()]++
	}
	if statuses[Starving] == 0 || statuses[NonStarving] == 0 {
		t.Fatalf("statuses %v", statuses)
	}
	i := 0
	decide := func() {
		h := Heartbeat{Node: c.nodes[i%len(c.nodes)], Now: c.now}
		i++
		c.tree.SetLastPreemptive(h.Node, Never)
		for _, p := range c.tree.Decide(h, c).Preempted {
			c.tree.RemoveJob(p.Job)
		}
	}
	for range 1000 {
		decide()
	}
	if n := testing.AllocsPerRun(1000, decide); n > 0 {
		t.Errorf("a decision allocates %v times", n)
	}
}

// TestKeptChoices runs random heartbeats, ends of jobs and updates on two equal
// clusters, one of which forgets before every decision what it keeps from
// heartbeat to heartbeat. They must decide alike, within the rules.
func TestKeptChoices(t *testing.T) {
	for _, heapSize := range []int{2, 16, 1000} {
		keeps, forgets := newBusy(t, 60, 600, 200), newBusy(t, 60, 600, 200)
		random := rand.New(rand.NewPCG(7, 7))
		for _, c := range []*busy{keeps, forgets} {
			o := *c.tree.Options()
			o.MinChildHeapSize, o.Root.PoolSatisfaction = heapSize, true
			c.tree.SetOptions(o)
			c.update(t)
		}
		for range 5000 {
			n, gone, tick := random.IntN(200), random.IntN(3), random.IntN(500) == 0
			var outcomes [2]string
			for i, c := range []*busy{keeps, forgets} {
				for range gone {
					if jobs := c.tree.nodes[n].jobs; len(jobs) > 0 {
						c.tree.RemoveJob(jobs[0])
					}
				}
				if c.now += second / 10; tick {
					c.update(t)
				}
				if i == 1 {
					c.tree.forgetLists()
				}
				outcomes[i] = c.decide(t, Node(n))
			}
			if outcomes[0] != outcomes[1] {
				t.Fatalf("heaps from %d: %s, but anew %s", heapSize, outcomes[0], outcomes[1])
			}
		}
	}
}

// decide runs a heartbeat and checks that resources are conserved.
func (b *busy) decide(t *testing.T, n Node) string {
	out := b.tree.Decide(Heartbeat{Node: n, Now: b.now}, b)
	s := fmt.Sprint(out.Started, out.Preempted)
	for _, p := range out.Preempted {
		b.tree.RemoveJob(p.Job)
	}
	var sum resource.Vector
	b.tree.NodeJobs(n, func(j Job) { sum = sum.Add(b.tree.Job(j).Usage) })
	if own := &b.tree.nodes[n]; sum != own.usage || !sum.FitsIn(own.Limits) {
		t.Fatalf("node %d uses %v of %v, its jobs %v", n, own.usage, own.Limits, sum)
	}
	return s
}

// TestNewcomerBelowAStarvingPool: an operation that came since the last tick has its
// lowest starving ancestor at the next one (§7.5), though a heartbeat in between went
// through all operations and nothing else changed.
func TestNewcomerBelowAStarvingPool(t *testing.T) {
	for _, asked := range []bool{false, true} {
		c := newBusy(t, 100, 1000, 500)
		pool := None
		for _, e := range c.operations {
			if p := c.tree.elements[e].parent; c.tree.elements[p].starvation.Status() != NonStarving {
				pool = p
				break
			}
		}
		if pool == None {
			t.Fatal("no pool starves")
		}
		e := c.shares.AddOperation(pool, fairshare.Operation{StartTime: 1000, ID: 1000})
		c.tree.AddOperation(e, pool, Operation{})
		c.tree.SetNeeds(e, Needs{Smallest: []resource.Vector{unitJob}})
		if asked {
			c.tree.Ask(Heartbeat{Node: c.nodes[0], Now: c.now}, c)
		}
		c.update(t)
		if len(c.tree.Turned()) > 0 {
			t.Fatal("statuses turned, which says nothing of the newcomer")
		}
		if got, _ := c.tree.LowestStarvingAncestor(e); got != pool {
			t.Errorf("asked before: %v: the lowest starving ancestor is %d, want pool %d", asked, got, pool)
		}
	}
}

// TestNobodyStarvesAfterARestart: a scheduler that starts anew takes nothing for those
// that starved before, whether or not it has updated shares since (§7.3).
func TestNobodyStarvesAfterARestart(t *testing.T) {
	c := newBusy(t, 100, 1000, 500)
	starved := 0
	for _, e := range c.operations {
		if c.tree.Priority(e, NoNode) != NoPriority {
			starved++
		}
	}
	if starved == 0 {
		t.Fatal("nobody starves")
	}
	c.tree.Restart()
	for _, e := range c.operations {
		if p := c.tree.Priority(e, NoNode); p != NoPriority {
			t.Fatalf("operation %d has priority %v", e, p)
		}
	}
}

// TestRoomForTheSmallest: a node that has no room for most of those who wait is for the one
// that fits, wherever it stands, and one that has room for nobody for none.
func TestRoomForTheSmallest(t *testing.T) {
	large := resource.Vector{1, 200, 0, 2 * gib, 0}
	wide := resource.Vector{1, 100, 0, 41 * gib, 0}
	for small := range 3 {
		c := newBusy(t, 1, 3, 1)
		for i, e := range c.operations {
			need := [...]resource.Vector{large, wide, large}[i]
			if i == small {
				need = unitJob
			}
			c.tree.SetNeeds(e, Needs{Smallest: []resource.Vector{need}})
		}
		c.update(t)
		c.tree.SetLastPreemptive(0, c.now)
		heartbeat := Heartbeat{Node: 0, Now: c.now}
		if out := c.tree.Decide(heartbeat, c); len(out.Started) > 0 {
			t.Fatalf("a full node starts %v", out.Started)
		}
		c.tree.RemoveJob(c.tree.nodes[0].jobs[0])
		if out := c.tree.Decide(heartbeat, c); len(out.Started) != 1 || out.Started[0].Operation != c.operations[small] {
			t.Errorf("operation %d fits and %v is started", c.operations[small], out.Started)
		}
	}
}
