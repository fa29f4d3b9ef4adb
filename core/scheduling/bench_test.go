package scheduling

import (
	"math/rand/v2"
	"testing"

	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// gib is a gibibyte of memory.
const gib = 1 << 30

// A busy is a large cluster whose nodes are full and whose operations want
// more, with controllers that always have a job of one core.
type busy struct {
	shares     *fairshare.Tree
	tree       *Tree
	operations []Element
	nodes      []Node
	now        int64
}

var unitJob = resource.Vector{1, 100, 0, gib, 0}

func (b *busy) Offer(Element, Node, resource.Vector) Answer { return Answer{Resources: unitJob} }

// newBusy builds a cluster of two levels of pools. Jobs are spread at random, so
// that some operations have more than their share and some starve.
func newBusy(tb testing.TB, pools, operations, nodes int) *busy {
	random := rand.New(rand.NewPCG(1, 2))
	b := &busy{shares: fairshare.New(fairshare.Options{MainResource: resource.CPU})}
	b.tree = New(b.shares, DefaultOptions(Documented))
	var all []Element
	for i := range pools {
		parent := Root
		if i >= 20 {
			parent = all[random.IntN(20)]
		}
		weight := fairshare.Some(1 + float64(random.IntN(5)))
		e := b.shares.AddPool(parent, fairshare.Pool{Settings: fairshare.Settings{Weight: weight}})
		b.tree.AddPool(e, parent, &pooltree.PoolConfig{})
		all = append(all, e)
	}
	for i := range operations {
		parent := all[random.IntN(len(all))]
		e := b.shares.AddOperation(parent, fairshare.Operation{StartTime: int64(i), ID: int64(i)})
		b.tree.AddOperation(e, parent, Operation{})
		b.tree.SetNeeds(e, Needs{Smallest: []resource.Vector{unitJob}})
		b.operations = append(b.operations, e)
	}
	const jobsPerNode = 10
	limits := resource.Vector{jobsPerNode, jobsPerNode * 100, 0, jobsPerNode * 4 * gib, 0}
	var total resource.Vector
	for range nodes {
		b.nodes = append(b.nodes, b.tree.AddNode(NodeSettings{Limits: limits}))
		total = total.Add(limits)
	}
	for i := range nodes * jobsPerNode {
		// Three quarters of the jobs belong to one third of the operations.
		op := b.operations[random.IntN(operations)]
		if random.IntN(4) > 0 {
			op = b.operations[random.IntN(operations/3)]
		}
		b.tree.AddJob(op, b.nodes[i%nodes], unitJob, unitJob, int64(i), false)
	}
	b.shares.SetTotal(total)
	b.update(tb)
	b.now += 40 * second
	b.update(tb)
	return b
}

func (b *busy) update(tb testing.TB) {
	for _, e := range b.operations {
		usage := b.tree.elements[e].usage
		b.shares.SetUsage(e, usage)
		b.shares.SetDemand(e, usage.Add(unitJob.Times(10)))
	}
	if err := b.shares.Update(b.now, fairshare.NoUpdate); err != nil {
		tb.Fatal(err)
	}
	b.tree.Tick(b.now)
}

const benchSize = "pools=1000/operations=10000/nodes=5000"

// BenchmarkReport is a heartbeat that carries no decision, as a replay meets
// it.
func BenchmarkReport(b *testing.B) {
	c := newBusy(b, 1000, 10_000, 5000)
	b.Run(benchSize, func(b *testing.B) {
		i := 0
		for b.Loop() {
			c.tree.Report(c.nodes[i%len(c.nodes)], c.now)
			i++
		}
	})
}

// BenchmarkDecide is a heartbeat that decides by itself.
func BenchmarkDecide(b *testing.B) {
	c := newBusy(b, 1000, 10_000, 5000)
	i := 0
	next := func() Heartbeat {
		i++
		return Heartbeat{Node: c.nodes[i%len(c.nodes)], Now: c.now}
	}
	b.Run("full/"+benchSize, func(b *testing.B) { // nothing fits, the backoff has not passed
		for _, n := range c.nodes {
			c.tree.SetLastPreemptive(n, c.now)
		}
		for b.Loop() {
			c.tree.Decide(next(), c)
		}
	})
	b.Run("start/"+benchSize, func(b *testing.B) { // one job is gone, another starts
		started := 0
		for b.Loop() {
			h := next()
			c.tree.RemoveJob(c.tree.nodes[h.Node].jobs[0])
			started += len(c.tree.Decide(h, c).Started)
		}
		b.ReportMetric(float64(started)/float64(b.N), "starts/op")
	})
}

// BenchmarkAsk is a heartbeat whose preemptive stages run, asked and not decided.
func BenchmarkAsk(b *testing.B) {
	c := newBusy(b, 1000, 10_000, 5000)
	b.Run(benchSize, func(b *testing.B) {
		i, preempted := 0, 0
		for b.Loop() {
			i++
			preempted += len(c.tree.Ask(Heartbeat{Node: c.nodes[i%len(c.nodes)], Now: c.now}, c).Preempted)
		}
		b.ReportMetric(float64(preempted)/float64(b.N), "preemptions/op")
	})
}

// BenchmarkJudge judges recorded starts and preemptions.
func BenchmarkJudge(b *testing.B) {
	c := newBusy(b, 1000, 10_000, 5000)
	b.Run("start/"+benchSize, func(b *testing.B) {
		i := 0
		for b.Loop() {
			i++
			c.tree.MayStart(Heartbeat{Node: c.nodes[i%len(c.nodes)], Now: c.now}, c.operations[i%len(c.operations)], unitJob)
		}
	})
	b.Run("preemption/"+benchSize, func(b *testing.B) {
		i := 0
		for b.Loop() {
			i++
			jobs := c.tree.nodes[i%len(c.nodes)].jobs
			c.tree.Prove(jobs[len(jobs)-1], Normal, c.operations[i%len(c.operations)])
		}
	})
}

// BenchmarkTick is what follows each update of the fair shares.
func BenchmarkTick(b *testing.B) {
	c := newBusy(b, 1000, 10_000, 5000)
	b.Run(benchSize, func(b *testing.B) {
		for b.Loop() {
			c.now += second
			c.tree.Tick(c.now)
		}
	})
}
