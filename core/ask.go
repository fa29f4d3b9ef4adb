package core

import (
	"cmp"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// An Answer explains what a heartbeat of a node would decide at an instant: one row for every
// stage, for every operation that is in the tree, and for every job of the node that a stage looked
// at.
type Answer struct {
	Time          Time
	Node          NodeID
	Limits, Usage resource.Vector // of the node, before the heartbeat

	Started   []DecidedStart
	Preempted []DecidedPreemption

	Stages     []AskedStage     // in their order
	Operations []AskedOperation // in the order in which stages looked at them, then the others
	Jobs       []AskedJob       // stage by stage, in the order they came to the node; last those that no stage takes
}

// An AskedStage is a pass over the operations (core/spec/scheduling.md §9.4). Stages for promised
// guarantees and for packing are listed only if they looked at an operation, stages for SSD only on
// nodes with SSD priority.
type AskedStage struct {
	Stage                   scheduling.Stage
	Ran                     bool                // preemptive ones repair limits even if they look at no operation
	LeftOut                 scheduling.Obstacle // why it looked at no operation
	Candidates, Conditional int                 // jobs that may go, and those that may on a condition
}

// An AskedOperation explains the outcome of one operation.
type AskedOperation struct {
	Operation OperationID
	Pool      PoolID

	// Looked says that a stage came to it: Stage, with the result and its local
	// satisfaction then. Otherwise it is Unschedulable for the reason named, or the
	// heartbeat ended before its turn, for the reason in Result.
	Looked        bool
	Stage         scheduling.Stage
	Satisfaction  float64
	Result        scheduling.Obstacle // what kept it from a job; NoObstacle if one would start
	Unschedulable scheduling.Obstacle

	// FullPool is the pool whose limits are exceeded, Unknown if none is; FullOwn says that they
	// are the operation's own. Need is its smallest job, and Room what was available when the
	// result was found: on the node, under those limits, or in its demand.
	FullPool   PoolID
	FullOwn    bool
	Need, Room resource.Vector
}

// An AskedJob explains how a stage treated a job on the node.
type AskedJob struct {
	Job       JobID
	Operation OperationID
	Pool      PoolID
	Looked    bool // a stage looked at it; otherwise every stage would take it
	Stage     scheduling.Stage
	List      scheduling.List
	Level     scheduling.Level
	Candidacy scheduling.Candidacy
	Forced    bool // its segment does not fit the node

	BlockerPool PoolID // pool that protects it, Unknown if none does
	BlockedBy   bool   // whether its own operation does
	Rank        int32  // among those that the stage may take, from 0; -1 if it may not

	// Of its operation, as the stage finds it and without this job: local
	// satisfaction, and dominant usage share.
	Before, After           float64
	UsageBefore, UsageAfter float64

	Taken  bool
	Reason scheduling.Reason // why it would be taken

	// Fact is the first condition of a fair preemption that taking it would break, 3 to
	// 7 for F3 to F7 (core/spec/scheduling.md §10.10), or 0: it would be taken.
	Fact int
}

// Ask answers what a heartbeat of a node would decide now, and why; nil if the log has not
// introduced the node. A nil controller means SmallestJobs. Ask does not change the tree. Its cost
// grows with the size of the tree. A configuration of the current instant takes effect only with
// the next event.
func (t *Tree) Ask(node NodeID, now Time, c Controller) *Answer {
	slot, ok := t.NodeOf(node)
	if !ok {
		return nil
	}
	if c == nil {
		c = t.SmallestJobs()
	}
	n := &t.nodes[slot]
	idle := !n.Online || n.Waiting > 0 || n.Skipped.Value && n.Answers(now)
	heartbeat := scheduling.Heartbeat{Node: scheduling.Node(slot), Now: int64(now), Skip: idle}
	info := t.scheduling.DescribeNode(heartbeat.Node)
	if now-t.now < HeartbeatSpan { // that this very heartbeat ran preemptive stages is an answer, not a question
		before, _ := t.PreemptiveBefore(slot, now)
		t.scheduling.SetLastPreemptive(heartbeat.Node, before)
	}
	out := t.scheduling.Explain(heartbeat, &offers{tree: t, controller: c})
	t.scheduling.SetLastPreemptive(heartbeat.Node, info.LastPreemptive)
	a := &Answer{Time: now, Node: node, Limits: info.Limits, Usage: info.Usage}
	d := Decision{}
	t.fillDecision(&d, out)
	a.Started, a.Preempted = d.Started, d.Preempted
	t.askStages(a, out, idle, info.SSD)
	t.askOperations(a, out, idle)
	t.askJobs(a, out)
	return a
}

// askStages lists the stages with the reasons why some did not run.
func (t *Tree) askStages(a *Answer, out *scheduling.Outcome, idle, ssd bool) {
	looked := map[scheduling.Stage]bool{}
	for i := range out.Considered {
		looked[out.Considered[i].Stage] = true
	}
	ran := map[scheduling.Stage]*scheduling.StageReport{}
	for i := range out.Stages {
		ran[out.Stages[i].Stage] = &out.Stages[i]
	}
	started, most := false, t.scheduling.Options().MaxStartedPerHeartbeat
	for stage := scheduling.RegularHigh; stage <= scheduling.PreemptiveNormal; stage++ {
		report := ran[stage]
		own := AskedStage{Stage: stage, Ran: looked[stage] || report != nil}
		switch {
		case idle:
			own.LeftOut = scheduling.NotOffered
		case looked[stage]:
		case stage < scheduling.PreemptiveSSDAggressive && t.someSchedulable():
			own.LeftOut = cmp.Or(out.Stopped, scheduling.NoRoomLeft)
		case stage < scheduling.PreemptiveSSDAggressive:
			own.LeftOut = scheduling.NobodyToServe
		case !out.Preemptive:
			own.LeftOut = scheduling.WithinBackoff
		case started:
			own.LeftOut = scheduling.StartedInPlace
		case report == nil || !t.serves(stage, a.Node):
			own.LeftOut = scheduling.NobodyToServe
		case most > 0 && len(out.Started) >= most:
			own.LeftOut = scheduling.MostStarted
		default:
			own.LeftOut = scheduling.NoRoomLeft
		}
		if report != nil {
			own.Candidates, own.Conditional = report.Candidates, report.Conditional
		}
		always := stage == scheduling.RegularMedium && !looked[scheduling.RegularHigh] || stage >= scheduling.PreemptiveAggressive
		if looked[stage] || always || ssd && stage >= scheduling.PreemptiveSSDAggressive {
			a.Stages = append(a.Stages, own)
		}
		for _, s := range out.Started {
			started = started || s.Stage == stage && stage >= scheduling.PreemptiveSSDAggressive
		}
	}
}

// someSchedulable reports whether any operation takes part in scheduling.
func (t *Tree) someSchedulable() bool {
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && o.enabled && t.scheduling.Describe(o.Element).Schedulable {
			return true
		}
	}
	return false
}

