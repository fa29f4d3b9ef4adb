package queues

import (
	"slices"
	"strings"
	"unicode/utf8"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// admissions judge the recorded steps of operations (core/spec/scheduling.md §5).
// Whether a step was unfair may depend on what follows; the rows after it wait,
// so that they stand in the order of time.
type admissions struct {
	slacks    judge.Slacks
	assumed   bool         // the log does not distinguish running operations from waiting ones
	placed    bool         // it does not distinguish a wait for admission from one for resources
	shaken    judge.Inputs // see lostOperations
	lastLeave core.Time    // core.Never if there was none
	moved     core.Time    // when a running operation changed its pool last
	hasMoved  bool
	waiting   []*admissionCase // in the order of their rows
	open      []*admissionCase // those of them that are not known yet
}

// An admissionCase is a step whose row is not written yet.
type admissionCase struct {
	row     tables.Admission
	rulings []judge.Ruling
	until   core.Time // when all is known; core.Never: already
	done    bool

	overtaking judge.Overtaking // of a case with an overtaken operation
	change     judge.PoolChange // of a change of pool
	placing    judge.Placing    // of a start in a place that is wrong by the configuration in force
	registers  bool             // what is counted are those registered, not those that run
	count      judge.CountStep  // of an operation that registered or began to run where all places were taken
}

func newAdmissions(facts []env.Fact) admissions {
	a := admissions{slacks: judge.DefaultSlacks(), lastLeave: core.Never, shaken: env.LostOperations(facts)}
	for _, f := range facts {
		switch {
		case f.Aspect == "operation_states":
			a.assumed, a.placed = f.State == "assumed", f.State == "placed"
		}
	}
	return a
}

// actions name the steps in the table.
var actions = map[core.Step]string{
	core.StepStarted: "started", core.StepRevived: "revived", core.StepMaterialized: "materialized",
	core.StepRunning: "running", core.StepPending: "pending", core.StepRejected: "rejected", core.StepPoolChanged: "pool_changed",
}

// settleAdmissions judges the steps of an instant.
func (q *Queues) settleAdmissions(now core.Time) {
	c := q.Core.Changes()
	q.admissions.slacks = q.Slacks()
	for i := range c.Admissions {
		q.judgeStep(&c.Admissions[i])
	}
	for _, slot := range c.Operations {
		if o := q.Core.Operation(slot); o.Ended && o.Finish == core.Some(now) {
			q.admissions.lastLeave = now
			q.noteLeft(o)
		}
	}
	q.admissions.passTo(q, now)
}

// judgeStep makes the case of a step, unless it says nothing.
func (q *Queues) judgeStep(s *core.Admission) {
	a := &q.admissions
	k := &admissionCase{row: q.admissionRow(s), until: core.Never}
	switch s.Step {
	case core.StepStarted, core.StepRevived:
		q.judgeStart(s, k)
	case core.StepRejected:
		k.rulings = q.judgeRejection(s, &k.row)
	case core.StepMaterialized, core.StepRunning:
		if s.Running || s.Step == core.StepMaterialized && s.Full != core.Unknown {
			return // nothing begins to run
		}
		step := q.countStep(s)
		k.judgeCount(&step, false)
		if s.Overtook != core.Unknown {
			q.judgeOvertaking(s, k)
		}
	case core.StepPending:
		step := q.countStep(s)
		k.rulings = step.JudgePending(nil)
	case core.StepPoolChanged:
		if s.Running {
			a.moved, a.hasMoved = s.Time, true
		}
		k.change = q.poolChange(s)
		k.until = s.Time + core.Time(a.slacks.Release)
	}
	a.waiting = append(a.waiting, k)
	if k.until != core.Never {
		a.open = append(a.open, k)
	} else {
		k.done = true
	}
}

// judgeCount judges a registration or an activation. One that met a full pool stays open, since
// the log may record a moment later that an operation left it.
func (k *admissionCase) judgeCount(step *judge.CountStep, registers bool) {
	k.registers = registers
	if k.rulings = k.ofCount(step); slices.ContainsFunc(k.rulings, func(x judge.Ruling) bool { return x.Counts() }) {
		k.count, k.until, k.rulings = *step, k.row.Time+core.Time(step.Slacks.Clock), nil
	}
}

func (k *admissionCase) ofCount(step *judge.CountStep) []judge.Ruling {
	if k.registers {
		return step.JudgeRegistration(nil)
	}
	return step.JudgeActivation(nil)
}

// noteEnded notes, in the steps that met a full pool, that an operation of it ended just after:
// the next in the queue is served before the log records the end.
func (q *Queues) noteLeft(o *core.Operation) {
	for _, k := range q.admissions.open {
		if k.count.Slacks == nil || !k.registers && !o.RunningSince.Set || o.Finish.Set && o.Finish.Value > k.row.Time+core.Time(k.count.Slacks.Clock) {
			continue
		}
		for p := o.Pool; p >= 0; p = q.Core.Pool(p).Parent {
			if core.Some(q.Core.Pool(p).ID) == k.row.FullPool {
				k.count.Left++
				break
			}
		}
	}
}

// judged returns the context of rulings on a step. If the log does not record running and pending
// states, the evidence is Possible.
func (q *Queues) judged(s *core.Admission, states bool) judge.Context {
	c := judge.Context{Slacks: &q.admissions.slacks, Shaken: q.admissions.shaken}
	q.Excuses.CoverSettings(&c, q.Core, s.Time)
	if s.Unplaced || q.Core.Unplaced() > 0 {
		c.Missing = judge.OperationPool
	}
	if states && q.admissions.assumed {
		c.Evidence = judge.Possible
	}
	return c
}

// reconfigured reports whether the configuration before may have been in force.
func (q *Queues) reconfigured(s *core.Admission) bool {
	return s.Time-s.Reconfigured <= core.Time(q.admissions.slacks.Configuration)
}

func (q *Queues) countStep(s *core.Admission) judge.CountStep {
	starts := s.Step == core.StepStarted || s.Step == core.StepRevived || s.Step == core.StepRejected
	step := judge.CountStep{
		Context: q.judged(s, !starts), At: int64(s.Time),
		Lightweight: s.Lightweight, Among: s.AmongLightweight, Revived: s.Revived, Reconfigured: q.reconfigured(s),
	}
	if s.Unstated {
		step.Chain = append(step.Chain, judge.PoolCount{Unknown: true})
	}
	if s.Full != core.Unknown {
		step.Chain = append(step.Chain, judge.PoolCount{Count: s.Count, Limit: s.Limit})
	}
	return step
}

// judgeStart judges a start. A place that is wrong by the configuration in force
// may be right by the next, which is in force before the log says so.
func (q *Queues) judgeStart(s *core.Admission, k *admissionCase) {
	if s.Pool == core.Unknown {
		return
	}
	p := judge.Placing{
		Context: q.judged(s, false), Root: s.Pool == core.RootPool, Elsewhere: s.Placed != "", FIFOOnly: s.FIFOOnly,
		OutsideFIFO: s.OutsideFIFO, Strange: s.Strange, Unasked: !s.Requested.Set || isDamaged(s.Requested.Value),
		Revived: s.Revived, Reconfigured: q.reconfigured(s), Unconfigured: q.Unconfigured(), UserUnknown: q.isNobodys(s),
	}
	p.BadName, p.Forbidden = isBarred(s.Barred)
	p.Surplus = s.Refusal != nil && s.Refusal.Reason == pooltree.EphemeralPoolLimit
	if !q.vanished(s) { // not erased or rejected instead of being registered
		step := q.countStep(s)
		k.judgeCount(&step, true)
	}
	if p.Broken() && !p.Reconfigured {
		k.placing, k.until = p, s.Time+core.Time(q.admissions.slacks.Configuration)
	} else {
		k.judgePlace(&p)
	}
}

// isNobodys reports whether the log does not record the user of an operation, or lost bytes of
// its name or the pool's: which pool is the user's own is unknown then (ingest/trace/FORMAT.md
// §3.2).
func (q *Queues) isNobodys(s *core.Admission) bool {
	user := q.Dims.Operations[s.Operation].User
	return user == "" || isDamaged(user) || s.Pool >= 0 && isDamaged(q.Dims.Pools[s.Pool].Name)
}

// isDamaged reports whether bytes of a name were lost.
func isDamaged(name string) bool { return strings.ContainsRune(name, utf8.RuneError) }

// judgePlace judges the place of a start before the rest of it. A missing spec is noted in its row;
// the other rules are judged anyway.
func (k *admissionCase) judgePlace(p *judge.Placing) {
	place := slices.DeleteFunc(p.Judge(nil), func(r judge.Ruling) bool { return r.Missing == judge.Spec })
	k.rulings = append(place, k.rulings...)
}

func isBarred(refusal *pooltree.Refusal) (badName, forbidden bool) {
	if refusal == nil {
		return false, false
	}
	return refusal.Reason == pooltree.BadPoolName, refusal.Reason == pooltree.ImmediateForbidden
}

// vanished reports whether the tree gave a started operation up in the instant
// of its start.
func (q *Queues) vanished(s *core.Admission) bool {
	slot := q.Core.LastSlotOf(s.Operation)
	if slot < 0 {
		return false
	}
	o := q.Core.Operation(slot)
	if !o.Ended || o.Finish != core.Some(s.Time) {
		return false
	}
	return o.EndStep == core.StepRejected || o.EndStep == core.StepErased || o.EndStep == core.StepBanned
}

// judgeRejection judges a rejection for counts; others are not about admission.
func (q *Queues) judgeRejection(s *core.Admission, row *tables.Admission) []judge.Ruling {
	step := q.countStep(s)
	if s.ErrorCode == 0 {
		step.Missing = judge.ErrorCode
	} else if s.ErrorCode != pooltree.CodeTooManyOperations {
		return nil
	}
	if s.Refusal != nil && s.Full == core.Unknown { // the user's ephemeral pools
		step.Chain = append(step.Chain, judge.PoolCount{Count: s.Limit, Limit: s.Limit})
	}
	step.Leaving = s.Time-q.admissions.lastLeave <= core.Time(q.admissions.slacks.Release)
	return step.JudgeRefusal(nil)
}

// judgeOvertaking leaves the ruling until it is known whether the overtaken
// operation runs in time.
func (q *Queues) judgeOvertaking(s *core.Admission, k *admissionCase) {
	a := &q.admissions
	o := judge.Overtaking{
		Context: q.judged(s, true), At: int64(s.Time), Queued: s.Queued,
		Oldest: int64(s.Time), Since: int64(s.Time), Ran: scheduling.Never, Room: scheduling.Never,
	}
	if a.placed { // either may have had leave before it came to run
		o.Missing = judge.OperationState
	}
	o.Room = int64(s.Reconfigured)
	if a.hasMoved {
		o.Room = max(o.Room, int64(a.moved))
	}
	overtook, own := q.pendingOf(s.Overtook), q.pendingOf(s.Operation)
	if overtook != nil {
		o.Oldest, o.Requeued = int64(overtook.joined), overtook.requeued > 0
		o.Moved = q.mayHaveMoved(overtook)
	}
	if own != nil && s.Queued {
		o.Since = int64(own.joined)
	}
	k.overtaking, k.until = o, max(k.until, s.Time+core.Time(a.slacks.Rescan))
}

func (q *Queues) poolChange(s *core.Admission) judge.PoolChange {
	c := judge.PoolChange{
		Context: q.judged(s, true), Elsewhere: s.Placed != "", Refused: s.Refusal != nil, Count: s.Count, Limit: s.Limit,
		Unstated: s.Unstated, Reconfigured: q.reconfigured(s), Unconfigured: q.Unconfigured(), UserUnknown: q.isNobodys(s),
	}
	badName, forbidden := isBarred(s.Barred)
	c.Forbidden = badName || forbidden
	return c
}

func (q *Queues) admissionRow(s *core.Admission) tables.Admission {
	row := tables.Admission{
		Time: s.Time, Operation: s.Operation, Action: actions[s.Step], Pool: s.Pool, User: q.Dims.Operations[s.Operation].User,
		Lightweight: s.Lightweight, Requested: s.Requested, FIFOOnly: s.FIFOOnly, PlacedPool: s.Placed,
		Overtook: core.Optional[core.OperationID]{Value: s.Overtook, Set: s.Overtook != core.Unknown},
		JudgedBy: judge.Recorded.String(),
	}
	if s.Step == core.StepPoolChanged {
		row.FromPool = core.Some(s.From)
	}
	if s.Step == core.StepRejected && s.ErrorCode != 0 {
		row.ErrorCode = core.Some(s.ErrorCode)
	}
	switch {
	case s.Refusal != nil:
		row.Limit = limitNames[s.Refusal.Reason]
	case s.Full != core.Unknown:
		row.Limit = "max_running_operation_count"
	}
	if s.Full != core.Unknown {
		row.FullPool, row.Count, row.LimitValue = core.Some(s.Full), core.Some(s.Count), core.Some(s.Limit)
	} else if s.Refusal != nil {
		row.LimitValue = core.Some(s.Limit)
	}
	if q.reconfigured(s) {
		row.SinceConfig = core.Some(int64(s.Time - s.Reconfigured))
	}
	return row
}

// limitNames are the options behind the reasons of a refusal.
var limitNames = map[pooltree.Reason]string{
	pooltree.MaxOperationCount: "max_operation_count", pooltree.MaxRunningCount: "max_running_operation_count",
	pooltree.EphemeralPoolLimit: "max_ephemeral_pools_per_user",
}

// passTo concludes the cases that are known by a time, and writes the rows up to
// the first that is not.
func (a *admissions) passTo(q *Queues, now core.Time) {
	a.open = slices.DeleteFunc(a.open, func(k *admissionCase) bool {
		if k.until <= now {
			k.conclude(q, true)
		}
		return k.done
	})
	written := 0
	for written < len(a.waiting) && a.waiting[written].done {
		q.addAdmission(a.waiting[written])
		written++
	}
	a.waiting = slices.Delete(a.waiting, 0, written)
}

// finish writes the rows that are left at the window's end.
func (a *admissions) finish(q *Queues) {
	for _, k := range a.open {
		k.conclude(q, false)
	}
	a.open = nil
	a.passTo(q, q.Now)
}

// conclude completes the rulings of a case. It is not known in full if the
// window ended first.
func (k *admissionCase) conclude(q *Queues, known bool) {
	k.done = true
	if k.count.Slacks != nil {
		k.rulings = append(k.rulings, k.ofCount(&k.count)...)
	}
	if k.overtaking.Slacks != nil {
		k.overtaking.Ran = q.ranBy(k, known)
		k.rulings = k.overtaking.Judge(k.rulings)
	}
	if k.placing.Slacks != nil {
		if next := q.Core.Reconfigured(); next > k.row.Time {
			k.placing.Reconfigured, k.row.SinceConfig = true, core.Some(int64(k.row.Time-next))
		}
		k.judgePlace(&k.placing)
	}
	if k.change.Slacks != nil {
		slot, alive := q.Core.OperationOf(k.row.Operation)
		if known && alive && !q.Core.Operation(slot).Ended {
			k.change.Known, k.change.Runs = true, q.Core.Operation(slot).Running
		}
		k.rulings = k.change.Judge(k.rulings)
	}
}

// ranBy returns when the overtaken operation ran, scheduling.Never if it did not.
// That it ended, or the window did, may have come before.
func (q *Queues) ranBy(k *admissionCase, known bool) int64 {
	slot, alive := q.Core.OperationOf(k.row.Overtook.Value)
	if !known || !alive || q.Core.Operation(slot).Ended {
		return k.overtaking.At
	}
	if o := q.Core.Operation(slot); o.Running && o.RunningSince.Set {
		return int64(o.RunningSince.Value)
	}
	return scheduling.Never
}

// addAdmission writes a row for every rule that a step breaks, or one.
func (q *Queues) addAdmission(k *admissionCase) {
	worst := judge.Ruling{}
	broken := false
	for i := range k.rulings {
		ruling := &k.rulings[i]
		if ruling.Verdict > judge.Undecidable {
			broken = true
			q.writeAdmission(k, ruling, ruling.Invariant.String())
		} else if ruling.Verdict == judge.Undecidable && worst.Verdict == judge.OK {
			worst = *ruling
		}
	}
	switch {
	case broken:
	case worst.Verdict == judge.Undecidable:
		q.writeAdmission(k, &worst, worst.Invariant.String())
	default:
		if len(k.rulings) > 0 {
			worst.Evidence = k.rulings[len(k.rulings)-1].Evidence
		}
		q.writeAdmission(k, &worst, "")
	}
}

func (q *Queues) writeAdmission(k *admissionCase, ruling *judge.Ruling, invariant string) {
	row := k.row
	row.Verdict, row.Invariant, row.JudgedBy = ruling.Verdict.String(), invariant, ruling.Evidence.String()
	row.Excuse, row.Missing = string(ruling.Excuse), string(ruling.Missing)
	q.rows.Add(&row)
}
