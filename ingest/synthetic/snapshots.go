package synthetic

import (
	"fmt"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/ingest/trace"
)

// Snapshot implements simulate.Recorder: it writes the scheduler's own view of a
// tree (ingest/trace/FORMAT.md §3.5).
func (r *recorder) Snapshot(tree int, at core.Time) error {
	t := &r.trees[tree]
	if t.waiting {
		if err := r.flushHeartbeat(t); err != nil {
			return err
		}
	}
	if tree == 0 {
		r.snapshots++
		if r.progress != nil {
			r.progress(at)
		}
	}
	s := snapshot{treeRecorder: t, id: fmt.Sprintf("%x", r.snapshots), at: at, recorder: r}
	if err := s.writeTree(); err != nil {
		return err
	}
	for slot := range t.core.Pools() {
		if p := t.core.Pool(int32(slot)); slot > 0 && !p.Removed.Set {
			if err := s.writePool(p); err != nil {
				return err
			}
		}
	}
	for _, stray := range r.strays {
		if row, told := stray(tree, at); told {
			row.Stamp, row.Snapshot = s.stamp(s.at), s.id
			if err := t.out.Add(&row); err != nil {
				return err
			}
		}
	}
	for slot := range t.core.Operations() {
		if o := t.core.Operation(int32(slot)); o.Alive && o.Enabled() && !o.Ended {
			if err := s.writeOperation(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// A snapshot is one of a tree under way.
type snapshot struct {
	*treeRecorder
	recorder *recorder
	id       string
	at       core.Time
}

func (s *snapshot) writeTree() error {
	nodes, usage := int64(0), resource.Vector{}
	for slot := range s.core.Nodes() {
		if n := s.core.Node(int32(slot)); n.Online {
			nodes++
			usage = usage.Add(n.Usage)
		}
	}
	row := trace.SnapTree{
		Stamp: s.stamp(s.at), Snapshot: s.id, Limits: trace.FromVector(s.core.ShareTotal()),
		Usage: core.Some(trace.FromVector(usage)), NodeCount: core.Some(nodes), SnapSettings: s.settings(fairshare.Root),
	}
	s.recorder.altered(s.treeRecorder, s.at, trace.SnapTrees.Name, &row)
	return s.out.Add(&row)
}

func (s *snapshot) shares(e fairshare.Element) trace.SnapShares {
	now := s.core.Shares(e)
	row := trace.SnapShares{
		Usage: trace.FromVector(now.Usage), Demand: trace.FromVector(now.Demand),
		Limits:     core.Some(trace.FromVector(now.Limits.Min(s.core.ShareTotal()))),
		UsageShare: core.Some(sharesOf(now.UsageShare)), DemandShare: core.Some(sharesOf(now.DemandShare)), StrongShare: core.Some(sharesOf(now.StrongShare)),
		FairTotal: core.Some(sharesOf(now.FairShare.Total)), FairStrong: core.Some(sharesOf(now.FairShare.Strong)),
		FairIntegral: core.Some(sharesOf(now.FairShare.Integral)), FairWeight: core.Some(sharesOf(now.FairShare.Weight)),
		Dominant:     now.Dominant.String(),
		Satisfaction: core.Some(now.Satisfaction), LocalSatisfaction: core.Some(now.LocalSatisfaction),
	}
	row.StarvationStatus = s.core.Scheduling().Starvation(e).Status().String()
	return row
}

// settings are those in force for a pool, the root included.
func (s *snapshot) settings(e fairshare.Element) trace.SnapSettings {
	own := s.core.Scheduling().Effective(e)
	return trace.SnapSettings{
		StarvationTolerance: core.Some(own.Tolerance), StarvationTimeoutMS: core.Some(own.Timeout / 1000),
		AggressiveStarvation: core.Some(own.AggressiveStarvation),
		ThresholdRecorded:    core.Some(true), NonPreemptible: trace.FromPartial(own.NonPreemptible),
	}
}

func (s *snapshot) writePool(p *core.Pool) error {
	now := s.core.Shares(p.Element)
	row := trace.SnapPool{
		Stamp: s.stamp(s.at), Snapshot: s.id, Pool: p.ID, Mode: p.Config.Mode.Value.String(), Weight: now.Weight,
		SnapShares:        s.shares(p.Element),
		RunningOperations: core.Some(p.Running), Operations: core.Some(p.Operations), LightweightRunning: core.Some(p.Lightweight),
		Schedulable: core.Some(now.Schedulable), IntegralType: core.Some(integralWords[p.Config.Integral.Type]),
		SnapSettings: s.settings(p.Element),
	}
	if p.Parent > 0 {
		row.Parent = core.Some(s.core.Pool(p.Parent).ID)
	}
	if i := now.Integral; i != nil && p.Config.Integral.Type != core.NoIntegral {
		row.AccumulatedRatioVolume = core.Some(i.RatioVolume(s.core.ShareTotal()))
	}
	s.recorder.altered(s.treeRecorder, s.at, trace.SnapPools.Name, &row)
	return s.out.Add(&row)
}

var integralWords = map[core.GuaranteeType]string{core.NoIntegral: "none", core.Burst: "burst", core.Relaxed: "relaxed"}

func (s *snapshot) writeOperation(o *core.Operation) error {
	now, own := s.core.Shares(o.Element), s.core.Scheduling()
	aggressively, preemptible := own.Lists(o.Element)
	row := trace.SnapOp{
		Stamp: s.stamp(s.at), Snapshot: s.id, Op: o.ID, Pool: s.core.Pool(o.Pool).ID, Weight: core.Some(now.Weight),
		SnapShares:            s.shares(o.Element),
		PreemptibleJobs:       core.Some(int64(preemptible)),
		AggressivePreemptible: core.Some(int64(aggressively)),
	}
	row.StarvingSince = sinceOf(own, o.Element)
	if status := s.recorder.status; status != nil {
		row.StarvationStatus = status(s.at, s.number, o.ID, own.Starvation(o.Element).Status()).String()
	}
	if why := own.Unschedulable(o.Element); why != scheduling.NoObstacle {
		row.UnschedulableReason = core.Some(why.String())
	}
	if !o.MinNeeded.IsZero() {
		row.MinNeeded = core.Some(trace.FromVector(o.MinNeeded))
	}
	if now.FIFOIndex >= 0 {
		row.FIFOIndex = core.Some(now.FIFOIndex)
	}
	s.recorder.altered(s.treeRecorder, s.at, trace.SnapOps.Name, &row)
	return s.out.Add(&row)
}
