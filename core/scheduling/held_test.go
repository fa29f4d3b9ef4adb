package scheduling

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"poolproof/core/resource"
)

// TestHeldEqualsARecount: whatever comes and goes between ticks, what is held of an
// element is what the operations below that the last tick found unschedulable used then,
// less what they use now.
func TestHeldEqualsARecount(t *testing.T) {
	heldSomething, asked := 0, 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := newCluster(t, Baseline, object{"fair_share_starvation_timeout": 1.0, "preemptive_scheduling_backoff": 0.0}, object{"min_spare_job_resources_on_node": map[string]any{"user_slots": 1.0, "cpu": 1.0}})
		for n := range 3 {
			c.addNode(fmt.Sprint("n", n), resource.Vector{8, 800, 0, 8, 0})
		}
		for p := range 5 {
			parent := ""
			if p > 1 {
				parent = fmt.Sprint("p", r.IntN(2))
			}
			c.addPool(fmt.Sprint("p", p), parent, nil)
		}
		core := resource.Vector{1, 100, 0, 1, 0}
		for o := range 12 {
			c.addOperation(fmt.Sprint("o", o), fmt.Sprint("p", r.IntN(5)), int64(o), []kind{{resources: core, count: int64(r.IntN(2) * 20)}}, nil, nil)
		}
		seen := map[Element]resource.Vector{} // usage at the last tick of those that it found unschedulable
		tick := func() {
			c.now += 1_000_000
			if err := c.update(); err != nil {
				t.Fatal(err)
			}
			clear(seen)
			for _, op := range c.operations {
				if n := &c.tree.elements[op.element]; n.operation.reason != NoObstacle {
					seen[op.element] = n.usage
				}
			}
		}
		tick()
		for range 200 {
			switch op := c.operations[r.IntN(len(c.operations))]; r.IntN(8) {
			case 0:
				tick()
			case 1, 2:
				if _, ended := seen[op.element]; ended {
					// a start is seen: what was held is let go
					seen[op.element] = c.tree.elements[op.element].usage.Add(core)
				}
				c.addJob(fmt.Sprint("j", c.created), op, fmt.Sprint("n", r.IntN(3)), core, core, c.now, -1)
			case 3, 4:
				if len(c.jobs) > 0 {
					c.finish(c.jobs[r.IntN(len(c.jobs))], false)
				}
			case 5:
				if len(c.jobs) > 0 {
					job := c.jobs[r.IntN(len(c.jobs))]
					c.tree.SetJobUsage(job.job, resource.Vector{1, int64(r.IntN(150)), 0, 1, 0})
				}
			case 6:
				to := c.byName[fmt.Sprint("p", r.IntN(5))]
				c.shares.Move(op.element, to)
				c.tree.Move(op.element, to)
			case 7:
				c.now += 1000
				out := c.tree.Ask(Heartbeat{Node: c.nodeOf[fmt.Sprint("n", r.IntN(3))], Now: c.now}, c)
				asked += len(out.Preempted)
			}
			held := map[Element]resource.Vector{}
			for e, usage := range seen {
				lapsed := usage.Sub(c.tree.elements[e].usage)
				for x := e; x != None; x = c.tree.elements[x].parent {
					held[x] = held[x].Add(lapsed)
				}
			}
			for e := range c.tree.elements {
				got := c.tree.elements[e].held
				if got != held[Element(e)] {
					t.Fatalf("seed %d: %s holds %v, want %v", seed, c.names[Element(e)], got, held[Element(e)])
				}
				if !got.IsZero() {
					heldSomething++
				}
			}
		}
	}
	if heldSomething < 100 || asked < 10 {
		t.Errorf("something was held %d times, %d jobs were taken", heldSomething, asked)
	}
}
