package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// Demand and starts of jobs may be written by different processes with different clocks
// (ingest/trace/FORMAT.md §4.2). A row of demand may already account for starts that are recorded
// just after it, and each start lowers the need (§3.4), so such starts lower it twice until the
// next row:
//
//	10:00:00.000  demand row: needs 3 jobs   (the scheduler had just started one)
//	10:00:00.010  job started: needs 2       (in fact still 3)
//
// Likewise a row just after starts may state the need before them.

// NeedMayInclude reports whether the last row of an operation's demand may account for a start at
// the given time.
func (o *Operation) NeedMayInclude(at Time) bool {
	return at > o.neededAt && at-o.neededAt <= HeartbeatSpan
}

// leastNeeded returns the least need that a row of demand may mean: if starts came just before the
// row, it may not account for them.
func (o *Operation) leastNeeded(needed resource.Vector, now Time) resource.Vector {
	if now-o.LastStart <= HeartbeatSpan {
		return needed.Min(o.Needed)
	}
	return needed
}

// lastNeedDoubt returns the last time when the operation's need may have differed from Needed, or
// Never.
func (o *Operation) lastNeedDoubt(now Time) Time {
	if o.MostNeeded != o.Needed || o.LeastNeeded != o.Needed {
		return now
	}
	return o.needDoubtedAt
}

// LastNeedDoubt returns the last time when the need of an operation that starts a job, or of an
// operation below a pool, may have differed from Needed, or Never.
func (t *Tree) LastNeedDoubt(e fairshare.Element, now Time) (last Time) {
	pool, operation := t.owner(e)
	if operation != none {
		o := &t.operations[operation]
		if o.NeedMayInclude(now) {
			return now
		}
		return o.lastNeedDoubt(now)
	}
	last = t.pools[pool].needDoubtedAt
	for slot := range t.operations {
		o := &t.operations[slot]
		if doubted := o.lastNeedDoubt(now); doubted > last && o.Alive && !o.Ended && t.IsWithin(o.Pool, pool) {
			if last = doubted; last == now {
				break
			}
		}
	}
	return last
}

// noteNeedDoubt keeps the time of the last doubt about an ended operation in its pools.
func (t *Tree) noteNeedDoubt(o *Operation) {
	for p := o.Pool; p != none; p = t.pools[p].Parent {
		t.pools[p].needDoubtedAt = max(t.pools[p].needDoubtedAt, o.lastNeedDoubt(t.now))
	}
}
