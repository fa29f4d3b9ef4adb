package episodes

import (
	"cmp"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// A poolTrack is a pool's open row.
type poolTrack struct {
	span
	env.PoolHistory
	counts poolCounts

	// As at the beginning of the row.
	satisfaction float64
	integral     integral

	starvations starvations
	above       bool // usage is above the fair share

	under     int32 // its parent for which aboveHere was counted
	aboveHere int   // number of pools above their fair share, at or below it

}

// poolCounts holds the constant columns of a pool's row: a change ends the row.
type poolCounts struct {
	running, operations       int64
	lightweight               int64
	maxRunning, maxOperations core.Optional[int64]
	status                    scheduling.Status
	starving                  scheduling.Kind
}

func (r *Recorder) countsOf(p *core.Pool) poolCounts {
	c := poolCounts{running: p.Running, operations: p.Operations, lightweight: p.Lightweight, maxRunning: p.MaxRunning, maxOperations: p.MaxOperations}
	if !p.Removed.Set {
		h := r.Core.Scheduling().Starvation(p.Element)
		c.status, c.starving = h.Status(), h.For()
	}
	return c
}

// An operationTrack is an operation's open row.
type operationTrack struct {
	span
	env.History
	id           core.OperationID
	pool         core.PoolID
	starvations  starvations
	status       scheduling.Status
	starving     scheduling.Kind
	running      bool
	jobs         int64
	fifo         core.Optional[int32]
	satisfaction float64
}

func (r *Recorder) samplePool(p *core.Pool, s *sample) {
	shares := r.Core.Shares(p.Element)
	limits := shares.Limits
	if p.Parent < 0 {
		limits = r.Core.Total()
	}
	s.measure(p.Usage, p.Demand, limits, r.Core.ShareTotal(), shares)
}

// ShareTrack returns the recent shares of an element, nil if it was removed.
func (r *Recorder) ShareTrack(o env.Owner) *env.ShareTrack {
	if o.Operation != core.Unknown {
		if slot, ok := r.Core.OperationOf(o.Operation); ok && int(slot) < len(r.operations) && r.operations[slot].id == o.Operation {
			return &r.operations[slot].ShareTrack
		}
	} else if o.Pool != core.Unknown {
		if slot, ok := r.Core.PoolOf(o.Pool); ok && int(slot) < len(r.pools) {
			return &r.pools[slot].ShareTrack
		}
	}
	return nil
}

// SettlePool records a pool's state at an instant.
func (r *Recorder) SettlePool(slot int32, now core.Time) {
	p, s := r.Core.Pool(slot), &r.sample
	r.followPool(slot, p, now, s)
	if p.Removed.Set {
		r.closePool(slot, now, false)
		return
	}
	track := &r.pools[slot]
	counts := r.countsOf(p)
	if track.open && !track.extend(now, s, track.counts == counts, r.Log.Resolution) {
		r.closePool(slot, now, false)
	}
	if !track.open {
		r.openPool(slot, now, !r.Begun && p.FirstSeen < r.Log.Window.From, s)
	}
}

// followPool updates the episodes of a pool, in the window and before it, and fills its sample.
func (r *Recorder) followPool(slot int32, p *core.Pool, now core.Time, s *sample) {
	track := &r.pools[slot]
	if p.Removed.Set {
		track.starvations.starve(r, now, nil, tables.StarvationFinished)
		r.guarantees.forget(r, slot, now)
		return
	}
	r.notePool(slot, p, now)
	r.samplePool(p, s)
	track.FairShares.SetShare(now, r.Records.Tolerance().Configuration, s.FairShare)
	end := track.starvations.endOf(r, now, p.Element, tables.StarvationRecovered)
	track.starvations.starve(r, now, r.starvingPool(slot, p, s), end)
	r.guarantees.watch(r, slot, p, s)
}

// notePool updates the history of a pool.
func (r *Recorder) notePool(slot int32, p *core.Pool, now core.Time) {
	track, shares := &r.pools[slot], r.Core.Shares(p.Element)
	r.noteRange(&track.Range, p.Usage, p.Demand, shares.FairShare.Total)
	r.TrackNotBelow(&track.NotBelow, now, p.Element, false, p.Usage, p.Demand)
	track.NoteIntegral(shares.Integral)
}

// noteRange updates the ranges by which the next snapshot of an element is judged.
func (r *Recorder) noteRange(s *env.RangeSinceRecord, usage, demand resource.Vector, fair resource.Share) {
	if !r.Log.NoSnapshots {
		s.AddSample(usage, demand, fair)
	}
}

func (r *Recorder) openPool(slot int32, now core.Time, clipped bool, s *sample) {
	p, track := r.Core.Pool(slot), &r.pools[slot]
	track.openRow(now, clipped, s)
	track.counts = r.countsOf(p)
	track.satisfaction = r.Core.Shares(p.Element).LocalSatisfaction
	track.integral = r.integralOf(p)
	r.deadlines.push(deadline{now + maxRow, slot, track.generation, false})
}

// An integral holds a row's columns of an integral guarantee.
type integral struct {
	set                        bool
	volume, flow, burst, share float64
}

func (r *Recorder) integralOf(p *core.Pool) integral {
	shares := r.Core.Shares(p.Element)
	i := shares.Integral
	if i == nil || p.Config.Integral.Type == core.NoIntegral {
		return integral{}
	}
	return integral{true, i.RatioVolume(r.Core.ShareTotal()), i.Flow, i.Burst, shares.FairShare.Integral.Dominant()}
}

func (r *Recorder) closePool(slot int32, now core.Time, clipped bool) {
	track := &r.pools[slot]
	if !track.open {
		return
	}
	row := tables.PoolInterval{
		Pool:         r.Core.Pool(slot).ID,
		Interval:     *track.end(now, clipped),
		Satisfaction: track.satisfaction,
		Running:      track.counts.running, Operations: track.counts.operations,
		Lightweight: track.counts.lightweight,
		MaxRunning:  track.counts.maxRunning, MaxOperations: track.counts.maxOperations,
		Status: track.counts.status, For: track.counts.starving,
	}
	if i := track.integral; i.set {
		row.Volume, row.Flow, row.Burst, row.Integral = core.Some(i.volume), core.Some(i.flow), core.Some(i.burst), core.Some(i.share)
	}
	if row.FromTime < now {
		r.poolIntervals.Add(now, &row)
	}
}

func comparePools(a, b *tables.PoolInterval) int { return cmp.Compare(a.Pool, b.Pool) }

func (r *Recorder) sampleOperation(o *core.Operation, s *sample) {
	shares, limits := &noShares, r.Core.Total()
	if o.Enabled() {
		shares = r.Core.Shares(o.Element)
		limits = shares.Limits
	}
	s.measure(o.Usage, o.Demand(), limits, r.Core.ShareTotal(), shares)
}

// noShares is the result for an operation that does not take part.
var noShares fairshare.Result

// SettleOperation records an operation's state at an instant.
func (r *Recorder) SettleOperation(slot int32, now core.Time) {
	o, track := r.Core.Operation(slot), &r.operations[slot]
	r.noteShares(slot, o, now)
	if track.open && track.id != o.ID { // the slot was reused for another operation
		r.closeOperation(slot, now, false)
	}
	if !o.Alive {
		r.closeOperation(slot, now, false)
		r.starveOperation(slot, now, nil, tables.StarvationFinished)
		return
	}
	r.noteRange(&track.Range, o.Usage, o.Demand(), track.FairShares.Value)
	s := &r.sample
	r.sampleOperation(o, s)
	pool := r.Core.Pool(o.Pool).ID
	status, starving := r.statusOf(o)
	r.followStarvation(slot, o, now, s)
	same := track.pool == pool && track.running == o.Running && track.status == status && track.starving == starving
	if track.open && !track.extend(now, s, same, r.Log.Resolution) {
		r.closeOperation(slot, now, false)
	}
	if !track.open {
		r.openOperation(slot, now, !r.Begun && o.Start < r.Log.Window.From, s)
	}
}

// noteShares updates the history of an operation, whose fair share is zero while it does not take
// part.
func (r *Recorder) noteShares(slot int32, o *core.Operation, now core.Time) {
	var fair resource.Share
	if shares := r.Published(o); shares != nil {
		fair = shares.FairShare.Total
	}
	x := &r.operations[slot].ShareTrack
	x.FairShares.SetShare(now, r.Records.Tolerance().Configuration, fair)
	if o.Alive && o.Enabled() {
		r.TrackNotBelow(&x.NotBelow, now, o.Element, true, o.Usage, o.Demand())
	} else {
		x.NotBelow = [2]env.LastNotBelow{}
	}
}

func (r *Recorder) openOperation(slot int32, now core.Time, clipped bool, s *sample) {
	o, track := r.Core.Operation(slot), &r.operations[slot]
	track.openRow(now, clipped, s)
	track.id, track.pool = o.ID, r.Core.Pool(o.Pool).ID
	track.running, track.jobs = o.Running, o.LiveJobs
	track.status, track.starving = r.statusOf(o)
	track.fifo, track.satisfaction = core.Optional[int32]{}, 0
	if o.Enabled() {
		shares := r.Core.Shares(o.Element)
		track.satisfaction = shares.LocalSatisfaction
		if r.Core.Pool(o.Pool).Config.Mode.Value == core.FIFO && shares.FIFOIndex >= 0 {
			track.fifo = core.Some(shares.FIFOIndex)
		}
	}
	r.deadlines.push(deadline{now + maxRow, slot, track.generation, true})
}

func (r *Recorder) closeOperation(slot int32, now core.Time, clipped bool) {
	track := &r.operations[slot]
	if !track.open {
		return
	}
	row := tables.OperationInterval{
		Operation: track.id, Pool: track.pool,
		Interval: *track.end(now, clipped),
		Status:   track.status, For: track.starving,
		Satisfaction: track.satisfaction, Running: track.running, Jobs: track.jobs, FIFOIndex: track.fifo,
	}
	if row.FromTime < now {
		r.operationIntervals.Add(now, &row)
	}
}

func compareOperations(a, b *tables.OperationInterval) int {
	return cmp.Compare(a.Operation, b.Operation)
}

// expire ends a row at its maximum length if something changed in it.
func (r *Recorder) expire(d deadline) {
	var s sample
	if d.operation {
		if r.operations[d.slot].expires(d) {
			r.sampleOperation(r.Core.Operation(d.slot), &s)
			r.closeOperation(d.slot, d.at, false)
			r.openOperation(d.slot, d.at, false, &s)
		}
	} else if r.pools[d.slot].expires(d) {
		r.samplePool(r.Core.Pool(d.slot), &s)
		r.closePool(d.slot, d.at, false)
		r.openPool(d.slot, d.at, false, &s)
	}
}
