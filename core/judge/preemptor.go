package judge

import (
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// The rules about the preemptor and the time of a preemption. All judge the victim whose turn it
// is, in the hypothesis b.r.

// serves judges PRE-01: the preemptor's job started in this heartbeat, or there was no preemptor
// and the node was overfull.
func (b *Batch) serves() finding {
	switch t := b.Taken[b.turn]; {
	case t.Preemptor >= 0:
		return held(true)
	case t.Preemptor != NoPreemptor:
		return held(false)
	}
	s := crowded(b.r.scale(b.before), b.room())
	return s.where(s.over()).mayIf(b.mayLackPreemptor())
}

// mayLackPreemptor reports whether a job may have been taken without a preemptor because its
// segment does not fit the node. Logs do not record the option for that (§15.10).
func (b *Batch) mayLackPreemptor() bool {
	return b.r.Options.Profile == scheduling.Current && b.Taken[b.turn].Preemptor == NoPreemptor && b.r.isForced(b.victim)
}

func (b *Batch) preemptorGone() Excuse {
	switch b.Taken[b.turn].Preemptor {
	case PreemptorDangling, PreemptorEnded:
		return PreemptorGone
	}
	return NoExcuse
}

// namesKnownJob judges PRE-25.
func (b *Batch) namesKnownJob() finding {
	if b.Taken[b.turn].Unnamed {
		return finding{missing: PreemptedFor}
	}
	return held(b.Taken[b.turn].Preemptor != PreemptorDangling)
}

// fitsFreed judges PRE-02 for a job that started in the tree. Victim and preemptor may be of one
// operation.
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

// hasPriority judges PRE-03. If the reason is not recorded but the stage is known, it is the normal
// one; then an operation that had waited for longer than its timeout had its priority, whatever its
// status at the last update.
func (b *Batch) hasPriority() finding {
	p := b.priority(b.preemptor(), b.r.Options.Scope)
	f := compared(p == b.stage, float64(p), float64(b.stage))
	f.holds = f.holds || b.Taken[b.turn].Reason == scheduling.NoReason && b.wasStarving().holds
	return f
}

// isProper judges PRE-05.
func (b *Batch) isProper() finding {
	p := b.priority(b.preemptor(), scheduling.OperationOnly)
	return compared(scheduling.ProperlyStarving(b.stage, p), float64(p), float64(b.stage))
}

// wasStarving judges PRE-04 by the clock, whatever the recorded status. It measures the element
// that exceeded its timeout most.
func (b *Batch) wasStarving() finding {
	h := b.starvation()
	return compared(h.elapsed > h.timeout, float64(max(h.elapsed, 0)), float64(h.timeout))
}

// timeoutRaised excuses an element whose timeout was shorter when it began to starve: the status
// stays (§7.3). It requires computed statuses. In Legacy the timeout changes as soon as the min
// share is reached (§7.6).
func (b *Batch) timeoutRaised() Excuse {
	if !b.followed || b.priority(b.preemptor(), b.best.Options.Scope) != b.stage {
		return NoExcuse
	}
	for x := b.preemptor(); x >= 0 && b.best.Options.Profile == scheduling.Legacy; x = b.best.Elements[x].Above {
		if own := b.best.Element(x); own.Guarantee != (resource.Share{}) && own.Starvation.Status() != scheduling.NonStarving && b.elapsed(own, scheduling.FairShare) > own.MinShare {
			return KindChanged
		}
		if b.best.Options.Scope == scheduling.OperationOnly {
			break
		}
	}
	return TimeoutRaised
}

// A wait is the time for which the preemptor or a pool above it had been below a share at the
// preemption.
type wait struct {
	element          int32
	kind             scheduling.Kind
	elapsed, timeout int64
}

// starvation returns the wait that entitles an operation to a stage: the one that exceeds its
// timeout most. If the log bounds clocks only by records, they may have started a tick and a record
// earlier or later.
func (b *Batch) starvation() wait {
	e, longest := b.preemptor(), wait{element: -1, elapsed: -1}
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
			w := wait{x, kind, b.elapsed(own, kind), b.fairShareTimeout(own)}
			switch {
			case aggressive && kind == scheduling.MinShare:
				continue // only starvation for the fair share is ever aggressive (§17.2)
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

// fairShareTimeout returns the timeout of the fair share clock. The single clock of Legacy counts
// either share (§7.6): the min share if the last update found less than that, and possibly if an
// unrecorded update did.
func (b *Batch) fairShareTimeout(own *Element) int64 {
	timeout := own.Timeouts.Starving
	if b.r.Options.Profile != scheduling.Legacy || own.Guarantee == (resource.Share{}) || b.r == &b.best && own.Starvation.For() != scheduling.MinShare {
		return timeout
	}
	return min(timeout, own.MinShare)
}

// isClipped reports whether a clock in the preemptor's scope is unknown because it was running when
// the log began.
func (b *Batch) isClipped() bool {
	for e := b.preemptor(); e >= 0; e = b.States[0].Elements[e].Above {
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

// protectsClipped is isClipped for the elements that, while they starve, protect a job from the
// victim's stage.
func (b *Batch) protectsClipped(job *Job) bool {
	if b.From == scheduling.Never || !protectStarving(b.States[0].Options) {
		return false
	}
	for x := job.Operation; x >= 0 && !b.isWithin(b.preemptor(), x); x = b.States[0].Elements[x].Above {
		if own := b.States[0].Element(x); b.ranBefore(own, max(own.Timeouts.Starving, own.MinShare)) {
			return true
		}
	}
	return false
}

// protectStarving reports whether stages spare starving elements (§10.3, §15.3).
func protectStarving(o *scheduling.Options) bool {
	if o.Profile == scheduling.Current {
		return !o.PreemptFromStarving
	}
	return o.CheckStarvation
}

// ranBefore reports whether the start of an element's clock is unknown because it was running when
// the log began, up to a tick later. Once its timeout has passed since then, that does not matter
// unless the clock stands still.
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

// startsOne judges PRE-13.
func (b *Batch) startsOne() finding {
	return compared(len(b.Started) <= 1, float64(len(b.Started)), 1)
}

// waited judges PRE-14. The clocks of two heartbeats may differ slightly, and waiting exactly the
// backoff is enough. It is undecidable if a stage without victims may have run since.
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

// servesSSD judges PRE-19.
func (b *Batch) servesSSD() finding {
	e := b.preemptor()
	return held(b.isOnSSD() && (e < 0 || b.r.Element(e).RequestsSSD))
}

// hadNoRoom judges PRE-24.
func (b *Batch) hadNoRoom() finding {
	need := b.r.scale(b.before).Add(b.Started[b.Taken[b.turn].Preemptor].Usage)
	s := crowded(need, b.room())
	return s.where(s.over())
}

// spareRule excuses a preemption because the regular stage must leave the spare amounts (§9.2).
func (b *Batch) spareRule() Excuse {
	switch {
	case b.Started[b.Taken[b.turn].Preemptor].Disk:
		return DiskQuota
	case b.States[0].Options.Packing.Enable:
		return Packing
	}
	if !b.before.Add(b.States[0].Options.MinSpare).FitsIn(b.Node.Limits) {
		return MinSpare
	}
	return NoExcuse
}
