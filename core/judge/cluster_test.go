package judge

import (
	"math/rand/v2"
	"slices"
	"testing"

	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/core/spec"
)

// A cluster is a random tree whose nodes are full and whose operations want
// more, with controllers that always have a job of one core.
type cluster struct {
	shares     *fairshare.Tree
	tree       *scheduling.Tree
	pools      []scheduling.Element
	operations []scheduling.Element
	nodes      []scheduling.Node
	jobs       []scheduling.Job
	now        int64
}

var oneCore = resource.Vector{1, 100, 0, 1 << 30, 0}

func (c *cluster) Offer(scheduling.Element, scheduling.Node, resource.Vector) scheduling.Answer {
	return scheduling.Answer{Resources: oneCore}
}

const jobsPerNode = 8

func newCluster(tb testing.TB, o scheduling.Options, pools, operations, nodes int, seed uint64) *cluster {
	random := rand.New(rand.NewPCG(seed, 3))
	c := &cluster{shares: fairshare.New(fairshare.Options{MainResource: resource.CPU})}
	c.tree = scheduling.New(c.shares, o)
	for i := range pools {
		parent := scheduling.Root
		if i >= pools/4 {
			parent = c.pools[random.IntN(pools/4)]
		}
		shares := fairshare.Pool{Settings: fairshare.Settings{Weight: fairshare.Some(1 + float64(random.IntN(5)))}}
		fifo := i >= pools/4 && random.IntN(3) == 0
		if fifo {
			shares.Mode = fairshare.FIFO
		}
		e := c.shares.AddPool(parent, shares)
		p := &pooltree.PoolConfig{AllowAggressivePreemption: pooltree.Some(random.IntN(4) > 0)}
		if fifo {
			p.Mode = pooltree.Some(pooltree.FIFO)
		}
		p.PoolSatisfaction = pooltree.Some(random.IntN(2) == 0)
		p.EnableAggressiveStarvation = pooltree.Some(random.IntN(2) == 0)
		c.tree.AddPool(e, parent, p)
		c.pools = append(c.pools, e)
	}
	for i := range operations {
		parent := c.pools[random.IntN(pools)]
		e := c.shares.AddOperation(parent, fairshare.Operation{StartTime: int64(i), ID: int64(i)})
		c.tree.AddOperation(e, parent, scheduling.Operation{Graceful: random.IntN(20) == 0})
		c.tree.SetNeeds(e, scheduling.Needs{Smallest: []resource.Vector{oneCore}})
		c.operations = append(c.operations, e)
	}
	limits := oneCore.Times(jobsPerNode)
	limits[resource.Memory] *= 4
	for range nodes {
		c.nodes = append(c.nodes, c.tree.AddNode(scheduling.NodeSettings{Limits: limits}))
	}
	for i := range nodes * jobsPerNode {
		op := c.operations[random.IntN(operations)]
		if random.IntN(4) > 0 {
			op = c.operations[random.IntN(operations/3)]
		}
		usage := oneCore
		usage[resource.CPU] -= int64(random.IntN(2) * 30)
		c.jobs = append(c.jobs, c.tree.AddJob(op, c.nodes[i%nodes], oneCore, usage, int64(i/3), false))
	}
	c.shares.SetTotal(limits.Times(float64(nodes)))
	c.update(tb)
	c.now += 40 * second
	c.update(tb)
	c.now += 100 * second
	c.update(tb)
	return c
}

func (c *cluster) update(tb testing.TB) {
	for i, e := range c.operations {
		usage := c.tree.Describe(e).Amount
		c.shares.SetUsage(e, usage)
		c.shares.SetDemand(e, usage.Add(oneCore.Times(float64(i%12))))
	}
	if err := c.shares.Update(c.now, fairshare.NoUpdate); err != nil {
		tb.Fatal(err)
	}
	c.tree.Tick(c.now)
}

func plainContext() Context {
	slacks := DefaultSlacks()
	return Context{Evidence: Recomputed, Slacks: &slacks}
}

var profiles = map[string]scheduling.Profile{
	"documented": scheduling.Documented, "baseline": scheduling.Baseline, "current": scheduling.Current,
}

