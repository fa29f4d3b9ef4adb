package simulate

import (
	"fmt"
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
)

// devices is a plan of trees whose nodes have eight devices each, in modules as named,
// and of one operation in all of them whose jobs take a node each.
func devices(jobs int, trees int, modules ...string) *Plan {
	dims := &core.Dimensions{Operations: []core.OperationInfo{{ID: "big", Type: "vanilla", User: "x"}}}
	p := &Plan{
		Dimensions: dims, Window: core.Span{From: 1000 * core.Second, To: 1300 * core.Second},
		UpdatePeriod: core.Second, HeartbeatPeriod: 5 * core.Second,
		Outcome:       func(Work) (core.Time, bool) { return 100 * core.Second, false },
		Stop:          func(Work, bool) Stopping { return Stopping{Takes: core.Second} },
		AppendJobName: func(to []byte, j Named) []byte { return fmt.Append(to, "job-", j.Tree, "-", j.Number) },
	}
	size := machine(16)
	size[resource.GPU] = 8
	whole := size
	whole[resource.UserSlots] = 1
	o := Operation{Submit: p.Window.From + core.Second, Preparation: core.Second, Tasks: []Task{{Jobs: jobs, Resources: whole}}}
	for i := range trees {
		t := Tree{Name: fmt.Sprint("t", i)}
		dims.Pools = append(dims.Pools, core.PoolInfo{Tree: t.Name, Name: "x"})
		config := factAt(p.Window.From, core.TreeConfigured)
		config.Tree = &core.TreeConfig{}
		config.Tree.Segments.Enable = true
		t.Facts = append(t.Facts, config)
		for _, module := range modules {
			node := factAt(p.Window.From, core.NodeChanged)
			node.Node, node.Online, node.Limits, node.Segment, node.Module = core.NodeID(len(dims.Nodes)), true, size, "large_gpu", module
			dims.Nodes = append(dims.Nodes, fmt.Sprint("n", len(dims.Nodes)))
			p.Phases = append(p.Phases, core.Time(100*len(dims.Nodes)))
			t.Facts = append(t.Facts, node)
		}
		p.Trees = append(p.Trees, t)
		started := factAt(o.Submit, core.OperationChanged)
		started.Operation, started.Step = 0, core.StepStarted
		o.Requests = append(o.Requests, Request{Tree: i, Started: started})
	}
	p.Operations = []Operation{o}
	return p
}

// TestJobsInAWrongModuleAreAborted: a node comes to be in another module than the
// operation on it. The next heartbeat of the node aborts its job and no other, and what it
// did is done again where the operation belongs (core/spec/scheduling.md §12).
func TestJobsInAWrongModuleAreAborted(t *testing.T) {
	p := devices(2, 1, "west", "west", "west")
	moved := p.Window.From + 50*core.Second
	lost := core.NodeID(core.Unknown)
	var aborted, after []core.NodeID
	w := &tap{watch: newWatch(t), see: func(e *core.Event) {
		switch {
		case e.Kind == core.JobStarted && e.Time > moved:
			after = append(after, e.Node)
		case e.Kind == core.JobStarted:
			lost = e.Node
		case e.Kind == core.JobFinished && e.Reason == wrongModule:
			if aborted = append(aborted, e.Node); e.End != core.EndAborted || e.Time > moved+p.HeartbeatPeriod {
				t.Errorf("a job ends at %d as %d, and its node moved at %d", e.Time, e.End, moved)
			}
		}
	}}
	run := func() {
		if err := Run(p, w); err != nil {
			t.Fatal(err)
		}
	}
	p.Window.To = moved
	run()
	move := p.Trees[0].Facts[1+lost]
	move.Time, move.Module = moved, "east"
	p.Trees[0].Facts = append(p.Trees[0].Facts, move)
	p.Window.To += 250 * core.Second
	w.watch = newWatch(t)
	run()
	if !slices.Equal(aborted, []core.NodeID{lost}) {
		t.Errorf("jobs on %v are aborted, want that on %d", aborted, lost)
	}
	if len(after) != 1 || after[0] == lost {
		t.Errorf("jobs start on %v, want one, and not on %d", after, lost)
	}
}

