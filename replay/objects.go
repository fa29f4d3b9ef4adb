package replay

import (
	"cmp"
	"strings"

	"poolproof/core"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// addOperation writes an operation's row: when it is over, or at the window's end.
func (r *recorder) addOperation(o *core.Operation, now core.Time) {
	if o.Late && r.listed(o.ID) {
		return // it had its row when it ended
	}
	r.list(o.ID)
	info := &r.Dims.Operations[o.ID]
	row := tables.Operation{
		Operation: o.ID, Type: info.Type, User: info.User,
		Pool: r.Core.Pool(o.Pool).ID, StartTime: o.Start,
		RunningTime: o.RunningSince, FirstJobTime: o.FirstJob, FinishTime: o.Finish,
		Weight: o.Params.Weight, ResourceLimits: o.Params.ResourceLimits, MaxShareRatio: o.Params.MaxShareRatio,
		Ignored: ignoredOptions(r.Log.Profile, &o.Params), RequestsSSD: r.Core.RequestsSSD(o),
		Jobs: o.StartedJobs, Preempted: o.PreemptedJobs,
	}
	row.UnschedulableCheck = r.limits.UnschedulableCheck(o.ID)
	if f := o.Params.TagFilter; f != nil {
		row.TagFilter = f.String()
	}
	if !o.LastNeeded.IsZero() {
		row.SmallestJob = core.Some(o.LastNeeded)
	}
	if o.SegmentKnown {
		row.Segment, row.Module = o.Segment.String(), r.Core.RanIn(o)
	}
	switch {
	case o.Late:
		row.State = "ended"
	case o.Ended:
		row.State = env.EndWords[o.EndStep]
	case o.Running:
		row.State = "running"
	default:
		row.State = "pending"
	}
	r.seen.operations++
	r.objectRows.Add(now, &row)
}

// ignoredOptions are an operation's own options of starvation, where a scheduler
// goes by those of its pools alone (core/spec/scheduling.md §3.3).
func ignoredOptions(p core.Profile, o *core.OperationParams) string {
	if p != core.Baseline && p != core.Current {
		return ""
	}
	var names []string
	for _, option := range []struct {
		name string
		set  bool
	}{
		{"fair_share_starvation_timeout", o.FairShareStarvationTimeout.Set},
		{"fair_share_starvation_tolerance", o.FairShareStarvationTolerance.Set},
		{"min_share_preemption_timeout", o.MinSharePreemptionTimeout.Set},
	} {
		if option.set {
			names = append(names, option.name)
		}
	}
	return strings.Join(names, ",")
}

// list notes that an operation has its row.
func (r *recorder) list(id core.OperationID) {
	if r.objects == nil {
		r.objects = make([]bool, len(r.Dims.Operations))
	}
	r.objects[id] = true
}

func (r *recorder) listed(id core.OperationID) bool { return r.objects != nil && r.objects[id] }

func compareObjects(a, b *tables.Operation) int { return cmp.Compare(a.Operation, b.Operation) }
