package judge

import (
	"cmp"
	"iter"
	"slices"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// The rules about which jobs of a node go, and how many. All have the form of
// preemptionRule.holds.

// isFirst is PRE-11: nothing that goes before the victim stayed. Compared are the
// places of the victim and of the better one, from 1, in the order in which the jobs
// of the node go. Whose operation was satisfied until an earlier stage took of it, and is
// not any more, is none of them.
func isFirst(b *Batch, k int, target scheduling.Priority, r *hypothesis) finding {
	if n := b.earlier(k); n > 0 {
		later := *r
		later.gone, r = n, &later
	}
	better := b.better(k, target, r, false)
	if better < 0 {
		return held(true)
	}
	if b.protectsClipped(&b.Jobs[better], k) {
		if better = b.better(k, target, r, true); better < 0 {
			return finding{missing: StarvationSince}
		}
	}
	_, victim := b.taken(k)
	return compared(false, b.turnOf(k, victim, target, r), b.turnOf(k, &b.Jobs[better], target, r))
}

// turnOf is how many jobs of the node the stage could take that go before one of them,
// and one.
func (b *Batch) turnOf(k int, job *Job, target scheduling.Priority, r *hypothesis) float64 {
	_, victim := b.taken(k)
	before := 0
	for i := range b.Jobs {
		j := &b.Jobs[i]
		if j != job && b.compare(r, j, job, victim) < 0 && b.isCandidate(r, j, victim, target, b.beneficiary(k)) {
			before++
		}
	}
	return float64(before + 1)
}

// better returns the candidate that stayed on the node and goes before all
// others, if it goes before the victim; -1 if there is none. A certain one is none that may
// have starved since before the log began.
func (b *Batch) better(k int, target scheduling.Priority, r *hypothesis, certain bool) int32 {
	_, victim := b.taken(k)
	first := int32(-1)
	for i := range b.Jobs {
		j := &b.Jobs[i]
		if j == victim || j.Ending && r.WithoutEnding || b.isTaken(int32(i)) || b.compare(r, j, victim, victim) >= 0 ||
			first >= 0 && b.compare(r, j, &b.Jobs[first], victim) >= 0 {
			continue
		}
		if b.isCandidate(r, j, victim, target, b.beneficiary(k)) && !(certain && b.protectsClipped(j, k)) {
			first = int32(i)
		}
	}
	return first
}

// rank returns how many jobs of the node the stage could take, and how many of
// them go before the victim, -1 if it is none of them itself.
func (b *Batch) rank(k int, target scheduling.Priority) (candidates, rank int) {
	_, victim := b.taken(k)
	own := false
	for i := range b.Jobs {
		j := &b.Jobs[i]
		if !b.isCandidate(&b.best, j, victim, target, b.beneficiary(k)) {
			continue
		}
		candidates++
		if j == victim {
			own = true
		} else if b.compare(&b.best, j, victim, victim) < 0 {
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
// no log tells: they count as there. How large a job was that did not start, nobody knows.
// In another hypothesis than the best another victim may have gone last: where that one was
// needed, so were all before it.
func isNeeded(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	s := crowded(r.scale(b.usageAt(k).Add(b.repairedBefore(k))), b.room(r))
	f := s.where(s.over() || r != &b.best && b.neededLast(k, r))
	f.may = b.mayNeedNobody(r, k)
	if b.Taken[k].For == ForGone && !f.holds {
		f.missing = OperationState
	}
	return f
}

// neededLast reports whether the node would not have fitted without a victim that goes
// after all others of the stage of victim k, or as late as the last of them.
func (b *Batch) neededLast(k int, r *hypothesis) bool {
	t, victim := b.taken(k)
	end := k + 1
	for end < len(b.Taken) && b.Taken[end].Reason == t.Reason {
		end++
	}
	left := b.usageAt(end).Add(b.repairedBefore(end))
	for i := range end {
		if b.Taken[i].Reason != t.Reason {
			continue
		}
		_, last := b.taken(i)
		s := crowded(r.scale(left.Add(last.Usage)), b.room(r))
		if s.over() && !last.Gone && !slices.ContainsFunc(b.Taken[:end], func(other Taken) bool {
			return other.Reason == t.Reason && b.compare(r, last, &b.Jobs[other.Job], victim) < 0
		}) {
			return true
		}
	}
	return false
}

func diskQuota(b *Batch, _ int, _ scheduling.Priority) Excuse {
	for i := range b.Started {
		if b.Started[i].Disk {
			return DiskQuota
		}
	}
	return NoExcuse
}

// hasGuarantee is for jobs that a strong guarantee stands for.
func hasGuarantee(b *Batch, k int, _ scheduling.Priority) bool {
	_, job := b.taken(k)
	for x := job.Operation; x >= 0; x = b.States[0].Elements[x].Above {
		if b.States[0].Element(x).Guarantee != (resource.Share{}) {
			return !job.Forced
		}
	}
	return false
}

// leavesGuarantee is GUA-07. What is excused in another hypothesis than the best proves
// nothing.
func leavesGuarantee(b *Batch, k int, target scheduling.Priority, r *hypothesis) finding {
	for x, left := range b.unserved(k, r) {
		e := r.Element(x)
		f := e.reaches(e.owed(), left)
		f.above = b.above(k, x)
		f.holds = r != &b.best && b.thresholdExcuse(k, target, r) != NoExcuse
		return f
	}
	return held(true)
}

// owed is what GUA-07 asks for an element.
func (x *Element) owed() resource.Share { return x.Guarantee.Min(x.Demand) }

// unserved are the elements that victim k leaves less than they are owed, the lowest
// first, and their usage then. Where the beneficiary is under the same guarantee
// nothing is lost to it. An element that was below before may not lose more.
func (b *Batch) unserved(k int, r *hypothesis) iter.Seq2[int32, resource.Share] {
	return func(yield func(int32, resource.Share) bool) {
		_, job := b.taken(k)
		for x := job.Operation; x >= 0 && !b.isWithin(b.beneficiary(k), x); x = r.Elements[x].Above {
			left := b.usage(r, x, r.mine, job.Usage).Sub(b.lostBy(x, k).Add(job.Usage).ShareOf(r.Total))
			if e := r.Element(x); !e.reaches(e.owed(), left).holds && !yield(x, left) {
				return
			}
		}
	}
}

// above is how far above the operation of victim k an element stands.
func (b *Batch) above(k int, e int32) (n int32) {
	_, job := b.taken(k)
	for x := job.Operation; x != e; x = b.States[0].Elements[x].Above {
		n++
	}
	return n
}

func thresholdExcuse(b *Batch, k int, target scheduling.Priority) Excuse {
	return b.thresholdExcuse(k, target, &b.best)
}

// thresholdExcuse names why the rules let the elements above victim k fall below their
// guarantees in a hypothesis: for each its own reason, of which that of the lowest is told, or
// one for all. Nobody looks at satisfaction where a tree asks for no check of it (§10.3).
func (b *Batch) thresholdExcuse(k int, target scheduling.Priority, r *hypothesis) Excuse {
	told := NoExcuse
	for x, left := range b.unserved(k, r) {
		own := b.lossExcuse(k, target, r, x, left)
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
	case !r.Options.CheckSatisfaction:
		return CheckDisabled
	case target >= scheduling.Aggressive:
		return AggressiveStage
	case r.Options.SatisfactionThreshold < 1:
		return ThresholdBelowOne
	}
	return NoExcuse
}

// lossExcuse names why the rules let one element fall below its guarantee. A fair share
// that holds less than it of some resource, for want of another, protects only what it
// holds, but for the job that reaches beyond (§10.3): one job is slack here. Nobody looks
// again at satisfaction that sufficed before the batch (§10.4), nor at all at that of pools
// in the profile Current (§15.3).
func (b *Batch) lossExcuse(k int, target scheduling.Priority, r *hypothesis, x int32, left resource.Share) Excuse {
	_, job := b.taken(k)
	switch {
	case r.Element(x).reachesLess(left.Add(job.Usage.ShareOf(r.Total).Scale(float64(1 - r.mine)))):
		return ShareBelowGuarantee
	case b.lostBy(x, k) != (resource.Vector{}) && !slightlyBelow(b.satisfaction(r, x, job, job), b.threshold(r, x, target)):
		return OneHeartbeat
	case r.Options.Profile == scheduling.Current && x != job.Operation:
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
func violatedLimits(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	return b.exceeds(k, 0, r, dropped)
}

// stillViolatedLimits is LIM-06: likewise when it was the victim's turn. Heartbeats of
// several nodes repair one limit in parallel, each without what the others take. Where
// there was nothing to repair by what is known of usage, the lag of that counts as for
// LIM-05.
func stillViolatedLimits(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	unknown := takenElsewhere
	if r.late && !b.exceeds(k, 0, &b.best, dropped).holds {
		unknown = dropped
	}
	return b.exceeds(k, k, r, unknown)
}

func dropped(e *Element) resource.Vector        { return e.Dropped }
func takenElsewhere(e *Element) resource.Vector { return e.Elsewhere }

// exceeds reports whether the limits of the victim's operation or the specified ones of a
// pool above are exceeded with what was taken before a turn gone; in a hypothesis that is
// late with what is unknown of an element, too. What the heartbeat
// started counts: where only the share of an operation is limited nothing keeps it from
// starting more than that, and the same stage repairs it (§11.4).
func (b *Batch) exceeds(k, turn int, r *hypothesis, unknown func(*Element) resource.Vector) finding {
	_, job := b.taken(k)
	var s sides // of the limit that is fullest
	most := -1.0
	for x := job.Operation; x >= 0; x = r.Elements[x].Above {
		e := r.Element(x)
		limits := e.Specified.Or(resource.Unlimited)
		if e.Operation {
			limits = e.Limits
		}
		usage := r.scale(e.Amount).Add(b.startedBy(x))
		if r.late {
			usage = usage.Add(unknown(e))
		}
		for range max(r.mine, 0) {
			usage = usage.Add(job.Usage)
		}
		if own, fill := fullest(usage.Sub(b.lostBy(x, turn)), limits); fill > most {
			s, most = own, fill
		}
	}
	return s.where(s.over())
}

// isGracefulOnce is GRC-01.
func isGracefulOnce(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	_, job := b.taken(k)
	if !r.Element(job.Operation).Graceful || job.Interrupted {
		return held(false) // whatever the list
	}
	list := b.list(r, job, job)
	return compared(list == scheduling.Preemptible, float64(list), float64(scheduling.Preemptible))
}

// wasOvercommitted is OVC-01. The node may have been overfull for the time between two
// heartbeats longer.
func wasOvercommitted(b *Batch, _ int, _ scheduling.Priority, r *hypothesis) finding {
	allowed, since := r.Options.OvercommitDuration, b.Node.Overcommitted
	if r.factor > 0 {
		since = b.Node.Crowded
	}
	if since == scheduling.Never {
		return compared(false, 0, float64(allowed))
	}
	if missing := b.MissingInputs.Missing(NoOvercommit); missing != NothingMissing {
		return finding{holds: true, missing: missing} // for all that is known
	}
	lasted := b.At - since
	if r.clock > 0 {
		lasted += b.Slacks.Between(b.Node.Interval)
	}
	return compared(lasted > allowed, float64(lasted), float64(allowed))
}

// isNotKept is OVC-02: the best protected jobs that fit stay (§10.8), of those that the
// stages of the heartbeat left (§9.3).
func isNotKept(b *Batch, k int, _ scheduling.Priority, r *hypothesis) finding {
	_, victim := b.taken(k)
	b.order = b.order[:0]
	for i := range b.Jobs {
		if !b.Jobs[i].Gone && !b.isTakenFor(int32(i), byStage|byLimits) {
			b.order = append(b.order, int32(i))
		}
	}
	slices.SortStableFunc(b.order, func(x, y int32) int { return b.compareKept(r, x, y, victim) })
	room := b.room(r)
	kept := b.Regular // with what else the heartbeat itself started, all of which stays
	for i := range b.Started {
		kept = kept.Add(b.Started[i].Usage)
	}
	for _, i := range b.order {
		j := &b.Jobs[i]
		with := kept.Add(r.scale(j.Usage))
		if !with.FitsIn(room) {
			if j == victim {
				return held(true)
			}
			continue
		}
		if j == victim {
			break
		}
		kept = with
	}
	s := crowded(kept.Add(r.scale(victim.Usage)), room)
	return s.where(false)
}

// compareKept puts first what stays first. Which of equals that is nobody knows (§13.3, §16):
// those that stayed explain best that others went.
func (b *Batch) compareKept(r *hypothesis, i, k int32, victim *Job) int {
	x, y := &b.Jobs[i], &b.Jobs[k]
	list := b.list(r, x, victim)
	if c := cmp.Compare(list, b.list(r, y, victim)); c != 0 {
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