// TestWholeNodesInSeveralTrees: an operation that has whole nodes to itself in a tree, and
// is in another as well, is failed before it gets a job; one that settles in one of them
// goes on, and so does one whose trees are not parted (core/spec/scheduling.md §12).
func TestWholeNodesInSeveralTrees(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Plan)
		fails  bool
	}{
		{"both trees are parted", func(*Plan) {}, true},
		{"one of them is", func(p *Plan) { p.Trees[1].Facts[0].Tree = &core.TreeConfig{} }, true},
		{"none is", func(p *Plan) {
			p.Trees[0].Facts[0].Tree, p.Trees[1].Facts[0].Tree = &core.TreeConfig{}, &core.TreeConfig{}
		}, false},
		{"it keeps one", func(p *Plan) { p.Operations[0].SingleTree = true }, false},
		{"its jobs take seven devices", func(p *Plan) { p.Operations[0].Tasks[0].Resources[resource.GPU] = 7 }, false},
	} {
		p := devices(2, 2, "west", "west")
		c.change(p)
		failed, started := 0, 0
		w := &tap{watch: newWatch(t), see: func(e *core.Event) {
			switch {
			case e.Kind == core.JobStarted:
				started++
			case e.Kind == core.OperationChanged && e.Step == core.StepFailed:
				failed++
			}
		}}
		if err := Run(p, w); err != nil {
			t.Fatal(err)
		}
		if c.fails && (failed != 2 || started > 0) || !c.fails && failed > 0 {
			t.Errorf("%s: it fails in %d trees, after %d jobs; want %v", c.name, failed, started, c.fails)
		}
	}
}

// TestSegmentsAreRebalanced: what has had too few devices for longer than the timeout is
// given the node whose jobs are least in the way, of its own module, and no more than it is
// owed; a node that fails comes back to the segment that it was given
// (core/spec/scheduling.md §12). Nobody gives what would leave too little, and a tree with a
// reserve is left alone.
func TestSegmentsAreRebalanced(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Plan)
		want   []string
	}{
		{"a module has too little", func(*Plan) {}, []string{"node 2 to large_gpu at 310s"}},
		{"so would have who gives", func(p *Plan) {
			p.Operations[1].Tasks[0].Jobs = 40 // of 40 devices 28 are owed to the default segment, which has 32
			p.Operations[1].Requests[0].Started.Params = &core.OperationParams{}
			p.Operations[1].Requests[0].Started.Params.Weight = core.Some(7.0 / 3)
		}, nil},
		{"the tree has a reserve", func(p *Plan) { p.Trees[0].Facts[0].Tree.Segments.Reserve = true }, nil},
	} {
		p := lacking()
		c.change(p)
		if moves := movesOf(t, p); !slices.Equal(moves, c.want) {
			t.Errorf("%s: moves are %q, want %q", c.name, moves, c.want)
		}
	}
}

// lacking is a plan in which an operation wants two whole nodes of the west and one is for
// it, while jobs of another stand on the rest. Node 2, which has the fewest there, fails later.
func lacking() *Plan {
	p := devices(2, 1, "west", "west", "west", "west", "east")
	p.Rebalances, p.Window.To = true, p.Window.From+900*core.Second
	p.Outcome = func(Work) (core.Time, bool) { return 3000 * core.Second, false }
	facts := p.Trees[0].Facts
	for n := range 5 {
		if facts[1+n].Segment = "default"; n == 0 {
			facts[1+n].Segment = "large_gpu"
		}
	}
	// Jobs of another operation: one on node 2, two on the others of the west, none in the east.
	small := p.Operations[0]
	small.Submit, small.Requests = p.Window.From, slices.Clone(small.Requests)
	small.Requests[0].Started.Operation, small.Requests[0].Started.Time = 1, p.Window.From
	one := cores(1)
	one[resource.GPU] = 1
	small.Tasks = []Task{{Jobs: 5, Resources: one}}
	p.Operations = append(p.Operations, small)
	p.Dimensions.Operations = append(p.Dimensions.Operations, core.OperationInfo{ID: "small", Type: "vanilla", User: "x"})
	p.FaultInjector.Decide = func(h *Heartbeat, d *core.Decision) *core.Decision {
		allowed := map[core.NodeID]int{1: 2, 2: 1, 3: 2, 4: 0}[h.Node] - len(h.Jobs())
		d.Started = slices.DeleteFunc(d.Started, func(s core.DecidedStart) bool {
			if s.Operation == 1 {
				allowed--
			}
			return s.Operation == 1 && allowed < 0
		})
		return d
	}
	fails := facts[3]
	fails.Time, fails.Online = p.Window.From+600*core.Second, false
	back := facts[3]
	back.Time = p.Window.From + 620*core.Second
	p.Trees[0].Facts = append(facts, fails, back)
	return p
}

