package rerun

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/simulate"
	"poolproof/ingest"
)

const (
	heartbeatPeriod = 5 * core.Second  // ingest/trace/FORMAT.md §1.6
	scanPeriod      = 60 * core.Second // where the cluster states none (core/spec/scheduling.md §3.4)
	longestLead     = 24 * 3600 * core.Second
)

// Plan returns what happened to the cluster of a trace without being decided by its
// scheduler, as far as that bears on a window in the trace's. Options are read by the rules of the
// profile. Who wants the scheduler's view of itself recorded sets the plan's SnapshotPeriod.
//
// Unmeasured is how many operations have jobs whose length is not known at all, which are taken to
// last to the end of the window.
func Plan(ctx context.Context, t *ingest.Trace, profile core.Profile, window core.Span) (plan *simulate.Plan, unmeasured int, err error) {
	dims := t.Dimensions()
	r := &reader{
		dims: dims, log: t.Window(), operations: make([]operation, len(dims.Operations)), unmeasured: map[core.OperationID]bool{},
		plan: &simulate.Plan{
			Profile: profile, Dimensions: dims, Window: window,
			HeartbeatPeriod: heartbeatPeriod, ScanPeriod: scanPeriod,
			Operations: make([]simulate.Operation, len(dims.Operations)), Phases: phases(len(dims.Nodes)),
			AppendJobName: jobNames(len(t.Trees())),
		},
	}
	for i, name := range t.Trees() {
		r.plan.Trees = append(r.plan.Trees, simulate.Tree{Name: name})
		r.stopping, r.room = map[core.JobID]int{}, map[string]core.Time{}
		for e, err := range t.Events(name, ingest.Options{Profile: profile, Kinds: kinds}) {
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return nil, 0, err
			}
			r.see(i, e)
		}
	}
	r.setBeginning()
	r.sizeNodes(t.Manifest().Sized())
	r.giveWork()
	return r.plan, len(r.unmeasured), nil
}

// jobNames are rerun-0, rerun-1 and so on. Trees take them in turn, each as its jobs start, so that
// what happens in one tree changes no name in another.
func jobNames(trees int) func([]byte, simulate.Named) []byte {
	return func(to []byte, j simulate.Named) []byte {
		return strconv.AppendInt(append(to, "rerun-"...), j.Number*int64(trees)+int64(j.Tree), 10)
	}
}

// kinds are those of the events that a plan is made from.
var kinds = []core.Kind{
	core.ProcessChanged, core.ClusterConfigured, core.TreeConfigured, core.PoolConfigured, core.NodeChanged,
	core.OperationChanged, core.DemandChanged, core.JobFinished, core.JobPreempted, core.JobStarted,
}

// phases spreads the nodes' reports evenly over the period, off the whole seconds, which
// are for updates.
func phases(nodes int) []core.Time {
	phases := make([]core.Time, nodes)
	for n := range phases {
		phases[n] = core.Time(int64(n)*int64(heartbeatPeriod)/int64(nodes)) + 137
	}
	return phases
}

// A reader makes a plan of the events of all trees.
type reader struct {
	plan       *simulate.Plan
	dims       *core.Dimensions
	log        core.Span // from the first event to the last, the window included
	operations []operation
	stated     *core.ClusterConfig       // the first
	stopping   map[core.JobID]int        // of jobs of the tree that will be preempted, the place in their operation
	room       map[string]core.Time      // by the name of a job of the tree: when the last of those is gone that were preempted for it
	linked     bool                      // some job names its predecessor
	unmeasured map[core.OperationID]bool // with jobs of whose length nothing is known
}

// see takes what is of use from an event.
func (r *reader) see(tree int, e *core.Event) {
	r.log.From, r.log.To = min(r.log.From, e.Time), max(r.log.To, e.Time)
	switch e.Kind {
	case core.OperationChanged:
		r.seeStep(tree, e)
	case core.DemandChanged:
		o := &r.operations[e.Operation]
		o.wants = append(o.wants, want{e.Time, e.Needed, e.MinNeeded, e.PendingJobs})
	case core.JobStarted:
		r.start(e)
	case core.JobPreempted:
		r.preempt(e)
	case core.JobFinished:
	default:
		if r.stated == nil {
			r.stated = e.Cluster
		}
		r.addFact(tree, e)
	}
}

func (r *reader) addFact(tree int, e *core.Event) {
	t := &r.plan.Trees[tree]
	t.Facts = append(t.Facts, e.Clone())
}

// seeStep takes arrivals and what people did, and notes the rest of an operation's life.
func (r *reader) seeStep(tree int, e *core.Event) {
	o := &r.operations[e.Operation]
	switch e.Step {
	case core.StepStarted:
		o.accepted = true
		r.request(tree, e)
	case core.StepRejected:
		o.rejected = earlier(o.rejected, e.Time)
		r.request(tree, e)
	case core.StepSuspended, core.StepResumed, core.StepParamsChanged, core.StepRevived:
		fact := e.Clone()
		fact.Pool = core.Unknown
		r.addFact(tree, &fact)
	case core.StepPoolChanged:
		fact := e.Clone()
		if fact.Pool = r.hub(e.Pool); fact.Pool != core.Unknown {
			r.addFact(tree, &fact)
		}
	case core.StepPending:
		o.waited = true
	case core.StepRunning:
		o.running = earlier(o.running, e.Time)
	case core.StepMaterialized:
		o.ready = earlier(o.ready, e.Time)
	case core.StepAborted, core.StepFailed:
		o.end = earlier(o.end, e.Time)
		r.addFact(tree, e)
	case core.StepCompleted:
		o.end, o.completed = earlier(o.end, e.Time), true
	}
}

