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

	offered map[offer]int

	starts, preemptions int
	faults              []string                                    // what the rules forbid at any time
	bend                func(n core.NodeID, decided *core.Decision) // plants faults, if set
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
	for i := range dayPools {
		d.dims.Pools = append(d.dims.Pools, core.PoolInfo{Tree: "tree", Name: fmt.Sprint("pool", i)})
	}
	for i := range dayOperations {
		d.dims.Operations = append(d.dims.Operations, core.OperationInfo{ID: fmt.Sprint("op", i), Type: "vanilla", User: "user"})
	}
	for i := range dayNodes {
		d.dims.Nodes = append(d.dims.Nodes, fmt.Sprint("node", i))
	}
	d.tree = core.New(&d.dims, profile)
	d.draw(profile)
	return d
}

func (d *day) chance(percent int) bool { return d.random.IntN(100) < percent }

func maybe[T any](d *day, percent int, v T) core.Optional[T] {
	return core.Optional[T]{Value: v, Set: d.chance(percent)}
}

func formula(text string) pooltree.Formula {
	f, err := pooltree.ParseFormula(text)
	if err != nil {
		panic(err)
	}
	return f
}

// packing draws the options of packing that is on.
func (d *day) packing() pooltree.Packing {
	return pooltree.Packing{
		Enable: true, MinWindow: maybe(d, 50, int64(d.random.IntN(3))), MaxBetterPast: maybe(d, 50, int64(1+d.random.IntN(3))),
		WindowSize: maybe(d, 30, int64(d.random.IntN(5))), MaxAge: maybe(d, 30, pooltree.Milliseconds(10_000)),
		Metric: maybe(d, 50, pooltree.PackingAngle), AbsoluteTolerance: maybe(d, 50, 0.0), RelativeTolerance: maybe(d, 50, 1.0),
	}
}

