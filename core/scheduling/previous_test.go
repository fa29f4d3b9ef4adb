package scheduling

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// What a tick told of an element is there until the tick after the next one.
func TestDescribeBefore(t *testing.T) {
	c := newBusy(t, 20, 100, 20)
	random := rand.New(rand.NewPCG(3, 4))
	moved := 0
	for range 50 {
		for range 5 {
			c.decide(t, Node(random.IntN(20)))
		}
		if len(c.tree.nodes[0].jobs) > 0 {
			c.tree.RemoveJob(c.tree.nodes[0].jobs[0])
		}
		before := map[Element]ElementInfo{}
		for _, e := range c.operations {
			before[e] = c.tree.Describe(e)
			before[c.tree.Parent(e)] = c.tree.Describe(c.tree.Parent(e))
		}
		c.now += second
		c.update(t)
		for e, want := range before {
			got := c.tree.Describe(e)
			if !reflect.DeepEqual(got, want) {
				moved++
			}
			if c.tree.DescribeBefore(e, &got); !reflect.DeepEqual(got, want) {
				t.Fatalf("element %d was\n%+v, not\n%+v", e, want, got)
			}
		}
	}
	if moved < 100 {
		t.Errorf("%d elements moved", moved)
	}
}
