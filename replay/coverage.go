package replay

import (
	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// facts count what the replay saw in the window, for the coverage table.
type facts struct {
	heartbeats, demands      int64
	smallest                 int64 // demand rows with the smallest job
	specs                    int64 // steps of operations whose specs the log has, those before the window included
	treeConfigs, poolConfigs int64 // those before the window included
	unmodelled               pooltree.Unmodelled
	jobs, placed, preempted  int64
	operations               int64
	sized                    [resource.Kinds]int64 // starts on nodes of known size
	granted                  [resource.Kinds]int64 // starts that took some of it
}

// count notes an event.
func (r *recorder) count(e *core.Event) {
	switch e.Kind {
	case core.HeartbeatReceived:
		r.seen.heartbeats++
		r.limits.Answer(e)
	case core.ProcessChanged:
		r.limits.Return(e)
	case core.DemandChanged:
		r.seen.demands++
		if !e.MinNeeded.IsZero() {
			r.seen.smallest++
		}
	case core.OperationChanged:
		if e.Spec != nil {
			r.seen.specs++
		}
	case core.TreeConfigured:
		r.seen.treeConfigs++
		if r.Log.Profile == core.Current { // others ignore these options
			r.seen.unmodelled |= e.Tree.Unmodelled()
		}
		r.configuration.ApplyEvent(e)
	case core.PoolConfigured:
		r.seen.poolConfigs++
		r.configuration.ApplyEvent(e)
	case core.JobPreempted:
		r.seen.preempted++
	}
}

// countEarlier follows an event before the window as far as what it says holds in the window.
func (r *recorder) countEarlier(e *core.Event) {
	switch e.Kind {
	case core.HeartbeatReceived:
		r.limits.Answer(e)
	case core.DemandChanged:
		if !e.MinNeeded.IsZero() {
			r.seen.smallest++
		}
	case core.TreeConfigured, core.PoolConfigured:
		r.count(e)
	}
}

// start notes a job that started in the window.
func (f *facts) start(t *core.Tree, slot int32) {
	j := t.Job(slot)
	f.jobs++
	if j.Node >= 0 {
		f.placed++
	}
	for k, amount := range j.Resources {
		if amount != 0 {
			f.granted[k]++
			if j.Node >= 0 && t.Node(j.Node).Limits[k] != 0 {
				f.sized[k]++
			}
		}
	}
}

// policy names the scheduling policy of the tree at the end of the window. Where no configuration
// tells it, lists of preemption show that it is the classic one; builds before current have no other.
func (r *recorder) policy() string {
	switch {
	case r.Core.Scheduling().Options().GPUPolicy:
		return "gpu"
	case r.Core.Config().Assumed && r.Log.Profile == core.Current && !r.snapshots.RecordsLists():
		return "unknown"
	}
	return "classic"
}

// shareOptions says whether the core models all options that fair shares follow in the tree.
func (r *recorder) shareOptions() string {
	if (r.seen.unmodelled|r.Core.Unmodelled())&pooltree.UnmodelledShares != 0 {
		return "unmodelled"
	}
	return "modelled"
}

// addCoverage writes what the trace lets a reader judge: the manifest's words
// with what was seen of each.
func (r *recorder) addCoverage(states []env.Fact) {
	seen := map[string]int64{
		"heartbeats":         r.seen.heartbeats,
		"demand":             r.seen.demands,
		"preemption_details": r.seen.preempted,
		"tree_config":        r.seen.treeConfigs,
		"pool_config":        r.seen.poolConfigs,
		"placement":          r.seen.placed,
	}
	for k := range r.seen.sized {
		seen["capacity."+resource.Kind(k).String()] = r.seen.sized[k]
		seen["usage."+resource.Kind(k).String()] = r.seen.granted[k]
	}
	placement := "recorded"
	if r.seen.placed == 0 {
		placement = "none"
	}
	states = append(states[:len(states):len(states)], env.Fact{Aspect: "placement", State: placement})
	for _, a := range []struct {
		aspect string
		seen   int64
	}{{"tree_totals", r.totals.records}, {"specs", r.seen.specs}, {"smallest_jobs", r.seen.smallest}} {
		state := "recorded"
		if a.seen == 0 {
			state = "none"
		}
		states, seen[a.aspect] = append(states, env.Fact{Aspect: a.aspect, State: state}), a.seen
	}
	states = append(states, env.Fact{Aspect: "scheduling_policy", State: r.policy()}, env.Fact{Aspect: "share_options", State: r.shareOptions()})
	seen["other_trees"] = r.neighbours.Trees
	states = append(states, env.Fact{Aspect: "other_trees", State: r.neighbours.State})
	for _, fact := range append(states, r.jobs.Facts(seen)...) {
		r.coverage.Add(&tables.Coverage{Aspect: fact.Aspect, State: fact.State, Seen: seen[fact.Aspect]})
	}
}
