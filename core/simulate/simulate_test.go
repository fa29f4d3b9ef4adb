package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
)

// watch is a recorder that checks what every recording owes: order, whole jobs,
// nodes that hold what runs on them.
type watch struct {
	t         *testing.T
	last      map[int]core.Event
	limits    map[core.NodeID]resource.Vector
	usage     map[core.NodeID]resource.Vector
	jobs      map[core.JobID]core.Event
	preempted map[core.JobID]bool       // whether gracefully
	lost      map[core.NodeID]core.Time // since when nodes are offline
	leaving   int                       // preempted jobs that were lost with their node
	disabled  int                       // jobs that were aborted as their node had no slots
	graceful  int                       // preemptions
	log       []string
	counts    map[core.Kind]int
	snapshots int
}

func newWatch(t *testing.T) *watch {
	return &watch{t: t, last: map[int]core.Event{}, limits: map[core.NodeID]resource.Vector{}, usage: map[core.NodeID]resource.Vector{},
		jobs: map[core.JobID]core.Event{}, preempted: map[core.JobID]bool{}, lost: map[core.NodeID]core.Time{}, counts: map[core.Kind]int{}}
}

func (w *watch) BeginTrees([]*core.Tree) error { return nil }

func (w *watch) Snapshot(tree int, at core.Time) error {
	w.snapshots++
	if w.last[tree].Time >= at {
		w.t.Errorf("a snapshot at %d stands after an event at %d", at, w.last[tree].Time)
	}
	return nil
}

func (w *watch) Record(tree int, e *core.Event) error {
	last := w.last[tree]
	if e.Time < last.Time || e.Time == last.Time && e.Kind < last.Kind {
		w.t.Errorf("%d of kind %d stands after %d of kind %d", e.Time, e.Kind, last.Time, last.Kind)
	}
	w.last[tree] = *e
	w.counts[e.Kind]++
	w.log = append(w.log, fmt.Sprintf("%d %d %d %d %d %d %v %v", tree, e.Time, e.Kind, e.Operation, e.Job, e.Node, e.Step, e.Needed))
	switch e.Kind {
	case core.NodeChanged:
		w.limits[e.Node] = e.Limits
		if delete(w.lost, e.Node); !e.Online {
			w.lost[e.Node] = e.Time
		}
	case core.HeartbeatReceived:
		if e.Usage != w.usage[e.Node] {
			w.t.Errorf("node %d reports %v at %d and runs %v", e.Node, e.Usage, e.Time, w.usage[e.Node])
		}
		for id, started := range w.jobs {
			if started.Node == e.Node && w.hasNoSlots(e.Node) {
				w.t.Errorf("job %d is there at %d on node %d, which has no slots", id, e.Time, e.Node)
			}
		}
	case core.JobStarted:
		if w.hasNoSlots(e.Node) {
			w.t.Errorf("job %d starts at %d on node %d, which has no slots", e.Job, e.Time, e.Node)
		}
		w.jobs[e.Job] = *e
		w.use(e.Node, e.Limits)
	case core.JobPreempted:
		graceful := e.Preemption.Mode == "graceful"
		if w.preempted[e.Job] = graceful; graceful {
			w.graceful++ // it keeps its resources to its end
		} else {
			w.use(e.Node, resource.Vector{}.Sub(w.jobs[e.Job].Limits))
		}
	case core.JobFinished:
		if _, known := w.jobs[e.Job]; !known {
			w.t.Errorf("job %d ends twice", e.Job)
		}
		if since, lost := w.lost[e.Node]; lost && e.Time > since {
			w.t.Errorf("job %d ends at %d, after its node was lost at %d", e.Job, e.Time, since)
		}
		graceful, preempted := w.preempted[e.Job]
		if preempted && e.Reason == nodeOffline {
			w.leaving++
		}
		if e.Reason == nodeDisabled {
			w.disabled++
			if e.End != core.EndAborted || !w.hasNoSlots(e.Node) {
				w.t.Errorf("job %d ends at %d as %v on node %d of %v", e.Job, e.Time, e.End, e.Node, w.limits[e.Node])
			}
		}
		if !preempted || graceful {
			w.use(e.Node, resource.Vector{}.Sub(w.jobs[e.Job].Limits))
		}
		delete(w.jobs, e.Job)
	}
	return nil
}

// use changes what a node runs. Within one instant it may hold more: victims go
// after the beneficiary is chosen, but they are told before it.
func (w *watch) use(n core.NodeID, v resource.Vector) {
	w.usage[n] = w.usage[n].Add(v)
	if !w.hasNoSlots(n) && !w.usage[n].FitsIn(w.limits[n]) {
		w.t.Errorf("node %d of %v runs %v", n, w.limits[n], w.usage[n])
	}
}

