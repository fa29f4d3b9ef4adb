package core

import (
	"slices"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A Controller is the part of an operation that has jobs to start.
type Controller interface {
	// Offer asks an operation for a job that fits room on a node. It returns the resources of the
	// job or the reason for a refusal.
	Offer(o OperationID, n NodeID, room resource.Vector) (job resource.Vector, refusal scheduling.Refusal)
}

// A Decision lists the jobs that a heartbeat would start and preempt. Its slices are reused.
type Decision struct {
	Started    []DecidedStart
	Preempted  []DecidedPreemption
	Preemptive bool // preemptive stages ran
}

// A DecidedStart is a job that a heartbeat starts.
type DecidedStart struct {
	Operation OperationID
	Resources resource.Vector
	Stage     scheduling.Stage
}

// A DecidedPreemption is a job that a heartbeat takes away.
type DecidedPreemption struct {
	Job       JobID
	Operation OperationID
	Reason    scheduling.Reason
	Timeout   Time // how long it may take to stop
	List      scheduling.List

	// Preemptor is the index in Started of the job that is started instead, or -1. Proper says that
	// its operation starves itself.
	Preemptor   int
	Proper      bool
	Conditional bool
}

// Decide returns what a heartbeat of a node would start and preempt now. It does not change the
// tree: the caller applies the resulting events with Step. The result is valid until the next
// Decide.
func (t *Tree) Decide(node NodeID, now Time, c Controller) *Decision {
	t.flush()
	d := &t.decision
	d.Started, d.Preempted = d.Started[:0], d.Preempted[:0]
	t.offers.controller = c
	slot := t.nodeAt(node)
	out := t.scheduling.Ask(scheduling.Heartbeat{Node: scheduling.Node(slot), Now: int64(now)}, &t.offers)
	t.fillDecision(d, out)
	return d
}

// fillDecision copies the outcome of a heartbeat.
func (t *Tree) fillDecision(d *Decision, out *scheduling.Outcome) {
	d.Preemptive = out.Preemptive
	for _, s := range out.Started {
		d.Started = append(d.Started, DecidedStart{t.operationOf(s.Operation), s.Resources, s.Stage})
	}
	for k, p := range out.Preempted {
		if slices.ContainsFunc(out.Preempted[:k], func(q scheduling.Preemption) bool {
			return q.Job == p.Job && q.Reason != scheduling.ForGracefulPreemption
		}) {
			continue // a later stage took it again: it is asked to stop once
		}
		decided := DecidedPreemption{
			Job: t.jobID[p.Job], Operation: t.operationOf(p.Operation), Reason: p.Reason,
			Timeout: Time(p.Timeout), List: p.List, Preemptor: -1, Proper: p.Proper, Conditional: p.Conditional,
		}
		for i, s := range out.Started {
			if p.PreemptorJob != scheduling.NoJob && s.Job == p.PreemptorJob {
				decided.Preemptor = i
			}
		}
		d.Preempted = append(d.Preempted, decided)
	}
}

// RememberHeartbeat stores, for each operation, the statistics of the node in the last Decide,
// which packing compares with later heartbeats (core/spec/scheduling.md §9.8). No event carries
// them, so a caller that applies a Decision calls it before the next Step.
func (t *Tree) RememberHeartbeat() { t.scheduling.Remember() }

func (t *Tree) operationOf(e fairshare.Element) OperationID {
	_, slot := t.owner(e)
	return t.operations[slot].ID
}

// offers adapts a Controller to the scheduling package.
type offers struct {
	tree       *Tree
	controller Controller
}

func (o *offers) Offer(e fairshare.Element, n scheduling.Node, room resource.Vector) scheduling.Answer {
	job, refusal := o.controller.Offer(o.tree.operationOf(e), o.tree.nodes[n].ID, room)
	_, slot := o.tree.owner(e)
	return scheduling.Answer{Resources: job, Refusal: refusal, SSD: o.tree.holdsSSD(&o.tree.operations[slot])}
}
