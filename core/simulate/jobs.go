package simulate

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A job is one that holds its resources, or leaves its node.
type job struct {
	id        core.JobID // Unknown: the slot is free
	number    int64      // among those of its tree
	work      Work
	tree      int
	node      core.NodeID
	start     core.Time
	awaits    int       // preempted jobs whose room it waits for; 0: it runs
	began     core.Time // when it came to run
	resources resource.Vector
	runs      core.Time // run time without interruption

	end       core.EndKind
	reason    string
	preempted bool
	graceful  bool                      // preempted gracefully, without a preemptor
	asked     []scheduling.Interruption // requests to stop
	stop      Ending                    // of a preempted one
	leaves    core.Time                 // when that is
	roomFor   core.JobID                // the preemptor's job that waits for it, or Unknown
}

// A node is a machine.
type node struct {
	tree    int // none: it serves no tree, or is offline
	limits  resource.Vector
	usage   resource.Vector // granted to its jobs, without those that leave
	jobs    []int32         // slots, in the order of their start
	planned string          // its segment by the facts
	moved   string          // the segment that the manager gave it instead, or ""
	leaving int             // preempted jobs that have not stopped, graceful ones excluded
}

// A controller offers the jobs of the operations in a tree. What it offered
// within a heartbeat it does not offer twice.
type controller struct {
	*simulation
	tree    int
	offered []Work
}

// Offer implements core.Controller.
func (c *controller) Offer(id core.OperationID, _ core.NodeID, room resource.Vector) (resource.Vector, scheduling.Refusal) {
	refusal := scheduling.NothingPending
	if m := c.membership(id, c.tree); m == nil || !m.prepared || c.operations[id].over {
		return resource.Vector{}, refusal
	}
	if c.sampled(id) {
		return resource.Vector{}, refusal
	}
	for i := range c.operations[id].tasks {
		plan := &c.plan.Operations[id].Tasks[i]
		left := c.operations[id].tasks[i].wants(plan)
		for _, w := range c.offered {
			if w.Operation == id && w.Task == i {
				left--
			}
		}
		if left <= 0 {
			continue
		}
		if !plan.Resources.FitsIn(room) {
			refusal = scheduling.NotEnoughResources
			continue
		}
		c.offered = append(c.offered, Work{Operation: id, Task: i})
		return plan.Resources, scheduling.Accepted
	}
	return resource.Vector{}, refusal
}

// takePiece removes a piece of work of an operation for a job of the given size. ok is false if
// none is left: then only an injector can have started the job.
func (s *simulation) takePiece(id core.OperationID, size resource.Vector) (p piece, ok bool) {
	for i := range s.operations[id].tasks {
		t, plan := &s.operations[id].tasks[i], &s.plan.Operations[id].Tasks[i]
		if plan.Resources != size || t.left(plan) == 0 {
			continue
		}
		if len(t.returned) > 0 {
			p = t.returned[0]
			t.returned = slices.Delete(t.returned, 0, 1)
			return p, true
		}
		t.begun++
		return piece{work: Work{Operation: id, Task: i, Index: t.begun - 1}}, true
	}
	return piece{work: Work{Operation: id, Task: 0, Index: -1}}, false
}

// start lets a job begin.
func (s *simulation) start(tree int, n core.NodeID, d core.DecidedStart) {
	p, known := s.takePiece(d.Operation, d.Resources)
	runs, fails := s.plan.Outcome(p.work)
	if p.left > 0 {
		runs, fails = p.left, false
	}
	runs = core.Time(float64(runs) * s.slowness(d.Operation, tree))
	id := s.nextJob
	s.nextJob++
	slot := s.slot()
	s.jobs[slot] = job{
		id: id, number: s.trees[tree].started, work: p.work, tree: tree, node: n, start: s.now, began: s.now, resources: d.Resources, runs: runs,
		end: core.EndCompleted, roomFor: core.Unknown,
	}
	s.trees[tree].started++
	j := &s.jobs[slot]
	if fails {
		j.end = core.EndFailed
	}
	o, own := &s.operations[d.Operation], &s.nodes[n]
	o.live++
	own.jobs = append(own.jobs, slot)
	own.usage = own.usage.Add(d.Resources)
	e := s.reuse(core.JobStarted)
	e.Job, e.Operation, e.Node, e.Limits, e.Stage = id, d.Operation, n, d.Resources, d.Stage.String()
	s.jobName = s.plan.AppendJobName(s.jobName[:0], j.named())
	e.Name = s.jobName
	if p.work.Attempt > 0 {
		e.Predecessor = []byte(p.of)
	}
	s.emit(tree, e)
	s.await(slot)
	if known && s.demandMoves(d.Operation, p.work.Task) {
		s.demandAt(d.Operation, s.now+1)
	}
}

