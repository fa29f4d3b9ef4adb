package replay

import (
	"cmp"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// endWords name how an operation ended in the table's final_state.
var endWords = map[core.Step]string{
	core.StepCompleted: "completed",
	core.StepFailed:    "failed",
	core.StepAborted:   "aborted",
	core.StepRejected:  "rejected",
	core.StepErased:    "erased",
	core.StepBanned:    "banned",
}

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
		RunningTime: env.Known(o.RunningSince), FirstJobTime: env.Known(o.FirstJob), FinishTime: env.Known(o.Finish),
		Weight: o.Params.Weight, ResourceLimits: o.Params.ResourceLimits,
		Ignored: ignoredOptions(r.Log.Profile, &o.Params),
		Jobs:    o.StartedJobs, Preempted: o.PreemptedJobs,
	}
	if r.unschedulableChecks != nil {
		row.UnschedulableCheck = r.unschedulableChecks[o.ID]
	}
	if o.SegmentKnown {
		row.Segment, row.Module = o.Segment.String(), r.Core.RanIn(o)
	}
	switch {
	case o.Late:
		row.State = "ended"
	case o.Ended:
		row.State = endWords[o.EndStep]
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

// addPools writes the rows of all pools, by their ids.
func (r *recorder) addPools() {
	for id := range r.Dims.Pools {
		slot, ok := r.Core.PoolOf(core.PoolID(id))
		if !ok || slot < 0 {
			continue
		}
		row := r.poolRow(slot)
		r.poolTable.Add(&row)
	}
}

// poolRow is what a pool's settings are now.
func (r *recorder) poolRow(slot int32) tables.Pool {
	p := r.Core.Pool(slot)
	c := p.Config
	return tables.Pool{
		Pool: p.ID, Path: r.path(slot), Parent: r.Core.Pool(p.Parent).ID, Depth: p.Depth,
		Mode: c.Mode.Value, Ephemeral: p.Ephemeral, Configured: p.Configured,
		FirstSeen: p.FirstSeen, LastSeen: env.Known(p.Removed),
		Weight: c.Weight, MaxShareRatio: c.MaxShareRatio,
		StrongGuarantee: partial(c.StrongGuarantee), ResourceLimits: partial(c.ResourceLimits),
		MaxRunning: p.MaxRunning, MaxOperations: p.MaxOperations,
		OwnRunning: c.MaxRunningOperationCount, OwnOperations: c.MaxOperationCount,
		IntegralType: c.Integral.Type, Flow: partial(c.Integral.Flow), Burst: partial(c.Integral.Burst),
		StarvationTimeout: milliseconds(c.FairShareStarvationTimeout), MinShareTimeout: milliseconds(c.MinSharePreemptionTimeout),
		StarvationTolerance: c.FairShareStarvationTolerance,
		Aggressively:        c.AllowAggressivePreemption, Normally: c.AllowNormalPreemption, RegularOnSSD: c.AllowRegularJobsOnSSD,
		NonPreemptible: c.NonPreemptibleThreshold, TagFilter: c.TagFilter.String(),
		ForbidImmediate: c.ForbidImmediate, Lightweight: c.LightweightOps,
	}
}

func milliseconds(t core.Optional[pooltree.Milliseconds]) core.Optional[int64] {
	return core.Optional[int64]{Value: int64(t.Value), Set: t.Set}
}

func partial(p resource.Partial) core.Optional[resource.Partial] {
	return core.Optional[resource.Partial]{Value: p, Set: !p.IsEmpty()}
}

func (r *recorder) path(slot int32) string {
	var names []string
	for ; slot > 0; slot = r.Core.Pool(slot).Parent {
		names = append(names, r.Dims.Pools[r.Core.Pool(slot).ID].Name)
	}
	for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
		names[i], names[j] = names[j], names[i]
	}
	return strings.Join(names, "/")
}
