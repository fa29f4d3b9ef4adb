package decisions

import (
	"cmp"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/core/spec"
	"poolproof/replay/tables"
)

// preemptionRow fills in the record of a preempted job.
func (r *Referee) preemptionRow(row *preemption, e *core.Event, slot int32) {
	j := r.Core.Job(slot)
	o := r.Core.Operation(j.Operation)
	*row = preemption{}
	row.Preemption = tables.Preemption{
		Time: e.Time, Job: r.texts.copyOf(j.Name), JobIx: j.ID, StartTime: j.Start, Operation: o.ID, Pool: r.Core.Pool(o.Pool).ID,
		Resources: j.Resources, StopTime: e.Finish,
	}
	if j.Node >= 0 {
		row.Node = core.Some(r.Core.Node(j.Node).ID)
	}
	if p := e.Preemption; p != nil {
		row.Mode, row.LevelRecorded = p.Mode, p.Level
		row.Lost = lostBy(p, e.Time-j.Start)
		r.compareExplanation(row, e)
	}
}

// lostBy returns the work that a preemption lost of a job that had run for the given time. An
// interrupted job that completes loses nothing: only its unprocessed input returns
// (core/spec/scheduling.md §10.7). If the end of the job is not recorded the loss is unknown,
// unless the job was aborted.
func lostBy(p *core.PreemptionRecord, ran core.Time) core.Optional[int64] {
	switch {
	case p.LostTime.Set:
		return core.Some(int64(p.LostTime.Value))
	case p.End == core.EndCompleted:
		return core.Some[int64](0)
	case p.Mode == "abort" || p.End == core.EndAborted || p.End == core.EndFailed:
		return core.Some(int64(ran))
	}
	return core.Optional[int64]{}
}

// compareExplanation compares the scheduler's sentence with its codes.
func (r *Referee) compareExplanation(row *preemption, e *core.Event) {
	p := e.Preemption
	if row.Explained = p.Explanation != ""; !row.Explained {
		return
	}
	codes := judge.Codes{
		Job: e.PreemptorJob, Level: p.Level, PreemptorPriority: p.PreemptorPriority, TargetPriority: p.TargetPriority,
		Reason: e.PreemptionReason(), Conditional: p.Conditional.Value, ConditionalKnown: p.Conditional.Set,
	}
	if e.Preemptor >= 0 {
		codes.Operation = r.Dims.Operations[e.Preemptor].ID
	}
	if columns := judge.Contradictions(p.Explanation, &codes); len(columns) > 0 {
		row.Explanation, row.Contradicts = p.Explanation, strings.Join(columns, ",")
	}
}

// prove fills in the facts of victim k of a batch.
func (r *Referee) prove(row *preemption, b *judge.Batch, k int) {
	p := b.Prove(k)
	elements := b.States[0].Elements
	t := &b.Taken[k]
	served := t.Preemptor >= 0 && b.Started[t.Preemptor].Operation >= 0
	row.Target, row.Priority, row.OwnPriority = p.Target.String(), p.Priority.String(), p.Own.String()
	row.Reason, row.ReasonFrom, row.Judged = cmp.Or(row.code, t.Reason.String()), judge.Recorded.String(), b.Evidence.String()
	if b.Shaken&judge.OnJobs != 0 {
		row.Judged = judge.Possible.String()
	}
	switch {
	case row.stated:
	case served:
		row.Reason, row.ReasonFrom = p.Target.Reason().String(), judge.Recomputed.String()
	default:
		row.ReasonFrom = judge.Possible.String()
	}
	if served {
		row.Proper = core.Some(scheduling.ProperlyStarving(p.Target, p.Own))
	}
	if p.Starving >= 0 {
		row.StarvingSince, row.StarvingFor = core.Some(core.Time(p.Since)), p.Kind.String()
		if pool, _ := r.Core.Owner(elements[p.Starving].Handle); pool != core.Unknown {
			row.StarvingPool = core.Some(pool)
		}
	}
	row.StarvingLimit = p.Timeout
	row.List, row.Level, row.Before, row.After = p.List.String(), p.Level.String(), p.Before, p.After
	row.UsageBefore, row.UsageAfter, row.FairRatio = p.ShareBefore, p.ShareAfter, p.FairShare
	if p.Blocker >= 0 {
		pool, _ := r.Core.Owner(elements[p.Blocker].Handle)
		row.BlockedByOwn = pool == core.Unknown
		if !row.BlockedByOwn {
			row.BlockerPool = core.Some(pool)
		}
	}
	row.Candidates, row.HadRoom = int64(p.Candidates), p.Room
	if p.Rank >= 0 {
		row.Rank = core.Some(int64(p.Rank))
	}
	r.lookElsewhere(row, b.Jobs[t.Job].Handle, p.Target)
	if p.Better >= 0 {
		if slot, ok := r.Core.JobBehind(b.Jobs[p.Better].Handle); ok {
			row.Better = r.texts.copyOf(r.Core.Job(slot).Name)
		}
	}
}

