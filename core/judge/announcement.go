package judge

import "poolproof/core/scheduling"

// An Announcement is a moment at which the scheduler said how an operation
// starves from then on, and since when it had been below its shares
// (core/spec/scheduling.md §7.3, §17.2).
type Announcement struct {
	Context
	At              int64
	Status          scheduling.Status
	Timeouts        scheduling.Timeouts // of the fair share
	MinShareTimeout int64
	Since           int64 // below its fair share; scheduling.Never if it was not
	MinShareSince   int64 // below its strong guarantee, likewise

	// Until is when it ceased last to starve so, scheduling.Never if it never did:
	// the row may be late.
	Until int64

	// From is when the log begins, scheduling.Never if all before is known: a
	// clock that ran at that moment may have run for longer, or for less long.
	From int64
}

// Judge judges STV-01, STV-12 and STV-04 of who began to starve, and STV-02 of who
// ceased to. A tick and a record are given either way. Where records are further apart than usual,
// what holds for that alone is undecidable.
func (a *Announcement) Judge(rulings []Ruling) []Ruling {
	from := len(rulings)
	rulings = a.judge(rulings)
	if a.Slacks.Record <= usualRecord {
		return rulings
	}
	usual, slacks := *a, *a.Slacks
	slacks.Record, usual.Slacks = usualRecord, &slacks
	var buffer [1]Ruling
	for i, x := range usual.judge(buffer[:0]) {
		if r := &rulings[from+i]; r.Verdict == OK && x.Verdict > OK {
			*r = x
			r.Verdict, r.Missing = Undecidable, ShareRecords
		}
	}
	return rulings
}

func (a *Announcement) judge(rulings []Ruling) []Ruling {
	slack := a.slack()
	clipped := a.isClipped(a.Since, a.Timeouts.Starving) || a.isClipped(a.MinShareSince, a.MinShareTimeout)
	switch a.Status {
	case scheduling.NonStarving:
		f := a.longest()
		f.holds = !(a.isLate(a.Since, a.Timeouts.Starving) || a.isLate(a.MinShareSince, a.MinShareTimeout))
		if f.holds && clipped {
			f.missing = StarvationSince
		}
		return append(rulings, a.rule(STV02, f))
	case scheduling.AggressivelyStarving:
		if a.hasJustStarved() {
			return append(rulings, a.rule(STV04, held(true)))
		}
		f := compared(true, float64(a.below(a.Since)), float64(a.Timeouts.Aggressive))
		f.holds = a.Timeouts.AggressiveEnabled && a.Since != scheduling.Never && a.below(a.Since)+slack > a.Timeouts.Aggressive
		if a.Timeouts.AggressiveEnabled && a.isClipped(a.Since, a.Timeouts.Aggressive) {
			f.missing = StarvationSince
		}
		return append(rulings, a.rule(STV04, f))
	}
	if a.hasJustStarved() {
		return append(rulings, a.rule(STV01, held(true)))
	}
	if clipped {
		return append(rulings, a.rule(STV01, finding{missing: StarvationSince}))
	}
	if a.Since != scheduling.Never && a.below(a.Since)+slack > a.Timeouts.Starving {
		return append(rulings, a.rule(STV01, compared(true, float64(a.below(a.Since)), float64(a.Timeouts.Starving))))
	}
	if a.isForMinShare() {
		f := compared(a.below(a.MinShareSince)+slack > a.MinShareTimeout, float64(a.below(a.MinShareSince)), float64(a.MinShareTimeout))
		return append(rulings, a.rule(STV12, f))
	}
	return append(rulings, a.rule(STV01, compared(false, float64(a.below(a.Since)), float64(a.Timeouts.Starving))))
}

// A LateStart is a moment at which the scheduler said that an operation starves from then on, which it
// had not said before. The row has a time of its own, so that no slack of records is due: of the
// scheduler's tick and the replay's, which saw the clock start, and of the clocks of logs.
type LateStart struct {
	Context
	At              int64
	Timeout         int64 // the longest of the fair share that may have been in force
	MinShareTimeout int64

	// Since when the operation had been below its fair share and its strong guarantee by the recomputed
	// clocks, and without a break by the records, too; scheduling.Never if it was not.
	Since, MinShareSince             int64
	SurelySince, SurelyMinShareSince int64
}

// Judge judges STV-02. What the recomputed clocks alone call late is undecidable while it is within
// the slack of records, and suspect beyond it.
func (l *LateStart) Judge() Ruling {
	exact := 2*l.Slacks.Tick + l.Slacks.Clock
	late := func(since, timeout, slack int64) bool {
		return since != scheduling.Never && l.At-since > timeout+slack
	}
	f := l.longest()
	f.right, f.granted = f.right+float64(exact), float64(exact)
	f.holds = !late(l.Since, l.Timeout, exact) && !late(l.MinShareSince, l.MinShareTimeout, exact)
	if !f.holds && !late(l.SurelySince, l.Timeout, exact) && !late(l.SurelyMinShareSince, l.MinShareTimeout, exact) {
		wide := l.Slacks.Tick + 2*l.Slacks.Record
		if f.may = true; !late(l.Since, l.Timeout, wide) && !late(l.MinShareSince, l.MinShareTimeout, wide) {
			f.missing = ShareRecords
		}
	}
	return l.rule(STV02, f)
}

// longest compares the time below the share that exceeds its timeout most.
func (l *LateStart) longest() finding {
	below := func(since int64) int64 {
		if since == scheduling.Never {
			return 0
		}
		return l.At - since
	}
	fair, strong := below(l.Since), below(l.MinShareSince)
	if strong-l.MinShareTimeout > fair-l.Timeout && strong > 0 {
		return compared(true, float64(strong), float64(l.MinShareTimeout))
	}
	return compared(true, float64(fair), float64(l.Timeout))
}

// hasJustStarved reports whether the operation starved so until no longer ago than the
// slack.
func (a *Announcement) hasJustStarved() bool {
	return a.Until != scheduling.Never && a.At-a.Until <= a.slack()
}

func (a *Announcement) slack() int64 { return a.Slacks.Tick + a.Slacks.Record }

// isLate reports whether the operation was below a share for longer than its timeout.
func (a *Announcement) isLate(since, timeout int64) bool {
	return a.below(since) > timeout+a.slack() && !a.isClipped(since, timeout)
}

// isClipped reports whether a clock is not known, as it ran when the log began. Once its
// timeout has passed since, it does not matter.
func (a *Announcement) isClipped(since, timeout int64) bool {
	return a.From != scheduling.Never && since != scheduling.Never && since <= a.From+a.Slacks.Tick && a.At-a.From <= timeout+a.slack()
}

// isForMinShare reports whether what the fair share does not explain is starvation for
// the strong guarantee: the operation was below that, and its clock the nearer to its
// timeout.
func (a *Announcement) isForMinShare() bool {
	return a.MinShareSince != scheduling.Never &&
		(a.Since == scheduling.Never || a.MinShareSince+a.MinShareTimeout <= a.Since+a.Timeouts.Starving)
}

// below is how long the operation had been below a share.
func (a *Announcement) below(since int64) int64 {
	if since == scheduling.Never {
		return 0
	}
	return a.At - since
}

// longest compares the time below the share that it was below for longer with its
// timeout.
func (a *Announcement) longest() finding {
	if fair, strong := a.below(a.Since), a.below(a.MinShareSince); strong <= fair {
		return compared(true, float64(fair), float64(a.Timeouts.Starving))
	} else {
		return compared(true, float64(strong), float64(a.MinShareTimeout))
	}
}
