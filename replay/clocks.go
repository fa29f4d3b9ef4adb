package replay

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A judgedElement is what the starvation of an element is judged by, besides its
// record.
type judgedElement struct {
	element                          scheduling.Element
	usage                            resource.Vector          // recomputed
	swing                            extremes                 // of it since the record before
	since                            core.Optional[core.Time] // starving_since, recorded
	operation, unschedulable, frozen bool
}

// judgeClock judges the recorded starvation of an element by its recorded shares
// (STV-01 to STV-04, STV-11, STV-12, GUA-02). A record names no kind, so that in the
// profile documented either kind may be meant (spec/scheduling.md §17.2), and in legacy
// the kind is that of the recorded shares.
func (r *recorder) judgeClock(v *view, j judgedElement, rulings []judge.Ruling) []judge.Ruling {
	s := &r.snapshots
	tree := r.core.Scheduling()
	status, known := scheduling.ParseStatus(v.state.Status)
	if !known {
		v.forgetClocks()
		return rulings
	}
	own := tree.Entitlement(j.element)
	fair := scheduling.Timeouts{Starving: own.Timeout, Aggressive: tree.Options().AggressiveStarvationTimeout, AggressiveEnabled: own.AggressiveStarvation}
	minShare := own.MinShareTimeout
	if j.operation {
		fair, minShare = tree.OperationTimeouts(j.element)
	}
	context := s.context
	context.Evidence = judge.Recomputed
	switch {
	case r.core.Config().Assumed:
		context.Missing = judge.Configuration
	case r.stale:
		context.Missing = judge.FairShares
	}
	below := r.belowOf(v, &j, own.Tolerance)
	set := fair
	if r.opts.Profile == core.Legacy && below.minShare {
		fair.Starving = minShare // its one clock waits for what is missing (§7.6)
	}
	switch {
	case v.fairClock == nil || !v.had:
		v.fairClock, v.minClock = judge.NewStarvation(context, fair), judge.NewStarvation(context, scheduling.Timeouts{Starving: minShare})
		v.since, v.moved = judge.NewSince(context), 0
	case v.timeouts != set || v.minTimeout != minShare:
		v.moved = s.at
		if minShare > v.minTimeout {
			v.minClock.Raised = int64(s.at)
		}
		if v.timeouts.AggressiveEnabled && !set.AggressiveEnabled {
			v.fairClock.Switched = int64(s.at)
		}
	}
	if fair.Starving > v.fairClock.Timeouts.Starving {
		v.fairClock.Raised = int64(s.at)
	}
	v.timeouts, v.minTimeout = set, minShare
	if below.doubtful || below.otherClock || !s.settled() || v.moved != 0 && s.at-v.moved <= core.Time(s.slacks.Configuration) {
		context.Evidence = judge.Possible
	}
	record := judge.StarvationRecord{
		At: int64(s.at), Status: status, Doubtful: below.doubtful, Wavered: below.wavered, Unschedulable: j.unschedulable, Frozen: j.frozen,
		HasSince: j.since.Set, Since: int64(j.since.Value),
	}
	from := len(rulings)
	v.fairClock.Context, v.fairClock.Timeouts, v.fairClock.Meaning, record.Below = context, fair, s.since, below.fair
	rulings = v.fairClock.Record(record, rulings)
	if r.opts.Profile == core.Legacy && below.minShare && status != scheduling.NonStarving {
		nameMinShare(rulings[from:])
	}
	if r.opts.Profile == core.Documented {
		v.minClock.Context, v.minClock.Timeouts, v.minClock.Meaning, record.Below = context, scheduling.Timeouts{Starving: minShare}, s.since, below.minShare
		to := len(rulings)
		rulings = v.minClock.Record(record, rulings)
		mergeKinds(rulings[from:to], rulings[to:], below.bounds)
		rulings = rulings[:to]
	}
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
		rulings = r.judgeSince(v, &j, record, context, below.bounds, rulings)
	}
	return rulings
}

// asRecomputed takes back what the records alone allege of a status that is the
// recomputed one: between two records more happened than they show. What they
// exclude stays suspect.
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

// mergeKinds takes the rulings on the min share into those on the fair share:
// either clock explains a status, and each must be answered. A status that the fair
// share does not explain is for the min share (STV-12) of an element that is below it
// and is not nearer to the timeout of its fair share.
func mergeKinds(fair, minShare []judge.Ruling, below bounds) {
	for i := range fair {
		for _, x := range minShare {
			if x.Invariant != fair[i].Invariant {
				continue
			}
			switch x.Invariant {
			case judge.STV01:
				if fair[i].Verdict > judge.Undecidable && below.minShare && (!below.fair || x.Right-x.Left <= fair[i].Right-fair[i].Left) {
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

// nameMinShare makes rulings on who began to starve those on who did for its min
// share.
func nameMinShare(rulings []judge.Ruling) {
	for i := range rulings {
		if rulings[i].Invariant == judge.STV01 {
			rulings[i].Invariant = judge.STV12
		}
	}
}

// judgeSince judges the recorded starving_since of an operation (STV-11). Where the
// recomputed one is the same it is the recorded shares that are wrong, which is for
// their rules.
func (r *recorder) judgeSince(v *view, j *judgedElement, record judge.StarvationRecord, context judge.Context, below bounds, rulings []judge.Ruling) []judge.Ruling {
	s := &r.snapshots
	record.Below = below.fair || below.minShare && r.opts.Profile == core.Documented
	v.since.Context, v.since.Meaning = context, s.since
	rulings = v.since.Record(record, rulings)
	h := r.core.Scheduling().Starvation(j.element)
	since, running := h.Since()
	same := running == j.since.Set && (!running || max(since, record.Since)-min(since, record.Since) <= s.slacks.Tick+s.slacks.Record)
	if last := &rulings[len(rulings)-1]; same && last.Verdict > judge.Undecidable {
		last.Verdict, last.Excuse = judge.OK, judge.NoExcuse
	}
	return rulings
}
