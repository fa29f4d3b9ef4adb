package judge

import (
	"cmp"
	"iter"
	"slices"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// The rules about which jobs of a node go, and how many. All are about the
// victim whose turn it is, in the hypothesis b.r.

// isFirst is PRE-11: nothing that goes before the victim stayed. Compared are the
// places of the victim and of the better one, from 1, in the order in which the jobs
// of the node go. Whose operation was satisfied until an earlier stage took of it, and is
// not any more, is none of them.
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

// turnOf is how many jobs of the node the stage could take that go before one of them,
// and one.
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

// better returns the candidate that stayed on the node and goes before all
// others, if it goes before the victim; -1 if there is none. A certain one is none that may
// have starved since before the log began.
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

// rank returns how many jobs of the node the stage could take, and how many of
// them go before the victim, -1 if it is none of them itself.
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

// isNeeded is PRE-12. A stage repairs limits after it has made room (§10.5), so that
// jobs that a repair took are gone before only if an earlier stage took them, which
// no log tells: they count as there. The log does not record how large a job was that did not start.
// In another hypothesis than the best another victim may have gone last: where that one was
// needed, so were all before it.
func (b *Batch) isNeeded() finding {
	s := crowded(b.r.scale(b.usageAt(b.turn).Add(b.repairedBefore(b.turn))), b.room())
	f := s.where(s.over() || b.r != &b.best && b.neededLast())
	f.may = b.mayLackBeneficiary()
	if b.Taken[b.turn].For == ForGone && !f.holds {
		f.missing = OperationState
	}
	return f
}

// neededLast reports whether the node would not have fitted without a victim that goes
// after all others of the stage of the victim, or as late as the last of them.
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

// hasGuarantee is for jobs that a strong guarantee stands for.
func (b *Batch) hasGuarantee() bool {
	for x := b.victim.Operation; x >= 0; x = b.States[0].Elements[x].Above {
		if b.States[0].Element(x).Guarantee != (resource.Share{}) {
			return !b.r.isForced(b.victim)
		}
	}
	return false
}

// leavesGuarantee is GUA-07. What is excused in another hypothesis than the best proves
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

// owed is what GUA-07 asks for an element.
func (x *Element) owed() resource.Share { return x.Guarantee.Min(x.Demand) }

// unserved are the elements that the victim leaves less than they are owed, the lowest
// first, and their usage then. Where the beneficiary is under the same guarantee
// nothing is lost to it. An element that was below before may not lose more.
func (b *Batch) unserved() iter.Seq2[int32, resource.Share] {
	return func(yield func(int32, resource.Share) bool) {
		for x := b.victim.Operation; x >= 0 && !b.isWithin(b.beneficiary(), x); x = b.r.Elements[x].Above {
			left := b.usage(x, b.r.step(onMine), b.victim.Usage).Sub(b.lostBy(x, b.turn).Add(b.victim.Usage).ShareOf(b.r.Total))
			if e := b.r.Element(x); !e.reaches(e.owed(), left).holds && !yield(x, left) {
				return
			}
		}
	}
}

// above is how far above the operation of the victim an element stands.
func (b *Batch) above(e int32) (n int32) {
	for x := b.victim.Operation; x != e; x = b.States[0].Elements[x].Above {
		n++
	}
	return n
}

// thresholdExcuse names why the rules let the elements above the victim fall below their
// guarantees in a hypothesis: for each its own reason, of which the lowest's is named, or one
// for all. Satisfaction is not looked at where a tree asks for no check of it (§10.3).
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

// lossExcuse names why the rules let one element fall below its guarantee. A fair share
// that holds less than it of some resource, for want of another, protects only what it
// holds, but for the job that reaches beyond (§10.3): one job is slack here. Satisfaction
// that sufficed before the batch is not looked at again (§10.4), and that of pools not at all
// in the profile Current (§15.3).
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

// reachesLess reports whether usage covers the fair share of an element in a resource in
// which that is less than what the element is owed.
func (x *Element) reachesLess(usage resource.Share) bool {
	owed := x.owed()
	for k, fair := range x.Fair {
		if fair < owed[k]-scheduling.Equal && usage[k] >= fair-scheduling.Equal {
			return true
		}
	}
	return false
}

// violatedLimits is LIM-05: before the batch took anything, the victim's operation exceeded
// its limits or a pool above its specified ones. Whoever took it may have known of no
// drop of usage within the lag of its reports.
func (b *Batch) violatedLimits() finding {
	return b.exceeds(0, b.r, dropped)
}

// stillViolatedLimits is LIM-06: likewise when it was the victim's turn. Heartbeats of
// several nodes repair one limit in parallel, each without what the others take. Where
// there was nothing to repair by what is known of usage, the lag of that counts as for
// LIM-05.
func (b *Batch) stillViolatedLimits() finding {
	unknown := takenElsewhere
	if b.r.is(onLag) && !b.exceeds(0, &b.best, dropped).holds {
		unknown = dropped
	}
	return b.exceeds(b.turn, b.r, unknown)
}

func dropped(e *Element) resource.Vector        { return e.Dropped }
func takenElsewhere(e *Element) resource.Vector { return e.Elsewhere }

// exceeds reports whether the limits of the victim's operation or the specified ones of a
// pool above are exceeded with what was taken before a turn gone; in a hypothesis that is
// late with what is unknown of an element, too. What the heartbeat
// started counts: where only the share of an operation is limited nothing keeps it from
// starting more than that, and the same stage repairs it (§11.4).
func (b *Batch) exceeds(turn int, r *hypothesis, unknown func(*Element) resource.Vector) finding {
	var s sides // of the limit that is fullest
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

// isGracefulOnce is GRC-01.
func (b *Batch) isGracefulOnce() finding {
	if !b.r.Element(b.victim.Operation).Graceful || b.victim.Interrupted {
		return held(false) // whatever the list
	}
	list := b.list(b.victim)
	return compared(list == scheduling.Preemptible, float64(list), float64(scheduling.Preemptible))
}

// wasOvercommitted is OVC-01. The node may have been overfull for the time between two
// heartbeats longer.
func (b *Batch) wasOvercommitted() finding {
	allowed, since := b.r.Options.OvercommitDuration, b.Node.Overcommitted
	if b.r.factor > 0 {
		since = b.Node.Crowded
	}
	if since == scheduling.Never {
		return compared(false, 0, float64(allowed))
	}
	if missing := b.MissingInputs.Missing(NoOvercommit); missing != NothingMissing {
		return finding{holds: true, missing: missing} // for all that is known
	}
	lasted := b.At - since
	if b.r.clock > 0 {
		lasted += b.Slacks.Between(b.Node.Interval)
	}
	return compared(lasted > allowed, float64(lasted), float64(allowed))
}

// isNotKept is OVC-02: the best protected jobs that fit stay (§10.8), of those that the
// stages of the heartbeat left (§9.3).
func (b *Batch) isNotKept() finding {
	b.order = b.order[:0]
	for i := range b.Jobs {
		if !b.Jobs[i].Gone && !b.isTakenFor(int32(i), byStage|byLimits) {
			b.order = append(b.order, int32(i))
		}
	}
	slices.SortStableFunc(b.order, func(x, y int32) int { return b.compareKept(x, y) })
	room := b.room()
	kept := b.Regular // with what else the heartbeat itself started, which stays
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

// compareKept puts first what stays first. The log does not record the order of equals (§13.3, §16):
// those that stayed explain best that others went.
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
