package decisions

import (
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// A Referee judges recorded starts and preemptions by the state before them. It applies every
// decision right after judging it, whatever the ruling.
//
// The starts and preemptions of one node at one instant form one heartbeat, that of the node's last
// row if it is not older than core.HeartbeatSpan. In an instant with preemptions, decisions wait
// until all are known: the preemptor's job comes after its victims in the log, and is needed to
// judge them.
type Referee struct {
	*env.Env
	results

	records      Records
	recentShares func(env.Owner) *env.ShareTrack // recent shares of an element, kept by the recorder
	lacks        judge.MissingInputs
	// exactDemand says that the log holds every change of demand.
	exactDemand   bool
	sampledDemand bool                 // only snapshots record demand
	demandOfJobs  bool                 // demand is reconstructed from the jobs, so no job exceeds it
	poolsAssumed  bool                 // the log's pools are assumed
	allHeartbeats bool                 // the log holds every heartbeat
	nodesLag      core.Time            // longest delay between a node's change and its row
	assumesStates bool                 // the log does not distinguish running from pending operations
	vague         [resource.Kinds]bool // resources whose usage the log records only as what jobs asked for
	slacks        judge.Slacks
	inexact       bool // the log records jobs' usage

	instant core.EventBuffer // decisions of an instant with preemptions
	groups  []heartbeat
	earlier []starts // by node slot

	batch      judge.Batch
	uncertain  bool // its elements have usage that may have been unknown at the decision
	start      judge.Start
	rulings    []judge.Ruling
	competitor competitor // of the current start
	open       openCompetitors
	rows       []preemption   // of the current batch
	own        []judge.Ruling // rulings on one of them
	pools      []int32        // slots of the pools that the batch concerns
	texts      texts
	row        tables.Decision

	preemptors []int32 // index in the batch, by start; -1 for regular starts
	freed      []freed // by the victims of the current heartbeat
	tally      tally
	Held       []*held

	undecided undecided
	repairs   repairs
	idle      idleness
	lost      lostWork
	arrivals  arrivals

	allocations allocations
	versions    limitVersions
}

// results holds the tables that a referee fills.
type results struct {
	decisions      env.Table[tables.Decision]
	decisionCounts env.Table[tables.DecisionCount]
	preemptions    env.Table[tables.Preemption]
	missedRepairs  env.Table[tables.MissedRepair]
	lostWork       env.Table[tables.LostWork]
	idleNodes      env.Table[tables.IdleNode]
	segmentMoves   env.Table[tables.SegmentMove]
}

func openResults(out *env.Output) results {
	return results{
		decisions: env.Open[tables.Decision](out), decisionCounts: env.Open[tables.DecisionCount](out),
		preemptions: env.Open[tables.Preemption](out), missedRepairs: env.Open[tables.MissedRepair](out),
		lostWork: env.Open[tables.LostWork](out), idleNodes: env.Open[tables.IdleNode](out), segmentMoves: env.Open[tables.SegmentMove](out),
	}
}

// Records gives access to the scheduler's own records, as far as decisions depend on them.
type Records interface {
	// StatusDenied returns the status of an element in the last record, if it differs from the
	// replay.
	StatusDenied(t *core.Tree, o env.Owner) (status scheduling.Status, denied bool)
	// Slack returns the time within which the next record follows, in µs.
	Slack() int64
	// KnowsDemand reports whether the log records demand at an instant.
	KnowsDemand(now core.Time) bool
	// LastRecord returns the time of the last record of an operation, core.Never if it has none.
	LastRecord(id core.OperationID) core.Time
	// DifferedInTotal reports whether the last record, or one since a moment, had another total than the replay.
	DifferedInTotal(since core.Time) bool
	// Unrecorded returns the time up to which updates of the shares may have come without a
	// snapshot.
	Unrecorded() core.Time
	// IsWhole reports whether the last snapshot contains all inputs of the shares of its update,
	// and no job that the log lacks.
	IsWhole() bool
	// IsSteady reports whether the last snapshot is whole, and from the update right after that of
	// the previous snapshot.
	IsSteady() bool
	// ShowsUpdate reports whether the snapshot of an instant is from the update right after that of
	// the previous snapshot.
	ShowsUpdate(at core.Time) bool
}

// starts counts the jobs that a node's heartbeat has started.
type starts struct {
	at, last core.Time // time of the first and of the last
	count    int
	inPlace  int  // those with a recorded preemptive stage
	before   int  // those of inPlace before the last time
	ruled    bool // the last time has victims, by which PRE-13 is judged
}

// New returns the referee of a tree, given the scheduler's own records and the recent shares of
// elements.
func New(e *env.Env, records Records, course func(env.Owner) *env.ShareTrack) *Referee {
	t, facts := e.Core, e.Log.Facts
	r := &Referee{
		Env: e, records: records, recentShares: course,
		results: openResults(e.Out),
		slacks:  e.Slacks(), exactDemand: true, repairs: newRepairs(facts), idle: newIdleness(facts),
	}
	t.SetUsageTolerance(r.slacks.OnUsage)
	r.nodesLag = e.Log.NodesLag()
	t.SetNodeLag(r.nodesLag)
	r.keepChanges()
	for _, f := range facts {
		if f.Aspect == "demand" {
			r.exactDemand, r.sampledDemand, r.demandOfJobs = f.State == "recorded", f.State == "snapshots", f.State == "reconstructed"
			if f.State == "none" {
				r.lacks |= judge.NoShares
			}
		}
		switch {
		case f.Aspect == "heartbeats" && (f.State == "none" || f.State == "reconstructed"):
			r.lacks |= judge.NoHeartbeats
		case f.Aspect == "heartbeats" && f.State == "recorded":
			r.allHeartbeats = true
			t.SetAllHeartbeats()
		case f.Aspect == "operation_states":
			r.assumesStates = f.State == "assumed"
		case f.Aspect == "pool_config":
			r.poolsAssumed = f.State == "assumed"
		}
		for k := range r.vague {
			if f.Aspect == "usage."+resource.Kind(k).String() {
				r.vague[k] = f.State != "recorded"
			}
		}
	}
	return r
}

// ofPolicy drops the rulings on rules that do not apply to the tree's scheduling policy.
func (r *Referee) ofPolicy(rulings []judge.Ruling) []judge.Ruling {
	if r.Core.Scheduling().Options().GPUPolicy {
		return judge.DropClassic(rulings)
	}
	return rulings
}

// Decide judges an event that is a decision and applies it, now or when all events of its instant
// are known. It returns false for other events and for events before the window.
func (r *Referee) Decide(e *core.Event, inWindow bool) bool {
	if len(r.Held) > 0 && e.Kind != core.HeartbeatReceived {
		r.followEndings(e)
		r.followHeld(e)
	}
	if len(r.arrivals.queue) > 0 && e.Kind != core.HeartbeatReceived {
		r.followArrivals(e)
	}
	r.followAllocations(e)
	r.followLostWork(e) // also before the window: a span is judged by its whole length
	switch e.Kind {
	case core.JobPreempted:
		if inWindow {
			r.Core.Changes() // applies the configurations of the instant
			r.instant.Add(e)
		}
		return inWindow
	case core.HeartbeatReceived:
		if inWindow {
			r.countIdleHeartbeat(e)
		}
	case core.NodeChanged:
		r.forgetIdle(e)
	case core.DemandChanged:
		r.answerByNeeds(e.Time, e.Operation, e.MinNeeded, e.Needed.IsZero())
	case core.JobStarted:
		r.forgetIdle(e)
		switch {
		case !inWindow:
			return false
		case len(r.instant.Events) > 0:
			r.instant.Add(e)
		default:
			r.Core.Changes()
			r.judgeStart(e, isPreemptive(e))
			r.Core.Step(e)
		}
		return true
	case core.OperationRecorded:
		r.answerByDeclines(e.Time, e.OperationRecord)
	case core.JobReported:
		r.inexact = r.inexact || e.Uses
	case core.ClusterConfigured:
		r.slacks = r.Log.SlacksOf(e.Cluster)
		r.keepChanges()
		r.configured(e)
	case core.TreeConfigured, core.PoolConfigured:
		r.configured(e)
	}
	return false
}

// keepChanges makes the core keep changes of usage for as long as the slacks require.
func (r *Referee) keepChanges() {
	r.Core.KeepChanges(core.Time(max(r.slacks.Usage, r.slacks.Heartbeat, r.slacks.Configuration, r.slacks.Clock)))
}

// EndInstant judges and applies the waiting decisions, heartbeat by heartbeat.
func (r *Referee) EndInstant() {
	if len(r.instant.Events) == 0 {
		return
	}
	r.group()
	for i := range r.groups {
		r.judgeHeartbeat(&r.groups[i])
	}
	r.instant.Reset()
}

// A heartbeat holds the decisions of one node's heartbeat, as indexes in the instant.
type heartbeat struct {
	node     int32 // slot, -1 if not recorded
	seq      int64 // orders the heartbeats of an instant
	recorded bool  // the log holds the heartbeat itself
	taken    []int32
	started  []int32
}

// group sorts the decisions of the instant by node, in the order of the nodes' heartbeats as far
// as the log records it.
func (r *Referee) group() {
	r.groups = r.groups[:0]
	for i := range r.instant.Events {
		e := &r.instant.Events[i]
		g := r.groupOf(e)
		if e.Kind == core.JobPreempted {
			g.taken = append(g.taken, int32(i))
		} else {
			g.started = append(g.started, int32(i))
			if !g.recorded {
				g.seq = min(g.seq, e.Seq)
			}
		}
	}
	slices.SortStableFunc(r.groups, func(a, b heartbeat) int {
		switch {
		case a.seq < b.seq:
			return -1
		case a.seq > b.seq:
			return 1
		}
		return 0
	})
}

func (r *Referee) groupOf(e *core.Event) *heartbeat {
	node := r.nodeOf(e)
	for i := range r.groups {
		if r.groups[i].node == node {
			return &r.groups[i]
		}
	}
	if len(r.groups) < cap(r.groups) {
		r.groups = r.groups[:len(r.groups)+1]
	} else {
		r.groups = append(r.groups, heartbeat{})
	}
	g := &r.groups[len(r.groups)-1]
	*g = heartbeat{node: node, seq: 1<<63 - 1, taken: g.taken[:0], started: g.started[:0]}
	if node >= 0 {
		if n := r.Core.Node(node); n.Answers(e.Time) {
			g.seq, g.recorded = n.HeartbeatSeq, true
		}
	}
	return g
}

// nodeOf returns the slot of an event's node, -1 if not recorded.
func (r *Referee) nodeOf(e *core.Event) int32 {
	if e.Kind == core.JobPreempted {
		if slot, ok := r.Core.JobOf(e.Job); ok {
			return r.Core.Job(slot).Node
		}
	}
	if e.Node < 0 {
		return -1
	}
	slot, _ := r.Core.NodeOf(e.Node)
	return slot
}

// context returns the context of rulings at an instant. Decisions shortly after a change of a
// configuration that concerns them may be based on the old one, so they prove nothing
// (core/spec/invariants.md §1).
func (r *Referee) context(at core.Time, evidence judge.Evidence, pools ...int32) judge.Context {
	o := r.Core.Scheduling().Options()
	r.slacks.Interrupt, r.slacks.Backoff = o.InterruptTimeout, o.PreemptiveBackoff
	c := judge.Context{Evidence: evidence, MissingInputs: r.lacks, Unmodelled: r.Core.Unmodelled(), Slacks: &r.slacks}
	r.Excuses.Cover(&c, r.Core, at)
	if r.Core.Unplaced() > 0 {
		c.Missing = judge.OperationPool
	}
	if r.records.DifferedInTotal(at - core.Time(r.records.Slack())) {
		c.Shaken |= judge.OnShares | judge.OnDemand
	}
	if !r.Core.StartsFromKnownState() {
		c.MissingInputs |= judge.NoShares
	}
	if r.Core.Config().Assumed {
		c.MissingInputs |= judge.NoConfiguration
	}
	if !r.PoolsKnown && (r.poolsAssumed || !r.Core.PoolsConfigured()) {
		c.MissingInputs |= judge.NoPools
	}
	above := r.Core.Cluster()
	if !above.MinSpare.Set {
		c.MissingInputs |= judge.NoSpare
	}
	if !above.OvercommitDuration.Set {
		c.MissingInputs |= judge.NoOvercommit
	}
	for _, p := range pools {
		if since := r.Core.LastConfigured(p); int64(at-since) < r.slacks.Configuration {
			c.Shaken |= judge.OnVersions
		}
		if r.Core.HasNoOrder(p) {
			c.Shaken |= judge.OnDemand | judge.OnShares
		}
	}
	return c
}

// soften withdraws breaches that depend on unmeasured resources: the requests of jobs are an upper
// bound. Whether jobs may run at all is judged elsewhere.
func (r *Referee) soften(rulings []judge.Ruling) []judge.Ruling {
	kept := 0
	for i := range rulings {
		ruling := &rulings[i]
		if ruling.Invariant.About() == judge.AboutTrees {
			continue
		}
		if ruling.Verdict == judge.Violated && ruling.Unit() == judge.Amounts && r.vague[ruling.Resource] {
			ruling.Verdict, ruling.Evidence = judge.Suspect, judge.Possible
		}
		if kept != i {
			rulings[kept] = *ruling
		}
		kept++
	}
	return rulings[:kept]
}

// room returns the limits of a node in the resources that the trace measures, unlimited in the
// others.
func (r *Referee) room(limits resource.Vector) resource.Vector {
	for k, measured := range r.Log.Measured {
		if !measured {
			limits[k] = resource.Unlimited[k]
		}
	}
	return limits
}

// unmeasured returns the capacity of a node in the resources whose usage is known only as requested
// by jobs, unlimited in the others; zero if all are measured.
func (r *Referee) unmeasured(limits resource.Vector) resource.Vector {
	room := resource.Unlimited
	for k, measured := range r.Log.Measured {
		if !measured && (r.Log.Sized[k] || limits[k] > 0) {
			room[k] = limits[k]
		}
	}
	if room == resource.Unlimited {
		return resource.Vector{}
	}
	return room
}

// known reports whether the log has introduced a node, so that its size and
// presence mean something.
func (r *Referee) known(node int32) bool {
	if node < 0 {
		return false
	}
	n := r.Core.Node(node)
	return !n.Undescribed && (n.Online || !n.Limits.IsZero())
}

// intervalOf returns the longest observed time between two heartbeats of a node in a log that holds
// them all, or 0.
func (r *Referee) intervalOf(node int32) int64 {
	if node < 0 {
		return 0
	}
	return int64(r.Core.Node(node).Interval)
}
