package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// Who writes demand and who writes starts of jobs need not be the same, and their clocks
// differ (ingest/trace/FORMAT.md §4.2): a row of demand may count starts that the log tells
// just after it. Each start lowers what is needed (§3.4), so that such starts lower it twice,
// until the next row. One that follows starts may tell what was needed before them, which they
// lower not at all.

// InNeed reports whether the last row of an operation's demand may count what starts at a
// moment.
func (o *Operation) InNeed(at Time) bool { return at > o.neededAt && at-o.neededAt <= HeartbeatSpan }

// leastNeeded is the least that a row of demand may tell: what starts just before it left, where
// it tells of more than that and need not count them.
func (o *Operation) leastNeeded(needed resource.Vector, now Time) resource.Vector {
	if now-o.LastStart <= HeartbeatSpan {
		return needed.Min(o.Needed)
	}
	return needed
}

// needDoubted is when the operation may last have needed another amount than it is taken to, Never
// if it never may.
func (o *Operation) needDoubted(now Time) Time {
	if o.MostNeeded != o.Needed || o.LeastNeeded != o.Needed {
		return now
	}
	return o.misjudged
}

// NeedDoubted is when an operation for which something starts, or one below a pool, may last
// have needed another amount than it is taken to, Never if none ever may.
func (t *Tree) NeedDoubted(e fairshare.Element, now Time) (last Time) {
	pool, operation := t.owner(e)
	if operation != none {
		o := &t.operations[operation]
		if o.InNeed(now) {
			return now
		}
		return o.needDoubted(now)
	}
	last = t.pools[pool].misjudged
	for slot := range t.operations {
		o := &t.operations[slot]
		if doubted := o.needDoubted(now); doubted > last && o.Alive && !o.Ended && t.IsWithin(o.Pool, pool) {
			if last = doubted; last == now {
				break
			}
		}
	}
	return last
}

// noteNeedDoubted keeps for the pools of an operation that ends what was doubtful of it.
func (t *Tree) noteNeedDoubted(o *Operation) {
	for p := o.Pool; p != none; p = t.pools[p].Parent {
		t.pools[p].misjudged = max(t.pools[p].misjudged, o.needDoubted(t.now))
	}
}
