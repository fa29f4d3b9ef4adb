package judge

import (
	"math"

	"poolproof/core/resource"
)

// An AccumulatedRecord holds the volumes of an operation that the scheduler accumulated since its report
// before.
type AccumulatedRecord struct {
	Context
	Fair, Usage, Deficit resource.Volume
	Total                resource.Vector // of the tree
	Seconds              float64         // since the report before
}

// accumulatedPerSecond counts the additions that a scheduler makes to its volumes in a second, by its default.
const accumulatedPerSecond = 50

// RoundedPerSecond is the most by which rounding may change an accumulated volume of a resource in a second: each
// addition of cpu is rounded to hundredths of a core·second (core/spec/fair-share.md §1.6).
func RoundedPerSecond(k resource.Kind) float64 {
	if k == resource.CPU {
		return 0.5 * accumulatedPerSecond
	}
	return 0
}

// Judge judges ACC-01 in the resource that is furthest off. For example a fair volume of 100 core·s and a usage of
// 70 allow deficits from 30, of an operation that was always below its fair share, to 100, of one that had all of
// its usage at a time when nothing was due.
func (a *AccumulatedRecord) Judge(rulings []Ruling) []Ruling {
	f := held(true)
	worst := 0.0
	check := func(kind resource.Kind, value, bound, off float64) {
		total := float64(a.Total[kind])
		slack := a.Seconds * max(1e-6*total, 2*RoundedPerSecond(kind))
		if off > slack && off/total > worst {
			worst = off / total
			f = compared(false, value/total, bound/total)
			f.kind = kind
		}
	}
	for k := range a.Total {
		kind := resource.Kind(k)
		if a.Total[k] == 0 {
			continue
		}
		fair, usage, deficit := a.Fair[k], a.Usage[k], a.Deficit[k]
		check(kind, fair, 0, -fair)
		check(kind, usage, 0, -usage)
		least := max(fair-usage, 0)
		check(kind, deficit, least, least-deficit)
		check(kind, deficit, fair, deficit-fair)
	}
	return append(rulings, a.rule(ACC01, f))
}

// A VolumeComparison compares an accumulated volume of an operation with the one that follows from records, in
// seconds of the whole tree.
type VolumeComparison struct {
	Context
	Invariant   Invariant // ACC02 or ACC03
	Recorded    [resource.Kinds]float64
	Least, Most [resource.Kinds]float64 // that follow
	Slack       [resource.Kinds]float64
}

// off returns how far the volume is beyond what follows and its slack, below zero if it is too small.
func (c *VolumeComparison) off(k int) float64 {
	switch x := c.Recorded[k]; {
	case x > c.Most[k]+c.Slack[k]:
		return x - c.Most[k]
	case x < c.Least[k]-c.Slack[k]:
		return x - c.Least[k]
	}
	return 0
}

// agrees reports whether a neighbouring report, nil for none, is off in the same direction.
func (c *VolumeComparison) agrees(k int, off float64) bool {
	return c != nil && c.Missing == NothingMissing && c.off(k)*off > 0
}

// Judge judges the invariant in the resource that is furthest off. It is certain only where the reports before and
// after, nil if there are none, are off in the same direction: what is published late moves between two reports.
func (c *VolumeComparison) Judge(before, after *VolumeComparison) Ruling {
	f, worst := held(true), 0.0
	for k := range c.Recorded {
		off := c.off(k)
		certain := before.agrees(k, off) && after.agrees(k, off)
		if off == 0 || !f.holds && (!certain && !f.may || certain == !f.may && math.Abs(off) <= worst) {
			continue
		}
		worst = math.Abs(off)
		f = compared(false, c.Recorded[k], c.Recorded[k]-off).mayIf(!certain)
		f.kind = resource.Kind(k)
	}
	return c.rule(c.Invariant, f)
}
