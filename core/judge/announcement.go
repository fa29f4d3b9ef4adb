package judge

import "poolproof/core/scheduling"

// An Announcement is a recorded change of an operation's starvation status, with the times since
// which it had been below its shares (core/spec/scheduling.md §7.3, §17.2).
type Announcement struct {
	Context
	At              int64
	Status          scheduling.Status
	Timeouts        scheduling.Timeouts // of the fair share
	MinShareTimeout int64
	Since           int64 // below its fair share; scheduling.Never if it was not
	MinShareSince   int64 // below its strong guarantee, likewise

	// Until is the time when it last ceased to have that status, or scheduling.Never: the row may
	// be late.
	Until int64

	// From is the time when the log begins, scheduling.Never if the earlier state is known. A clock
	// that was running then may have run for a longer or a shorter time.
	From int64
}

// Judge judges STV-01, STV-12 and STV-04 for a status that began, and STV-02 for one that ended,
// with a tolerance of a tick and a record. What holds only because records are further apart than
// usual is undecidable.
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

// A LateStart is the first recorded announcement that an operation starves. The row has its own
// time, so the slack of records does not apply: only one tick of the scheduler, one of the replay,
// which saw the clock start, and the difference of the clocks of logs.
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

// Judge judges STV-02. A delay by the recomputed clocks alone is undecidable within the slack of
// records, and suspect beyond it.
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

// hasJustStarved reports whether the operation had that status until within the slack.
func (a *Announcement) hasJustStarved() bool {
	return a.Until != scheduling.Never && a.At-a.Until <= a.slack()
}

func (a *Announcement) slack() int64 { return a.Slacks.Tick + a.Slacks.Record }

// isLate reports whether the operation was below a share for longer than its timeout.
func (a *Announcement) isLate(since, timeout int64) bool {
	return a.below(since) > timeout+a.slack() && !a.isClipped(since, timeout)
}

// isClipped reports whether the start of a clock is unknown because it was running when the log
// began. Once the timeout has passed since then, the start does not matter.
func (a *Announcement) isClipped(since, timeout int64) bool {
	return a.From != scheduling.Never && since != scheduling.Never && since <= a.From+a.Slacks.Tick && a.At-a.From <= timeout+a.slack()
}

// isForMinShare reports whether starvation that the fair share does not explain is for the strong
// guarantee: the operation was below that, and that clock was nearer to its timeout.
func (a *Announcement) isForMinShare() bool {
	return a.MinShareSince != scheduling.Never &&
		(a.Since == scheduling.Never || a.MinShareSince+a.MinShareTimeout <= a.Since+a.Timeouts.Starving)
}

// below returns the time for which the operation had been below a share.
func (a *Announcement) below(since int64) int64 {
	if since == scheduling.Never {
		return 0
	}
	return a.At - since
}

// longest compares the longer of the two times below a share with its timeout.
func (a *Announcement) longest() finding {
	if fair, strong := a.below(a.Since), a.below(a.MinShareSince); strong <= fair {
		return compared(true, float64(fair), float64(a.Timeouts.Starving))
	} else {
		return compared(true, float64(strong), float64(a.MinShareTimeout))
	}
}
