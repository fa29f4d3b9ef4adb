package judge

import "poolproof/core/scheduling"

// An Announcement is a moment at which the scheduler said how an operation
// starves from then on, and since when it had been below its shares
// (spec/scheduling.md §7.3, §17.2).
type Announcement struct {
	Context
	At              int64
	Status          scheduling.Status
	Timeouts        scheduling.Timeouts // of the fair share
	MinShareTimeout int64
	Since           int64 // below its fair share; scheduling.Never if it was not
	MinShareSince   int64 // below its strong guarantee, likewise
}

// Judge judges STV-01, STV-12 and STV-04 of who began to starve, and STV-02 of who
// ceased to. A tick and a record are given either way.
func (a *Announcement) Judge(rulings []Ruling) []Ruling {
	slack := a.Slacks.Tick + a.Slacks.Record
	switch a.Status {
	case scheduling.NonStarving:
		f := a.longest()
		f.holds = !(a.below(a.Since) > a.Timeouts.Starving+slack || a.below(a.MinShareSince) > a.MinShareTimeout+slack)
		return append(rulings, a.rule(STV02, f))
	case scheduling.AggressivelyStarving:
		f := compared(true, float64(a.below(a.Since)), float64(a.Timeouts.Aggressive))
		f.holds = a.Timeouts.AggressiveEnabled && a.Since != scheduling.Never && a.below(a.Since)+slack > a.Timeouts.Aggressive
		return append(rulings, a.rule(STV04, f))
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
