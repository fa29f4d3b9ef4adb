package survey

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
	"poolproof/replay/env"
)

// clusterOperations follows which trees every operation has, as the log says
// (core/spec/scheduling.md §2.3, §2.4). Operations that are over are forgotten.
type clusterOperations struct {
	roster *pooltree.Roster[core.OperationID]
	live   map[core.OperationID]*clusterOperation
	over   map[core.OperationID]bool // of this instant: they ended in one tree, and other trees may still record them
	dues   []due                     // in the order of their time
	steps  []treeStep                // of this instant

	assumed bool         // the log does not distinguish running operations from waiting ones
	shaken  judge.Inputs // see lostOperations
}

// A clusterOperation tracks an operation in all its trees.
type clusterOperation struct {
	spec    *core.OperationSpec
	ran     []int // trees that it was marked running in
	several bool  // it had more than one
	settled bool  // it has materialized
}

// A treeStep is a step of an operation in one tree.
type treeStep struct {
	tree      int
	operation core.OperationID
	step      core.Step
	pool      core.PoolID
	role      core.Role
	code      int32
	spec      *core.OperationSpec
}

// A due is an action that an operation must take by some time.
type due struct {
	at, since core.Time
	operation core.OperationID
	tree      int    // that it is to leave, or was in last
	name      string // of the tree to leave; "" if the operation is to end
	settle    bool   // it is to keep a single tree
}

// unregistering is the time that a scheduler may take to remove the operations of a removed tree,
// in addition to the delay of configurations (TREE-06).
const unregistering = 60 * core.Second

func (o *clusterOperations) open(facts []env.Fact) {
	o.roster = pooltree.NewRoster[core.OperationID]()
	o.live = map[core.OperationID]*clusterOperation{}
	o.over = map[core.OperationID]bool{}
	o.assumed, o.shaken = slices.Contains(facts, env.Fact{Aspect: "operation_states", State: "assumed"}), env.LostOperations(facts)
}

func (o *clusterOperations) applyEvent(tree int, e *core.Event) {
	switch e.Step {
	case core.StepStarted, core.StepRevived, core.StepRejected, core.StepErased, core.StepBanned, core.StepRunning, core.StepMaterialized,
		core.StepCompleted, core.StepFailed, core.StepAborted:
		o.steps = append(o.steps, treeStep{tree, e.Operation, e.Step, e.Pool, e.Role, e.ErrorCode, e.Spec})
	}
}

// settleOperations makes something of the steps of an instant, operation by
// operation: first who ended, then who came, then what became of the others.
func (s *surveyor) settleOperations() {
	o := &s.operations
	s.passDues(s.now)
	if len(o.steps) == 0 {
		return
	}
	slices.SortStableFunc(o.steps, func(a, b treeStep) int { return cmp.Compare(a.operation, b.operation) })
	for _, phase := range []func([]treeStep){s.end, s.arrive, s.proceed} {
		for rest := o.steps; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].operation == rest[0].operation {
				n++
			}
			phase(rest[:n])
			rest = rest[n:]
		}
	}
	o.steps = o.steps[:0]
	clear(o.over)
}

// ends are the words for how an operation left a tree or ended.
var ends = map[core.Step]string{
	core.StepErased: "erased", core.StepBanned: "banned",
	core.StepCompleted: "completed", core.StepFailed: "failed", core.StepAborted: "aborted",
}

// end takes an operation off that ended in any of its trees.
func (s *surveyor) end(steps []treeStep) {
	o := &s.operations
	for i := range steps {
		id := steps[i].operation
		switch steps[i].step {
		case core.StepCompleted, core.StepFailed, core.StepAborted:
			s.answer(id, -1, ends[steps[i].step])
			o.roster.Remove(id)
			delete(o.live, id)
			o.over[id] = true
		}
	}
}

// arrive enters an operation that starts, or writes one that is refused.
func (s *surveyor) arrive(steps []treeStep) {
	o := &s.operations
	id := steps[0].operation
	var came []treeStep
	refused, revived := false, false
	for _, step := range steps {
		switch step.step {
		case core.StepRejected:
			refused = true
			came = append(came, step)
		case core.StepStarted, core.StepRevived:
			revived = revived || step.step == core.StepRevived
			came = append(came, step)
		}
	}
	known := o.live[id] != nil
	if len(came) == 0 || refused && known {
		return
	}
	if !known && !revived {
		s.judgeArrival(came, refused)
	}
	if refused || o.over[id] {
		return
	}
	s.enter(id, came)
}

