package simulate

import (
	"errors"
	"fmt"
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// An operation is the simulated state of an operation.
type operation struct {
	requests []Request // of the plan, and those of trees that a pool added

	tasks []task
	in    []membership // by request
	live  int          // jobs that hold or leave their resources

	submitted, over bool
	prepared        bool // it could get jobs in one of its trees
	demandDue       bool // an item of the queue will record its demand
}

// A membership is an operation in one of its trees.
type membership struct {
	running, prepared, left bool

	completed pooltree.Durations // jobs
}

// A task is the simulated state of a task.
type task struct {
	wanted   bool    // its start time has passed
	begun    int     // pieces of work given out the first time
	returned []piece // to be begun again
}

// A piece is work that came back.
type piece struct {
	work Work
	left core.Time // remaining run time in a tree without slowdown; 0: all of it
	of   string    // the job that did not finish it, if it came back
}

// left returns the number of jobs of the task that remain.
func (t *task) left(plan *Task) int { return plan.Jobs - t.begun + len(t.returned) }

// wants returns the number of jobs that the task wants now.
func (t *task) wants(plan *Task) int {
	if !t.wanted {
		return 0
	}
	return t.left(plan)
}

// finishDelay is the time from an operation's last job to its end.
const finishDelay = core.Second / 5

// submit places an operation in its trees and registers it, or rejects it in
// all of them (core/spec/scheduling.md §5.1 to §5.4).
func (s *simulation) submit(id core.OperationID) {
	plan, o := &s.plan.Operations[id], &s.operations[id]
	o.submitted, o.requests = true, s.asked(id)
	s.offload(id)
	pools, refused := s.place(id)
	o.in = make([]membership, len(o.requests))
	tentative := make([]bool, len(o.requests))
	for i := range o.requests {
		tentative[i] = o.requests[i].tentative()
	}
	s.crowd.AddOperations(s.now, 1, 0)
	code := s.barred(plan)
	if m := s.plan.FaultInjector.Bar; m != nil {
		code = m(s.now, id, code)
	}
	kept, err := pooltree.KeepTrees(refused, tentative, plan.Erases)
	if err != nil && code == 0 {
		code = int32(err.(*pooltree.Refusal).Code())
	}
	if code != 0 {
		s.reject(id, pools, code)
		return
	}
	if i := slices.Index(pools, core.Unknown); i >= 0 {
		s.err = fmt.Errorf("operation %d lands in a pool of tree %s that the plan's dimensions lack", id, s.plan.Trees[o.requests[i].Tree].Name)
		return
	}
	s.live++
	s.crowd.AddOperations(s.now, 0, 1)
	o.tasks = make([]task, len(plan.Tasks))
	for i, r := range o.requests {
		if o.in[i].left = !kept[i]; kept[i] {
			e := r.Started
			e.Pool = pools[i]
			s.emit(r.Tree, &e)
		}
	}
	for i, r := range o.requests {
		switch {
		case o.in[i].left:
		case s.hasRoom(r.Tree, pools[i], id) && s.chosen(r.Tree, id) == id:
			s.run(r.Tree, id)
		default:
			s.step(r.Tree, id, core.StepPending)
		}
	}
}

// asked returns the requests of an operation, without tentative ones for trees that do not accept
// operations of its type tentatively (core/spec/scheduling.md §2.4).
func (s *simulation) asked(id core.OperationID) []Request {
	kind := s.plan.Dimensions.Operations[id].Type
	return slices.DeleteFunc(slices.Clone(s.plan.Operations[id].Requests), func(r Request) bool {
		return r.tentative() && !s.trees[r.Tree].core.Config().TakesTentatively(kind)
	})
}

// place returns the pools of an operation in its trees, or why the trees refuse it.
func (s *simulation) place(id core.OperationID) (pools []core.PoolID, refused []*pooltree.Refusal) {
	user := s.plan.Dimensions.Operations[id].User
	for _, r := range s.operations[id].requests {
		name, err := s.trees[r.Tree].core.Place(user, r.Pool, r.gang())
		if m := s.plan.FaultInjector.Place; m != nil {
			name, err = m(s.now, r.Tree, id, name, err)
		}
		var why *pooltree.Refusal
		errors.As(err, &why)
		pools, refused = append(pools, s.poolOf(&r, name, user)), append(refused, why)
	}
	return pools, refused
}

// hasRoom reports whether a new operation may run at once: no pool of its chain
// is full of running operations, or it is lightweight (core/spec/scheduling.md §5.4,
// §5.7).
func (s *simulation) hasRoom(tree int, pool core.PoolID, id core.OperationID) bool {
	t := s.trees[tree].core
	slot, ok := t.PoolOf(pool)
	if !ok {
		return false
	}
	own := t.Pool(slot).Config
	if own.LightweightOps.Value && own.Mode.Value == core.FIFO && s.plan.Dimensions.Operations[id].Type == "vanilla" &&
		(s.plan.Profile == core.Documented || s.plan.Profile == core.Current) {
		return true
	}
	for ; slot != none; slot = t.Pool(slot).Parent {
		if p := t.Pool(slot); p.MaxRunning.Set && p.Running >= p.MaxRunning.Value {
			return false
		}
	}
	return true
}

// chosen returns the operation that is marked running when the policy would mark id.
func (s *simulation) chosen(tree int, id core.OperationID) core.OperationID {
	if m := s.plan.FaultInjector.Run; m != nil {
		return m(s.now, tree, id)
	}
	return id
}

// poolOf returns the pool in which a request was placed or refused.
func (s *simulation) poolOf(r *Request, placed, user string) core.PoolID {
	pools := s.trees[r.Tree].pools
	for _, name := range []string{placed, r.Pool + "$" + user, r.Pool, user} {
		if id, ok := pools[name]; ok && name != "" {
			return id
		}
	}
	return core.Unknown
}

func (s *simulation) reject(id core.OperationID, pools []core.PoolID, code int32) {
	s.operations[id].over = true
	for i, r := range s.operations[id].requests {
		if !s.exists(r.Tree) {
			continue
		}
		e := event(core.OperationChanged)
		e.Operation, e.Step, e.Pool, e.ErrorCode = id, core.StepRejected, pools[i], code
		s.emit(r.Tree, &e)
	}
}

// step records a step of an operation that says nothing else.
func (s *simulation) step(tree int, id core.OperationID, step core.Step) {
	e := event(core.OperationChanged)
	e.Operation, e.Step = id, step
	s.emit(tree, &e)
}

// serve marks operations running as long as the policy would
// (core/spec/scheduling.md §5.5).
func (s *simulation) serve(tree int) {
	for s.err == nil {
		id, ok := s.trees[tree].core.Due()
		if !ok {
			return
		}
		if id = s.chosen(tree, id); id == core.Unknown {
			return
		}
		if s.operations[id].over { // the next one would be the same again, for ever
			s.err = fmt.Errorf("tree %s: operation %d is to run and is over", s.plan.Trees[tree].Name, id)
			return
		}
		s.run(tree, id)
	}
}

// run marks an operation running in a tree.
func (s *simulation) run(tree int, id core.OperationID) {
	m := s.membership(id, tree)
	s.step(tree, id, core.StepRunning)
	if m != nil && !m.running {
		m.running = true
		at := s.now + s.plan.Operations[id].Preparation
		s.queue.push(item{at: at, rank: core.OperationChanged, what: prepared, tree: int32(tree), id: int64(id)})
	}
}

// membership returns the state of an operation in a tree, nil if it is not in it.
func (s *simulation) membership(id core.OperationID, tree int) *membership {
	o := &s.operations[id]
	for i := range o.in {
		if o.requests[i].Tree == tree {
			return &o.in[i]
		}
	}
	return nil
}

// prepare lets an operation get jobs in a tree.
func (s *simulation) prepare(id core.OperationID, tree int) {
	m := s.membership(id, tree)
	if s.operations[id].over || m.left {
		return
	}
	s.want(id)
	if s.plan.Operations[id].SingleTree {
		s.settleInOne(id)
		if m.left {
			return
		}
	}
	m.prepared = true
	s.step(tree, id, core.StepMaterialized)
	s.demandAt(id, s.now)
	s.finishOperation(id)
}

// want has an operation that can get jobs for the first time want those of its tasks,
// at once or when their time comes.
func (s *simulation) want(id core.OperationID) {
	o := &s.operations[id]
	if o.prepared {
		return
	}
	o.prepared = true
	for i := range o.tasks {
		if after := s.plan.Operations[id].Tasks[i].After; after > 0 {
			s.queue.push(item{at: s.now + after, rank: core.DemandChanged, what: wanted, slot: int32(i), id: int64(id)})
		} else {
			o.tasks[i].wanted = true
		}
	}
}

// wantTask has an operation want the jobs of a task from now on.
func (s *simulation) wantTask(id core.OperationID, task int) {
	s.operations[id].tasks[task].wanted = true
	s.demandAt(id, s.now)
	s.finishOperation(id)
}

// demandAt schedules the record of an operation's demand at an instant.
func (s *simulation) demandAt(id core.OperationID, at core.Time) {
	if o := &s.operations[id]; !o.demandDue {
		o.demandDue = true
		s.queue.push(item{at: at, rank: core.DemandChanged, what: demand, id: int64(id)})
	}
}

// tellDemand records what an operation could use beyond its usage.
func (s *simulation) tellDemand(id core.OperationID) {
	o := &s.operations[id]
	o.demandDue = false
	if o.over {
		return
	}
	needed, least, jobs := s.needs(id)
	for i, r := range s.operations[id].requests {
		if !o.in[i].prepared {
			continue
		}
		e := s.reuse(core.DemandChanged)
		e.Operation, e.Needed, e.MinNeeded, e.PendingJobs = id, needed, least, jobs
		s.emit(r.Tree, e)
	}
	if s.spreads(id) {
		s.queue.push(item{at: s.now + 1, rank: core.OperationChanged, what: fail, id: int64(id)})
	}
}

// needs returns what is left to do of an operation: all of it, the least of
// every kind that one of its jobs asks for, and the number of jobs.
func (s *simulation) needs(id core.OperationID) (needed, least resource.Vector, jobs int64) {
	for i := range s.operations[id].tasks {
		plan := &s.plan.Operations[id].Tasks[i]
		n := int64(s.operations[id].tasks[i].wants(plan))
		if n == 0 {
			continue
		}
		if jobs == 0 {
			least = plan.Resources
		}
		least = least.Min(plan.Resources)
		jobs += n
		for k, amount := range plan.Resources {
			needed[k] += n * amount
		}
	}
	return needed, least, jobs
}

// finishOperation ends an operation soon whose work is done.
func (s *simulation) finishOperation(id core.OperationID) {
	o := &s.operations[id]
	if slices.ContainsFunc(o.tasks, func(t task) bool { return !t.wanted }) {
		return
	}
	if _, _, jobs := s.needs(id); jobs == 0 && o.live == 0 && !o.over {
		s.queue.push(item{at: s.now + finishDelay, rank: core.OperationChanged, what: finish, id: int64(id)})
	}
}

// finish completes an operation in all its trees.
func (s *simulation) finish(id core.OperationID) { s.end(id, core.StepCompleted) }

// end takes an operation out of its trees.
func (s *simulation) end(id core.OperationID, step core.Step) { s.endByHand(id, step, none, 0) }

// endByHand takes an operation out of its trees. Seq is that of the fact in the tree
// where a person ended it: it names no fact of another.
func (s *simulation) endByHand(id core.OperationID, step core.Step, tree int, seq int64) {
	o := &s.operations[id]
	if o.over {
		return
	}
	o.over = true
	s.live--
	s.crowd.AddOperations(s.now, 0, -1)
	gone := !slices.ContainsFunc(o.in, func(m membership) bool { return !m.left })
	for i, r := range s.operations[id].requests {
		if o.in[i].left && !gone {
			continue // the operation does not have this tree
		}
		e := event(core.OperationChanged)
		e.Operation, e.Step = id, step
		if r.Tree == tree {
			e.Seq = seq
		}
		s.emit(r.Tree, &e)
	}
	if o.live > 0 {
		s.loseJobs(func(j *job) bool { return j.work.Operation == id }, "operation_"+stepWord(step))
	}
	for _, r := range s.operations[id].requests {
		s.serve(r.Tree)
	}
}

func stepWord(step core.Step) string {
	switch step {
	case core.StepAborted:
		return "aborted"
	case core.StepFailed:
		return "failed"
	}
	return "completed"
}

// changeOperation lets people change a live operation: move it, suspend it, set
// its parameters, end it.
func (s *simulation) changeOperation(tree int, e *core.Event) {
	o := &s.operations[e.Operation]
	if !o.submitted || o.over {
		return
	}
	switch e.Step {
	case core.StepAborted, core.StepFailed:
		s.endByHand(e.Operation, e.Step, tree, e.Seq)
		return
	case core.StepErased, core.StepBanned:
		if i := slices.IndexFunc(o.requests, func(r Request) bool { return r.Tree == tree }); i >= 0 {
			o.in[i] = membership{left: true}
		}
		s.emit(tree, e)
		s.loseJobs(func(j *job) bool { return j.work.Operation == e.Operation && j.tree == tree }, "operation_finished")
		s.serve(tree)
		return
	case core.StepRunning:
		s.run(tree, e.Operation)
		return
	case core.StepRevived:
		if m := s.membership(e.Operation, tree); m != nil {
			m.left = false
		}
	case core.StepPoolChanged:
		s.move(tree, e)
		return
	}
	s.emit(tree, e)
}

// move puts an operation in another pool, unless that is refused, and marks it
// running there if it was pending: it may only move to where there is room
// (core/spec/scheduling.md §5.6).
func (s *simulation) move(tree int, e *core.Event) {
	id := e.Operation
	m := s.membership(id, tree)
	if m == nil || m.left {
		return
	}
	pool, err := "", errMaterializing
	if !m.running || m.prepared {
		pool, err = s.trees[tree].core.PlaceMoved(id, s.plan.Dimensions.Pools[e.Pool].Name)
	}
	if inject := s.plan.FaultInjector.Move; inject != nil {
		pool, err = inject(s.now, tree, id, pool, err)
	}
	if err != nil {
		if s.plan.Refused != nil {
			s.plan.Refused(s.now, tree, id, err)
		}
		return
	}
	to, known := s.trees[tree].pools[pool]
	if !known {
		s.err = fmt.Errorf("operation %d moves to pool %s of tree %s, which the plan's dimensions lack", id, pool, s.plan.Trees[tree].Name)
		return
	}
	e.Pool = to
	s.emit(tree, e)
	if !m.running && s.hasRoom(tree, to, id) && s.chosen(tree, id) == id {
		s.run(tree, id)
	}
}

var errMaterializing = errors.New("it is materializing")
