package snapshots

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
)

// A judgedElement holds the inputs for judging the starvation of an element, besides its record.
type judgedElement struct {
	element                          scheduling.Element
	usage, demand                    resource.Vector          // recomputed
	fair                             resource.Share           // likewise
	swing                            env.RangeSinceRecord     // of them since the previous record
	since                            core.Optional[core.Time] // starving_since, recorded
	operation, unschedulable, frozen bool
}

// judgeClock judges the recorded starvation of an element by its recorded shares
// (STV-01 to STV-04, STV-11, STV-12, GUA-02).
func (s *Snapshots) judgeClock(v *view, j judgedElement, rulings []judge.Ruling) []judge.Ruling {
	status, known := scheduling.ParseStatus(v.state.Status)
	if !known {
		v.forgetClocks()
		return rulings
	}
	tree := s.Core.Scheduling()
	if begun := tree.Begun(j.element); v.begun != begun { // it has another parent or was enabled again (core/spec/scheduling.md §7.3)
		v.forgetClocks()
		v.begun = begun
	}
	own := tree.Effective(j.element)
	below := s.belowOf(v, &j, own.Tolerance)
	s.setClocks(v, &j, own, below)
	context := s.clockContext(v, below)
	record := judge.StarvationRecord{
		At: int64(s.at), Status: status, Doubtful: below.doubtful, Wavered: below.wavered || s.recovered(v, status),
		Unschedulable: j.unschedulable, Frozen: j.frozen,
		HasSince: j.since.Set, Since: int64(j.since.Value),
	}
	from := len(rulings)
	rulings = s.judgeKinds(v, record, below.Below, context, rulings)
	if v.denied = tree.Starvation(j.element).Status() != status; !v.denied {
		asRecomputed(rulings[from:])
	}
	if v.state.StrongShare != (resource.Share{}) {
		for _, x := range rulings[from:] {
			if x.Invariant == judge.STV02 {
				x.Invariant = judge.GUA02
				rulings = append(rulings, x)
			}
		}
	}
	if j.operation {
		rulings = s.judgeSince(v, &j, record, context, below.Below, rulings)
	}
	return rulings
}

// recovered reports whether the scheduler ended the starvation of an element since the previous
// record. If only records state demand, its share may have been met for a short time.
func (s *Snapshots) recovered(v *view, status scheduling.Status) bool {
	before, known := scheduling.ParseStatus(v.previous.Status)
	return !s.exactDemand && v.had && known && before != scheduling.NonStarving && status == scheduling.NonStarving
}

// setClocks sets the timeouts in force of an element's clocks, and records when they changed. The
// single clock of legacy counts either share (§7.6).
func (s *Snapshots) setClocks(v *view, j *judgedElement, own pooltree.Effective, below deficit) {
	tree := s.Core.Scheduling()
	fair := scheduling.Timeouts{Starving: own.Timeout, Aggressive: tree.Options().AggressiveStarvationTimeout, AggressiveEnabled: own.AggressiveStarvation}
	minShare := own.MinShareTimeout
	if j.operation {
		fair, minShare = tree.OperationTimeouts(j.element)
	}
	waits := fair
	if s.Log.Profile == core.Legacy && below.MinShare {
		waits.Starving = minShare
	}
	switch {
	case v.fairClock == nil || !v.had:
		v.fairClock, v.minClock = judge.NewStarvation(s.context, waits), judge.NewStarvation(s.context, scheduling.Timeouts{Starving: minShare})
		v.since, v.moved = judge.NewSince(s.context), 0
	case v.timeouts != fair || v.minTimeout != minShare:
		v.moved = s.at
		if minShare > v.minTimeout {
			v.minClock.Raised = int64(s.at)
		}
	}
	if waits.Starving > v.fairClock.Timeouts.Starving {
		v.fairClock.Raised = int64(s.at)
	}
	v.timeouts, v.minTimeout = fair, minShare
	v.fairClock.Timeouts, v.minClock.Timeouts = waits, scheduling.Timeouts{Starving: minShare}
}

// clockContext returns the context for judging the clocks of an element. Nothing is certain while a
// change of timeouts propagates, or if the element may have been below another share.
func (s *Snapshots) clockContext(v *view, below deficit) judge.Context {
	context := s.context
	context.Evidence = judge.Recomputed
	switch {
	case s.Core.Config().Assumed:
		context.Missing = judge.Configuration
	case s.Stale, !s.showsBelow(v):
		context.Missing = judge.FairShares
	}
	if s.vague || below.doubtful || below.otherClock || !s.settled() || v.moved != 0 && s.at-v.moved <= core.Time(s.slacks.Configuration) {
		context.Evidence = judge.Possible
	}
	return context
}