// draw makes the settings, pools, nodes and operations of the day.
func (d *day) draw(core.Profile) {
	c := &d.config
	c.MaxRunningOperationCountPerPool, c.MaxOperationCountPerPool = core.Some[int64](50), core.Some[int64](50)
	c.FairShareStarvationTimeout = core.Some(pooltree.Milliseconds(4000 + 1000*d.random.IntN(8)))
	c.MinSharePreemptionTimeout = maybe(d, 70, pooltree.Milliseconds(3000))
	c.AggressiveStarvationTimeout = core.Some(pooltree.Milliseconds(20000))
	c.EnableAggressiveStarvation = maybe(d, 70, true)
	c.EnablePoolStarvation = maybe(d, 20, false)
	c.CheckStarvation, c.CheckSatisfaction = maybe(d, 10, false), maybe(d, 10, false)
	c.ConditionalPreemption = maybe(d, 30, false)
	c.PreemptionSatisfaction = maybe(d, 20, 0.8)
	c.NonPreemptibleThreshold = resource.Partial{}
	if d.chance(40) {
		c.NonPreemptibleThreshold.Set[resource.UserSlots], c.NonPreemptibleThreshold.Amounts[resource.UserSlots] = true, 2
	}
	c.PreemptiveBackoff = maybe(d, 50, pooltree.Milliseconds(2500))
	c.GuaranteePriority = maybe(d, 30, true)
	c.JobCountCoefficient = maybe(d, 30, 4.0)
	if d.chance(30) {
		c.PriorityScope = core.Some(pooltree.OperationOnly)
	}
	c.AggressivePreemptionForGangs = maybe(d, 30, false)
	if d.chance(40) {
		c.Batch.Size = int64(1 + d.random.IntN(8))
		if d.chance(50) {
			c.Batch.MinSpare = resource.Partial{Amounts: resource.Vector{1, 50}, Set: [resource.Kinds]bool{true, true}}
		}
	}
	if d.chance(60) {
		c.SSD = pooltree.SSDPreemption{Enable: true, Filter: formula("ssd"), Media: []string{"ssd_blobs", "nvme"}}
	}
	c.Segments.Enable, c.Segments.OnlyGangs, c.Segments.LeastRest = d.chance(60), d.chance(30), d.chance(50)
	if d.chance(20) {
		c.Packing = d.packing()
	}
	for i := range dayPools {
		p := &core.PoolConfig{Parent: core.RootPool}
		if i >= 5 {
			p.Parent = core.PoolID(d.random.IntN(5))
		}
		p.Weight = maybe(d, 50, 1+float64(d.random.IntN(4)))
		if i >= 5 && d.chance(30) {
			p.Mode = core.Some(core.FIFO)
		}
		if d.chance(20) {
			p.ResourceLimits.Set[resource.CPU], p.ResourceLimits.Amounts[resource.CPU] = true, int64(1000+100*d.random.IntN(30))
		}
		if i < 5 && d.chance(50) {
			p.StrongGuarantee.Set[resource.CPU], p.StrongGuarantee.Amounts[resource.CPU] = true, int64(100*d.random.IntN(20))
		}
		p.AllowAggressivePreemption, p.AllowNormalPreemption = maybe(d, 20, false), maybe(d, 10, false)
		p.EnableAggressiveStarvation = maybe(d, 20, d.chance(50))
		p.FairShareStarvationTimeout = maybe(d, 20, pooltree.Milliseconds(2000))
		p.FairShareStarvationTolerance = maybe(d, 20, 0.5)
		p.MaxShareRatio = maybe(d, 10, 0.4)
		p.AllowRegularJobsOnSSD = maybe(d, 30, false)
		if d.chance(15) {
			p.TagFilter = formula("big")
		}
		d.pools = append(d.pools, p)
	}
	for i := range dayNodes {
		n := dayNode{limits: resource.Vector{12, 1200, 0, 48 << 30, 0}}
		if i%3 == 0 {
			n.tags, n.limits = pooltree.Tags{"big"}, n.limits.Times(2)
		}
		n.segment, n.module = "default", [...]string{"east", "west"}[i%2]
		if i%4 == 1 {
			n.tags = pooltree.NewTags(append(n.tags, "ssd")...)
		}
		if i%4 >= 2 {
			n.limits[resource.GPU] = 16
			if i%4 == 3 {
				n.segment = "large_gpu"
			}
		}
		d.nodes = append(d.nodes, n)
	}
	for i := range dayOperations {
		cores := int64(1 + d.random.IntN(4))
		w := dayWork{
			submit: core.Time(d.random.IntN(150)) * core.Second, pool: core.PoolID(5 + d.random.IntN(dayPools-5)),
			size: resource.Vector{1, 100 * cores, 0, int64(1+d.random.IntN(6)) << 30, 0},
			left: 5 + d.random.IntN(120), lasts: 15 + d.random.IntN(120),
		}
		if i < 3 {
			w.submit = 0
		}
		w.params.Weight = maybe(d, 30, 1+float64(d.random.IntN(3)))
		w.params.Graceful, w.params.Gang = maybe(d, 10, true), maybe(d, 20, true)
		w.params.MaxUnpreemptibleJobs = maybe(d, 20, int64(d.random.IntN(3)))
		if d.chance(15) {
			w.params.ResourceLimits = core.Some(resource.Partial{Amounts: resource.Vector{1: 1500}, Set: [resource.Kinds]bool{1: true}})
		}
		d.drawKinds(&w)
		d.work = append(d.work, w)
	}
}

// drawKinds gives an operation devices, another kind of jobs and disk quotas, or
// none.
func (d *day) drawKinds(w *dayWork) {
	if d.chance(35) {
		w.size[resource.GPU] = [...]int64{1, 8, 8}[d.random.IntN(3)]
	}
	if d.chance(30) {
		w.small, w.smalls = resource.Vector{1, 50, 0, 1 << 30, 0}, d.random.IntN(40)
	}
	media := pooltree.Media{}
	if d.chance(40) {
		media.Some = []string{"ssd_blobs"}
		if w.smalls == 0 {
			media.Every = media.Some
		}
	}
	w.params.Media = &media
	if d.chance(10) {
		w.params.Segment = core.Some(pooltree.Segment(d.random.IntN(2)))
	}
	if d.chance(10) {
		w.params.Modules = &[]string{"west"}
	}
}

// emit follows an event and records it.
func (d *day) emit(e core.Event) {
	e.Time, e.Seq = d.now, int64(len(d.events))
	d.tree.Step(&e)
	d.events = append(d.events, e)
}

func event(k core.Kind) core.Event {
	return core.Event{Kind: k, Pool: core.Unknown, Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown, For: core.Unknown, PendingJobs: -1}
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
	}
}