// addPreemptions writes the rows of a batch with their verdicts, and rows of decisions for rulings
// other than OK.
func (r *Referee) addPreemptions(rows []preemption, rulings []judge.Ruling) {
	for k := range rows {
		row := &rows[k]
		own := row.judgeEnding(append(r.own[:0], ofVictim(rulings, int32(k))...), int32(k))
		r.own = own
		r.tally.addAll(row.Time, own[len(own)-row.endings:])
		row.sumVerdicts(&r.texts, own, int32(k))
		r.preemptions.Add(&row.Preemption)
		if isPlain(own) {
			continue
		}
		r.row = tables.Decision{
			Time: row.Time, Kind: "preemption", Job: row.Job, JobIx: row.JobIx, Operation: row.Operation, Pool: row.Pool,
			Node: row.Node, Other: row.For,
		}
		r.addDecisions(&r.row, own)
	}
}

// ofVictim returns the rulings on one victim, which are contiguous.
func ofVictim(rulings []judge.Ruling, victim int32) []judge.Ruling {
	from := 0
	for from < len(rulings) && rulings[from].Victim != victim {
		from++
	}
	to := from
	for to < len(rulings) && rulings[to].Victim == victim {
		to++
	}
	return rulings[from:to]
}

// sumVerdicts fills in the verdicts on a victim.
func (row *preemption) sumVerdicts(t *texts, own []judge.Ruling, victim int32) {
	worst := judge.Undecidable // until a rule is judged
	for i := range own {
		ruling := &own[i]
		switch {
		case ruling.Invariant.Severity() == spec.Info || ruling.Verdict == judge.Undecidable:
		case worst == judge.Undecidable:
			worst = ruling.Verdict
		default:
			worst = max(worst, ruling.Verdict)
		}
	}
	if worst == judge.OK && slices.ContainsFunc(own, func(x judge.Ruling) bool { return x.Verdict == judge.Undecidable && x.Invariant.IsFact() }) {
		worst = judge.Undecidable // a fair preemption meets all conditions F1 to F8
	}
	sets := setsOf(own)
	ids := func(v judge.Verdict) string { return t.ids(sets[v], own, v) }
	row.Held, row.Undecidable, row.Excused = ids(judge.OK), ids(judge.Undecidable), ids(judge.Excused)
	row.Suspect, row.Violated, row.Verdict = ids(judge.Suspect), ids(judge.Violated), worst.String()
	row.Facts = t.facts(own, victim)
}

// isPlain reports whether all rules were kept.
func isPlain(rulings []judge.Ruling) bool {
	for i := range rulings {
		if rulings[i].Verdict > judge.OK {
			return false
		}
	}
	return true
}

// addDecisions writes a row for each ruling on a decision that is not OK.
func (r *Referee) addDecisions(row *tables.Decision, rulings []judge.Ruling) {
	r.undecided.addRulings(row, rulings, &r.decisions)
	other := row.Other
	row.Until, row.Decisions = row.Time, 1
	for i := range rulings {
		ruling := &rulings[i]
		if ruling.Verdict <= judge.Undecidable {
			continue
		}
		u := ruling.Unit()
		row.Invariant, row.Severity = ruling.Invariant.String(), string(ruling.Invariant.Severity())
		row.Verdict, row.Judged = ruling.Verdict.String(), ruling.Evidence.String()
		row.Found, row.Bound, row.Measure = ruling.Left, ruling.Right, u.String()
		row.Resource = core.Optional[resource.Kind]{Value: ruling.Resource, Set: u.HasResource()}
		row.Excuse, row.Missing = string(ruling.Excuse), string(ruling.Missing)
		row.Policy, row.Sentence = ruling.Invariant.Policy(), ruling.Sentence(r.Log.Units())
		row.LimitPool = core.Optional[core.PoolID]{}
		if ruling.Above > 0 {
			row.LimitPool = r.poolAbove(row.Pool, ruling.Above-1)
		}
		row.Other = other
		if row.Kind == "start" && ruling.Invariant.About() != judge.AboutCompetitors {
			row.Other = core.Optional[core.OperationID]{}
		}
		r.decisions.Add(row)
	}
}

// poolAbove returns the pool the given number of levels above another.
func (r *Referee) poolAbove(id core.PoolID, levels int32) (above core.Optional[core.PoolID]) {
	slot, ok := r.Core.PoolOf(id)
	if !ok {
		return above
	}
	for ; levels > 0 && slot > 0; levels-- {
		slot = r.Core.Pool(slot).Parent
	}
	return core.Some(r.Core.Pool(slot).ID)
}
