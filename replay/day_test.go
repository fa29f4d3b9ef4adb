package replay_test

import (
	"fmt"
	"math/rand/v2"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A day is a small cluster under the core's own decisions, with the events that
// a log would hold of it. Everything is drawn from a seed.
type day struct {
	random *rand.Rand
	tree   *core.Tree
	dims   core.Dimensions
	events []core.Event
	now    core.Time

	config  core.TreeConfig
	pools   []*core.PoolConfig
	nodes   []dayNode
	work    []dayWork
	jobs    map[core.JobID]*dayJob
	running []core.JobID // in start order
	nextJob core.JobID

	poolNamed map[string]core.PoolID

	offered    map[offer]int
	mostStarts int64 // of a heartbeat, 0 if any number

	starts, preemptions           int
	rejected, waited, lightweight int                                         // operations
	faults                        []string                                    // what the rules forbid at any time
	bend                          func(n core.NodeID, decided *core.Decision) // plants faults, if set
}

type dayNode struct {
	limits  resource.Vector
	tags    pooltree.Tags
	segment string
	module  string
	leaving int // preempted jobs that have not stopped
}

type dayWork struct {
	submit  core.Time
	pool    core.PoolID
	size    resource.Vector
	left    int             // jobs that it still has to start
	small   resource.Vector // of another kind of jobs
	smalls  int             // such jobs that it still has to start
	live    int
	params  core.OperationParams
	lasts   int // seconds that its jobs run
	started bool
	running bool
	over    bool
}

type dayJob struct {
	operation core.OperationID
	node      core.NodeID
	size      resource.Vector
	ends      core.Time
	gone      bool // preempted: it only has to stop
	asked     bool // gracefully: it keeps its resources until then
}

const dayNodes, dayPools, dayOperations = 12, 14, 36

func newDay(profile core.Profile, seed uint64) *day {
	d := &day{random: rand.New(rand.NewPCG(seed, uint64(profile))), jobs: map[core.JobID]*dayJob{}}
	d.namePools()
	for i := range dayOperations {
		d.dims.Operations = append(d.dims.Operations, core.OperationInfo{ID: fmt.Sprint("op", i), Type: "vanilla", User: dayUsers[i%len(dayUsers)]})
	}
	for i := range dayNodes {
		d.dims.Nodes = append(d.dims.Nodes, fmt.Sprint("node", i))
	}
	d.tree = core.New(&d.dims, profile)
	d.draw()
	return d
}

func (d *day) opportunity(percent int) bool { return d.random.IntN(100) < percent }

// emit follows an event and records it.
func (d *day) emit(e core.Event) {
	e.Time, e.Seq = d.now, int64(len(d.events))
	d.tree.Step(&e)
	d.events = append(d.events, e)
}

func event(k core.Kind) core.Event {
	return core.Event{Kind: k, Pool: core.Unknown, Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown, PendingJobs: -1}
}

// run lives for some seconds.
func (d *day) run(seconds int) {
	d.begin()
	for s := range seconds {
		d.now = core.Time(s) * core.Second
		if s > 0 {
			d.tree.ClearChanges()
			if err := d.tree.Update(d.now); err != nil {
				panic(err)
			}
		}
		d.now += 1000
		d.change(s)
		d.stopJobs()
		for o := range d.work {
			d.submit(core.OperationID(o))
		}
		d.now = core.Time(s)*core.Second + 300_000
		for n := range d.nodes {
			if (s+n)%2 == 0 {
				d.now += 10
				d.heartbeat(core.NodeID(n))
			}
		}
		d.checkNodes()
	}
}

func (d *day) begin() {
	e := event(core.ClusterConfigured) // what is stated can be judged
	usual := scheduling.DefaultOptions(scheduling.Documented)
	e.Cluster = &core.ClusterConfig{
		MinSpare:           core.Some(resource.Partial{Amounts: usual.MinSpare, Set: [resource.Kinds]bool{true, true, true, true, true}}),
		OvercommitDuration: core.Some(pooltree.Milliseconds(usual.OvercommitDuration / 1000)),
	}
	if d.mostStarts > 0 {
		e.Cluster.MaxStartedPerHeartbeat = core.Some(d.mostStarts)
	}
	d.emit(e)
	e = event(core.TreeConfigured)
	config := d.config
	e.Tree = &config
	d.emit(e)
	for i := range d.pools {
		e := event(core.PoolConfigured)
		e.Pool, e.Config = core.PoolID(i), d.pools[i]
		d.emit(e)
	}
	for i := range d.nodes {
		d.tellNode(i, true)
	}
}

func (d *day) tellNode(i int, online bool) {
	e := event(core.NodeChanged)
	e.Node, e.Online, e.Limits, e.Tags = core.NodeID(i), online, d.nodes[i].limits, d.nodes[i].tags
	e.Segment, e.Module, e.Network = d.nodes[i].segment, d.nodes[i].module, d.nodes[i].module
	d.emit(e)
}

// change meddles with the configuration and the nodes now and then.
func (d *day) change(second int) {
	switch {
	case second%40 == 39:
		i := d.random.IntN(dayPools)
		p := *d.pools[i]
		p.ResourceLimits.Set[resource.CPU] = d.opportunity(60)
		p.ResourceLimits.Amounts[resource.CPU] = int64(600 + 100*d.random.IntN(30))
		d.pools[i] = &p
		e := event(core.PoolConfigured)
		e.Pool, e.Config = core.PoolID(i), &p
		d.emit(e)
		d.now++
	case second%55 == 54:
		i := d.random.IntN(dayNodes)
		d.nodes[i].limits[resource.CPU] = d.nodes[i].limits[resource.CPU] / 4 * 3
		d.tellNode(i, true)
		d.now++
	case second%70 == 69:
		i := 3 + 4*d.random.IntN(2)
		d.nodes[i].segment = [...]string{"default", "large_gpu"}[d.random.IntN(2)]
		d.tellNode(i, true)
		d.now++
	case second%45 == 44:
		o := core.OperationID(d.random.IntN(dayOperations))
		if w := &d.work[o]; w.running && !w.over {
			e := event(core.OperationChanged)
			e.Operation, e.Step = o, core.StepSuspended
			if d.opportunity(50) {
				e.Step = core.StepResumed
			}
			d.emit(e)
			d.now++
		}
	}
}
