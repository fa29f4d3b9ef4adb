package decisions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// A benchCluster is what all days of a benchmark have in common: the names, and the
// tables, which fill as in a long replay.
type benchCluster struct {
	pools, operations, nodes int
	dims                     *core.Dimensions
	dictionaries             *tables.Dictionaries
	results                  results
}

func newBenchCluster(b *testing.B, pools, operations, nodes int) *benchCluster {
	c := &benchCluster{pools: pools, operations: operations, nodes: nodes, dims: &core.Dimensions{}}
	for i := range pools {
		c.dims.Pools = append(c.dims.Pools, core.PoolInfo{Tree: "tree", Name: fmt.Sprint("pool", i)})
	}
	for i := range operations {
		c.dims.Operations = append(c.dims.Operations, core.OperationInfo{ID: fmt.Sprint("op", i), Type: "map", User: "user"})
	}
	for i := range nodes {
		c.dims.Nodes = append(c.dims.Nodes, fmt.Sprint("node", i))
	}
	c.dictionaries = tables.NewDictionaries(c.dims)
	b.Cleanup(c.dictionaries.Release)
	out := env.NewOutput(b.TempDir(), "tree", c.dictionaries)
	b.Cleanup(out.Abort)
	c.results = openResults(out)
	return c
}

// A benchDay is a full cluster whose log, which tells all that a log can, is judged.
type benchDay struct {
	core    *core.Tree
	referee *Referee
	now     core.Time
	next    core.JobID
	jobs    [][]core.JobID // by node, latest last
	owner   []core.OperationID
	leaving []core.JobID // preempted in the last heartbeat
}

// noRecords are those of a log that has none.
type noRecords struct{}

func (noRecords) KnowsDemand(core.Time) bool { return true }
func (noRecords) IsWhole() bool              { return true }
func (noRecords) IsSteady() bool             { return true }
func (noRecords) ShowsUpdate(core.Time) bool { return false }
func (noRecords) Unrecorded() core.Time      { return core.Never }
func (noRecords) Slack() int64               { return 0 }

func (noRecords) DifferedInTotal(core.Time) bool { return false }

func (noRecords) LastRecord(core.OperationID) core.Time { return core.Never }

func (noRecords) StatusDenied(*core.Tree, env.Owner) (scheduling.Status, bool) {
	return scheduling.NonStarving, false
}

var benchJob = resource.Vector{1, 100, 0, 1 << 30, 0}

const benchJobsPerNode = 10

func (c *benchCluster) newDay(b *testing.B) *benchDay {
	random := rand.New(rand.NewPCG(4, 2))
	pools, operations, nodes := c.pools, c.operations, c.nodes
	d := &benchDay{core: core.New(c.dims, core.Documented), now: core.Second, jobs: make([][]core.JobID, nodes)}
	all := [resource.Kinds]bool{true, true, true, true, true}
	out := env.NewOutput(b.TempDir(), "tree", c.dictionaries)
	b.Cleanup(out.Abort)
	log := &env.Log{Measured: all, Sized: all, Facts: []env.Fact{{Aspect: "heartbeats", State: "recorded"}}}
	d.referee = New(env.New(d.core, c.dims, log, out, nil), noRecords{}, func(env.Owner) *env.ShareTrack { return nil })
	d.referee.results = c.results
	e := d.event(core.TreeConfigured)
	e.Tree = &core.TreeConfig{MaxRunningOperationCountPerPool: core.Some(int64(operations)), MaxOperationCountPerPool: core.Some(int64(operations)), MaxRunningOperationCount: core.Some(int64(operations))}
	d.core.Step(&e)
	e = d.event(core.ClusterConfigured)
	e.Cluster = &core.ClusterConfig{MinSpare: core.Some(resource.Partial{Amounts: benchJob, Set: [resource.Kinds]bool{true, true, false, true}}), OvercommitDuration: core.Some(pooltree.Milliseconds(0))}
	d.core.Step(&e)
	for i := range pools {
		e := d.event(core.PoolConfigured)
		e.Pool, e.Config = core.PoolID(i), &core.PoolConfig{Parent: core.RootPool, PoolConfig: pooltree.PoolConfig{Weight: core.Some(1 + float64(i%5))}}
		if i >= 20 {
			e.Config.Parent = core.PoolID(random.IntN(20))
		}
		d.core.Step(&e)
	}
	for i := range nodes {
		e := d.event(core.NodeChanged)
		e.Node, e.Online, e.Limits = core.NodeID(i), true, resource.Vector{benchJobsPerNode, benchJobsPerNode * 100, 0, benchJobsPerNode << 32, 0}
		d.core.Step(&e)
	}
	for i := range operations {
		d.submit(core.OperationID(i), core.PoolID(20+random.IntN(pools-20)))
	}
	for i := range nodes * benchJobsPerNode {
		o := random.IntN(operations)
		if i%4 > 0 {
			o = random.IntN(operations / 3) // some have more than their share, and some starve
		}
		d.now++
		e := d.started(core.NodeID(i%nodes), core.OperationID(o))
		d.core.Step(&e)
	}
	d.tryPreemption()
	for range 3 {
		d.update(b, 100*core.Second)
	}
	return d
}

