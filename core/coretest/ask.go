package coretest

import (
	"fmt"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// Offer is that of a controller that never declines, unless the question says so.
func (p *pending) Offer(o core.OperationID, n core.NodeID, room resource.Vector) (resource.Vector, scheduling.Refusal) {
	if o == p.question.declines {
		return resource.Vector{}, scheduling.Declined
	}
	return p.Controller.Offer(o, n, room)
}

// Ask answers what a heartbeat of a node would start and take away, and why: the
// stages, who was passed over in each, and what became of every job looked at.
func (s *Scenario) Ask(t *core.Tree, q *Question) string {
	t.Changes() // the configuration of this instant is in force
	a := t.Ask(q.Node, q.Time, newPending(t, q))
	if a == nil {
		return "no such node\n"
	}
	w := answerWriter{s: s, tree: t, jobs: map[core.JobID]string{}}
	t.EachJob(func(job int32) { w.jobs[t.Job(job).ID] = string(t.Job(job).Name) })
	fmt.Fprintf(&w, "%gs %s uses %s of %s\n", float64(q.Time)/1e6, s.Dimensions.Nodes[q.Node], cores(a.Usage), cores(a.Limits))
	backoff := false
	for i := range a.Stages {
		w.writeStage(a, &a.Stages[i])
		backoff = backoff || a.Stages[i].LeftOut == scheduling.WithinBackoff
	}
	if backoff {
		w.WriteString("no preemptive stages: the node had them a moment ago\n")
	}
	for _, start := range a.Started {
		fmt.Fprintf(&w, "start %s cpu=%s in %s\n", w.operation(start.Operation), cores(start.Resources), start.Stage)
	}
	for i := range a.Preempted {
		w.writePreemption(a, &a.Preempted[i])
	}
	if len(a.Started)+len(a.Preempted) == 0 {
		w.WriteString("nothing happens\n")
	}
	return w.String()
}

// Decide is the answer of core.Tree.Decide to the same question, in brief.
// Operations remember the heartbeat.
func (s *Scenario) Decide(t *core.Tree, q *Question) (started, preempted int) {
	d := t.Decide(q.Node, q.Time, newPending(t, q))
	t.RememberHeartbeat()
	return len(d.Started), len(d.Preempted)
}

// An answerWriter writes an answer in the words of a scenario.
type answerWriter struct {
	strings.Builder
	s    *Scenario
	tree *core.Tree
	jobs map[core.JobID]string
}

func (w *answerWriter) operation(id core.OperationID) string { return w.s.Dimensions.Operations[id].ID }

func (w *answerWriter) pool(id core.PoolID) string {
	if id == core.RootPool {
		return "<Root>"
	}
	return "pool " + w.s.Dimensions.Pools[id].Name
}

// writeStage writes a stage that ran.
func (w *answerWriter) writeStage(a *core.Answer, stage *core.AskedStage) {
	switch {
	case !stage.Ran:
		return
	case stage.Stage >= scheduling.PreemptiveSSDAggressive:
		fmt.Fprintf(w, "%s, jobs that may go: %d, on a condition: %d\n", stage.Stage, stage.Candidates, stage.Conditional)
	default:
		fmt.Fprintf(w, "%s\n", stage.Stage)
	}
	for i := range a.Operations {
		if o := &a.Operations[i]; o.Looked && o.Stage == stage.Stage {
			w.writeOperation(o)
		}
	}
	for i := range a.Jobs {
		if j := &a.Jobs[i]; j.Looked && j.Stage == stage.Stage {
			w.writeJob(j)
		}
	}
}

func (w *answerWriter) writeOperation(o *core.AskedOperation) {
	what := "starts a job"
	if o.Result != scheduling.NoObstacle {
		what = o.Result.String()
	}
	fmt.Fprintf(w, "  %s satisfaction=%.4g: %s", w.operation(o.Operation), o.Satisfaction, what)
	switch {
	case o.FullOwn:
		fmt.Fprintf(w, " of %s", w.operation(o.Operation))
	case o.FullPool != core.Unknown:
		fmt.Fprintf(w, " of %s", w.pool(o.FullPool))
	}
	w.WriteByte('\n')
}

func (w *answerWriter) writeJob(j *core.AskedJob) {
	fmt.Fprintf(w, "  job %s: list %s, level %s, ", w.jobs[j.Job], j.List, j.Level)
	blocked := j.BlockedBy || j.BlockerPool != core.Unknown
	switch {
	case j.Candidacy != scheduling.NoCandidate:
		fmt.Fprintf(w, "%s", j.Candidacy)
	case blocked:
		w.WriteString("stays")
	default:
		w.WriteString("too well protected")
	}
	switch {
	case j.BlockedBy:
		fmt.Fprintf(w, ", blocked by %s", w.operation(j.Operation))
	case blocked:
		fmt.Fprintf(w, ", blocked by %s", w.pool(j.BlockerPool))
	}
	if j.Rank >= 0 {
		fmt.Fprintf(w, ", %d. in order", j.Rank+1)
	}
	if j.Fact > 0 {
		fmt.Fprintf(w, ", F%d", j.Fact)
	}
	w.WriteByte('\n')
}

func (w *answerWriter) writePreemption(a *core.Answer, p *core.DecidedPreemption) {
	who := "nobody"
	if p.Preemptor >= 0 {
		who = w.operation(a.Started[p.Preemptor].Operation)
	}
	fmt.Fprintf(w, "preempt %s of %s for %s: %s, stops within %gs", w.jobs[p.Job], w.operation(p.Operation), who, p.Reason, float64(p.Timeout)/1e6)
	if p.Preemptor >= 0 && !p.Proper {
		w.WriteString(", who starves only through a pool above")
	}
	if p.Conditional {
		w.WriteString(", on condition")
	}
	w.WriteByte('\n')
}