// request asks for an operation in a tree, once. One that a pool offloads there is asked
// for by that pool again.
func (r *reader) request(tree int, e *core.Event) {
	planned, o := &r.plan.Operations[e.Operation], &r.operations[e.Operation]
	if e.Role == core.RoleOffloading || slices.ContainsFunc(planned.Requests, func(q simulate.Request) bool { return q.Tree == tree }) {
		return
	}
	q := simulate.Request{Tree: tree, Started: e.Clone()}
	q.Started.Step, q.Started.Pool, q.Started.ErrorCode = core.StepStarted, core.Unknown, 0
	if e.Pool >= 0 {
		q.Pool, _, _ = strings.Cut(r.dims.Pools[e.Pool].Name, "$")
	}
	if e.Spec != nil {
		q.Pool = e.Spec.Pool
		planned.Eligibility = e.Spec.Trees.Eligibility
		planned.Unnamed, planned.SingleTree, planned.Erases = !e.Spec.Trees.PoolTrees.Set, e.Spec.Trees.SingleTree, e.Spec.EraseViolatedTrees
	}
	planned.Requests = append(planned.Requests, q)
	o.submitted = earlier(o.submitted, e.Time)
}

// hub is the pool that a user asked for whose operation landed in a pool: in a hub it is the
// user's own pool below the hub.
func (r *reader) hub(landed core.PoolID) core.PoolID {
	if landed < 0 {
		return core.Unknown
	}
	own := r.dims.Pools[landed]
	name, _, below := strings.Cut(own.Name, "$")
	if !below {
		return landed
	}
	return core.PoolID(slices.IndexFunc(r.dims.Pools, func(p core.PoolInfo) bool { return p.Tree == own.Tree && p.Name == name })) // or Unknown
}

// setBeginning sets the plan's beginning and its periods, and postpones older events to the
// beginning. Operations that had ended by then are left out.
func (r *reader) setBeginning() {
	p := r.plan
	p.Window.From = max(r.log.From, p.Window.From-longestLead)
	stated := cmp.Or(r.stated, &core.ClusterConfig{})
	p.UpdatePeriod = core.UpdatePeriod(stated)
	if stated.ScanPeriod.Set {
		p.ScanPeriod = core.Time(stated.ScanPeriod.Value) * 1000
	}
	// Only an update looks through the queues.
	p.ScanPeriod = max(p.ScanPeriod/p.UpdatePeriod, 1) * p.UpdatePeriod
	for i := range p.Trees {
		facts := p.Trees[i].Facts[:0]
		for _, f := range p.Trees[i].Facts {
			older := f.Time < p.Window.From
			switch {
			case f.Kind == core.OperationChanged && r.operations[f.Operation].isOver(p.Window.From):
				continue
			case f.Kind == core.OperationChanged && f.Step == core.StepPoolChanged && older:
				r.ask(f.Operation, i, f.Pool)
				continue
			case older:
				f.Time = p.Window.From
			}
			facts = append(facts, f)
		}
		p.Trees[i].Facts = facts
		slices.SortStableFunc(facts, func(a, b core.Event) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Kind, b.Kind)) })
	}
}

// ask has an operation asked for in another pool of a tree: it was moved there before the plan
// begins.
func (r *reader) ask(id core.OperationID, tree int, pool core.PoolID) {
	for i := range r.plan.Operations[id].Requests {
		if q := &r.plan.Operations[id].Requests[i]; q.Tree == tree {
			q.Pool = r.dims.Pools[pool].Name
		}
	}
}

// giveTurns has operations that are older than the plan come as they came in the log, those first
// that got to run.
func (r *reader) giveTurns() {
	var older []int
	for id := range r.operations {
		if o := &r.operations[id]; o.submitted.Set && o.submitted.Value < r.plan.Window.From {
			older = append(older, id)
		}
	}
	waits := func(o *operation) int {
		if o.running.Set && o.running.Value < r.plan.Window.From || len(o.attempts) > 0 && o.attempts[0].start < r.plan.Window.From {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(older, func(x, y int) int {
		a, b := &r.operations[x], &r.operations[y]
		return cmp.Or(cmp.Compare(waits(a), waits(b)), cmp.Compare(a.submitted.Value, b.submitted.Value))
	})
	for i, id := range older {
		r.plan.Operations[id].Turn = i - len(older) // before those that come just then
	}
}

// sizeNodes gives nodes enough for all work of the log of those resources whose capacity the
// trace does not record: an unknown capacity must not delay any job. For a node that the log does
// not describe these are all resources.
func (r *reader) sizeNodes(sized [resource.Kinds]bool) {
	var all resource.Vector
	for i := range r.operations {
		o := &r.operations[i]
		for k := range o.attempts {
			all = all.Add(o.attempts[k].size)
		}
		if n := len(o.wants); n > 0 {
			all = all.Add(o.wants[n-1].needed)
		}
	}
	for t := range r.plan.Trees {
		for i := range r.plan.Trees[t].Facts {
			f := &r.plan.Trees[t].Facts[i]
			for k := range all {
				if f.Kind == core.NodeChanged && (!sized[k] || f.Undescribed && f.Online) {
					f.Limits[k] = max(f.Limits[k], min(all[k], resource.Unlimited[k]/int64(len(r.dims.Nodes))))
				}
			}
			f.Undescribed = false
		}
	}
}

// earlier is the earlier of two times; the first may not be known yet.
func earlier(a core.Optional[core.Time], b core.Time) core.Optional[core.Time] {
	if a.Set && a.Value <= b {
		return a
	}
	return core.Some(b)
}
