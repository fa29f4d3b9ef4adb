package coretest

import (
	"poolproof/core"
	"poolproof/core/resource"
)

// fillRecord turns a line of a snapshot into its event: snapshot is the tree,
// whose total the shares of the lines after it are fractions of.
func (s *Scenario) fillRecord(e *core.Event, what, name string, o *settings) {
	switch what {
	case "snapshot":
		s.total = o.amounts("").Amounts
		e.Kind, e.TreeRecord = core.TreeRecorded, &core.TreeRecord{Snapshot: name, Total: s.total, Settings: recordedSettings(o)}
	case "sees_pool":
		r := &core.PoolRecord{Pool: s.pool(name), Parent: core.Unknown, Mode: o.text("mode"), RecordedState: s.recordedState(o), Settings: recordedSettings(o)}
		if parent := o.text("parent"); parent != "" {
			r.Parent = s.pool(parent)
		}
		r.Running, r.Operations, r.Lightweight = o.count("running"), o.count("operations"), o.count("lightweight")
		r.Own, r.RatioVolume, r.Weight = o.count("own"), o.number("volume"), o.number("weight").Value
		e.Kind, e.PoolRecord = core.PoolRecorded, r
	case "sees":
		r := &core.OperationRecord{Operation: s.operation(name), Pool: s.pool(o.text("pool")), RecordedState: s.recordedState(o)}
		r.Preemptible, r.AggressivePreempt = o.count("preemptible"), o.count("aggressive")
		r.Unschedulable, r.Weight = o.text("unschedulable"), o.number("weight")
		if since := o.number("since"); since.Set {
			r.StarvingSince = core.Some(core.Time(since.Value * 1e6))
		}
		if n := o.count("fifo"); n.Set {
			r.FIFOIndex = core.Some(int32(n.Value))
		}
		r.BestAllocation, r.Declines = o.part("best."), o.count("declines")
		r.Timeouts = core.PreemptionTimeouts{Interrupt: o.duration("interrupt"), Graceful: o.duration("graceful")}
		e.Kind, e.OperationRecord = core.OperationRecorded, r
	case "accumulates": // volumes since a time, in core·s and so on
		e.Kind, e.VolumeRecord = core.VolumesRecorded, &core.VolumeRecord{
			Operation: s.operation(name), Pool: s.pool(o.text("pool")), Since: o.instant("since"),
			Fair: resource.VolumeOf(o.share("fair.")), Usage: resource.VolumeOf(o.share("used.")), Deficit: resource.VolumeOf(o.share("deficit.")),
		}
	}
}

// recordedSettings are those that a line says are in force.
func recordedSettings(o *settings) core.RecordedSettings {
	s := core.RecordedSettings{Tolerance: o.number("tolerance"), Timeout: o.duration("timeout"), Aggressive: o.flag("aggressive")}
	if p := o.amounts("threshold."); !p.IsEmpty() {
		s.Threshold = core.Some(p)
	}
	return s
}

func (s *Scenario) recordedState(o *settings) core.RecordedState {
	x := core.RecordedState{Usage: o.amounts("").Amounts, Demand: o.amounts("demand.").Amounts, Status: o.text("status")}
	x.UsageShare, x.DemandShare = x.Usage.ShareOf(s.total), x.Demand.ShareOf(s.total)
	x.FairShare, x.StrongShare = o.share("fair."), o.share("strong.")
	for _, ratio := range []struct {
		name string
		of   *resource.Share
		told *core.Detail
	}{{"fair_ratio", &x.FairShare, &x.FairDetail}, {"strong_ratio", &x.StrongShare, &x.StrongDetail}} {
		if n := o.number(ratio.name); n.Set { // recorded alone, of cpu
			*ratio.of, *ratio.told = resource.Share{resource.CPU: n.Value}, core.DominantOnly
		}
	}
	x.FairStrong, x.FairIntegral, x.FairWeight = o.part("fair_strong."), o.part("fair_integral."), o.part("fair_weight.")
	if limits := o.amounts("limit."); !limits.IsEmpty() {
		x.Limits = core.Some(limits.Or(s.total))
	}
	x.LocalSatisfaction = o.number("satisfaction")
	if x.Status == "" {
		x.Status = "non_starving"
	}
	return x
}

// part reads fractions of the tree that a record may leave out as a whole.
func (o *settings) part(prefix string) (x core.Optional[resource.Share]) {
	for k := range x.Value {
		if n := o.number(prefix + resource.Kind(k).String()); n.Set {
			x.Value[k], x.Set = n.Value, true
		}
	}
	return x
}

// share reads fractions of the tree.
func (o *settings) share(prefix string) (x resource.Share) {
	for k := range x {
		x[k] = o.number(prefix + resource.Kind(k).String()).Value
	}
	return x
}