// serves reports whether some operation has the priority of a preemptive stage on
// a node.
func (t *Tree) serves(stage scheduling.Stage, node NodeID) bool {
	n := scheduling.Node(t.nodeSlot[node])
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && o.enabled && t.scheduling.Priority(o.Element, n) == stage.Target() {
			return true
		}
	}
	return false
}

// askOperations lists the outcome of every operation.
func (t *Tree) askOperations(a *Answer, out *scheduling.Outcome, idle bool) {
	ended := out.Stopped
	if idle {
		ended = scheduling.NotOffered
	}
	looked := map[fairshare.Element]bool{}
	for i := range out.Considered {
		c := &out.Considered[i]
		looked[c.Operation] = true
		own := t.askedOperation(c.Operation)
		own.Looked, own.Stage, own.Satisfaction, own.Result = true, c.Stage, c.Satisfaction, c.Result
		own.Need, own.Room, own.FullOwn = c.Need, c.Room, c.Full == c.Operation
		if c.Full != scheduling.None {
			own.FullPool, _ = t.Owner(c.Full)
		}
		a.Operations = append(a.Operations, own)
	}
	for slot := range t.operations {
		o := &t.operations[slot]
		if !o.Alive || o.enabled && looked[o.Element] {
			continue
		}
		own := AskedOperation{Operation: o.ID, Pool: t.pools[o.Pool].ID, FullPool: Unknown, Unschedulable: o.unschedulable(), Need: o.smallestJob()}
		if o.enabled {
			own.Unschedulable = t.scheduling.Unschedulable(o.Element)
			if own.Unschedulable == scheduling.NoObstacle && !t.scheduling.Describe(o.Element).Schedulable {
				own.Unschedulable = scheduling.NotRunning // no update has seen it run
			}
		}
		if own.Unschedulable == scheduling.NoObstacle {
			own.Result = ended
		}
		a.Operations = append(a.Operations, own)
	}
}

