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

// A Referee judges recorded starts and preemptions by the state before them
// (design §5). The log is followed whatever it says: every event of a decision is
// stepped, right after it was judged.
//
// The starts and preemptions of one node at one instant are one heartbeat, that of the
// node's last row if it is no older than core.HeartbeatSpan. Where
// an instant holds preemptions, its decisions wait until all are known: a job
// that was started in place of others comes after them in the log, and is needed
// to judge them.
type Referee struct {
	*env.Env
	results

	records Records
	course  func(env.Owner) *env.Course // of late, as the recorder keeps it
	lacks   judge.MissingInputs
	// exactDemand says that the log holds every change of demand.
	exactDemand   bool
	demandOfJobs  bool                 // it is made up of the jobs, so that none is beyond it
	poolsAssumed  bool                 // those that it holds are made up
	allHeartbeats bool                 // it holds every heartbeat
	nodesLag      core.Time            // how much later than a node's change its row may be
	assumesStates bool                 // it does not distinguish what runs from what waits
	vague         [resource.Kinds]bool // resources whose usage the log records only as what jobs asked for
	slacks        judge.Slacks
	inexact       bool // the log records jobs' usage

	instant core.EventBuffer // decisions of an instant with preemptions
	groups  []heartbeat
	earlier []starts // by node slot

	batch      judge.Batch
	uncertain  bool // its elements have usage that the decision may not have known
	start      judge.Start
	rulings    []judge.Ruling
	competitor competitor // of the start that is being judged
	open       openCompetitors
	rows       []preemption   // of the batch that is being judged
	own        []judge.Ruling // on one of them
	pools      []int32        // of those that the batch concerns
	texts      texts
	row        tables.Decision

	beneficiaries []int32 // of the batch, by start; -1 where it is none
	freed         []freed // by the victims of the heartbeat that is followed
	tally         tally
	Held          []*held

	undecided undecided
	repairs   repairs
	idle      idleness
	lost      lostWork
	arrivals  arrivals
	versions  limitVersions
}

// results are the tables that a referee fills.
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

// Records are those of the scheduler itself, as far as decisions depend on them.
type Records interface {
	// StatusDenied returns how the last record says that an element starves, where that is
	// not what the replay says.
	StatusDenied(t *core.Tree, o env.Owner) (status scheduling.Status, denied bool)
	// Slack is within how long the next record follows, in µs.
	Slack() int64
	// KnowsDemand reports whether the log records demand at an instant.
	KnowsDemand(now core.Time) bool
	// Unrecorded is up to when updates of the shares may have come that no snapshot records.
	Unrecorded() core.Time
	// IsWhole reports whether the last snapshot shows all that the shares of its update are made of, and no job that
	// the log lacks.
	IsWhole() bool
	// IsSteady reports whether the last snapshot is whole, and of the update that followed the one of the snapshot before.
	IsSteady() bool
	// ShowsUpdate reports whether the snapshot of an instant is of the update after that of the one before.
	ShowsUpdate(at core.Time) bool
}

// starts are the jobs that a node's heartbeat has started.
type starts struct {
	at, last core.Time // of the first, and of the last
	count    int
	inPlace  int  // of them, those of stages that are recorded as preemptive
	before   int  // of those, the ones before the last moment
	ruled    bool // there are victims of the last moment, by which PRE-13 is judged
}

// New returns the referee of a tree, given what the scheduler's own records say and how
// elements have fared lately.
func New(e *env.Env, records Records, course func(env.Owner) *env.Course) *Referee {
	t, facts := e.Core, e.Log.Facts
	r := &Referee{
		Env: e, records: records, course: course,
		results: openResults(e.Out),
		slacks:  e.Slacks(), exactDemand: true, repairs: newRepairs(facts), idle: newIdleness(facts),
	}
	t.SetUsageTolerance(r.slacks.OnUsage)
	r.nodesLag = e.Log.NodesLag()
	t.SetNodeLag(r.nodesLag)
	r.remember()
	for _, f := range facts {
		if f.Aspect == "demand" {
			r.exactDemand, r.demandOfJobs = f.State == "recorded", f.State == "reconstructed"
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

// Decide judges an event that states a decision and applies it, now or when all
// of its instant are known. It reports false for an event that states none, or
// that came before the window.
func (r *Referee) Decide(e *core.Event, inWindow bool) bool {
	if len(r.Held) > 0 && e.Kind != core.HeartbeatReceived {
		r.followEndings(e)
		r.followHeld(e)
	}
	if len(r.arrivals.queue) > 0 && e.Kind != core.HeartbeatReceived {
		r.followArrivals(e)
	}
	r.followLostWork(e) // before the window, too: a span is judged by its whole length
	switch e.Kind {
	case core.JobPreempted:
		if inWindow {
			r.Core.Changes() // what the instant configured is in force
			r.instant.Add(e)
		}
		return inWindow
	case core.HeartbeatReceived:
		if inWindow {
			r.beat(e)
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
		r.remember()
		r.configured(e)
	case core.TreeConfigured, core.PoolConfigured:
		r.configured(e)
	}
	return false
}

// remember has the core remember usage for as long as slacks ask for it.
func (r *Referee) remember() {
	r.Core.KeepChanges(core.Time(max(r.slacks.Usage, r.slacks.Heartbeat, r.slacks.Configuration, r.slacks.Clock)))
}

// Settle judges and applies the decisions that wait, heartbeat by heartbeat.
func (r *Referee) Settle() {
	if len(r.instant.Events) == 0 {
		return
	}
	r.group()
	for i := range r.groups {
		r.judgeHeartbeat(&r.groups[i])
	}
	r.instant.Reset()
}

// A heartbeat is what one node's heartbeat decided, as places in the instant.
type heartbeat struct {
	node     int32 // slot, -1 if the log does not say
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

// nodeOf returns the slot of an event's node, -1 if the log does not say.
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

// context is what all judgements at an instant share. Decisions shortly after a
// change of the configuration that concerns them may have been made by the old
// one, which proves nothing (core/spec/invariants.md §1).
func (r *Referee) context(at core.Time, evidence judge.Evidence, pools ...int32) judge.Context {
	o := r.Core.Scheduling().Options()
	r.slacks.Interrupt, r.slacks.Backoff = o.InterruptTimeout, o.PreemptiveBackoff
	c := judge.Context{Evidence: evidence, MissingInputs: r.lacks, Slacks: &r.slacks}
	r.Excuses.Cover(&c, r.Core, at)
	if r.Core.Unplaced() > 0 {
		c.Missing = judge.OperationPool
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

// soften takes back what was alleged by amounts that the log does not record: what jobs asked for
// is an upper bound. Whether jobs may run at all is judged elsewhere.
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

// room is what a node has of the resources that the trace measures; without
// bound in the others.
func (r *Referee) room(limits resource.Vector) resource.Vector {
	for k, measured := range r.Log.Measured {
		if !measured {
			limits[k] = resource.Unlimited[k]
		}
	}
	return limits
}

// unmeasured is the capacity of a node in the resources whose usage the log records only
// as what jobs asked for. It is without bound in the others, and zero if there are none.
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

// intervalOf is the longest time that has been seen between two heartbeats of a node in
// a log that holds them all; 0 if none was.
func (r *Referee) intervalOf(node int32) int64 {
	if node < 0 {
		return 0
	}
	return int64(r.Core.Node(node).Interval)
}
