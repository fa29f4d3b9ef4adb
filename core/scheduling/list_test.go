package scheduling

import (
	"math/rand/v2"
	"testing"

	"poolproof/core/resource"
)

// TestListsEqualARecount: jobs come, go and use more or less than before, settings and shares
// change. Each job is in the list in which all jobs before it put it, and each node knows how
// many of its jobs are preemptible.
func TestListsEqualARecount(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	c := newBusy(t, 20, 30, 40)
	moved := 0 // lists that a single job changed
	for step := range 4000 {
		was := listsOf(c)
		e := c.operations[random.IntN(len(c.operations))]
		var jobs []Job
		c.tree.OperationJobs(e, func(j Job) { jobs = append(jobs, j) })
		switch what := random.IntN(100); {
		case what == 0:
			o := *c.tree.Options()
			o.SatisfactionThreshold = 0.5 + random.Float64()
			c.tree.SetOptions(o)
			c.tree.AddJob(e, c.nodes[0], unitJob, unitJob, c.now, false) // by settings that no tick has seen
			recountLists(t, c, e)
			c.update(t)
			continue
		case what < 4:
			c.now += second
			c.update(t)
			continue
		case what < 40 || len(jobs) == 0:
			c.tree.AddJob(e, c.nodes[random.IntN(len(c.nodes))], unitJob, unitJob, c.now, false)
		case what < 70:
			c.tree.RemoveJob(jobs[random.IntN(len(jobs))])
		default:
			c.tree.SetJobUsage(jobs[random.IntN(len(jobs))], unitJob.Times(float64(random.IntN(4))))
		}
		recountLists(t, c, c.operations...)
		recountPreemptible(t, c)
		now := listsOf(c)
		for j, list := range was {
			if other, there := now[j]; there && other != list {
				moved++
				break
			}
		}
		if t.Failed() {
			t.Fatalf("after step %d", step)
		}
	}
	if moved < 100 {
		t.Errorf("only %d single jobs moved another one into another list", moved)
	}
}

func listsOf(c *busy) map[Job]List {
	lists := map[Job]List{}
	for _, e := range c.operations {
		c.tree.OperationJobs(e, func(j Job) { lists[j] = c.tree.List(j) })
	}
	return lists
}

func recountLists(t *testing.T, c *busy, operations ...Element) {
	t.Helper()
	for _, e := range operations {
		n := &c.tree.elements[e]
		op := ElementInfo{Standing: Standing{Fair: n.seen.fair, Demand: n.seen.demand}, Threshold: n.operation.limit}
		var ahead resource.Vector
		c.tree.OperationJobs(e, func(j Job) {
			if got, want := c.tree.List(j), ListAfter(ahead, c.tree.total, &op, c.tree.Options()); got != want {
				t.Errorf("job %d of operation %d, behind %v, is %s, want %s", j, e, ahead, got, want)
			}
			ahead = ahead.Add(c.tree.jobs[j].usage)
		})
	}
}

func recountPreemptible(t *testing.T, c *busy) {
	t.Helper()
	for n := range c.tree.nodes {
		want := int32(0)
		c.tree.NodeJobs(Node(n), func(j Job) {
			if c.tree.List(j) == Preemptible {
				want++
			}
		})
		if got := c.tree.nodes[n].preemptible; got != want {
			t.Errorf("node %d has %d preemptible jobs, want %d", n, got, want)
		}
	}
}