// hasNoSlots reports whether all jobs of a node are to be aborted.
func (w *watch) hasNoSlots(n core.NodeID) bool { return w.limits[n][resource.UserSlots] == 0 }

func cores(n int64) resource.Vector {
	return resource.Vector{resource.UserSlots: n, resource.CPU: n * resource.CentsPerCore}
}

// machine is a node of n cores; the least that is left free has memory, too.
func machine(n int64) resource.Vector {
	v := cores(n)
	v[resource.Memory] = n << 30
	return v
}

func factAt(at core.Time, kind core.Kind) core.Event {
	e := event(kind)
	e.Time, e.Seq = at, 1
	return e
}

// contended is a plan of two trees in each of which a pool with a guarantee comes late,
// a node fails and another has no user slots for a while, and one operation may use
// either tree.
func contended() *Plan {
	dims := &core.Dimensions{Nodes: []string{"n0", "n1", "n2"}}
	for _, tree := range []string{"a", "b"} {
		for _, pool := range []string{"rich", "poor"} {
			dims.Pools = append(dims.Pools, core.PoolInfo{Tree: tree, Name: pool})
		}
	}
	dims.Pools = append(dims.Pools, core.PoolInfo{Tree: "a", Name: "z"}, core.PoolInfo{Tree: "b", Name: "z"})
	p := &Plan{
		Dimensions: dims, Window: core.Span{From: 1000 * core.Second, To: 1600 * core.Second},
		UpdatePeriod: core.Second, SnapshotPeriod: 10 * core.Second, HeartbeatPeriod: 5 * core.Second, ScanPeriod: 60 * core.Second,
		Phases: []core.Time{100, 200, 300},
		Outcome: func(w Work) (core.Time, bool) {
			return core.Time(20+w.Index%7*13) * core.Second, w.Index%11 == 3 && w.Attempt == 0 || w.Index%4 == 2 && w.Attempt == 1
		},
		Stop: func(w Work, _ bool) Stopping {
			takes := 5 * core.Second / 2
			if w.Operation == 1 { // the graceful one
				takes = 15 * core.Second
			}
			return Stopping{Interruptible: w.Index%2 == 0, Takes: takes}
		},
		AppendJobName: func(to []byte, j Named) []byte { return fmt.Append(to, "job-", j.Tree, "-", j.Number) },
	}
	for i, name := range []string{"a", "b"} {
		t := Tree{Name: name}
		start := p.Window.From
		config := factAt(start, core.TreeConfigured)
		config.Tree = &core.TreeConfig{}
		t.Facts = append(t.Facts, config)
		for k := range 2 {
			pool := factAt(start, core.PoolConfigured)
			pool.Pool, pool.Config = core.PoolID(2*i+k), &core.PoolConfig{Parent: core.RootPool}
			if k == 0 {
				pool.Config.StrongGuarantee = resource.Partial{Amounts: cores(12), Set: [resource.Kinds]bool{resource.CPU: true}}
			}
			t.Facts = append(t.Facts, pool)
		}
		for n := range 3 {
			if (n == 2) == (i == 1) {
				node := factAt(start, core.NodeChanged)
				node.Node, node.Online, node.Limits = core.NodeID(n), true, machine(10)
				t.Facts = append(t.Facts, node)
			}
		}
		if i == 0 {
			lost := factAt(start+108*core.Second, core.NodeChanged)
			lost.Node, lost.Limits = 1, machine(10)
			t.Facts = append(t.Facts, lost)
			for i, slots := range []int64{0, 10} {
				resized := factAt(start+core.Time(112+40*i)*core.Second, core.NodeChanged)
				resized.Node, resized.Online, resized.Limits = 0, true, machine(10)
				resized.Limits[resource.UserSlots] = slots
				t.Facts = append(t.Facts, resized)
			}
		}
		p.Trees = append(p.Trees, t)
	}
	add := func(at core.Time, user string, jobs int, size int64, pool string, trees ...int) {
		id := core.OperationID(len(p.Operations))
		dims.Operations = append(dims.Operations, core.OperationInfo{ID: fmt.Sprint("op-", id), Type: "map", User: user})
		o := Operation{Submit: p.Window.From + at*core.Second, Preparation: core.Second, Tasks: []Task{{Jobs: jobs, Resources: cores(size)}, {Jobs: 2, Resources: cores(1)}}}
		for _, tree := range trees {
			started := factAt(o.Submit, core.OperationChanged)
			started.Operation, started.Step = id, core.StepStarted
			o.Requests = append(o.Requests, Request{Tree: tree, Pool: pool, Started: started})
		}
		p.Operations = append(p.Operations, o)
	}
	add(1, "x", 60, 1, "poor", 0)
	add(2, "y", 40, 2, "poor", 0)
	p.Operations[1].Requests[0].Started.Params = &core.OperationParams{Graceful: core.Some(true)}
	add(3, "z", 50, 1, "", 0, 1)
	add(100, "x", 40, 2, "rich", 0)
	add(100, "x", 20, 2, "rich", 1)
	return p
}

