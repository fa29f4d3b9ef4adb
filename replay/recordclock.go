package replay

import "poolproof/core"

// The scheduler updates shares once a period and records a snapshot of an update; heartbeats
// between two updates go by the older one (core/spec/scheduling.md §6.1). Where snapshots come as
// often as updates do, each records one, and shares change then and not at whole periods:
//
//	snapshots   .62      1.62      2.62        5.62
//	updates     .62  1   1.62      2.62     5  5.62     one follows the first snapshot at the next whole second,
//	                                                    and one comes at 5 since there was none until 4.12

// A recordClock knows when snapshots record updates.
type recordClock struct {
	last      core.Time // snapshot, core.Never before the first
	every     bool      // it came a period after the one before it
	demandDue bool      // the demand that it records is not known yet: rows of the instant that follow tell it
	ofRecords bool      // demand is recorded in snapshots only
}

// record notes a snapshot.
func (c *recordClock) record(at, period core.Time) {
	c.every = c.last != core.Never && at-c.last <= period+period/4
	c.last, c.demandDue = at, c.every && c.ofRecords
}

// next returns the first whole period at which an update may come without a snapshot, core.Never if
// any may be.
func (c *recordClock) next(period core.Time) core.Time {
	if !c.every {
		return core.Never
	}
	const late = 2 // half a period
	return ((c.last+period+period/late)/period + 1) * period
}