// movesOf runs a plan and returns the nodes that got another segment.
func movesOf(t *testing.T, p *Plan) (moves []string) {
	segments := map[core.NodeID]string{}
	w := &tap{watch: newWatch(t), see: func(e *core.Event) {
		if e.Kind != core.NodeChanged {
			return
		}
		if was := segments[e.Node]; was != "" && was != e.Segment {
			moves = append(moves, fmt.Sprintf("node %d to %s at %ds", e.Node, e.Segment, (e.Time-p.Window.From)/core.Second))
		}
		segments[e.Node] = e.Segment
	}}
	if err := Run(p, w); err != nil {
		t.Fatal(err)
	}
	return moves
}

// TestAStageTakesJobsThatWereAskedToFinish: jobs of a graceful operation have a minute
// left when their node comes to be of another segment. A stage takes them then, as it may
// take any job that does not belong there: their room is free at once, and they have no
// more time than others (core/spec/scheduling.md §10.6, §10.7).
func TestAStageTakesJobsThatWereAskedToFinish(t *testing.T) {
	p := devices(1, 1, "west")
	p.Outcome = func(Work) (core.Time, bool) { return 1000 * core.Second, false }
	p.Stop = func(Work, bool) Stopping { return Stopping{Interruptible: true, Takes: -1} }
	size := machine(1)
	size[resource.GPU] = 1
	p.Dimensions.Operations = append(p.Dimensions.Operations, core.OperationInfo{ID: "students", Type: "map", User: "y"})
	p.Dimensions.Pools = append(p.Dimensions.Pools, core.PoolInfo{Tree: p.Trees[0].Name, Name: "y"})
	started := factAt(p.Window.From, core.OperationChanged)
	started.Operation, started.Step = 1, core.StepStarted
	started.Params = &core.OperationParams{Graceful: core.Some(true)}
	p.Operations = append(p.Operations, Operation{
		Submit: p.Window.From, Tasks: []Task{{Jobs: 8, Resources: size}}, Requests: []Request{{Tree: 0, Started: started}},
	})
	p.Operations[0].Submit += 5 * core.Second
	p.Operations[0].Requests[0].Started.Time = p.Operations[0].Submit
	moved := p.Window.From + 50*core.Second
	move := p.Trees[0].Facts[1]
	p.Trees[0].Facts[1].Segment = "default"
	move.Time, move.Segment = moved, "large_gpu"
	p.Trees[0].Facts = append(p.Trees[0].Facts, move)

	asked, taken, twice := map[core.JobID]core.Time{}, map[core.JobID]core.Time{}, 0
	w := &tap{watch: newWatch(t), see: func(e *core.Event) {
		switch {
		case e.Kind == core.JobPreempted && e.Preemption.Mode == "graceful":
			if asked[e.Job] = e.Finish.Value; e.Time >= moved {
				t.Errorf("job %d is asked at %d, after its node moved", e.Job, e.Time)
			}
		case e.Kind == core.JobPreempted:
			if taken[e.Job] = e.Finish.Value; asked[e.Job] > 0 {
				twice++
			}
		case e.Kind == core.JobFinished:
			if e.Time != taken[e.Job] {
				t.Errorf("job %d ends at %d; it was asked to by %d, and taken until %d", e.Job, e.Time, asked[e.Job], taken[e.Job])
			}
		}
	}}
	if err := Run(p, w); err != nil {
		t.Fatal(err)
	}
	if len(taken) != 8 || twice == 0 {
		t.Errorf("%d jobs are taken, %d of them asked before: want 8, and some", len(taken), twice)
	}
}
