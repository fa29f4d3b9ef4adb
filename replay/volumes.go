package replay

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
)

// judgeVolume judges how a pool's volume moved since the record before (GUA-06).
// Records show what is charged only where they are; what was charged between them is
// the replay's.
func (r *recorder) judgeVolume(slot int32, v *poolView, rulings []judge.Ruling) []judge.Ruling {
	s, p := &r.snapshots, r.Core.Pool(slot)
	i := r.Core.Shares(p.Element).Integral
	if i == nil {
		return rulings
	}
	track := &r.pools[slot]
	between := track.charge.since(i.LastShareRatio)
	if p.Config.Integral.Type == core.NoIntegral || !v.had || !v.record.RatioVolume.Set || !v.earlier.RatioVolume.Set || s.resized(r.Core) || !s.settled() {
		return rulings
	}
	dearest := i.Burst
	if p.Config.Integral.Type == core.Relaxed {
		dearest = i.Flow * r.Core.RelaxedMultiplier(p)
	}
	context := s.context
	context.Evidence = judge.Recomputed
	if !v.state.FairIntegral.Set && v.detail() == core.Untold { // what the integral guarantee cost
		context.Missing = judge.FairShares
	}
	return (&judge.VolumeRecord{
		Context: context, Before: v.earlier.RatioVolume.Value, After: v.record.RatioVolume.Value,
		Seconds: float64(s.at-s.before) / 1e6, Flow: i.Flow,
		Capacity: i.Capacity.MinRatio(s.total), Kept: track.capacity.MinRatio(s.total), Widest: i.Capacity.MaxRatio(s.total),
		Saturation: float64(r.Core.SaturationPeriod()) / 1e6,
		Spent:      max(mostCharged(&v.previous), mostCharged(&v.state), between), Dearest: dearest,
		Shared: !i.Accepted.IsZero(), Changed: s.at-s.before > 5*core.Second || r.stale,
	}).Judge(rulings)
}

// noteIntegral notes what bounds how the volume of a pool moves.
func (p *poolTrack) noteIntegral(i *fairshare.IntegralResult) {
	if i != nil {
		p.charge.most = max(p.charge.most, i.LastShareRatio)
		p.capacity = p.capacity.Max(i.Capacity)
	}
}

// A charge keeps the most that an update charged the volume of a pool per second
// since the record before.
type charge struct{ most float64 }

// since returns it and begins anew with what goes on being charged.
func (c *charge) since(now float64) float64 {
	most := max(c.most, now)
	c.most = now
	return most
}

// mostCharged is what the integral guarantee of a record may have cost its volume:
// the integral part of the fair share where it is recorded, otherwise all of it.
func mostCharged(x *core.RecordedState) float64 {
	if x.FairIntegral.Set {
		return x.FairIntegral.Value.Dominant()
	}
	return x.FairShare.Dominant()
}
