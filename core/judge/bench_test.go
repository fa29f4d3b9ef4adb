package judge

import (
	"testing"

	"poolproof/core/scheduling"
)

// benchCluster is a tree of a thousand pools whose nodes are full.
func benchCluster(tb testing.TB) (*cluster, *Batch, *Start) {
	c := newCluster(tb, scheduling.DefaultOptions(scheduling.Documented), 1000, 10_000, 2000, 1)
	s := &Start{Decision: Decision{Context: plainContext()}, Running: Yes, Demand: Yes, Pending: No, InTree: Yes, OwnNode: Yes, Tags: Yes, Sought: Yes}
	return c, &Batch{Decision: Decision{Context: plainContext()}}, s
}

// judgeJob has a job of the cluster preempted for an operation, and judges it.
func (c *cluster) judgeJob(b *Batch, i int, rulings []Ruling) []Ruling {
	victim := c.jobs[i%len(c.jobs)]
	b.LookAt(c.tree, c.tree.Job(victim).Node, c.now)
	b.AddVictim(victim, scheduling.ForPreemption, b.Start(c.operations[i%len(c.operations)], oneCore))
	return b.Judge(rulings[:0])
}

func (c *cluster) judgeStart(s *Start, i int, rulings []Ruling) []Ruling {
	s.LookAt(c.tree, c.nodes[i%len(c.nodes)], c.now, c.operations[i%len(c.operations)], oneCore)
	s.Competitor = s.compare(c.tree, c.operations[(i+1)%len(c.operations)])
	return s.Judge(rulings[:0])
}

// BenchmarkJudge judges decisions, most of which fail by some rule, so that all
// other states are tried, too; proof tells the story of one.
func BenchmarkJudge(b *testing.B) {
	const size = "pools=1000/operations=10000/nodes=2000"
	c, batch, start := benchCluster(b)
	var rulings []Ruling
	b.Run("decision=preemption/fault=many/"+size, func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			rulings = c.judgeJob(batch, i, rulings)
			i++
		}
	})
	b.Run("decision=preemption/fault=none/"+size, func(b *testing.B) {
		b.ReportAllocs()
		fair := fairBatch()
		for b.Loop() {
			rulings = fair.Judge(rulings[:0])
		}
	})
	b.Run("decision=start/fault=none/"+size, func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			rulings = c.judgeStart(start, i, rulings)
			i++
		}
	})
	b.Run("decision=proof/fault=many/"+size, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			batch.Prove(0)
		}
	})
}

// TestAllocations checks that judging allocates nothing once buffers have grown,
// also where rules are broken and other hypotheses are tried.
func TestAllocations(t *testing.T) {
	c := newCluster(t, scheduling.DefaultOptions(scheduling.Documented), 40, 400, 100, 1)
	b, s := &Batch{Decision: Decision{Context: plainContext()}}, &Start{Decision: Decision{Context: plainContext()}}
	var rulings []Ruling
	i := 0
	judgeBoth := func() {
		rulings = c.judgeJob(b, i, rulings)
		rulings = c.judgeStart(s, i, rulings)
		i++
	}
	for range 1000 {
		judgeBoth()
	}
	if n := testing.AllocsPerRun(1000, judgeBoth); n > 0 {
		t.Errorf("judging allocates %v times", n)
	}
}

// TestLookAgain keeps a preemption that was early, until a tick shows whether
// the beneficiary starved after all.
func TestLookAgain(t *testing.T) {
	for wait, want := range map[int64]Verdict{29 * second: Violated, 35 * second: Suspect, 1: Violated} {
		c := newCluster(t, scheduling.DefaultOptions(scheduling.Baseline), 8, 30, 20, 4)
		c.now += 1000 * second
		b := &Batch{Decision: Decision{Context: plainContext()}, From: scheduling.Never}
		for _, e := range c.operations {
			c.tree.ResetStarvation(e)
		}
		o := *c.tree.Options()
		o.Scope = scheduling.OperationOnly
		c.tree.SetOptions(o)
		c.update(t)
		c.now += second
		c.update(t)
		op := c.starter(t)
		b.LookAt(c.tree, c.nodes[0], c.now)
		b.AddVictim(b.Jobs[0].Handle, scheduling.ForPreemption, b.Start(op, oneCore))
		expect(t, b.Judge(nil), PRE03, Violated)
		later := b.Clone()
		for _, e := range later.States[0].Elements { // also those that no rule has asked for
			if now := c.tree.Describe(e.Handle); e.ElementInfo != now {
				t.Fatalf("the clone has %+v, the tree %+v", e.ElementInfo, now)
			}
		}
		b.LookAt(c.tree, c.nodes[1], c.now) // the clone is its own
		c.now += wait
		c.update(t)
		for _, j := range c.jobs[:40] {
			c.tree.RemoveJob(j)
		}
		later.LookAgain(c.tree, nil)
		for i, e := range later.States[0].Elements {
			if now := later.States[1].Elements[i]; now.Usage != e.Usage || now.Amount != e.Amount {
				t.Fatalf("usage %v, at the decision %v", now.Usage, e.Usage)
			}
		}
		expect(t, later.Judge(nil), PRE03, want)
	}
}

// starter returns an operation that is below its share and does not starve yet.
func (c *cluster) starter(t *testing.T) scheduling.Element {
	for _, e := range c.operations {
		if x := c.tree.Describe(e); c.tree.BelowFairShare(e) && x.Starvation.Status() == scheduling.NonStarving && x.Timeouts.Starving == 30*second {
			return e
		}
	}
	t.Fatal("no operation is about to starve")
	return 0
}
