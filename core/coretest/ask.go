package coretest

import (
	"fmt"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// Offer offers the smallest job of an operation.
func (p *pending) Offer(o core.OperationID, _ core.NodeID, room resource.Vector) (resource.Vector, scheduling.Refusal) {
	slot, _ := p.tree.OperationOf(o)
	op := p.tree.Operation(slot)
	jobs := max(op.PendingJobs, 1)
	job := op.MinNeeded
	if job.IsZero() {
		for k := range job {
			job[k] = op.Needed[k] / jobs
		}
	}
	job[resource.UserSlots] = max(job[resource.UserSlots], 1)
	switch {
	case o == p.question.declines:
		return job, scheduling.Declined
	case p.offered[o] == jobs:
		return job, scheduling.NothingPending
	case !job.FitsIn(room):
		return job, scheduling.NotEnoughResources
	}
	p.offered[o]++
	return job, scheduling.Accepted
}

// Ask answers what a heartbeat of a node would start and take away, and why: the
// stages, who was passed over in each, and what became of every job looked at.
func (s *Scenario) Ask(t *core.Tree, q *Question) string {
	var b strings.Builder
	node, ok := t.NodeOf(q.Node)
	if !ok {
		return "no such node\n"
	}
	n, a := s.names(t), asked{&pending{t, q, map[core.OperationID]int64{}}, t}
	info := t.Scheduling().DescribeNode(scheduling.Node(node))
	fmt.Fprintf(&b, "%gs %s uses %s of %s\n", float64(q.Time)/1e6, s.Dimensions.Nodes[q.Node], cores(info.Usage), cores(info.Limits))
	out := t.Scheduling().Ask(scheduling.Heartbeat{Node: scheduling.Node(node), Now: int64(q.Time), Explain: true}, a)
	for stage := scheduling.RegularHigh; stage <= scheduling.PreemptiveNormal; stage++ {
		n.writeStage(&b, out, stage)
	}
	if !out.Preemptive {
		b.WriteString("no preemptive stages: the node had them a moment ago\n")
	}
	for _, start := range out.Started {
		fmt.Fprintf(&b, "start %s cpu=%s in %s\n", n.elements[start.Operation], cores(start.Resources), start.Stage)
	}
	for i := range out.Preempted {
		n.writePreemption(&b, &out.Preempted[i])
	}
	if len(out.Started)+len(out.Preempted) == 0 {
		b.WriteString("nothing happens\n")
	}
	return b.String()
}

// Decide is the answer of core.Tree.Decide to the same question, in brief.
// Operations remember the heartbeat.
func (s *Scenario) Decide(t *core.Tree, q *Question) (started, preempted int) {
	d := t.Decide(q.Node, q.Time, &pending{t, q, map[core.OperationID]int64{}})
	t.Remember()
	return len(d.Started), len(d.Preempted)
}

// asked speaks to controllers for scheduling.
type asked struct {
	controllers *pending
	tree        *core.Tree
}

func (a asked) Offer(e scheduling.Element, _ scheduling.Node, room resource.Vector) scheduling.Answer {
	for slot := range a.tree.Operations() {
		if o := a.tree.Operation(int32(slot)); o.Alive && o.Enabled() && o.Element == e {
			job, refusal := a.controllers.Offer(o.ID, a.controllers.question.Node, room)
			return scheduling.Answer{Resources: job, Refusal: refusal, SSD: o.Params.RequestsSSD.Value}
		}
	}
	return scheduling.Answer{Refusal: scheduling.NothingPending}
}

// writeStage tells of a stage that looked at anybody.
func (n *names) writeStage(b *strings.Builder, out *scheduling.Outcome, stage scheduling.Stage) {
	before := b.Len()
	for _, report := range out.Stages {
		if report.Stage == stage {
			fmt.Fprintf(b, "%s, jobs that may go: %d, on a condition: %d\n", stage, report.Candidates, report.Conditional)
		}
	}
	for i := range out.Considered {
		c := &out.Considered[i]
		if c.Stage != stage {
			continue
		}
		if b.Len() == before {
			fmt.Fprintf(b, "%s\n", stage)
		}
		what := "starts a job"
		if c.Result != scheduling.Started {
			what = c.Result.String()
		}
		fmt.Fprintf(b, "  %s satisfaction=%.4g: %s", n.elements[c.Operation], c.Satisfaction, what)
		if c.Full != scheduling.None {
			fmt.Fprintf(b, " of %s", n.elements[c.Full])
		}
		b.WriteByte('\n')
	}
	for i := range out.Victims {
		if v := &out.Victims[i]; v.Stage == stage {
			n.writeVictim(b, v)
		}
	}
}

func (n *names) writeVictim(b *strings.Builder, v *scheduling.Victim) {
	fmt.Fprintf(b, "  job %s: list %s, level %s, ", n.jobs[v.Job], v.List, v.Level)
	switch {
	case v.Candidacy != scheduling.NoCandidate:
		fmt.Fprintf(b, "%s", v.Candidacy)
	case v.Blocker != scheduling.None:
		b.WriteString("stays")
	default:
		b.WriteString("too well protected")
	}
	if v.Blocker != scheduling.None {
		fmt.Fprintf(b, ", blocked by %s", n.elements[v.Blocker])
	}
	if v.Rank >= 0 {
		fmt.Fprintf(b, ", %d. in order", v.Rank+1)
	}
	b.WriteByte('\n')
}

func (n *names) writePreemption(b *strings.Builder, p *scheduling.Preemption) {
	fmt.Fprintf(b, "preempt %s of %s for %s: %s, stops within %gs", n.jobs[p.Job], n.elements[p.Operation], n.elements[p.ForOperation], p.Reason, float64(p.Timeout)/1e6)
	if p.ForOperation != scheduling.None && !p.Proper {
		b.WriteString(", who starves only through a pool above")
	}
	if p.Conditional {
		b.WriteString(", on condition")
	}
	b.WriteByte('\n')
}
