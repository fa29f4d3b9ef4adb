package judge

import (
	"math"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// The rules of starts, in the hypothesis s.r.

func (s *Start) knowsNode() bool { return !s.NoNode }

// knowsPresence also includes starts on nodes that are known to be offline, whatever else is
// recorded.
func (s *Start) knowsPresence() bool { return !s.NoNode || s.Offline }

// isRegular selects starts without preemption.
func (s *Start) isRegular() bool { return !s.NoNode && !s.Preemptive }

// isCounted selects starts that count against a limit per heartbeat.
func (s *Start) isCounted() bool {
	return s.isRegular() || !s.NoNode && s.States[0].Options.MaxStartedPerHeartbeat > 0
}

func (s *Start) isInPlace() bool   { return s.InPlace > 0 }
func (s *Start) isGraceful() bool  { return s.States[0].Element(s.Operation).Graceful }
func (s *Start) isOnSSDNode() bool { return !s.NoNode && s.Node.SSD }
func (s *Start) hasSegments() bool { return !s.NoNode && s.States[0].Options.Segments }

func (s *Start) goesBySatisfaction() bool { return s.isRegular() && !s.Competitor.FIFO }

func (s *Start) goesInOrder() bool { return s.isRegular() && s.Competitor.FIFO }

func (s *Start) hasGuaranteeStage() bool {
	return s.isRegular() && s.States[0].Options.GuaranteePriority
}

// fitsNode judges HB-01.
func (s *Start) fitsNode() finding {
	c := crowded(s.r.scale(s.usedOn()).Add(s.Size), s.node().Limits)
	return c.where(!c.over())
}

// usedOn returns the usage of the node's jobs before the start in a hypothesis.
func (s *Start) usedOn() resource.Vector {
	if s.r.is(onLeft) {
		return s.NodeUsage.Sub(s.NodeDoubt)
	}
	return s.NodeUsage
}

// isOffered judges HB-02. A node that went offline by another clock may still have been online, and
// one that sends heartbeats again may be back before the log records it. Without heartbeats only
// the rows of the node count.
func (s *Start) isOffered() finding {
	waiting := s.Waiting && !(s.r.is(onLeft) && s.NoneWaits)
	missing := s.MissingInputs.Missing(NoHeartbeats)
	switch {
	case missing == NothingMissing && (waiting || s.Skipped || s.node().Disabled):
		return held(false)
	case s.Offline && s.r.Node == nil: // otherwise a row of it follows
		return finding{may: s.isRecent(s.OfflineSince, max(s.RowLag, s.Slacks.Clock)) || s.isRecent(s.BackSince, s.Slacks.Tagged())}
	case missing != NothingMissing:
		return finding{holds: true, missing: missing}
	}
	return finding{holds: true, missing: s.Unrecorded}
}

// isSchedulable judges HB-03. An operation that runs and is not suspended can only be unschedulable
// for lack of demand, which it may have had if the log does not record every change of demand.
func (s *Start) isSchedulable() finding {
	if s.Operation < 0 {
		return s.isLate()
	}
	f := s.Running.finding(OperationState)
	switch {
	case !f.holds || s.r.Element(s.Operation).Schedulable:
		return f
	case s.Suspended:
		return held(false)
	case s.Demand == Unknown || s.DemandOld:
		return finding{missing: OperationDemand}
	}
	return finding{may: s.Demand == No}
}

// isLate judges HB-03 for a job whose operation is not in the tree. A recent end may not have been
// known yet.
func (s *Start) isLate() finding {
	if s.Ended == scheduling.Never || s.isRecent(s.Ended, s.Slacks.Noticed()) {
		return finding{missing: OperationState}
	}
	return held(false).unless(s.Running == Unknown, OperationState)
}

// isDemanded judges HB-04. If the log does not record every change of demand, there may have been
// more when the job started: a later row states what is left after the start.
func (s *Start) isDemanded() finding {
	if s.Demand == Unknown {
		return finding{missing: OperationDemand}
	}
	own := s.r.Element(s.Operation)
	c := crowded(s.r.scale(own.Amount).Add(s.Size), own.DemandAmount)
	if c.over() && s.DemandOld {
		return finding{missing: OperationDemand}
	}
	return c.where(!c.over()).mayIf(s.Demand == No)
}

// isBelow judges HB-06.
func (s *Start) isBelow() finding {
	own := s.r.Element(s.Operation)
	return own.widest(own.Usage, own.StartsBelow).where(own.BelowFairShare)
}

// leavesSpare judges HB-07. Starts of all stages count towards the total. Only regular starts must
// leave the spare amounts, because preemptive ones use the room of their victims.
func (s *Start) leavesSpare() finding {
	o := s.r.Options
	if most := o.MaxStartedPerHeartbeat; most > 0 && s.Earlier >= most {
		f := compared(false, float64(s.Earlier+1), float64(most))
		f.counted = true
		return f
	}
	if s.Preemptive {
		return held(true)
	}
	if missing := s.MissingInputs.Missing(NoSpare); missing != NothingMissing {
		return finding{missing: missing}
	}
	spare := o.MinSpare
	if o.BatchSize > 0 {
		spare = spare.Min(o.BatchMinSpare) // the fallback of later batches
	}
	c := crowded(s.usedOn().Add(spare), s.node().Limits)
	return c.where(!c.over()).mayIf(s.MayPreempt)
}

// isOnlyInPlace judges PRE-13 for a job without victims: a preemptive stage may find free room,
// too.
func (s *Start) isOnlyInPlace() finding {
	return compared(s.InPlace <= 1, float64(s.InPlace), 1)
}

// mayUseSSDNode judges HB-08.
func (s *Start) mayUseSSDNode() finding {
	switch {
	case !s.r.Element(s.Operation).SSDForbidden:
		return held(true)
	case s.SSD == Unknown:
		return finding{missing: Media}
	}
	return held(s.SSD == Yes).mayIf(s.isRecent(s.Node.SSDSince, s.Slacks.Tagged()))
}

// competition returns the finding of a rule that a competitor would break. A controller may have
// declined, or packing may have refused the competitor by unrecorded statistics; both excuse the
// start.
func (s *Start) competition(broken bool, theirs, own float64) finding {
	if s.Sought == Unknown {
		return finding{missing: Competitors}
	}
	f := compared(!s.Competitor.Exists || !broken, own, theirs)
	switch {
	case s.Competitor.Declined:
		f.excuse = Deactivated
	case s.States[0].Options.Packing.Enable:
		f.excuse = Packing
	}
	return f.unless(s.Competitor.DeclineUnknown, Controllers)
}

// isLeastSatisfied judges HB-05. Ties within eps are allowed, and the stage of promised guarantees
// goes first.
func (s *Start) isLeastSatisfied() finding {
	v := &s.Competitor
	broken := v.Satisfaction < v.OwnSatisfaction-s.Slacks.Epsilon && (v.Guaranteed || !v.OwnGuaranteed)
	return s.competition(broken, v.Satisfaction, v.OwnSatisfaction)
}

// isInOrder judges FIFO-03.
func (s *Start) isInOrder() finding {
	v := &s.Competitor
	return s.competition(v.Index < v.OwnIndex && (v.Guaranteed || !v.OwnGuaranteed), float64(v.Index), float64(v.OwnIndex))
}

// hadPriority judges HB-09.
func (s *Start) hadPriority() finding {
	return s.competition(s.Competitor.Guaranteed && !s.Competitor.OwnGuaranteed, 0, 0)
}

// fitsLimits judges LIM-01, for the resources that the job uses.
func (s *Start) fitsLimits() finding { return s.within(s.Size) }

// isUnderNoViolation judges LIM-03.
func (s *Start) isUnderNoViolation() finding { return s.within(resource.Vector{}) }

// within compares the usage of the operation and of every pool above it, plus added, with their
// specified limits. Without a limit on a resource that the job uses there is nothing to judge, or
// the rule is undecidable if limits of pools are unknown. A recently changed limit counts only if
// no other is exceeded. Starts that preempt may exceed limits of pools by a tolerance (§11.2).
func (s *Start) within(added resource.Vector) finding {
	above, limited := int32(-1), false
	f := held(true)
	for x := s.Operation; x >= 0; x = s.r.Elements[x].Above {
		e := s.r.Element(x)
		above++
		usage := s.r.used(e).Add(added)
		for k := range usage {
			if s.Size[k] <= 0 || !e.Specified.Set[k] {
				continue
			}
			limit := e.Specified.Amounts[k]
			tolerated := s.toleratedOver(limit, e.Tolerance[k])
			if s.Preemptive {
				limit = tolerated
			}
			if limited = true; usage[k] <= limit || !f.holds && s.isNew(above) {
				continue
			}
			f = sides{float64(usage[k]), float64(limit), resource.Kind(k), above, 0}.where(false)
			if f.may = s.isNew(above) || s.MayPreempt && usage[k] <= tolerated; !f.may {
				return f
			}
		}
	}
	if !limited {
		f.missing = s.MissingInputs.Missing(NoPools)
		f.untouched = f.missing == NothingMissing
	}
	return f
}

// toleratedOver returns the usage that a start that preempts may reach under a limit.
func (s *Start) toleratedOver(limit, tolerance int64) int64 {
	switch o := s.States[0].Options; {
	case o.GPUPolicy:
		return limit
	case o.InfiniteOvercommit:
		return math.MaxInt64
	}
	return limit + tolerance
}

// isNew reports whether the limit of an element at the given level above the operation may not have
// been in force yet, because the operation's limits or pool changed shortly before.
func (s *Start) isNew(above int32) bool {
	if above == 0 {
		return s.isRecent(s.LimitedSince, s.Slacks.Configuration)
	}
	return above <= s.Joined && s.isRecent(s.MovedSince, s.Slacks.Configuration)
}

// matchesTags judges TREE-11. Until a change has propagated, either value may be in force.
func (s *Start) matchesTags() finding {
	return s.Tags.finding(NodeTags).mayIf(s.isRecent(s.TagsSince, s.Slacks.Tagged()))
}

// isInSegment judges SEG-01.
func (s *Start) isInSegment() finding {
	return s.Segment.finding(Segments).mayIf(s.isRecent(s.SegmentSince, s.Slacks.Segments))
}

func (s *Start) runsAlready() bool { return s.hasSegments() && s.Elsewhere != Unknown }

// staysInSegment judges SEG-02, as far as starts show it.
func (s *Start) staysInSegment() finding {
	f := held(s.Elsewhere == No)
	f.may = s.isRecent(s.SegmentSince, s.Slacks.Segments) || s.isRecent(s.RunsSince, s.Slacks.Segments)
	if s.Reset {
		f.excuse = ModuleReset
	}
	return f
}

func (s *Start) isRecent(since, within int64) bool {
	return since != scheduling.Never && s.At-since <= within
}

// isNotPending judges PEND-05.
func (s *Start) isNotPending() finding { return s.Pending.not(OperationState) }

// isOnOwnNode judges TREE-03.
func (s *Start) isOnOwnNode() finding { return s.OwnNode.finding(NodeTags) }

// isInTree judges TREE-05.
func (s *Start) isInTree() finding { return s.InTree.finding(Configuration) }