// showsBelow reports whether the record holds the shares that its element may be below: legacy uses
// only the dominant resource (core/spec/scheduling.md §7.6).
func (s *Snapshots) showsBelow(v *view) bool {
	return v.isWhole() || v.detail() == core.DominantOnly && s.Log.Profile == core.Legacy
}

// judgeKinds judges a status by the clocks of both kinds of starvation. A record does not name the
// kind: in the profile documented either is possible (core/spec/scheduling.md §17.2), and in legacy
// the kind follows from the recorded shares.
func (s *Snapshots) judgeKinds(v *view, record judge.StarvationRecord, below env.Below, context judge.Context, rulings []judge.Ruling) []judge.Ruling {
	from := len(rulings)
	record.BelowMinShare = below.MinShare && s.Log.Profile == core.Documented
	v.fairClock.Context, v.fairClock.Meaning, record.Below = context, s.since, below.Fair
	rulings = v.fairClock.Record(record, rulings)
	switch to := len(rulings); s.Log.Profile {
	case core.Legacy:
		if below.MinShare && record.Status != scheduling.NonStarving {
			nameMinShare(rulings[from:])
		}
	case core.Documented:
		v.minClock.Context, v.minClock.Meaning, record.Below = context, s.since, below.MinShare
		rulings = v.minClock.Record(record, rulings)
		mergeKinds(rulings[from:to], rulings[to:], below)
		rulings = rulings[:to]
	}
	return rulings
}

// asRecomputed withdraws breaches by the records alone of a status that agrees with the recomputed
// one: records do not show everything between them. What they exclude stays suspect.
func asRecomputed(rulings []judge.Ruling) {
	for i := range rulings {
		switch rulings[i].Verdict {
		case judge.Suspect, judge.Excused:
			rulings[i].Verdict, rulings[i].Excuse = judge.OK, judge.NoExcuse
		case judge.Violated:
			rulings[i].Verdict, rulings[i].Evidence = judge.Suspect, judge.Possible
		}
	}
}

// mergeKinds merges the rulings on the min share into those on the fair share: either clock may
// explain a status, and each requires one. A status that the fair share does not explain is
// attributed to the min share (STV-12) if the element is below that and not nearer to the timeout
// of its fair share.
func mergeKinds(fair, minShare []judge.Ruling, below env.Below) {
	for i := range fair {
		for _, x := range minShare {
			if x.Invariant != fair[i].Invariant {
				continue
			}
			switch x.Invariant {
			case judge.STV01:
				if fair[i].Verdict > judge.Undecidable && below.MinShare && (!below.Fair || x.Right-x.Left <= fair[i].Right-fair[i].Left) {
					fair[i] = x
					nameMinShare(fair[i : i+1])
				} else if x.Verdict < fair[i].Verdict {
					fair[i] = x
				}
			case judge.STV03:
				if x.Verdict < fair[i].Verdict {
					fair[i] = x
				}
			case judge.STV02:
				if x.Verdict > fair[i].Verdict {
					fair[i] = x
				}
			}
		}
	}
}

// nameMinShare changes rulings on the start of starvation to those for the min share.
func nameMinShare(rulings []judge.Ruling) {
	for i := range rulings {
		if rulings[i].Invariant == judge.STV01 {
			rulings[i].Invariant = judge.STV12
		}
	}
}

// judgeSince judges the recorded starving_since of an operation (STV-11). If the recomputed one is
// equal, the recorded shares are wrong, which other rules judge. If only records state demand, it
// may have been met between any two of them, and the clock restarted.
func (s *Snapshots) judgeSince(v *view, j *judgedElement, record judge.StarvationRecord, context judge.Context,
	below env.Below, rulings []judge.Ruling) []judge.Ruling {
	record.Below = below.Fair || below.MinShare && s.Log.Profile == core.Documented
	record.Wavered = record.Wavered || !s.exactDemand
	v.since.Context, v.since.Meaning = context, s.since
	rulings = v.since.Record(record, rulings)
	h := s.Core.Scheduling().Starvation(j.element)
	since, running := h.Since()
	same := running == j.since.Set && (!running || max(since, record.Since)-min(since, record.Since) <= s.slacks.Tick+s.slacks.Record)
	if last := &rulings[len(rulings)-1]; same && last.Verdict > judge.Undecidable {
		last.Verdict, last.Excuse = judge.OK, judge.NoExcuse
	}
	return rulings
}
