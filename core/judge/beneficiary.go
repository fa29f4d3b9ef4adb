package judge

import (
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// The rules about who profits from a preemption, and when. All are about the
// victim whose turn it is, in the hypothesis b.r.

// serves is PRE-01: the beneficiary's job started here and now, or there
// is none and the node was overfull.
func (b *Batch) serves() finding {
	switch t := b.Taken[b.turn]; {
	case t.For >= 0:
		return held(true)
	case t.For != ForNobody:
		return held(false)
	}
	s := crowded(b.r.scale(b.before), b.room())
	return s.where(s.over()).mayIf(b.mayLackBeneficiary())
}

// mayLackBeneficiary reports whether a job may have been taken for no other one, since its
// segment does not fit the node: which option asks for that no log tells (§15.10).
func (b *Batch) mayLackBeneficiary() bool {
	return b.r.Options.Profile == scheduling.Current && b.Taken[b.turn].For == ForNobody && b.r.isForced(b.victim)
}

func (b *Batch) beneficiaryGone() Excuse {
	switch b.Taken[b.turn].For {
	case ForDangling, ForGone:
		return BeneficiaryGone
	}
	return NoExcuse
}

// namesKnownJob is PRE-25.
func (b *Batch) namesKnownJob() finding {
	if b.Taken[b.turn].Unnamed {
		return finding{missing: PreemptedFor}
	}
	return held(b.Taken[b.turn].For != ForDangling)
}

// fitsFreed is PRE-02 of a job that started in the tree. That victim and beneficiary are of
// one operation is legal.
func (b *Batch) fitsFreed() finding {
	usage := b.usageAt(len(b.Taken))
	if b.r.WithoutEnding {
		for i := range b.Jobs {
			if j := &b.Jobs[i]; j.Ending && !j.Gone {
				usage = usage.Sub(j.Usage)
			}
		}
	}
	s := crowded(b.r.scale(usage), b.room())
	return s.where(!s.over())
}

// hasPriority is PRE-03. Where the reason is not recorded and the stage is known all the same, it is the normal
// one: then who had waited for longer than its timeout had its priority, whatever the last update made of it.
func (b *Batch) hasPriority() finding {
	p := b.priority(b.beneficiary(), b.r.Options.Scope)
	f := compared(p == b.stage, float64(p), float64(b.stage))
	f.holds = f.holds || b.Taken[b.turn].Reason == scheduling.NoReason && b.wasStarving().holds
	return f
}

// isProper is PRE-05.
func (b *Batch) isProper() finding {
	p := b.priority(b.beneficiary(), scheduling.OperationOnly)
	return compared(scheduling.ProperlyStarving(b.stage, p), float64(p), float64(b.stage))
}

// wasStarving is PRE-04: by its own clock, whatever its status is said to be.
// What is measured is the element that had waited longest by its timeout.
func (b *Batch) wasStarving() finding {
	h := b.starvation()
	return compared(h.elapsed > h.timeout, float64(max(h.elapsed, 0)), float64(h.timeout))
}

// timeoutRaised excuses who starves by a timeout that was shorter when it began
// to: the status stays (§7.3). Only statuses that were computed tell. In Legacy the
// timeout is another one as soon as the min share is reached (§7.6).
func (b *Batch) timeoutRaised() Excuse {
	if !b.followed || b.priority(b.beneficiary(), b.best.Options.Scope) != b.stage {
		return NoExcuse
	}
	for x := b.beneficiary(); x >= 0 && b.best.Options.Profile == scheduling.Legacy; x = b.best.Elements[x].Above {
		if own := b.best.Element(x); own.Guarantee != (resource.Share{}) && own.Starvation.Status() != scheduling.NonStarving && b.elapsed(own, scheduling.FairShare) > own.MinShare {
			return KindChanged
		}
		if b.best.Options.Scope == scheduling.OperationOnly {
			break
		}
	}
	return TimeoutRaised
}

// A wait is how long an element in scope of a beneficiary had been below a
// share when it profited.
type wait struct {
	element          int32
	kind             scheduling.Kind
	elapsed, timeout int64
}

// starvation returns the wait that entitles an operation to a stage: the one that
// exceeds its timeout most. Clocks that the log bounds only by records may have
// started a tick and a record earlier or later.
func (b *Batch) starvation() wait {
	e, longest := b.beneficiary(), wait{element: -1, elapsed: -1}
	slack := b.r.clock
	switch {
	case slack > 0:
		slack += b.Slacks.Record
	case slack < 0:
		slack -= b.Slacks.Record
	}
	aggressive := b.stage == scheduling.Aggressive || b.stage == scheduling.SSDAggressive
	for x := e; x >= 0; x = b.r.Elements[x].Above {
		own := b.r.Element(x)
		for _, kind := range [...]scheduling.Kind{scheduling.MinShare, scheduling.FairShare} {
			w := wait{x, kind, b.elapsed(own, kind), b.patience(own)}
			switch {
			case aggressive && kind == scheduling.MinShare:
				continue // only the fair share starves aggressively (§17.2)
			case aggressive:
				w.timeout = own.Timeouts.Aggressive
			case kind == scheduling.MinShare:
				w.timeout = own.MinShare
			}
			if w.elapsed < 0 {
				continue
			}
			w.elapsed += slack
			if longest.element < 0 || w.elapsed-w.timeout > longest.elapsed-longest.timeout {
				longest = w
			}
		}
		if b.r.Options.Scope == scheduling.OperationOnly {
			break
		}
	}
	if longest.element < 0 {
		longest.timeout = b.r.Element(e).Timeouts.Starving
	}
	return longest
}

// patience is the timeout of the clock for the fair share. The one clock of Legacy waits
// for what is missing (§7.6): for the min share if the last update found less than that,
// and perhaps if one that the log does not record did.
func (b *Batch) patience(own *Element) int64 {
	timeout := own.Timeouts.Starving
	if b.r.Options.Profile != scheduling.Legacy || own.Guarantee == (resource.Share{}) || b.r == &b.best && own.Starvation.For() != scheduling.MinShare {
		return timeout
	}
	return min(timeout, own.MinShare)
}

// isClipped reports whether a clock in scope of who profits from the victim is not known, as
// it ran when the log began.
func (b *Batch) isClipped() bool {
	for e := b.beneficiary(); e >= 0; e = b.States[0].Elements[e].Above {
		own := b.States[0].Element(e)
		timeout := max(own.Timeouts.Starving, own.MinShare)
		if b.stage == scheduling.Aggressive || b.stage == scheduling.SSDAggressive || own.Timeouts.AggressiveEnabled {
			timeout = max(timeout, own.Timeouts.Aggressive)
		}
		if b.ranBefore(own, timeout) {
			return true
		}
		if b.States[0].Options.Scope == scheduling.OperationOnly {
			break
		}
	}
	return false
}

// protectsClipped is isClipped of the elements that, while they starve, protect a job from
// the stage that took the victim.
func (b *Batch) protectsClipped(job *Job) bool {
	if b.From == scheduling.Never || !protectStarving(b.States[0].Options) {
		return false
	}
	for x := job.Operation; x >= 0 && !b.isWithin(b.beneficiary(), x); x = b.States[0].Elements[x].Above {
		if own := b.States[0].Element(x); b.ranBefore(own, max(own.Timeouts.Starving, own.MinShare)) {
			return true
		}
	}
	return false
}

// protectStarving reports whether stages spare who starves (§10.3, §15.3).
func protectStarving(o *scheduling.Options) bool {
	if o.Profile == scheduling.Current {
		return !o.PreemptFromStarving
	}
	return o.CheckStarvation
}

// ranBefore reports whether an element may have been below a share for longer or for less
// long than its clock says: that ran when the log began, and a tick may have shown it
// later. Once its timeout has passed since, it does not matter, unless it stands still.
func (b *Batch) ranBefore(own *Element, timeout int64) bool {
	if own.Starvation.Unknown {
		return true
	}
	if b.From == scheduling.Never || b.At-b.From > b.Slacks.Tick+timeout {
		return false
	}
	for _, since := range [...]int64{own.Starvation.FairShare.Since, own.Starvation.MinShare.Since} {
		if since != scheduling.Never && since <= b.From+b.Slacks.Tick {
			return true
		}
	}
	return false
}

// startsOne is PRE-13.
func (b *Batch) startsOne() finding {
	return compared(len(b.Started) <= 1, float64(len(b.Started)), 1)
}

// waited is PRE-14. The clocks of two heartbeats may differ a little, and exactly the backoff is enough. Whether
// enough time has passed is undecidable where a stage that took nothing may have run since.
func (b *Batch) waited() finding {
	backoff := b.r.Options.PreemptiveBackoff
	if b.Node.LastPreemptive == scheduling.Never {
		f := compared(true, 0, float64(backoff))
		f.missing = b.unseenTicks()
		return f
	}
	passed := b.At - b.Node.LastPreemptive
	if b.r.clock > 0 {
		passed += b.Slacks.Clock
	}
	f := compared(passed >= backoff, float64(passed), float64(backoff))
	if f.holds {
		f.missing = b.unseenTicks()
	}
	return f
}

func (b *Batch) unseenTicks() Input {
	if b.NoTicks {
		return LastPreemptive
	}
	return NothingMissing
}

// servesSSD is PRE-19.
func (b *Batch) servesSSD() finding {
	e := b.beneficiary()
	return held(b.isOnSSD() && (e < 0 || b.r.Element(e).RequestsSSD))
}

// hadNoRoom is PRE-24.
func (b *Batch) hadNoRoom() finding {
	need := b.r.scale(b.before).Add(b.Started[b.Taken[b.turn].For].Usage)
	s := crowded(need, b.room())
	return s.where(s.over())
}

// spareRule excuses what the regular stage may not do: go below the spare
// amounts (§9.2).
func (b *Batch) spareRule() Excuse {
	switch {
	case b.Started[b.Taken[b.turn].For].Disk:
		return DiskQuota
	case b.States[0].Options.Packing.Enable:
		return Packing
	}
	if !b.before.Add(b.States[0].Options.MinSpare).FitsIn(b.Node.Limits) {
		return MinSpare
	}
	return NoExcuse
}
