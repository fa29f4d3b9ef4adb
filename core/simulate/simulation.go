package simulate

import (
	"cmp"
	"fmt"
	"slices"

	"poolproof/core"
	"poolproof/core/scheduling"
)

// A simulation is the state of a running plan.
type simulation struct {
	plan     *Plan
	recorder Recorder
	queue    queue
	waiting  []item // what the scheduler does once it has its master again
	now      core.Time
	err      error      // the first; nothing is recorded after it
	next     core.Event // reused by those that come with every heartbeat, job and demand
	jobName  []byte     // of it
	record   core.PreemptionRecord
	started  []core.DecidedStart // by the heartbeat at hand
	taken    []core.DecidedPreemption

	trees      []tree // of the plan; those that are not decided have no core
	own        []int  // that are decided, in the order of the plan
	operations []operation
	nodes      []node
	live       int64 // operations in the trees that are decided
	crowd      Crowd
	cluster    *core.ClusterConfig

	jobs     []job
	freeJobs []int32
	nextJob  core.JobID
}

// A tree is the state of a simulated pool tree.
type tree struct {
	core       *core.Tree
	pools      map[string]core.PoolID
	starving   map[core.OperationID]scheduling.Status // as last announced
	controller controller
	started    int64 // jobs
}

// Run simulates the plan until the end of its window.
func Run(p *Plan, r Recorder) error {
	all := make([]int, len(p.Trees))
	for i := range all {
		all[i] = i
	}
	_, err := RunTrees(p, all, r)
	return err
}

// RunTrees simulates some trees of the plan, whole components in the order of the plan. It records
// the same as Run, except for the ids of jobs, if the cluster's limit refuses no operation: see
// Crowded.
func RunTrees(p *Plan, trees []int, r Recorder) (Crowd, error) {
	s := &simulation{plan: p, recorder: r, own: trees, now: p.Window.From}
	s.build()
	for !s.queue.empty() && s.err == nil {
		i := s.queue.pop()
		if i.at >= p.Window.To {
			break
		}
		s.now = i.at
		s.do(&i)
	}
	return s.crowd, s.err
}

// each does something for each of a number: as the plan says, or one after the other. The plan is
// only read: several simulations of it may be under way.
func (s *simulation) each(n int, f func(i int)) {
	if s.plan.Each != nil {
		s.plan.Each(n, f)
		return
	}
	for i := range n {
		f(i)
	}
}

// build makes the trees and queues what is known to happen.
func (s *simulation) build() {
	p := s.plan
	s.trees = make([]tree, len(p.Trees))
	cores := make([]*core.Tree, len(p.Trees))
	for _, i := range s.own {
		t := &s.trees[i]
		t.core = core.New(p.Dimensions, p.Profile)
		t.pools = map[string]core.PoolID{}
		t.starving = map[core.OperationID]scheduling.Status{}
		t.controller = controller{simulation: s, tree: i}
		for id, pool := range p.Dimensions.Pools {
			if pool.Tree == p.Trees[i].Name {
				t.pools[pool.Name] = core.PoolID(id)
			}
		}
		cores[i] = t.core
		s.pushFact(i, 0)
	}
	s.err = s.recorder.BeginTrees(cores)
	s.operations = make([]operation, len(p.Operations))
	for _, id := range p.inTurn() {
		if slices.Contains(s.own, p.Operations[id].home()) {
			s.queue.push(item{at: p.Operations[id].Submit, rank: core.OperationChanged, what: submit, id: int64(id)})
		}
	}
	s.nodes = make([]node, len(p.Phases))
	serves := s.servants()
	for n, phase := range p.Phases {
		if s.nodes[n].tree = none; !serves[n] {
			continue
		}
		s.queue.push(item{at: p.Window.From + phase, rank: core.HeartbeatReceived, what: heartbeat, id: int64(n)})
	}
	s.queue.push(item{at: p.Window.From + p.UpdatePeriod, what: tick})
	if p.Rebalances {
		s.queue.push(item{at: p.Window.From + managePeriod, rank: core.NodeChanged, what: manage})
	}
}

// inTurn returns the operations in the order of their turns.
func (p *Plan) inTurn() []int {
	ids := make([]int, len(p.Operations))
	for id := range ids {
		ids[id] = id
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(p.Operations[a].Turn, p.Operations[b].Turn) })
	return ids
}

// servants returns the nodes that ever serve one of the trees.
func (s *simulation) servants() []bool {
	serves := make([]bool, len(s.plan.Phases))
	for _, i := range s.own {
		for k := range s.plan.Trees[i].Facts {
			if f := &s.plan.Trees[i].Facts[k]; f.Kind == core.NodeChanged {
				serves[f.Node] = true
			}
		}
	}
	return serves
}

const none = -1