// tryPreemption has all nodes begin their backoff (core/spec/scheduling.md §10.3).
func (d *benchDay) tryPreemption() {
	for n := range d.jobs {
		e := d.beat(core.NodeID(n), true)
		d.core.Step(&e)
	}
}

func (d *benchDay) event(k core.Kind) core.Event {
	return core.Event{Time: d.now, Kind: k, Pool: core.Unknown, Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown}
}

func (d *benchDay) submit(o core.OperationID, p core.PoolID) {
	e := d.event(core.OperationChanged)
	e.Operation, e.Pool, e.Step = o, p, core.StepStarted
	d.core.Step(&e)
	e.Step, e.Pool = core.StepRunning, core.Unknown
	d.core.Step(&e)
	e = d.event(core.DemandChanged)
	e.Operation, e.Needed, e.MinNeeded, e.PendingJobs = o, benchJob.Times(1e6), benchJob, 1e6
	d.core.Step(&e)
}

func (d *benchDay) started(n core.NodeID, o core.OperationID) core.Event {
	e := d.event(core.JobStarted)
	e.Job, e.Node, e.Operation, e.Limits, e.Name = d.next, n, o, benchJob, nameOf(d.next)
	e.Stage, e.End = "regular_medium_priority", core.EndCompleted // the log tells how and when it ends
	d.next++
	d.owner = append(d.owner, o)
	d.jobs[n] = append(d.jobs[n], e.Job)
	return e
}

func nameOf(j core.JobID) []byte { return fmt.Appendf(nil, "job%d", j) }

func (d *benchDay) update(b *testing.B, later core.Time) {
	d.now += later
	d.core.ClearChanges()
	if err := d.core.Update(d.now); err != nil {
		b.Fatal(err)
	}
	d.referee.Tick(d.now)
}

// take removes the latest job of a node.
func (d *benchDay) take(n core.NodeID) core.JobID {
	own := d.jobs[n]
	job := own[len(own)-1]
	d.jobs[n] = own[:len(own)-1]
	return job
}

// beat is a heartbeat of which the log tells all.
func (d *benchDay) beat(n core.NodeID, preemptive bool) core.Event {
	e := d.event(core.HeartbeatReceived)
	e.Node, e.Skipped, e.Preemptive = n, core.Some(false), core.Some(preemptive)
	return e
}

// heartbeat is one that carries no decision.
func (d *benchDay) heartbeat(n core.NodeID) {
	d.now++
	e := d.beat(n, false)
	d.core.Prefetch(&e)
	if !d.referee.Decide(&e, true) {
		d.core.Step(&e)
	}
}

// A benchLog is what the core decided on its own, to be judged by another day
// that begins alike: heartbeats of events that belong together.
type benchLog [][]core.Event

// decide has the core decide a node's heartbeat, and follows and records it.
func (d *benchDay) decide(n core.NodeID, finish bool) (events []core.Event) {
	d.now++
	gone := d.leaving
	if finish {
		gone = append(gone, d.take(n))
	}
	for i, job := range gone {
		e := d.event(core.JobFinished)
		if e.Job, e.End = job, core.EndCompleted; i < len(d.leaving) {
			e.End, e.Reason = core.EndAborted, "preemption"
		}
		events = append(events, e)
		d.core.Step(&e)
	}
	d.leaving = d.leaving[:0]
	decided := d.core.Decide(n, d.now, d)
	preempted, started := slices.Clone(decided.Preempted), slices.Clone(decided.Started)
	events = append(events, d.beat(n, decided.Preemptive))
	for i := range preempted {
		p := &preempted[i]
		e := d.event(core.JobPreempted)
		e.Job, e.Node, e.Operation = p.Job, n, p.Operation
		e.Preemption = &core.PreemptionRecord{Reason: p.Reason.String(), Mode: "abort", End: core.EndAborted, EndReason: "preemption"}
		e.Finish = core.Some(d.now + 1)
		d.leaving = append(d.leaving, p.Job)
		if p.Preemptor >= 0 {
			e.Preemptor, e.PreemptorJob = started[p.Preemptor].Operation, string(nameOf(d.next+core.JobID(p.Preemptor)))
		}
		events = append(events, e)
	}
	for i := range started {
		e := d.started(n, started[i].Operation)
		e.Stage = started[i].Stage.String()
		events = append(events, e)
	}
	for i := len(gone); i < len(events); i++ {
		d.core.Step(&events[i])
	}
	return events
}

