package scheduling

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestExplainChangesNothing runs random heartbeats on two equal clusters, one of
// which is asked between any two of them, about other nodes, too: they decide
// alike, ties in heaps included, and the answer is the decision that follows.
func TestExplainChangesNothing(t *testing.T) {
	asked, other := newBusy(t, 60, 600, 100), newBusy(t, 60, 600, 100)
	random := rand.New(rand.NewPCG(7, 7))
	for _, c := range []*busy{asked, other} {
		o := *c.tree.Options()
		o.MinChildHeapSize = 2
		c.tree.SetOptions(o)
		for _, n := range c.nodes {
			own := c.tree.nodes[n].NodeSettings
			own.SSD = true
			c.tree.SetNode(n, own)
		}
		c.update(t)
	}
	victims, considered := 0, 0
	for range 600 {
		n, elsewhere, gone, tick := Node(random.IntN(100)), Node(random.IntN(100)), random.IntN(3), random.IntN(5) == 0
		changed := random.Perm(len(other.operations))[:100]
		var answer string
		var outcomes [2]string
		for i, c := range []*busy{asked, other} {
			if c.now += second / 10; tick {
				for _, e := range c.operations {
					c.tree.SetOperation(e, Operation{})
				}
				c.update(t)
			}
			if i == 0 {
				out := c.tree.Explain(Heartbeat{Node: elsewhere, Now: c.now}, c)
				victims, considered = victims+len(out.Victims), considered+len(out.Considered)
			}
			// A heartbeat makes lists where the tick left none yet: one that is asked must
			// not make them for those that come after a change.
			for _, k := range changed {
				c.tree.SetOperation(c.operations[k], Operation{RequestsSSD: true})
			}
			for range gone {
				if jobs := c.tree.nodes[n].jobs; len(jobs) > 0 {
					c.tree.RemoveJob(jobs[0])
				}
			}
			if i == 0 {
				out := c.tree.Explain(Heartbeat{Node: n, Now: c.now}, c)
				answer = fmt.Sprint(out.Started, out.Preempted)
			}
			outcomes[i] = c.decide(t, n)
		}
		if outcomes[0] != outcomes[1] || outcomes[0] != answer {
			t.Fatalf("the one that was asked decides\n%s\nits answer was\n%s\nand the other\n%s", outcomes[0], answer, outcomes[1])
		}
	}
	if victims == 0 || considered == 0 {
		t.Errorf("%d victims and %d operations were looked at", victims, considered)
	}
}
