package episodes

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// maxRow is the maximum length of a row in which something changed. A constant row may be longer.
const maxRow = 60 * core.Second

// A span is an interval row that is open: the state when it opened, and the
// sums and extremes since.
type span struct {
	open       bool
	varied     bool // something changed since it opened
	overdue    bool // open for longer than maxRow: the next change closes it
	generation uint32
	row        tables.Interval
	summed     core.Time // until when the sums are complete

	usage, demand, fair float64 // current ratios
}

// A sample holds the values of an interval row at one instant.
type sample struct {
	tables.Interval // the fields of the opening, from Usage to FairRatio, and the excesses
}

// measure fills a sample from amounts, the tree's total and the shares of the last update.
func (s *sample) measure(usage, demand, limits, total resource.Vector, shares *fairshare.Result) {
	s.Usage, s.Demand, s.Limits = usage, demand, limits
	s.UsageShare, s.DemandShare = usage.ShareOf(total), demand.ShareOf(total)
	s.LimitsShare, s.StrongShare, s.FairShare = shares.LimitsShare, shares.StrongShare, shares.FairShare.Total
	s.UsageRatio, s.DemandRatio = s.UsageShare.Dominant(), s.DemandShare.Dominant()
	s.MinShareRatio, s.FairRatio = s.StrongShare.Dominant(), s.FairShare.Dominant()
	s.FairOverDemand = excess(&s.FairShare, &shares.DemandShare)
	s.FairOverLimits = excess(&s.FairShare, &s.LimitsShare)
}

func excess(a, b *resource.Share) (most float64) {
	for k := range a {
		most = max(most, a[k]-b[k])
	}
	return most
}

// openRow opens the row at an instant.
func (s *span) openRow(at core.Time, clipped bool, now *sample) {
	s.open, s.varied, s.overdue = true, false, false
	s.generation++
	s.row = now.Interval
	s.row.FromTime, s.row.ClippedFrom = at, clipped
	s.row.UsageRatioMin, s.row.UsageRatioMax = now.UsageRatio, now.UsageRatio
	s.row.DemandRatioMin, s.row.DemandRatioMax = now.DemandRatio, now.DemandRatio
	s.row.FairRatioMin, s.row.FairRatioMax = now.FairRatio, now.FairRatio
	s.usage, s.demand, s.fair = now.UsageRatio, now.DemandRatio, now.FairRatio
	s.summed = at
}

// expires reports whether a deadline ends the row because something changed in it; otherwise it
// marks the row, so that the next change ends it.
func (s *span) expires(d deadline) bool {
	if !s.open || s.generation != d.generation {
		return false
	}
	s.overdue = s.overdue || !s.varied
	return s.varied
}

// sumTo completes the sums up to an instant.
func (s *span) sumTo(to core.Time) {
	length := float64(to - s.summed)
	addShare(&s.row.UsageSeconds, s.usage, length)
	addShare(&s.row.DemandSeconds, s.demand, length)
	addShare(&s.row.FairSeconds, s.fair, length)
	s.summed = to
}

// addShare adds share × time to a sum, which stays at tables.Saturated once it is there:
// a demand of many times a tree, over a long time, is more than it can hold.
func addShare(sum *int64, share, us float64) {
	// Compare before adding: the sum of two large values would overflow.
	switch step := env.ShareSeconds(share * us); {
	case step > 0 && *sum > tables.Saturated-step:
		*sum = tables.Saturated
	case step < 0 && *sum < -tables.Saturated-step:
		*sum = -tables.Saturated
	default:
		*sum += step
	}
}

// fits reports whether the row can be extended with a new state: constant columns are unchanged,
// and shares are within the resolution.
func (s *span) fits(now *sample, resolution float64) bool {
	r := &s.row
	return r.Limits == now.Limits && r.LimitsShare == now.LimitsShare && r.StrongShare == now.StrongShare &&
		r.UsageShare.IsNear(now.UsageShare, resolution) &&
		r.DemandShare.IsNear(now.DemandShare, resolution) &&
		r.FairShare.IsNear(now.FairShare, resolution)
}

// moved reports whether the state differs from the current one.
func (s *span) moved(now *sample) bool {
	return s.usage != now.UsageRatio || s.demand != now.DemandRatio || s.fair != now.FairRatio
}

// extend extends the row with the state at an instant, or returns false if the row must end: a
// constant column changed, a share left the resolution, or the row reached its maximum length.
func (s *span) extend(at core.Time, now *sample, same bool, resolution float64) bool {
	if !same || !s.fits(now, resolution) {
		return false
	}
	s.row.FairOverDemand = max(s.row.FairOverDemand, now.FairOverDemand)
	s.row.FairOverLimits = max(s.row.FairOverLimits, now.FairOverLimits)
	if !s.moved(now) {
		return true
	}
	if s.overdue {
		return false
	}
	s.sumTo(at)
	s.goOn(now)
	return true
}

// goOn adds a new state to the open row, whose sums are complete.
func (s *span) goOn(now *sample) {
	r := &s.row
	s.usage, s.demand, s.fair = now.UsageRatio, now.DemandRatio, now.FairRatio
	r.UsageRatioMin, r.UsageRatioMax = min(r.UsageRatioMin, s.usage), max(r.UsageRatioMax, s.usage)
	r.DemandRatioMin, r.DemandRatioMax = min(r.DemandRatioMin, s.demand), max(r.DemandRatioMax, s.demand)
	r.FairRatioMin, r.FairRatioMax = min(r.FairRatioMin, s.fair), max(r.FairRatioMax, s.fair)
	s.varied = true
}

// end completes the row at an instant.
func (s *span) end(at core.Time, clipped bool) *tables.Interval {
	s.sumTo(at)
	s.open = false
	s.row.ToTime, s.row.ClippedTo = at, clipped
	return &s.row
}

// A deadline is the time at which an open row with changes must end.
type deadline struct {
	at         core.Time
	slot       int32
	generation uint32
	operation  bool // of an operation, not a pool
}

// deadlines is a queue: all rows have the same maximum length, so deadlines come in the order in
// which rows open.
type deadlines struct {
	queue []deadline
	head  int
}

func (d *deadlines) push(x deadline) { d.queue = append(d.queue, x) }

// pop returns the first deadline that is not after to.
func (d *deadlines) pop(to core.Time) (deadline, bool) {
	if d.head == len(d.queue) || d.queue[d.head].at > to {
		return deadline{}, false
	}
	x := d.queue[d.head]
	d.head++
	if d.head > 1024 && d.head*2 > len(d.queue) {
		n := copy(d.queue, d.queue[d.head:])
		d.queue, d.head = d.queue[:n], 0
	}
	return x, true
}