// follow judges and applies a recorded heartbeat.
func (d *benchDay) follow(events []core.Event) {
	for i := range events {
		e := &events[i]
		d.core.Prefetch(e)
		if !d.referee.Decide(e, true) {
			d.core.Step(e)
		}
	}
	d.referee.EndInstant()
}

// Offer implements core.Controller.
func (d *benchDay) Offer(core.OperationID, core.NodeID, resource.Vector) (resource.Vector, scheduling.Refusal) {
	return benchJob, scheduling.Accepted
}

// usedCPU is what the process has used so far: unlike time, it tells little of what
// else the machine does.
func usedCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func isDecision(e core.Event) bool { return e.Kind == core.JobStarted || e.Kind == core.JobPreempted }

// benchmarkLog judges heartbeats that the core decided before, as often as it
// takes.
func benchmarkLog(b *testing.B, make func() *benchDay, record func(d *benchDay) benchLog) {
	b.ReportAllocs()
	log := record(make())
	var d *benchDay
	for rows := 0; rows < 10_000; rows += len(log) { // then tables have the room that they keep
		d = make()
		for _, events := range log {
			d.follow(events)
		}
	}
	next, decisions, cpu := len(log), 0, usedCPU(b)
	for b.Loop() {
		if next == len(log) {
			b.StopTimer()
			before := usedCPU(b)
			d, next = make(), 1
			d.follow(log[0]) // makes room for what a heartbeat needs
			cpu += usedCPU(b) - before
			b.StartTimer()
		}
		d.follow(log[next])
		for i := range log[next] {
			if isDecision(log[next][i]) {
				decisions++
			}
		}
		next++
		if next%1024 == 0 {
			d.core.ClearChanges()
		}
	}
	b.ReportMetric(float64(usedCPU(b)-cpu)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "heartbeats/s")
	b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
	b.ReportMetric(float64(decisions)/float64(b.N), "decisions/op")
}

// BenchmarkReferee follows and judges what a large cluster logs: heartbeats that
// carry nothing, starts in the place of jobs that ended, and preemptions with
// their beneficiaries, all as the core itself decides them; and has the core
// decide. One operation is one heartbeat. Every start and every preemption that it
// carries is one decision: what preempts has at least two.
func BenchmarkReferee(b *testing.B) {
	const pools, operations, nodes, decisions = 1000, 10_000, 5000, 3000
	size := fmt.Sprintf("pools=%d/operations=%d/nodes=%d", pools, operations, nodes)
	b.Run("event=heartbeat/"+size, func(b *testing.B) {
		d := newBenchCluster(b, pools, operations, nodes).newDay(b)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			d.heartbeat(core.NodeID(i % nodes))
		}
	})
	b.Run("event=start/"+size, func(b *testing.B) {
		cluster := newBenchCluster(b, pools, operations, nodes)
		quiet := func() *benchDay {
			d := cluster.newDay(b)
			d.tryPreemption()
			return d
		}
		benchmarkLog(b, quiet, func(d *benchDay) (log benchLog) {
			for n := range decisions {
				log = append(log, d.decide(core.NodeID(n), true))
			}
			return log
		})
	})
	b.Run("event=preemption/"+size, func(b *testing.B) {
		cluster := newBenchCluster(b, pools, operations, nodes)
		day := func() *benchDay { return cluster.newDay(b) }
		benchmarkLog(b, day, func(d *benchDay) (log benchLog) {
			var events []core.Event
			for n := 0; len(log) < decisions && n < nodes; n++ {
				if events = append(events, d.decide(core.NodeID(n), false)...); slices.ContainsFunc(events, isDecision) {
					log, events = append(log, events), nil
				}
			}
			return log
		})
	})
	b.Run("event=allegation/"+size, func(b *testing.B) {
		cluster := newBenchCluster(b, pools, operations, nodes)
		day := func() *benchDay { return cluster.newDay(b) }
		benchmarkLog(b, day, func(d *benchDay) (log benchLog) {
			for n := 0; len(log) < decisions/10 && n < nodes; n++ { // which are held until a later tick
				events := d.decide(core.NodeID(n), false)
				for i := range events {
					if e := &events[i]; e.Preemption != nil {
						e.Preemption.Reason = scheduling.ForAggressivePreemption.String() // nobody starves so
					}
				}
				if slices.ContainsFunc(events, isDecision) {
					log = append(log, events)
				}
			}
			return log
		})
	})
	b.Run("event=decision/"+size, func(b *testing.B) {
		d := newBenchCluster(b, pools, operations, nodes).newDay(b)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			d.decide(core.NodeID(i%nodes), true)
			if i%1024 == 0 {
				d.core.ClearChanges()
			}
		}
	})
}