func (d *day) begin() {
	e := event(core.ClusterConfigured) // what is stated can be judged
	usual := scheduling.DefaultOptions(scheduling.Documented)
	e.Cluster = &core.ClusterConfig{
		MinSpare:           core.Some(resource.Partial{Amounts: usual.MinSpare, Set: [resource.Kinds]bool{true, true, true, true, true}}),
		OvercommitDuration: core.Some(pooltree.Milliseconds(usual.OvercommitDuration / 1000)),
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
	e.Segment, e.Module = d.nodes[i].segment, d.nodes[i].module
	d.emit(e)
}

// change meddles with the configuration and the nodes now and then.
func (d *day) change(second int) {
	switch {
	case second%40 == 39:
		i := d.random.IntN(dayPools)
		p := *d.pools[i]
		p.ResourceLimits.Set[resource.CPU] = d.chance(60)
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
		if w := &d.work[o]; w.started && !w.over {
			e := event(core.OperationChanged)
			e.Operation, e.Step = o, core.StepSuspended
			if d.chance(50) {
				e.Step = core.StepResumed
			}
			d.emit(e)
			d.now++
		}
	}
}

func (d *day) submit(o core.OperationID) {
	w := &d.work[o]
	switch {
	case !w.started && w.submit <= d.now:
		w.started = true
		e := event(core.OperationChanged)
		e.Operation, e.Step, e.Pool, e.Params = o, core.StepStarted, w.pool, &w.params
		d.emit(e)
		e = event(core.OperationChanged)
		e.Operation, e.Step = o, core.StepRunning
		d.emit(e)
		d.tellDemand(o)
		d.now++
	case w.started && !w.over && w.left+w.smalls == 0 && w.live == 0:
		w.over = true
		e := event(core.OperationChanged)
		e.Operation, e.Step = o, core.StepCompleted
		d.emit(e)
		d.now++
	}
}

func (d *day) tellDemand(o core.OperationID) {
	w := &d.work[o]
	e := event(core.DemandChanged)
	e.Operation, e.Needed, e.MinNeeded, e.PendingJobs = o, w.size.Times(float64(w.left)), w.size, int64(w.left+w.smalls)
	if w.smalls > 0 {
		e.Needed = e.Needed.Add(w.small.Times(float64(w.smalls)))
		if e.MinNeeded = w.small; w.left > 0 {
			e.MinNeeded = w.small.Min(w.size)
		}
	}
	d.emit(e)
}

// stopJobs ends the jobs whose time has come.
func (d *day) stopJobs() {
	kept := d.running[:0]
	for _, id := range d.running {
		j := d.jobs[id]
		if j.ends > d.now {
			kept = append(kept, id)
			continue
		}
		e := event(core.JobFinished)
		e.Job, e.Operation, e.Node, e.End = id, j.operation, j.node, core.EndCompleted
		if j.gone {
			d.nodes[j.node].leaving--
			e.End = core.EndPreempted
		} else {
			d.work[j.operation].live--
		}
		d.emit(e)
		d.now++
		delete(d.jobs, id)
	}
	d.running = kept
}

// An offer is a kind of jobs that an operation has offered within a heartbeat.
type offer struct {
	operation core.OperationID
	main      bool
}

// Offer implements core.Controller.
func (d *day) Offer(o core.OperationID, _ core.NodeID, room resource.Vector) (resource.Vector, scheduling.Refusal) {
	w := &d.work[o]
	switch {
	case w.left+w.smalls == 0:
		return resource.Vector{}, scheduling.NothingPending
	case d.chance(2):
		return resource.Vector{}, scheduling.Declined
	case w.left > d.offered[offer{o, true}] && w.size.FitsIn(room):
		d.offered[offer{o, true}]++
		return w.size, scheduling.Accepted
	case w.smalls > d.offered[offer{o, false}] && w.small.FitsIn(room):
		d.offered[offer{o, false}]++
		return w.small, scheduling.Accepted
	}
	return resource.Vector{}, scheduling.NotEnoughResources
}

func (d *day) heartbeat(n core.NodeID) {
	own := &d.nodes[n]
	e := event(core.HeartbeatReceived)
	e.Node, e.Limits, e.Skipped = n, own.limits, core.Some(own.leaving > 0)
	if own.leaving > 0 {
		d.emit(e)
		return
	}
	d.offered = map[offer]int{}
	decided := d.tree.Decide(n, d.now, d)
	d.tree.Remember()
	if d.bend != nil {
		d.bend(n, decided)
	}
	e.Preemptive = core.Some(decided.Preemptive)
	started, preempted := append([]core.DecidedStart(nil), decided.Started...), append([]core.DecidedPreemption(nil), decided.Preempted...)
	d.emit(e)
	var lost []core.OperationID
	for _, p := range preempted {
		lost = append(lost, d.preempt(n, &p, started))
	}
	for _, s := range started {
		d.start(n, &s)
	}
	for _, o := range lost {
		d.now++
		d.tellDemand(o)
	}
}

func (d *day) preempt(n core.NodeID, p *core.DecidedPreemption, started []core.DecidedStart) core.OperationID {
	j := d.jobs[p.Job]
	e := event(core.JobPreempted)
	e.Job, e.Operation, e.Node, e.Reason, e.End = p.Job, p.Operation, n, "preemption", core.EndPreempted
	e.Preemption = &core.PreemptionRecord{Reason: p.Reason.String()}
	if p.For >= 0 {
		e.For, e.ForJob = started[p.For].Operation, fmt.Sprint("job", int(d.nextJob)+p.For)
	}
	e.Finish = d.now + core.Time(1+d.random.IntN(9))*core.Second
	d.emit(e)
	j.ends, d.nodes[n].leaving = e.Finish, d.nodes[n].leaving+1
	if !j.gone {
		d.work[p.Operation].live--
		d.giveBack(j, 1)
	}
	j.gone, j.asked = true, p.Reason == scheduling.ForGracefulPreemption
	d.preemptions++
	return p.Operation
}

// giveBack returns the work of a job to its operation, or takes it out.
func (d *day) giveBack(j *dayJob, n int) {
	w := &d.work[j.operation]
	if j.size == w.size {
		w.left += n
	} else {
		w.smalls += n
	}
}

func (d *day) start(n core.NodeID, s *core.DecidedStart) {
	w := &d.work[s.Operation]
	e := event(core.JobStarted)
	e.Job, e.Name, e.Operation, e.Node, e.Limits = d.nextJob, fmt.Append(nil, "job", int(d.nextJob)), s.Operation, n, s.Resources
	e.Stage = s.Stage.String()
	e.Finish, e.End = d.now+core.Time(w.lasts/2+d.random.IntN(w.lasts))*core.Second, core.EndCompleted
	j := &dayJob{operation: s.Operation, node: n, size: s.Resources, ends: e.Finish}
	d.jobs[d.nextJob] = j
	e.SSD = s.Resources == w.size && d.config.SSD.Names(w.params.Media.Some)
	d.running = append(d.running, d.nextJob)
	d.nextJob++
	d.giveBack(j, -1)
	w.live++
	d.emit(e)
	d.starts++
	d.check(&e)
}

// check recounts what the started job's node holds, and compares the usage of its
// operation and of all pools above with their specified limits.
func (d *day) check(e *core.Event) {
	var held resource.Vector
	for _, j := range d.jobs {
		if j.node == e.Node && (!j.gone || j.asked) {
			held = held.Add(j.size)
		}
	}
	if slot, _ := d.tree.NodeOf(e.Node); d.tree.Node(slot).Usage != held {
		d.faults = append(d.faults, fmt.Sprintf("at %d node %d holds %v, the tree says %v", e.Time, e.Node, held, d.tree.Node(slot).Usage))
	} else if !held.FitsIn(d.nodes[e.Node].limits) {
		d.faults = append(d.faults, fmt.Sprintf("at %d node %d holds %v of %v", e.Time, e.Node, held, d.nodes[e.Node].limits))
	}
	slot, _ := d.tree.OperationOf(e.Operation)
	o := d.tree.Operation(slot)
	if !o.Usage.FitsIn(o.Params.ResourceLimits.Value.Or(resource.Unlimited)) {
		d.faults = append(d.faults, fmt.Sprintf("at %d operation %d uses %v", e.Time, e.Operation, o.Usage))
	}
	for p := o.Pool; p >= 0; p = d.tree.Pool(p).Parent {
		if pool := d.tree.Pool(p); !pool.Usage.FitsIn(pool.Config.ResourceLimits.Or(resource.Unlimited)) {
			d.faults = append(d.faults, fmt.Sprintf("at %d pool %d uses %v", e.Time, pool.ID, pool.Usage))
		}
	}
}
