package judge

import (
	"cmp"
	"iter"
	"slices"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// The rules about which jobs of a node are preempted, and how many. All judge the victim whose turn
// it is, in the hypothesis b.r.

// isFirst judges PRE-11: no candidate before the victim stayed. The two sides are the ranks of the
// victim and of the better candidate, from 1, in preemption order. A job whose operation was
// satisfied only until an earlier stage took from it is not a candidate.
func (b *Batch) isFirst() finding {
	if n := b.earlier(); n > 0 {
		r := b.r
		b.later = *r
		b.later.gone, b.r = n, &b.later
		defer func() { b.r = r }()
	}
	better := b.better(false)
	if better < 0 {
		return held(true)
	}
	if b.protectsClipped(&b.Jobs[better]) {
		if better = b.better(true); better < 0 {
			return finding{missing: StarvationSince}
		}
	}
	return compared(false, b.turnOf(b.victim), b.turnOf(&b.Jobs[better]))
}

// turnOf returns the rank of a job, from 1, among the candidates of the node in preemption order.
func (b *Batch) turnOf(job *Job) float64 {
	before := 0
	for i := range b.Jobs {
		j := &b.Jobs[i]
		if j != job && b.compare(j, job) < 0 && b.isCandidate(j) {
			before++
		}
	}
	return float64(before + 1)
}

// better returns the first candidate that stayed on the node, if it goes before the victim, else
// -1. With certain, candidates that may have starved since before the log are ignored.
func (b *Batch) better(certain bool) int32 {
	first := int32(-1)
	for i := range b.Jobs {
		j := &b.Jobs[i]
		if j == b.victim || j.Ending && b.r.WithoutEnding || b.isTaken(int32(i)) || b.compare(j, b.victim) >= 0 ||
			first >= 0 && b.compare(j, &b.Jobs[first]) >= 0 {
			continue
		}
		if b.isCandidate(j) && !(certain && b.protectsClipped(j)) {
			first = int32(i)
		}
	}
	return first
}

// rank returns the number of candidates on the node, and the number of those before the victim, -1
// if the victim is not a candidate.
func (b *Batch) rank() (candidates, rank int) {
	own := false
	for i := range b.Jobs {
		j := &b.Jobs[i]
		if !b.isCandidate(j) {
			continue
		}
		candidates++
		if j == b.victim {
			own = true
		} else if b.compare(j, b.victim) < 0 {
			rank++
		}
	}
	if !own {
		rank = -1
	}
	return candidates, rank
}

// isNeeded judges PRE-12. A stage repairs limits after it has made room (§10.5), so victims of a
// repair were gone only if an earlier stage took them, which logs do not record: they count as
// present. The size of a job that did not start is not recorded. In a hypothesis another victim may
// have been the last: if that one was needed, so were all before it.
func (b *Batch) isNeeded() finding {
	s := crowded(b.r.scale(b.usageAt(b.turn).Add(b.repairedBefore(b.turn))), b.room())
	f := s.where(s.over() || b.r != &b.best && b.neededLast())
	f.may = b.mayLackPreemptor()
	if b.Taken[b.turn].Preemptor == PreemptorEnded && !f.holds {
		f.missing = OperationState
	}
	return f
}

// neededLast reports whether some victim of the stage that goes last, or ties with the last, was
// needed for the node to fit.
func (b *Batch) neededLast() bool {
	t, end := &b.Taken[b.turn], b.turn+1
	for end < len(b.Taken) && b.Taken[end].Reason == t.Reason {
		end++
	}
	left := b.usageAt(end).Add(b.repairedBefore(end))
	for i := range end {
		if b.Taken[i].Reason != t.Reason {
			continue
		}
		last := &b.Jobs[b.Taken[i].Job]
		s := crowded(b.r.scale(left.Add(last.Usage)), b.room())
		if s.over() && !last.Gone && !slices.ContainsFunc(b.Taken[:end], func(other Taken) bool {
			return other.Reason == t.Reason && b.compare(last, &b.Jobs[other.Job]) < 0
		}) {
			return true
		}
	}
	return false
}

func (b *Batch) diskQuota() Excuse {
	for i := range b.Started {
		if b.Started[i].Disk {
			return DiskQuota
		}
	}
	return NoExcuse
}

// hasGuarantee selects victims below a strong guarantee.
func (b *Batch) hasGuarantee() bool {
	for x := b.victim.Operation; x >= 0; x = b.States[0].Elements[x].Above {
		if b.States[0].Element(x).Guarantee != (resource.Share{}) {
			return !b.r.isForced(b.victim)
		}
	}
	return false
}

// leavesGuarantee judges GUA-07. An excuse in a hypothesis other than the best estimate proves
// nothing.
func (b *Batch) leavesGuarantee() finding {
	for x, left := range b.unserved() {
		e := b.r.Element(x)
		f := e.reaches(e.owed(), left)
		f.above = b.above(x)
		f.holds = b.r != &b.best && b.thresholdExcuse() != NoExcuse
		return f
	}
	return held(true)
}

// owed returns the share that GUA-07 requires for an element.
func (x *Element) owed() resource.Share { return x.Guarantee.Min(x.Demand) }

// unserved returns the elements that have less than they are owed after the victim, the lowest
// first, with their usage then. A preemptor below the same guarantee causes no loss to it. An
// element that was below before may not lose more.
func (b *Batch) unserved() iter.Seq2[int32, resource.Share] {
	return func(yield func(int32, resource.Share) bool) {
		for x := b.victim.Operation; x >= 0 && !b.isWithin(b.preemptor(), x); x = b.r.Elements[x].Above {
			left := b.usage(x, b.r.step(onMine), b.victim.Usage).Sub(b.lostBy(x, b.turn).Add(b.victim.Usage).ShareOf(b.r.Total))
			if e := b.r.Element(x); !e.reaches(e.owed(), left).holds && !yield(x, left) {
				return
			}
		}
	}
}

// above returns the level of an element above the operation of the victim.
func (b *Batch) above(e int32) (n int32) {
	for x := b.victim.Operation; x != e; x = b.States[0].Elements[x].Above {
		n++
	}
	return n
}

// thresholdExcuse returns why the rules let the elements above the victim fall below their
// guarantees in a hypothesis: one reason for all, or that of the lowest element if each has its
// own. Satisfaction does not matter if the tree disables its check (§10.3).
func (b *Batch) thresholdExcuse() Excuse {
	told := NoExcuse
	for x, left := range b.unserved() {
		own := b.lossExcuse(x, left)
		if told == NoExcuse {
			told = own
		}
		if own == NoExcuse {
			told = NoExcuse
			break
		}
	}
	switch {
	case told != NoExcuse:
		return told
	case !b.r.Options.CheckSatisfaction:
		return CheckDisabled
	case b.stage >= scheduling.Aggressive:
		return AggressiveStage
	case b.r.Options.SatisfactionThreshold < 1:
		return ThresholdBelowOne
	}
	return NoExcuse
}

// lossExcuse returns why the rules let one element fall below its guarantee. A fair share that is
// below the guarantee in some resource protects only that much, up to one job (§10.3). Satisfaction
// is not checked again within a batch (§10.4), and not at all for pools in the profile Current
// (§15.3).
func (b *Batch) lossExcuse(x int32, left resource.Share) Excuse {
	switch {
	case b.r.Element(x).reachesLess(left.Add(b.victim.Usage.ShareOf(b.r.Total).Scale(float64(1 - b.r.step(onMine))))):
		return ShareBelowGuarantee
	case b.lostBy(x, b.turn) != (resource.Vector{}) && !slightlyBelow(b.satisfaction(x, b.victim), b.threshold(x)):
		return OneHeartbeat
	case b.r.Options.Profile == scheduling.Current && x != b.victim.Operation:
		return PoolsUnprotected
	}
	return NoExcuse
}

// reachesLess reports whether usage covers the fair share of an element in a resource in which the
// fair share is below what it is owed.
func (x *Element) reachesLess(usage resource.Share) bool {
	owed := x.owed()
	for k, fair := range x.Fair {
		if fair < owed[k]-scheduling.Equal && usage[k] >= fair-scheduling.Equal {
			return true
		}
	}
	return false
}

// violatedLimits judges LIM-05: before the batch, the victim's operation exceeded its limits or a
// pool above its specified ones. The scheduler may not have known of a drop of usage within the lag
// of reports.
func (b *Batch) violatedLimits() finding {
	return b.exceeds(0, b.r, dropped)
}

// stillViolatedLimits judges LIM-06: likewise at the victim's turn. Heartbeats of several nodes
// repair one limit in parallel, each unaware of the others' victims. If by known usage there was
// nothing to repair, the lag of usage counts as for LIM-05.
func (b *Batch) stillViolatedLimits() finding {
	unknown := takenElsewhere
	if b.r.is(onLag) && !b.exceeds(0, &b.best, dropped).holds {
		unknown = dropped
	}
	return b.exceeds(b.turn, b.r, unknown)
}

func dropped(e *Element) resource.Vector        { return e.Dropped }
func takenElsewhere(e *Element) resource.Vector { return e.Elsewhere }

// exceeds reports whether the limits of the victim's operation or the specified ones of a pool
// above are exceeded without the victims before turn; in a hypothesis with lag, with the element's
// unknown usage added. Jobs that the heartbeat started count: an operation with only a limit of its
// share may start beyond it, and the same stage repairs that (§11.4).
func (b *Batch) exceeds(turn int, r *hypothesis, unknown func(*Element) resource.Vector) finding {
	var s sides // of the limit with the highest use
	most := -1.0
	for x := b.victim.Operation; x >= 0; x = r.Elements[x].Above {
		e := r.Element(x)
		limits := e.Specified.Or(resource.Unlimited)
		if e.Operation {
			limits = e.Limits
		}
		usage := r.scale(e.Amount).Add(b.startedBy(x))
		if r.is(onLag) {
			usage = usage.Add(unknown(e))
		}
		for range max(r.step(onMine), 0) {
			usage = usage.Add(b.victim.Usage)
		}
		if own, fill := fullest(usage.Sub(b.lostBy(x, turn)), limits); fill > most {
			s, most = own, fill
		}
	}
	return s.where(s.over())
}

// isGracefulOnce judges GRC-01.
func (b *Batch) isGracefulOnce() finding {
	if !b.r.Element(b.victim.Operation).Graceful || b.victim.Interrupted {
		return held(false) // in any list
	}
	list := b.list(b.victim)
	return compared(list == scheduling.Preemptible, float64(list), float64(scheduling.Preemptible))
}

// wasOvercommitted judges OVC-01. The node may have been overfull for up to the time between two
// heartbeats longer.
func (b *Batch) wasOvercommitted() finding {
	allowed, since := b.r.Options.OvercommitDuration, b.Node.Overcommitted
	if b.r.factor > 0 {
		since = b.Node.OvercommittedWithin
	}
	if since == scheduling.Never {
		return compared(false, 0, float64(allowed))
	}
	if missing := b.MissingInputs.Missing(NoOvercommit); missing != NothingMissing {
		return finding{holds: true, missing: missing} // as far as known
	}
	lasted := b.At - since
	if b.r.clock > 0 {
		lasted += b.Slacks.Between(b.Node.Interval)
	}
	return compared(lasted > allowed, float64(lasted), float64(allowed))
}

// isNotKept judges OVC-02: of the jobs left by the stages of the heartbeat (§9.3), the best
// protected ones that fit stay (§10.8).
func (b *Batch) isNotKept() finding {
	b.order = b.order[:0]
	for i := range b.Jobs {
		if !b.Jobs[i].Gone && !b.isTakenFor(int32(i), byStage|byLimits) {
			b.order = append(b.order, int32(i))
		}
	}
	slices.SortStableFunc(b.order, func(x, y int32) int { return b.compareKept(x, y) })
	room := b.room()
	kept := b.Regular // including the heartbeat's other starts, which stay
	for i := range b.Started {
		kept = kept.Add(b.Started[i].Usage)
	}
	for _, i := range b.order {
		j := &b.Jobs[i]
		with := kept.Add(b.r.scale(j.Usage))
		if !with.FitsIn(room) {
			if j == b.victim {
				return held(true)
			}
			continue
		}
		if j == b.victim {
			break
		}
		kept = with
	}
	s := crowded(kept.Add(b.r.scale(b.victim.Usage)), room)
	return s.where(false)
}

// compareKept orders jobs by how long they are kept. The order of equals is not recorded (§13.3,
// §16): jobs that stayed come first, in the scheduler's favour.
func (b *Batch) compareKept(i, k int32) int {
	x, y := &b.Jobs[i], &b.Jobs[k]
	list := b.list(x)
	if c := cmp.Compare(list, b.list(y)); c != 0 {
		return c
	}
	if p, q := x.hasUnusedCPU(), y.hasUnusedCPU(); p != q && list != scheduling.Preemptible {
		if q {
			return -1
		}
		return 1
	}
	if c := cmp.Compare(x.Start, y.Start); c != 0 {
		return c
	}
	switch went, also := b.isTakenFor(i, byOvercommit), b.isTakenFor(k, byOvercommit); {
	case went == also:
		return 0
	case went:
		return 1
	}
	return -1
}
