package simulate

import (
	"poolproof/core"
	"poolproof/core/scheduling"
)

// heartbeat lets a node report and the scheduler answer (core/spec/scheduling.md §9).
func (s *simulation) heartbeat(id core.NodeID) {
	s.queue.push(item{at: s.now + s.plan.HeartbeatPeriod, rank: core.HeartbeatReceived, what: heartbeat, id: int64(id)})
	n := &s.nodes[id]
	if n.tree == none || s.isAway() {
		return
	}
	tree := n.tree
	s.abortUnfit(tree, id)
	usage, skip := n.usage, n.leaving > 0
	var preemptive core.Optional[bool]
	started, preempted := s.started[:0], s.taken[:0]
	if !skip {
		d := s.decide(tree, id)
		started, preempted = append(started, d.Started...), append(preempted, d.Preempted...)
		preemptive = core.Some(d.Preemptive)
	}
	s.started, s.taken = started, preempted
	e := s.reuse(core.HeartbeatReceived)
	e.Node, e.Limits, e.Usage, e.Skipped, e.Preemptive = id, n.limits, usage, core.Some(skip), preemptive
	s.emit(tree, e)
	for i := range preempted {
		s.preempt(tree, id, &preempted[i], started)
	}
	for _, d := range started {
		s.start(tree, id, d)
	}
}

// abortUnfit aborts jobs that may not stay on a node, even if no other job needs its room: all
// jobs of a node without user slots, and those in a wrong module (core/spec/scheduling.md §9.1,
// §12).
func (s *simulation) abortUnfit(tree int, id core.NodeID) {
	t, n := s.trees[tree].core, &s.nodes[id]
	node, known := t.NodeOf(id)
	if !known {
		return
	}
	if t.Aborts(node) {
		s.abortJobs(n.jobs, nodeDisabled)
	}
	if t.Scheduling().HasForced(scheduling.Node(node)) {
		var wrong []int32
		for _, slot := range n.jobs {
			if job, holds := t.JobOf(s.jobs[slot].id); holds && t.RunsInWrongModule(job) {
				wrong = append(wrong, slot)
			}
		}
		s.abortJobs(wrong, wrongModule)
	}
}

// decide asks the policy, and lets the injector alter its answer.
func (s *simulation) decide(tree int, id core.NodeID) *core.Decision {
	t := &s.trees[tree]
	t.controller.offered = t.controller.offered[:0]
	d := t.core.Decide(id, s.now, &t.controller)
	t.core.RememberHeartbeat()
	if m := s.plan.FaultInjector.Decide; m != nil {
		d = m(&Heartbeat{At: s.now, Tree: tree, Node: id, simulation: s}, d)
	}
	return d
}

// preempt preempts a job (core/spec/scheduling.md §10.7).
func (s *simulation) preempt(tree int, node core.NodeID, p *core.DecidedPreemption, started []core.DecidedStart) {
	slot := s.holder(node, p.Job)
	if slot == none {
		return
	}
	j := &s.jobs[slot]
	j.asked = append(j.asked, scheduling.Interruption{At: int64(s.now), Timeout: int64(p.Timeout)})
	stop := j.stopping(s.plan.Stop(j.work, j.graceful || p.Reason == scheduling.ForGracefulPreemption), s.now)
	if m := s.plan.FaultInjector.Stop; m != nil {
		stop = m(s.now, tree, p.Operation, stop)
	}
	if j.graceful { // later requests do not give it more time
		stop.After = min(stop.After, j.leaves-s.now)
	}
	stop.After = max(stop.After, 1)
	e := s.reuse(core.JobPreempted)
	e.Job, e.Operation, e.Node, e.Reason = p.Job, j.work.Operation, j.node, p.Reason.String()
	leaves := s.now + stop.After
	e.Finish, e.End, e.Timeout = core.Some(leaves), core.EndPreempted, p.Timeout
	if p.Preemptor >= 0 {
		e.Preemptor = started[p.Preemptor].Operation
		j.roomFor = s.nextJob + core.JobID(p.Preemptor)
		e.PreemptorJob = s.plan.jobName(Named{j.roomFor, tree, s.trees[tree].started + int64(p.Preemptor)})
	}
	e.Preemption = s.recordOf(tree, j, p, e.Preemptor, stop)
	j.preempted, j.graceful, j.stop, j.leaves = true, p.Reason == scheduling.ForGracefulPreemption, stop, leaves
	if n := &s.nodes[j.node]; !j.graceful { // a graceful one keeps its resources until its end, unless a stage preempts it before
		n.usage = n.usage.Sub(j.resources)
		n.leaving++
	}
	s.emit(tree, e)
	s.queue.push(item{at: leaves, rank: core.JobFinished, what: jobLeaves, slot: slot, id: int64(p.Job)})
}

// stopping returns the end of a job that was asked to stop. A job that does not save its state ends
// after the time that the plan gives its node for that, if the job was running.
func (j *job) stopping(plan Stopping, now core.Time) Ending {
	runs, takes := j.awaits == 0, plan.Takes
	if takes < 0 {
		takes = max(j.began+j.runs-core.Time(j.asked[0].At), 0)
	}
	ending := scheduling.Interrupt(plan.Interruptible, runs, j.asked, int64(takes))
	fails := ending.Completed && plan.Takes < 0 && j.end == core.EndFailed
	stop := Ending{After: core.Time(ending.At) - now, Interruptible: plan.Interruptible && runs, Completed: ending.Completed && !fails, Failed: fails}
	if runs && !plan.Interruptible {
		stop.After += plan.Takes
	}
	return stop
}

// recordOf returns the preemption group of a preempted job (ingest/trace/FORMAT.md §3.4).
func (s *simulation) recordOf(tree int, j *job, p *core.DecidedPreemption, preemptor core.OperationID, stop Ending) *core.PreemptionRecord {
	r := &s.record
	*r = core.PreemptionRecord{Reason: p.Reason.String(), Mode: "abort"}
	switch {
	case p.Reason == scheduling.ForGracefulPreemption:
		r.Mode = "graceful"
	case stop.Interruptible:
		r.Mode = "interrupt"
	}
	t := s.trees[tree].core
	if victim, ok := t.OperationOf(p.Operation); ok {
		allowed := t.Scheduling().Effective(t.Operation(victim).Element).AllowsAggressivePreemption
		ssd, forced := holds(t, j.id)
		r.Level, r.Forced = scheduling.LevelOf(p.List, allowed, ssd).String(), core.Some(forced)
	}
	if slot, ok := t.OperationOf(preemptor); ok {
		stage, _ := p.Reason.Stage()
		target, own := stage.Target(), scheduling.NoPriority
		if node, known := t.NodeOf(j.node); known {
			own = t.Scheduling().PriorityIn(t.Operation(slot).Element, scheduling.Node(node), scheduling.OperationOnly)
		}
		r.TargetPriority, r.PreemptorPriority = target.String(), own.String()
		r.ProperlyStarving, r.Conditional = core.Some(p.Proper), core.Some(p.Conditional)
	}
	return r
}

// holds reports whether a job holds SSD on an SSD-priority node, and whether its
// segment does not fit its node.
func holds(t *core.Tree, id core.JobID) (ssd, forced bool) {
	slot, ok := t.JobOf(id)
	if !ok {
		return false, false
	}
	handle := t.JobHandle(slot)
	info := t.Scheduling().Job(handle)
	return info.SSD && info.Node != scheduling.NoNode && t.Scheduling().DescribeNode(info.Node).SSD, t.Scheduling().IsForced(handle)
}