// enter puts an operation on the roster, in trees that it did not have.
func (s *surveyor) enter(id core.OperationID, came []treeStep) {
	o := &s.operations
	op := o.live[id]
	if op == nil {
		op = &clusterOperation{}
		o.live[id] = op
	}
	trees := slices.Clone(o.roster.Trees(id))
	for i := range came {
		trees = append(trees, s.names[came[i].tree])
		if came[i].spec != nil {
			op.spec = came[i].spec
		}
	}
	o.roster.Add(id, trees)
	op.several = op.several || len(o.roster.Trees(id)) > 1
	versions := s.versionsAt()
	for i := range came { // who starts in a tree that is gone already is to leave it, too
		name := s.names[came[i].tree]
		if !slices.ContainsFunc(versions, func(v setVersion) bool { return !v.known || slices.Contains(v.trees.Names, name) }) {
			s.await(due{operation: id, tree: came[i].tree, name: name})
		}
	}
}

// proceed follows an operation that lives: where it runs, and which trees it loses.
func (s *surveyor) proceed(steps []treeStep) {
	o := &s.operations
	id := steps[0].operation
	if o.over[id] {
		return
	}
	materialized := false
	for i := range steps {
		step := &steps[i]
		switch step.step {
		case core.StepErased, core.StepBanned:
			s.answer(id, step.tree, ends[step.step])
			if o.roster.Erase(id, s.names[step.tree]) && o.live[id] != nil {
				s.await(due{operation: id, tree: step.tree})
			}
		case core.StepRunning, core.StepMaterialized:
			op := o.live[id]
			if op == nil {
				continue // the log does not have its start
			}
			materialized = materialized || step.step == core.StepMaterialized
			if !slices.Contains(op.ran, step.tree) {
				op.ran = append(op.ran, step.tree)
			}
		}
	}
	if op := o.live[id]; materialized && op != nil && !op.settled {
		op.settled = true
		s.materialize(id, op)
	}
}

// removeTree has the operations of a removed tree leave it, and those end that have
// no other.
func (s *surveyor) removeTree(name string) {
	o := &s.operations
	tree, found := s.result.Index[name]
	if !found {
		return // the log has nothing of it
	}
	aborted, left := o.roster.RemoveTree(name)
	for _, id := range left {
		s.await(due{operation: id, tree: tree, name: name})
	}
	for _, id := range aborted {
		s.await(due{operation: id, tree: tree, name: name})
		s.await(due{operation: id, tree: tree})
	}
}

// await notes what an operation is to do from now on.
func (s *surveyor) await(d due) {
	d.since = s.now
	if d.at = s.now + core.Time(s.slacks.Configuration) + unregistering; d.settle {
		d.at = s.now + core.Time(s.slacks.Tick)
	}
	o := &s.operations
	i := len(o.dues)
	for i > 0 && o.dues[i-1].at > d.at {
		i--
	}
	o.dues = slices.Insert(o.dues, i, d)
}

// answer settles what an operation was to do when it leaves a tree, or ends if that
// is -1.
func (s *surveyor) answer(id core.OperationID, tree int, how string) {
	o := &s.operations
	if len(o.dues) == 0 {
		return
	}
	o.dues = slices.DeleteFunc(o.dues, func(d due) bool {
		switch {
		case d.operation != id || d.settle && tree >= 0:
			return false
		case d.settle:
			return true // it ended before it could settle
		case tree >= 0 && (d.name == "" || d.tree != tree):
			return false
		}
		s.judgeHomeless(&d, s.now, how)
		return true
	})
}

// passDues judges what was not done in time.
func (s *surveyor) passDues(now core.Time) {
	o := &s.operations
	for len(o.dues) > 0 && o.dues[0].at < now {
		d := o.dues[0]
		o.dues = o.dues[1:]
		if d.settle {
			s.judgeSettling(d.operation, o.live[d.operation], d.since, true)
		} else {
			s.judgeHomeless(&d, d.at+1, "")
		}
	}
}

func (s *surveyor) finishOperations() { s.passDues(s.window.To) }