func (j *job) named() Named { return Named{j.id, j.tree, j.number} }

func (s *simulation) name(j *job) string { return s.plan.jobName(j.named()) }

// await lets a job run once its victims have stopped. Its node gives up if the job waits longer
// than its tree allows (core/spec/scheduling.md §10.7).
func (s *simulation) await(slot int32) {
	j := &s.jobs[slot]
	gone := s.now
	if own := &s.nodes[j.node]; own.leaving > 0 {
		for _, other := range own.jobs {
			if v := &s.jobs[other]; v.roomFor == j.id {
				j.awaits++
				gone = max(gone, v.leaves)
			}
		}
	}
	if j.awaits == 0 {
		s.beginJob(slot)
		return
	}
	timeout := core.Time(s.trees[j.tree].core.Config().WaitingJobTimeout.Or(-1)) * 1000
	if waits, runs := scheduling.Waits(int64(timeout), int64(gone-s.now)); !runs {
		s.queue.push(item{at: s.now + core.Time(waits), rank: core.JobFinished, what: jobWaited, slot: slot, id: int64(j.id)})
	}
}

// beginJob starts running a job whose resources are free.
func (s *simulation) beginJob(slot int32) {
	j := &s.jobs[slot]
	j.began = s.now
	s.queue.push(item{at: s.now + j.runs, rank: core.JobFinished, what: jobEnds, slot: slot, id: int64(j.id)})
}

// giveUp aborts a job that is still waiting.
func (s *simulation) giveUp(slot int32, id core.JobID) {
	if j := &s.jobs[slot]; j.id == id && j.awaits > 0 && !j.preempted {
		j.abort(waitingTimeout)
		s.endJob(slot, id)
	}
}

// slowness returns the factor on the run time of an operation's jobs in a tree.
func (s *simulation) slowness(id core.OperationID, tree int) float64 {
	for _, r := range s.operations[id].requests {
		if r.Tree == tree && r.Slow > 0 {
			return r.Slow
		}
	}
	return 1
}

// demandMoves reports whether a start changes more of an operation's demand
// than its tree concludes by itself: the smallest job that it waits for, or what
// it wants in another tree.
func (s *simulation) demandMoves(id core.OperationID, task int) bool {
	plan := &s.plan.Operations[id]
	return len(s.operations[id].requests) > 1 || len(plan.Tasks) > 1 && s.operations[id].tasks[task].left(&plan.Tasks[task]) == 0
}

// holder returns the slot of a job that holds resources on a node, else none.
func (s *simulation) holder(n core.NodeID, id core.JobID) int32 {
	for _, slot := range s.nodes[n].jobs {
		if j := &s.jobs[slot]; j.id == id && (!j.preempted || j.graceful) {
			return slot
		}
	}
	return none
}

// slot returns a slot for a job.
func (s *simulation) slot() int32 {
	if n := len(s.freeJobs); n > 0 {
		slot := s.freeJobs[n-1]
		s.freeJobs = s.freeJobs[:n-1]
		return slot
	}
	s.jobs = append(s.jobs, job{})
	return int32(len(s.jobs) - 1)
}

// endJob ends a job that runs to its end, or is lost with its node or operation.
func (s *simulation) endJob(slot int32, id core.JobID) {
	j := &s.jobs[slot]
	if j.id != id || j.preempted {
		return
	}
	if own := &s.nodes[j.node]; j.reason == nodeOffline && own.tree != none && own.tree != j.tree {
		j.reason = "node_fair_share_tree_changed"
	}
	e := s.reuse(core.JobFinished)
	e.Job, e.Operation, e.Node, e.Finish, e.End, e.Reason = id, j.work.Operation, j.node, core.Some(s.now), j.end, j.reason
	s.nodes[j.node].usage = s.nodes[j.node].usage.Sub(j.resources)
	s.emit(j.tree, e)
	if j.end != core.EndCompleted {
		s.giveBack(j.work, 0, s.name(j))
	}
	was := *j
	s.free(slot)
	if was.end == core.EndCompleted {
		s.learn(&was)
	}
}

