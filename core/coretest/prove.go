package coretest

import (
	"fmt"
	"strings"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// Prove judges what the events after a question, those of its instant and node,
// took away: the proof of each preemption, and the facts F1 to F8 of a fair one
// (core/spec/scheduling.md §10.10).
func (s *Scenario) Prove(t *core.Tree, q *Question) string {
	node, ok := t.NodeOf(q.Node)
	if !ok {
		return "no such node\n"
	}
	slacks := judge.DefaultSlacks()
	batch := &judge.Batch{Decision: judge.Decision{Context: judge.Context{Slacks: &slacks}}, From: scheduling.Never}
	tree, at := t.Scheduling(), scheduling.Node(node)
	preemptive, regular := s.startsAfter(q)
	var early []scheduling.Job // those that the stages of the heartbeat found there
	for _, e := range regular {
		slot, _ := t.OperationOf(e.Operation)
		early = append(early, tree.AddJob(t.Operation(slot).Element, at, e.Limits, e.Limits, int64(q.Time), false))
	}
	batch.LookAt(tree, at, int64(q.Time))
	for _, j := range early {
		batch.LeaveOut(j)
	}
	s.fillBatch(t, q, batch, preemptive)
	rulings := batch.Judge(nil)
	var b strings.Builder
	n := s.names(t)
	for k := range batch.Taken {
		n.writeProof(&b, batch, k)
		writeFacts(&b, rulings, int32(k))
	}
	for _, j := range early {
		tree.RemoveJob(j)
	}
	if b.Len() == 0 {
		b.WriteString("nothing was taken\n")
	}
	return b.String()
}

// startsAfter are the starts of a heartbeat. A job that no preemption names as its
// beneficiary was started in a regular stage.
func (s *Scenario) startsAfter(q *Question) (preemptive, regular []*core.Event) {
	served := map[core.OperationID]bool{}
	for _, e := range s.eventsAfter(q, core.JobPreempted) {
		served[e.Preemptor] = true
	}
	for _, e := range s.eventsAfter(q, core.JobStarted) {
		switch {
		case e.Node != q.Node:
		case served[e.Operation]:
			preemptive = append(preemptive, e)
		default:
			regular = append(regular, e)
		}
	}
	return preemptive, regular
}

// eventsAfter are the events of a kind in the instant of a question.
func (s *Scenario) eventsAfter(q *Question, kind core.Kind) (events []*core.Event) {
	for i := q.After; i < len(s.Events) && s.Events[i].Time == q.Time; i++ {
		if s.Events[i].Kind == kind {
			events = append(events, &s.Events[i])
		}
	}
	return events
}

// fillBatch takes over what the heartbeat started with preemption, and what it took.
func (s *Scenario) fillBatch(t *core.Tree, q *Question, batch *judge.Batch, preemptive []*core.Event) {
	served := map[core.OperationID]int32{}
	for _, e := range preemptive {
		slot, _ := t.OperationOf(e.Operation)
		served[e.Operation] = batch.Start(t.Operation(slot).Element, e.Limits)
	}
	for _, e := range s.eventsAfter(q, core.JobPreempted) {
		who := judge.NoPreemptor
		if e.Preemptor != core.Unknown {
			who = judge.PreemptorElsewhere
			if started, here := served[e.Preemptor]; here {
				who = started
			}
		}
		t.EachJob(func(job int32) {
			if t.Job(job).ID == e.Job {
				batch.AddVictim(t.JobHandle(job), e.PreemptionReason(), who)
			}
		})
	}
}

func (n *names) writeProof(b *strings.Builder, batch *judge.Batch, k int) {
	p, taken := batch.Prove(k), &batch.Taken[k]
	job, elements := &batch.Jobs[taken.Job], batch.States[0].Elements
	fmt.Fprintf(b, "%s of %s taken by %s\n", n.jobs[job.Handle], n.elements[elements[job.Operation].Handle], taken.Reason)
	if taken.Preemptor >= 0 {
		who := &elements[batch.Started[taken.Preemptor].Operation]
		fmt.Fprintf(b, "  for %s, whose priority is %s, its own %s, in the stage for %s", n.elements[who.Handle], p.Priority, p.Own, p.Target)
		if p.Starving >= 0 {
			fmt.Fprintf(b, "; %s is %s, below its %s since %gs, timeout %gs", n.elements[elements[p.Starving].Handle], p.Status, p.Kind, float64(p.Since)/1e6, float64(p.Timeout)/1e6)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "  list %s, level %s, ", p.List, p.Level)
	if p.Blocker < 0 {
		b.WriteString("no blocker")
	} else {
		fmt.Fprintf(b, "blocked by %s", n.elements[elements[p.Blocker].Handle])
	}
	if p.Rank >= 0 {
		fmt.Fprintf(b, ", %d. of %d candidates", p.Rank+1, p.Candidates)
	}
	if p.Better >= 0 {
		fmt.Fprintf(b, ", %s should have gone before", n.jobs[batch.Jobs[p.Better].Handle])
	}
	fmt.Fprintf(b, "\n  satisfaction of its operation %.4g, then %.4g\n", p.Before, p.After)
}

// writeFacts writes the facts in a line, and for each that does not hold the reason.
func writeFacts(b *strings.Builder, rulings []judge.Ruling, k int32) {
	for i, v := range judge.Facts(rulings, k) {
		fmt.Fprintf(b, "  F%d %s", i+1, v)
	}
	b.WriteByte('\n')
	for i := range rulings {
		r := &rulings[i]
		if (r.Victim == k || r.Victim < 0) && (r.Verdict == judge.Violated || r.Verdict == judge.Suspect || r.Verdict == judge.Excused) {
			fmt.Fprintf(b, "  %s\n", r.Sentence(&resource.UsualUnits))
		}
	}
}