func (t *Tree) askedOperation(e fairshare.Element) AskedOperation {
	_, slot := t.owner(e)
	o := &t.operations[slot]
	return AskedOperation{Operation: o.ID, Pool: t.pools[o.Pool].ID, FullPool: Unknown}
}

// askJobs lists how every stage treated every job on the node.
func (t *Tree) askJobs(a *Answer, out *scheduling.Outcome) {
	taken := map[scheduling.Job]scheduling.Reason{}
	for i := range out.Preempted {
		taken[out.Preempted[i].Job] = out.Preempted[i].Reason
	}
	last := map[scheduling.Job]int{} // its last row
	for i := range out.Victims {
		v := &out.Victims[i]
		own := t.askedJob(v.Job)
		own.Looked, own.Stage, own.List, own.Level, own.Candidacy, own.Forced, own.Rank = true, v.Stage, v.List, v.Level, v.Candidacy, v.Forced, v.Rank
		own.Before, own.After, own.UsageBefore, own.UsageAfter = v.Before, v.After, v.UsageBefore, v.UsageAfter
		own.Fact = t.factOf(v)
		if v.Blocker != scheduling.None {
			own.BlockerPool, _ = t.Owner(v.Blocker)
			own.BlockedBy = own.BlockerPool == Unknown
		}
		last[v.Job] = len(a.Jobs)
		a.Jobs = append(a.Jobs, own)
	}
	for i := range out.Preempted {
		p := &out.Preempted[i]
		at, known := last[p.Job]
		if !known || p.Reason == scheduling.ForGracefulPreemption || p.Reason == scheduling.ForOvercommit {
			at = len(a.Jobs)
			own := t.askedJob(p.Job)
			own.List, own.Level, own.Rank = p.List, t.scheduling.Level(p.Job), -1
			a.Jobs = append(a.Jobs, own)
		}
		a.Jobs[at].Taken, a.Jobs[at].Reason, a.Jobs[at].Fact = true, taken[p.Job], 0
	}
	a.spareRest()
}

// spareRest explains why the remaining candidates stay: the first of a stage because no more
// resources are needed, and the later ones because that one stays.
func (a *Answer) spareRest() {
	best := map[scheduling.Stage]int32{}
	for i := range a.Jobs {
		if j := &a.Jobs[i]; j.Rank >= 0 && !j.Taken {
			if rank, known := best[j.Stage]; !known || j.Rank < rank {
				best[j.Stage] = j.Rank
			}
		}
	}
	for i := range a.Jobs {
		if j := &a.Jobs[i]; j.Rank >= 0 && !j.Taken {
			if j.Fact = 7; j.Rank > best[j.Stage] {
				j.Fact = 6
			}
		}
	}
}

func (t *Tree) askedJob(j scheduling.Job) AskedJob {
	_, slot := t.owner(t.scheduling.Job(j).Operation)
	o := &t.operations[slot]
	return AskedJob{Job: t.jobID[j], Operation: o.ID, Pool: t.pools[o.Pool].ID, BlockerPool: Unknown}
}

// factOf returns the condition of a fair preemption that a job which is not a candidate fails: its
// level, its protection, or its operation's graceful mode.
func (t *Tree) factOf(v *scheduling.Victim) int {
	switch {
	case v.Blocker == scheduling.None:
		return 3
	case t.scheduling.Describe(v.Blocker).Graceful:
		return 5
	}
	return 4
}

// smallestJobs are controllers that never decline.
type smallestJobs struct {
	tree    *Tree
	offered map[OperationID]int64
}

// SmallestJobs returns a controller per operation. It offers the operation's smallest pending job
// until it has offered as many as are pending. Logs do not record what a controller would have
// offered or declined.
func (t *Tree) SmallestJobs() Controller { return &smallestJobs{t, map[OperationID]int64{}} }

func (c *smallestJobs) Offer(o OperationID, _ NodeID, room resource.Vector) (resource.Vector, scheduling.Refusal) {
	op := &c.tree.operations[c.tree.operationSlot[o]]
	jobs := max(op.PendingJobs, 1)
	job := op.smallestJob()
	if job.IsZero() {
		job = op.Needed
	}
	job[resource.UserSlots] = max(job[resource.UserSlots], 1)
	switch {
	case c.offered[o] == jobs:
		return job, scheduling.NothingPending
	case !job.FitsIn(room):
		return job, scheduling.NotEnoughResources
	}
	c.offered[o]++
	return job, scheduling.Accepted
}