// TestAgreesWithTheCore compares what a batch makes of random jobs with what the
// core says of them, which has rules of its own making.
func TestAgreesWithTheCore(t *testing.T) {
	for name, profile := range profiles {
		t.Run(name, func(t *testing.T) {
			seen := map[scheduling.List]int{}
			for seed := range uint64(6) {
				c := newCluster(t, scheduling.DefaultOptions(profile), 12, 60, 30, seed)
				random := rand.New(rand.NewPCG(seed, 9))
				b := &Batch{Decision: Decision{Context: plainContext()}}
				for range 400 {
					victim, op := c.jobs[random.IntN(len(c.jobs))], c.operations[random.IntN(len(c.operations))]
					target := scheduling.Normal + scheduling.Priority(random.IntN(2))
					want := c.tree.Prove(victim, target, op)
					b.LookAt(c.tree, c.tree.Job(victim).Node, c.now)
					b.AddVictim(victim, target.Reason(), b.Start(op, oneCore))
					got := b.Prove(0)
					seen[got.List]++
					if got.Priority != want.Priority || got.Own != want.OwnPriority || got.List != want.List ||
						got.Level != want.Level || got.Level >= target.LeastLevel() && b.handle(got.Blocker) != want.Blocker || got.Before != want.Before ||
						got.Candidates != want.Candidates || got.Rank != want.Rank {
						t.Fatalf("seed %d: got %+v, want %+v", seed, got, want)
					}
					if d := got.After - want.After; d > 1e-9 || d < -1e-9 {
						t.Fatalf("satisfaction afterwards %v, want %v", got.After, want.After)
					}
					if want.Rank > 0 && b.Jobs[got.Better].Handle != want.First {
						t.Fatalf("better victim %+v, want job %d", b.Jobs[got.Better], want.First)
					}
					b.place()
					for i := range b.Jobs {
						s := &b.States[0]
						if l := scheduling.ListAfter(b.Jobs[i].Ahead, s.Total, &s.Element(b.Jobs[i].Operation).ElementInfo, s.Options); l != b.Jobs[i].List {
							t.Fatalf("job %+v is in list %v", b.Jobs[i], l)
						}
					}
				}
			}
			if len(seen) < 3 {
				t.Errorf("lists seen: %v", seen)
			}
		})
	}
}

func (b *Batch) handle(e int32) scheduling.Element {
	if e < 0 {
		return scheduling.None
	}
	return b.States[0].Elements[e].Handle
}

// TestDecisionsOfTheCoreAreFair lets the core decide and judges it: nothing may
// be held against it. Then another job is said to have gone instead.
func TestDecisionsOfTheCoreAreFair(t *testing.T) {
	for name, profile := range profiles {
		t.Run(name, func(t *testing.T) {
			fair, unfair := 0, 0
			for seed := range uint64(8) {
				c := newCluster(t, scheduling.DefaultOptions(profile), 12, 60, 40, seed)
				b := &Batch{Decision: Decision{Context: plainContext()}}
				for _, n := range c.nodes {
					c.now += second / 10
					if !c.decide(b, n) {
						continue
					}
					for _, r := range b.Judge(nil) {
						if r.Verdict != OK && r.Invariant.Severity() != spec.Info {
							t.Fatalf("seed %d: the core's decision is ruled %v %v: %+v", seed, r.Invariant, r.Verdict, r)
						}
						fair++
					}
					if b.swapVictim() && !IsFair(b.Judge(nil)) {
						unfair++
					}
				}
			}
			if fair < 100 || unfair < 5 {
				t.Errorf("%d rulings on fair decisions, %d unfair ones caught", fair, unfair)
			}
		})
	}
}

// decide lets the core decide a heartbeat and notes it in a batch, which looks once the
// regular stages have started their jobs. It reports whether jobs were taken by a stage.
func (c *cluster) decide(b *Batch, n scheduling.Node) bool {
	h := scheduling.Heartbeat{Node: n, Now: c.now}
	out := *c.tree.Ask(h, c)
	out.Started, out.Preempted = slices.Clone(out.Started), slices.Clone(out.Preempted)
	regular := len(out.Started) - out.StartedPreemptively
	var jobs []scheduling.Job
	for _, s := range out.Started[:regular] {
		jobs = append(jobs, c.tree.AddJob(s.Operation, n, s.Resources, s.Resources, c.now, false))
	}
	b.LookAt(c.tree, n, c.now)
	places := map[scheduling.Job]bool{}
	for _, j := range b.Jobs {
		places[j.Handle] = true
	}
	b.place()
	b.States[0].fetchAll()
	for _, j := range jobs {
		b.LeaveOut(j)
		delete(places, j)
		c.tree.RemoveJob(j)
	}
	if again := c.tree.Decide(h, c); len(again.Started) != len(out.Started) || len(again.Preempted) != len(out.Preempted) {
		panic("asked and deciding, the core says two things")
	}
	who := NoPreemptor
	for _, s := range out.Started[regular:] {
		who = b.Start(s.Operation, s.Resources)
	}
	took := false
	for _, p := range out.Preempted {
		beneficiary := NoPreemptor
		if p.PreemptorJob != scheduling.NoJob {
			beneficiary = who
		}
		if !places[p.Job] {
			panic("a job that was not there is gone")
		}
		b.AddVictim(p.Job, p.Reason, beneficiary)
		took = took || b.Taken[len(b.Taken)-1].kind() == byStage
	}
	return took
}

// swapVictim puts a job in a victim's place that the order puts behind it.
func (b *Batch) swapVictim() bool {
	b.turnTo(0)
	for i := range b.Jobs {
		j := &b.Jobs[i]
		if !b.isTaken(int32(i)) && !j.Gone && j.Operation != b.victim.Operation && b.compare(b.victim, j) < 0 {
			b.Taken[0].Job = int32(i)
			return true
		}
	}
	return false
}
