package replay

import (
	"cmp"
	"fmt"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// An Ask is a question to the policy: what would a heartbeat of a node decide at an instant, and
// why? Trees that have not yet seen the node do not answer.
type Ask struct {
	Node core.NodeID
	Time core.Time
}

// asks are the questions of a replay that are not answered yet.
type asks struct {
	left           []Ask // in the order of their times
	considerations env.Table[tables.Consideration]
	core           *core.Tree
	units          *resource.Units
}

func newAsks(e *env.Env, questions []Ask) asks {
	left := slices.Clone(questions)
	slices.SortFunc(left, func(a, b Ask) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Node, b.Node)) })
	return asks{slices.Compact(left), env.Open[tables.Consideration](e.Out), e.Core, e.Log.Units()}
}

// answerBefore answers the questions of all instants before one, by the state as it
// is now.
func (a *asks) answerBefore(at core.Time) {
	for len(a.left) > 0 && a.left[0].Time < at {
		if answer := a.core.Ask(a.left[0].Node, a.left[0].Time, nil); answer != nil {
			a.write(answer)
		}
		a.left = a.left[1:]
	}
}

// answerDecision answers the questions of an event's instant before the first event
// that states a decision: those that wait for its other events come later.
func (a *asks) answerDecision(e *core.Event) {
	if len(a.left) > 0 && (e.Kind == core.JobPreempted || e.Kind == core.JobStarted) {
		a.core.Changes() // what the instant configured is in force
		a.answerBefore(e.Time + 1)
	}
}

// write writes the rows of an answer.
func (a *asks) write(answer *core.Answer) {
	w := answerRows{asks: a, answer: answer}
	for i := range answer.Stages {
		stage := &answer.Stages[i]
		w.addStage(stage)
		for k := range answer.Operations {
			if o := &answer.Operations[k]; o.Looked && o.Stage == stage.Stage {
				w.addOperation(o)
			}
		}
		for k := range answer.Jobs {
			if j := &answer.Jobs[k]; j.Looked && j.Stage == stage.Stage {
				w.addJob(j)
			}
		}
	}
	for k := range answer.Operations {
		if o := &answer.Operations[k]; !o.Looked {
			w.addOperation(o)
		}
	}
	for k := range answer.Jobs {
		if j := &answer.Jobs[k]; !j.Looked {
			w.addJob(j)
		}
	}
}

// answerRows are the rows of an answer, one after the other.
type answerRows struct {
	*asks
	answer   *core.Answer
	position int64
}

func (w *answerRows) add(row *tables.Consideration) {
	row.Time, row.Node, row.Position = w.answer.Time, w.answer.Node, w.position
	w.position++
	w.considerations.Add(row)
}

func (w *answerRows) addStage(s *core.AskedStage) {
	row := tables.Consideration{Kind: "stage", Stage: s.Stage.String(), Verdict: "ran", Reason: s.LeftOut.String()}
	row.Sentence = fmt.Sprintf("The stage %s ran", row.Stage)
	if s.Stage >= scheduling.PreemptiveSSDAggressive {
		row.Sentence += fmt.Sprintf("; jobs that may go: %d, on a condition: %d", s.Candidates, s.Conditional)
	}
	switch {
	case !s.Ran:
		row.Verdict, row.Sentence = "left_out", fmt.Sprintf("The stage %s was left out: %s", row.Stage, s.LeftOut.Text(""))
	case s.LeftOut != scheduling.NoObstacle:
		row.Sentence += "; it looked at no operation: " + s.LeftOut.Text("")
	}
	w.add(&row)
}

func (w *answerRows) addOperation(o *core.AskedOperation) {
	row := tables.Consideration{Kind: "operation", Operation: core.Some(o.Operation), Pool: core.Some(o.Pool), LimitOwn: o.FullOwn}
	if o.FullPool != core.Unknown {
		row.LimitPool = core.Some(o.FullPool)
	}
	switch {
	case o.Looked && o.Result == scheduling.NoObstacle:
		row.Verdict, row.Sentence = "started", "A job of it would start"
	case o.Looked:
		row.Verdict, row.Reason = "passed_over", o.Result.String()
		row.Sentence = "It is passed over: " + o.Result.Text("")
		w.lack(&row, o)
	case o.Unschedulable != scheduling.NoObstacle:
		row.Verdict, row.Reason = "unschedulable", o.Unschedulable.String()
		row.Sentence = "It takes no part in scheduling: " + o.Unschedulable.Text("")
	default:
		row.Verdict, row.Reason = "not_reached", o.Result.String()
		row.Sentence = "No stage came to it: " + o.Result.Text("")
	}
	if o.Looked {
		row.Stage, row.Satisfaction = o.Stage.String(), o.Satisfaction
	}
	w.add(&row)
}

// lack names the first resource that is in the way.
func (w *answerRows) lack(row *tables.Consideration, o *core.AskedOperation) {
	if o.Result != scheduling.NothingFits && o.Result != scheduling.LimitsExceeded && o.Result != scheduling.NoDemand {
		return
	}
	for k, needed := range o.Need {
		if needed > o.Room[k] {
			kind := resource.Kind(k)
			row.Resource, row.Needed, row.Available = core.Some(kind), needed, o.Room[k]
			row.Sentence += fmt.Sprintf("; it needs %s, and there is %s",
				judge.ShowAmount(float64(needed), kind, w.units), judge.ShowAmount(float64(o.Room[k]), kind, w.units))
			return
		}
	}
}

func (w *answerRows) addJob(j *core.AskedJob) {
	row := tables.Consideration{
		Kind: "job", Operation: core.Some(j.Operation), Pool: core.Some(j.Pool), List: j.List.String(), Level: j.Level.String(),
		BlockedByOwn: j.BlockedBy, Before: j.Before, After: j.After, UsageBefore: j.UsageBefore, UsageAfter: j.UsageAfter,
	}
	if slot, ok := w.core.JobOf(j.Job); ok {
		row.Job = string(w.core.Job(slot).Name)
	}
	if j.BlockerPool != core.Unknown {
		row.BlockerPool = core.Some(j.BlockerPool)
	}
	if j.Looked {
		row.Stage = j.Stage.String()
	}
	if j.Rank >= 0 {
		row.Rank = core.Some(int64(j.Rank))
	}
	if j.Fact > 0 {
		row.Fact = fmt.Sprintf("F%d", j.Fact)
	}
	switch {
	case j.Taken:
		row.Verdict, row.Reason = "taken", j.Reason.String()
		row.Sentence = "It would be taken: " + row.Reason
	case j.Rank >= 0:
		row.Verdict, row.Sentence = "candidate", "It might be taken, but "+stays[j.Fact]
	case j.Candidacy == scheduling.Conditional:
		row.Verdict, row.Sentence = "conditional", "It might be taken for a beneficiary inside the pool that protects it"
	default:
		row.Verdict, row.Sentence = "stays", "It stays: "+stays[j.Fact]
	}
	w.add(&row)
}

// stays says for a person why a job is not taken, by the first condition that taking it
// would break.
var stays = map[int]string{
	3: "it is protected better than the stage may take",
	4: "its operation or a pool of it starves, or would be left with too little",
	5: "its operation is asked to end its jobs itself",
	6: "another that stays would go before it",
	7: "nothing more has to go",
}