func TestWhatHappensIsWholeAndInOrder(t *testing.T) {
	w := newWatch(t)
	if err := Run(contended(), w); err != nil {
		t.Fatal(err)
	}
	for kind, what := range map[core.Kind]string{
		core.JobPreempted: "preemptions", core.JobStarted: "starts", core.JobFinished: "ends", core.DemandChanged: "demands",
	} {
		if w.counts[kind] == 0 {
			t.Errorf("no %s: the plan tests too little", what)
		}
	}
	if w.graceful == 0 || w.leaving == 0 {
		t.Errorf("%d graceful preemptions, %d preempted jobs lost with their node: the plan tests too little", w.graceful, w.leaving)
	}
	if w.disabled == 0 {
		t.Error("no job was aborted as its node had no slots: the plan tests too little")
	}
	if w.snapshots == 0 {
		t.Error("no snapshots")
	}
}

func TestTheSamePlanGivesTheSameEventsOnAnyNumberOfWorkers(t *testing.T) {
	logs := [2][]string{}
	for i := range logs {
		w, p := newWatch(t), contended()
		if i == 1 {
			p.Each = func(n int, f func(int)) {
				done := make(chan bool)
				for i := range n {
					go func() { f(n - 1 - i); done <- true }()
				}
				for range n {
					<-done
				}
			}
		}
		if err := Run(p, w); err != nil {
			t.Fatal(err)
		}
		logs[i] = w.log
	}
	if len(logs[0]) != len(logs[1]) {
		t.Fatalf("%d events and %d", len(logs[0]), len(logs[1]))
	}
	for i := range logs[0] {
		if logs[0][i] != logs[1][i] {
			t.Fatalf("event %d is %s and %s", i, logs[0][i], logs[1][i])
		}
	}
}

func TestWorkIsDoneOnceInAllTreesTogether(t *testing.T) {
	w, p := newWatch(t), contended()
	p.Window.To += 3000 * core.Second
	if err := Run(p, w); err != nil {
		t.Fatal(err)
	}
	if len(w.jobs) != 0 {
		t.Errorf("%d jobs still run at the end", len(w.jobs))
	}
	completed := 0
	for _, line := range w.log {
		var tree, at, kind, op, job, node, step int
		if _, err := fmt.Sscanf(line, "%d %d %d %d %d %d %d", &tree, &at, &kind, &op, &job, &node, &step); err != nil {
			t.Fatal(err)
		}
		if core.Kind(kind) == core.OperationChanged && core.Step(step) == core.StepCompleted {
			completed++
		}
	}
	if want := len(p.Operations) + 1; completed != want { // one is in two trees
		t.Errorf("%d completions, want %d", completed, want)
	}
}

// TestTheQueueIsInOrder: whatever comes in while others go out, heartbeats that stand in line
// among them, which nodes report anew and at times before one that does.
func TestTheQueueIsInOrder(t *testing.T) {
	var q queue
	pushed, popped := 0, 0
	push := func(i item) {
		pushed++
		q.push(i)
	}
	for i := range 1000 {
		push(item{at: core.Time(i * 7919 % 101), rank: core.Kind(i % 5), what: what(i) % (heartbeat + 1), id: int64(i)})
	}
	for last := (item{}); !q.empty(); popped++ {
		next := q.pop()
		if popped > 0 && next.before(&last) {
			t.Fatalf("%+v comes after %+v", next, last)
		}
		if last = next; popped < 5000 {
			push(item{at: next.at + 101, rank: core.HeartbeatReceived, what: heartbeat, id: next.id})
		}
		if popped < 500 {
			push(item{at: next.at + core.Time(next.id%40), rank: core.JobFinished, what: jobEnds, id: next.id})
			push(item{at: next.at + core.Time(next.id%200), rank: core.HeartbeatReceived, what: heartbeat, id: next.id})
		}
	}
	if popped != pushed || len(q.line) < 1000 {
		t.Errorf("%d items went in and %d came out; the line was of %d", pushed, popped, len(q.line))
	}
}

