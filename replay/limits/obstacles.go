package limits

import (
	"cmp"
	"math"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// moves is the change of a share that begins another span.
const moves = 1e-3

// followObstacle opens, carries on or closes the span in which no node starts a job of an
// operation that waits for some (core/spec/scheduling.md §6.2, §9.5).
func (l *Limits) followObstacle(slot int32, o *core.Operation, now core.Time) {
	for len(l.obstacles) <= int(slot) {
		l.obstacles = append(l.obstacles, nil)
	}
	found, old := l.obstacleOf(slot, o, now), l.obstacles[slot]
	if old != nil && (found == nil || !alike(old, found)) {
		l.closeObstacle(slot, now, false)
	}
	if found != nil && l.obstacles[slot] == nil {
		found.FromTime, found.ClippedFrom = now, !l.Begun
		l.obstacles[slot] = found
	}
}

// alike reports whether a span goes on.
func alike(a, b *tables.ObstacleSpan) bool {
	near := func(x, y core.Optional[float64]) bool { return x.Set == y.Set && math.Abs(x.Value-y.Value) < moves }
	return a.Operation == b.Operation && a.Pool == b.Pool && a.Obstacle == b.Obstacle && a.Resource == b.Resource &&
		near(a.Usage, b.Usage) && near(a.StartsBelow, b.StartsBelow) && near(a.FairShare, b.FairShare)
}

// obstacleOf is the span that holds now, nil if none does.
func (l *Limits) obstacleOf(slot int32, o *core.Operation, now core.Time) *tables.ObstacleSpan {
	if !o.Alive || !o.Running || o.Ended || o.Needed.IsZero() {
		return nil
	}
	why := l.Core.ObstacleOf(slot, now)
	switch why {
	case scheduling.NoObstacle, scheduling.NotRunning, scheduling.NoPendingJobs: // the last two until the next update
		return nil
	}
	span := &tables.ObstacleSpan{Operation: o.ID, Pool: l.Core.Pool(o.Pool).ID, Obstacle: why}
	if why == scheduling.FairShareExceeded {
		shares, below := l.Core.Shares(o.Element), l.Core.Scheduling().Describe(o.Element).StartsBelow
		k := mostUsed(shares.UsageShare, below, shares.DemandShare)
		span.Resource = core.Some(resource.Kind(k))
		span.Usage, span.StartsBelow, span.FairShare = core.Some(shares.UsageShare[k]), core.Some(below[k]), core.Some(shares.FairShare.Total[k])
	}
	return span
}

// mostUsed is the resource of those demanded of which most is used, as a part of a bound.
func mostUsed(usage, bound, demand resource.Share) (at int) {
	most := -1.0
	for k := range usage {
		if demand[k] <= 0 {
			continue
		}
		part := math.Inf(1)
		if bound[k] > 0 {
			part = usage[k] / bound[k]
		}
		if part > most {
			at, most = k, part
		}
	}
	return at
}

func (l *Limits) closeObstacle(slot int32, now core.Time, clipped bool) {
	span := l.obstacles[slot]
	l.obstacles[slot] = nil
	if span.ToTime, span.ClippedTo = now, clipped; l.Begun && span.FromTime < now {
		span.FromTime = max(span.FromTime, l.Log.Window.From)
		l.obstacleSpans.Add(now, span)
	}
}

func compareObstacles(a, b *tables.ObstacleSpan) int { return cmp.Compare(a.Operation, b.Operation) }
