package snapshots

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
)

// judgeVolume judges how a pool's volume moved since the record before (GUA-06).
// Records show what is charged only where they are; what was charged between them is
// the replay's. Over a run of records without a gap their sums are compared, too.
func (s *Snapshots) judgeVolume(slot int32, v *poolView, rulings []judge.Ruling) []judge.Ruling {
	p := s.Core.Pool(slot)
	i := s.Core.Shares(p.Element).Integral
	if i == nil {
		return rulings
	}
	track := s.elements.PoolHistory(slot)
	between := track.MaxCharge.Restart(i.LastShareRatio)
	if p.Config.Integral.Type == core.NoIntegral || !v.had || !v.record.RatioVolume.Set || !v.earlier.RatioVolume.Set || s.resized(s.Core) || !s.settled() {
		v.volume.Records = 0
		return rulings
	}
	dearest := i.Burst
	if p.Config.Integral.Type == core.Relaxed {
		dearest = i.Flow * s.Core.RelaxedMultiplier(p)
	}
	context := s.context
	context.Evidence = judge.Recomputed
	if !v.state.FairIntegral.Set && v.detail() == core.Unrecorded { // what the integral guarantee cost
		context.Missing = judge.FairShares
	}
	spent, seconds := max(mostCharged(&v.previous), mostCharged(&v.state), between), float64(s.at-s.before)/1e6
	period, least := s.updatePeriods()
	cores := s.total.Real(resource.CPU)
	record := judge.VolumeRecord{
		Context: context, Before: v.earlier.RatioVolume.Value, After: v.record.RatioVolume.Value,
		Seconds: seconds, Flow: i.Flow,
		Capacity: i.Capacity.MinRatio(s.total), Kept: track.Capacity.MinRatio(s.total), Widest: i.Capacity.MaxRatio(s.total),
		Saturation: float64(s.Core.SaturationPeriod()) / 1e6,
		Spent:      spent, Dearest: dearest,
		Rounded:  judge.RoundedVolume(cores, i.Flow, spent, seconds, period),
		MayRound: judge.RoundedVolume(cores, i.Flow, spent, seconds, least),
		Shared:   !i.Accepted.IsZero(), Changed: s.at-s.before > 5*core.Second || s.Stale,
		Run: &v.volume,
	}
	if record.Changed || context.Missing != judge.NothingMissing || context.Excuse != judge.NoExcuse || context.Shaken != 0 {
		v.volume.Records = 0
		return record.Judge(rulings)
	}
	v.volume.Extend(&record)
	rulings = record.Judge(rulings)
	if rulings[len(rulings)-1].Verdict == judge.Violated {
		v.volume.Records = 0 // what comes is held against what this record says
	}
	return rulings
}

// updatePeriods are the seconds between two updates of shares, and the least that they may be:
// a log that does not state the period may be of a scheduler that updates as often as it can.
func (s *Snapshots) updatePeriods() (period, least float64) {
	period = float64(core.UpdatePeriod(s.Core.Cluster())) / 1e6
	if s.Core.Cluster().UpdatePeriod.Set {
		return period, period
	}
	return period, float64(core.LeastUpdatePeriod) / 1e6
}

// mostCharged returns the most that an integral guarantee may have charged its volume by a record:
// the integral part of the fair share if recorded, else all of it.
func mostCharged(x *core.RecordedState) float64 {
	if x.FairIntegral.Set {
		return x.FairIntegral.Value.Dominant()
	}
	return x.FairShare.Dominant()
}