// isAway reports whether the scheduler has lost its master. Then it answers no node, admits and
// ends no operation, and records nothing of itself (ingest/trace/FORMAT.md §1.3).
func (s *simulation) isAway() bool {
	return slices.ContainsFunc(s.own, func(i int) bool { return s.trees[i].core.IsAway() })
}

// resume executes the items that came while the scheduler was away.
func (s *simulation) resume() {
	for _, i := range s.waiting {
		i.at = s.now
		s.queue.push(i)
	}
	s.waiting = s.waiting[:0]
}

func (s *simulation) do(i *item) {
	if i.what.isScheduler() && s.isAway() {
		s.waiting = append(s.waiting, *i)
		return
	}
	switch i.what {
	case tick:
		s.tick()
	case fact:
		s.doFact(int(i.tree), int(i.id))
	case afterTick:
		s.afterTick()
	case manage:
		s.manageSegments()
	case submit:
		s.submit(core.OperationID(i.id))
	case prepared:
		s.prepare(core.OperationID(i.id), int(i.tree))
	case finish:
		s.finish(core.OperationID(i.id))
	case fail:
		s.end(core.OperationID(i.id), core.StepFailed)
	case demand:
		s.tellDemand(core.OperationID(i.id))
	case wanted:
		s.wantTask(core.OperationID(i.id), int(i.slot))
	case jobEnds:
		s.endJob(i.slot, core.JobID(i.id))
	case jobLeaves:
		s.leaveJob(i.slot, core.JobID(i.id))
	case jobWaited:
		s.giveUp(i.slot, core.JobID(i.id))
	case heartbeat:
		s.heartbeat(core.NodeID(i.id))
	}
}

// emit applies an event to a tree and records it.
func (s *simulation) emit(tree int, e *core.Event) {
	if s.err != nil {
		return
	}
	e.Time = s.now
	s.trees[tree].core.Step(e)
	if err := s.recorder.Record(tree, e); err != nil {
		s.err = err
	}
}

// event returns an event that names nothing yet.
func event(k core.Kind) core.Event {
	return core.Event{Kind: k, Pool: core.Unknown, Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown}
}

// reuse returns the event that a simulation reuses, naming nothing yet. It is good until the
// next: heartbeats, jobs and demand, which are most events, need no memory of their own.
func (s *simulation) reuse(k core.Kind) *core.Event {
	s.next = event(k)
	return &s.next
}

// tick updates the fair shares of the trees and lets them be recorded.
func (s *simulation) tick() {
	p := s.plan
	errs := make([]error, len(s.own))
	s.each(len(s.own), func(i int) {
		t := s.trees[s.own[i]].core
		t.ClearChanges()
		errs[i] = t.Update(s.now)
	})
	for i, err := range errs {
		if err != nil && s.err == nil {
			s.err = fmt.Errorf("update the shares of tree %s: %w", p.Trees[s.own[i]].Name, err)
		}
	}
	s.queue.push(item{at: s.now + p.UpdatePeriod, what: tick})
	if s.isAway() {
		return
	}
	if p.SnapshotPeriod > 0 && (s.now-p.Window.From)%p.SnapshotPeriod == 0 {
		for _, i := range s.own {
			if s.err == nil {
				s.err = s.recorder.Snapshot(i, s.now)
			}
		}
	}
	s.queue.push(item{at: s.now, rank: core.OperationChanged, what: afterTick})
}

// afterTick records which operations began or ceased to starve, and serves the queues.
func (s *simulation) afterTick() {
	scan := s.plan.ScanPeriod > 0 && (s.now-s.plan.Window.From)%s.plan.ScanPeriod == 0
	for _, i := range s.own {
		s.announce(i)
		if scan {
			s.serve(i)
		}
	}
}

// pushFact queues a fact of a tree; each queues the next.
func (s *simulation) pushFact(tree, at int) {
	if facts := s.plan.Trees[tree].Facts; at < len(facts) {
		f := &facts[at]
		s.queue.push(item{at: f.Time, rank: f.Kind, what: fact, tree: int32(tree), id: int64(at)})
	}
}

// doFact applies a fact. Facts of an operation that is not in the tree are skipped.
func (s *simulation) doFact(tree, at int) {
	s.pushFact(tree, at+1)
	e := s.plan.Trees[tree].Facts[at]
	switch e.Kind {
	case core.NodeChanged:
		s.keepSegment(&e)
		s.emit(tree, &e)
		s.changeNode(tree, &e)
	case core.OperationChanged:
		s.changeOperation(tree, &e)
	case core.ClusterConfigured:
		s.emit(tree, &e)
		s.changeCluster(tree, e.Cluster)
	default:
		s.emit(tree, &e)
		if len(s.waiting) > 0 && !s.isAway() {
			s.resume()
		}
	}
}