// TestATaskIsWantedWhenItsTimeComes: until then its jobs are no demand and none is
// started, and its operation waits for it; one without tasks is done at once.
func TestATaskIsWantedWhenItsTimeComes(t *testing.T) {
	p := contended()
	p.Operations = p.Operations[:1]
	o := &p.Operations[0]
	later := core.Time(300 * core.Second)
	o.Tasks = []Task{{Jobs: 2, Resources: cores(1)}, {Jobs: 3, Resources: cores(2), After: later}, {After: later + 200*core.Second}}
	empty := *o
	empty.Tasks = nil
	empty.Requests = []Request{o.Requests[0]}
	empty.Requests[0].Started.Operation = 1
	p.Operations = append(p.Operations, empty)
	ready := o.Submit + o.Preparation
	started, over := map[resource.Vector][]core.Time{}, map[core.OperationID]core.Time{}
	var needed []resource.Vector
	w := &tap{watch: newWatch(t), see: func(e *core.Event) {
		switch {
		case e.Kind == core.JobStarted:
			started[e.Limits] = append(started[e.Limits], e.Time)
		case e.Kind == core.DemandChanged && e.Operation == 0:
			needed = append(needed, e.Needed)
		case e.Kind == core.OperationChanged && e.Step == core.StepCompleted:
			over[e.Operation] = e.Time
		}
	}}
	if err := Run(p, w); err != nil {
		t.Fatal(err)
	}
	if n := len(started[cores(1)]); n != 2 {
		t.Errorf("%d jobs of the first task, want 2", n)
	}
	if at := started[cores(2)]; len(at) != 3 || at[0] < ready+later {
		t.Errorf("jobs of the second task at %v, want 3 from %d", at, ready+later)
	}
	if len(needed) < 3 || needed[0] != cores(2) || needed[1] != cores(0) || needed[2] != cores(6) {
		t.Errorf("needed are %v, want 2 cores, none once they are given, and then 6", needed)
	}
	if at, want := over[0], ready+later+200*core.Second+finishDelay; at != want {
		t.Errorf("it is over at %d, want %d", at, want)
	}
	if at, want := over[1], ready+finishDelay; at != want {
		t.Errorf("the one without tasks is over at %d, want %d", at, want)
	}
}

// TestNothingIsScheduledOrLoggedWithoutAMaster: jobs run on and end, and that is all that
// happens; what came meanwhile follows once the master is back (ingest/trace/FORMAT.md §1.3).
func TestNothingIsScheduledOrLoggedWithoutAMaster(t *testing.T) {
	p := contended()
	lost, back := p.Window.From+95*core.Second, p.Window.From+130*core.Second // two operations come between
	for i := range p.Trees {
		for at, what := range map[core.Time]string{lost: "master_disconnected", back: "master_connected"} {
			e := factAt(at, core.ProcessChanged)
			e.Process = what
			p.Trees[i].Facts = append(p.Trees[i].Facts, e)
		}
		slices.SortStableFunc(p.Trees[i].Facts, func(a, b core.Event) int { return cmp.Compare(a.Time, b.Time) })
	}
	ended, submitted := 0, 0
	var last core.Time
	w := &tap{watch: newWatch(t), see: func(e *core.Event) {
		switch e.Kind {
		case core.JobFinished:
			if e.Time > lost && e.Time < back {
				ended++
			}
			return
		case core.ProcessChanged, core.NodeChanged:
			return
		case core.OperationChanged:
			if e.Time == back && e.Step == core.StepStarted {
				submitted++
			}
		}
		if last = e.Time; e.Time > lost && e.Time < back {
			t.Errorf("an event of kind %d at %d", e.Kind, e.Time)
		}
	}}
	if err := Run(p, w); err != nil {
		t.Fatal(err)
	}
	if ended == 0 || submitted != 2 || last <= back {
		t.Errorf("%d jobs end, %d operations come with the master, the last event is at %d: want some, 2, and more", ended, submitted, last)
	}
	if want := 2 * int((p.Window.To-p.Window.From)/p.SnapshotPeriod-1-4); w.snapshots != want { // none at 100, 110 and 120 s, nor as the master comes back
		t.Errorf("%d records of trees, want %d", w.snapshots, want)
	}
}

// tap is a watch that shows what it sees.
type tap struct {
	*watch
	see func(*core.Event)
}

func (w *tap) Record(tree int, e *core.Event) error {
	w.see(e)
	return w.watch.Record(tree, e)
}