// leaveJob ends a preempted job.
func (s *simulation) leaveJob(slot int32, id core.JobID) {
	j := &s.jobs[slot]
	if j.id != id {
		return
	}
	how, why := core.EndAborted, cmp.Or(j.reason, "preemption")
	switch {
	case j.stop.Completed:
		how = core.EndCompleted
	case j.stop.Failed:
		how, why = core.EndFailed, j.reason
	}
	e := s.reuse(core.JobFinished)
	e.Job, e.Operation, e.Node, e.Finish, e.End, e.Reason = id, j.work.Operation, j.node, core.Some(s.now), how, why
	if n := &s.nodes[j.node]; j.graceful {
		n.usage = n.usage.Sub(j.resources)
	} else {
		n.leaving--
	}
	s.emit(j.tree, e)
	if b := s.holder(j.node, j.roomFor); b != none {
		if s.jobs[b].awaits--; s.jobs[b].awaits == 0 {
			s.beginJob(b)
		}
	}
	rest := j.began + j.runs - s.now
	switch {
	case j.stop.Lost:
	case !j.stop.Completed:
		s.giveBack(j.work, 0, s.name(j))
	case rest > 0:
		s.giveBack(j.work, max(1, core.Time(float64(rest)/s.slowness(j.work.Operation, j.tree))), s.name(j))
	}
	s.free(slot)
}

// giveBack returns the work of a job to its operation, to be done again.
func (s *simulation) giveBack(w Work, left core.Time, of string) {
	if o := &s.operations[w.Operation]; !o.over && w.Index >= 0 {
		w.Attempt++
		o.tasks[w.Task].returned = append(o.tasks[w.Task].returned, piece{w, left, of})
		s.demandAt(w.Operation, s.now+1)
	}
}

// free releases the slot of a job that has ended.
func (s *simulation) free(slot int32) {
	j := &s.jobs[slot]
	id := j.work.Operation
	own := &s.nodes[j.node]
	own.jobs = slices.DeleteFunc(own.jobs, func(x int32) bool { return x == slot })
	s.operations[id].live--
	*j = job{id: core.Unknown}
	s.freeJobs = append(s.freeJobs, slot)
	s.finishOperation(id)
}

// loseJobs ends jobs at once, those that were leaving included, in the order of their start:
// slots go by what other trees do, too.
func (s *simulation) loseJobs(which func(*job) bool, reason string) {
	var lost []int
	for slot := range s.jobs {
		if j := &s.jobs[slot]; j.id != core.Unknown && which(j) {
			lost = append(lost, slot)
		}
	}
	slices.SortFunc(lost, func(a, b int) int { return cmp.Compare(s.jobs[a].id, s.jobs[b].id) })
	for _, slot := range lost {
		j := &s.jobs[slot]
		what := jobEnds
		if j.preempted {
			what = jobLeaves
		}
		j.abort(reason)
		s.queue.push(item{at: s.now, rank: core.JobFinished, what: what, slot: int32(slot), id: int64(j.id)})
	}
}

// abortJobs ends jobs before anything else of this instant is recorded of their node.
func (s *simulation) abortJobs(slots []int32, reason string) {
	for _, slot := range slices.Clone(slots) { // which are those of a node, from which they go
		j := &s.jobs[slot]
		j.abort(reason)
		if j.preempted {
			s.leaveJob(slot, j.id)
		} else {
			s.endJob(slot, j.id)
		}
	}
}

// abort ends a job unfinished, also one that is leaving.
func (j *job) abort(reason string) {
	j.end, j.reason, j.stop.Completed, j.stop.Failed = core.EndAborted, reason, false, false
}

// Why jobs are aborted: their node is lost, has no user slots any more, is of another
// module than their operation, or had no room for them for too long
// (ingest/trace/FORMAT.md §1.3).
const (
	nodeOffline    = "node_offline"
	nodeDisabled   = "node_with_disabled_jobs"
	wrongModule    = "node_scheduling_segment_changed"
	waitingTimeout = "waiting_timeout"
)

// changeNode notes which tree a node serves; what runs on one that leaves is
// lost.
func (s *simulation) changeNode(tree int, e *core.Event) {
	n := &s.nodes[e.Node]
	if e.Online {
		n.tree, n.limits = tree, e.Limits
		return
	}
	if n.tree == tree { // it may serve another tree from this very instant
		n.tree = none
	}
	if keep := s.plan.FaultInjector.Keep; keep == nil || !keep(s.now, tree, e.Node) {
		s.loseJobs(func(j *job) bool { return j.node == e.Node && j.tree == tree }, nodeOffline)
	}
}
