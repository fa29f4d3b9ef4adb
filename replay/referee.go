package replay

import (
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// A referee judges recorded starts and preemptions by the state before them
// (design §5). The log is followed whatever it says: every event of a decision is
// stepped, right after it was judged.
//
// The starts and preemptions of one node at one instant are one heartbeat, that of the
// node's last row if it is no older than core.HeartbeatSpan. Where
// an instant holds preemptions, its decisions wait until all are known: a job
// that was started in place of others comes after them in the log, and is needed
// to judge them.
type referee struct {
	core *core.Tree
	dims *core.Dimensions
	opts *Options
	out  *output

	excuses   *excuseWindows
	snapshots *snapshots
	course    func(owner) *course // of late, as the recorder keeps it
	lacks     judge.MissingInputs
	// exactDemand says that the log holds every change of demand.
	exactDemand   bool
	demandOfJobs  bool                 // it is made up of the jobs, so that none is beyond it
	poolsKnown    bool                 // the log knows the configurations of pools, or that there are none
	poolsAssumed  bool                 // those that it holds are made up
	allHeartbeats bool                 // it holds every heartbeat
	nodesLag      core.Time            // by which it may tell later that a node changed
	assumesStates bool                 // it does not tell what runs from what waits
	vague         [resource.Kinds]bool // resources of which the log knows only what jobs asked for
	slacks        judge.Slacks
	from          int64 // since when clocks are known, as a rule when the log begins; scheduling.Never if nothing was there before
	inexact       bool  // the log tells of jobs' usage

	instant []core.Event // decisions of an instant with preemptions
	names   []byte       // of the jobs in it
	records []core.PreemptionRecord
	groups  []heartbeat
	earlier []starts // by node slot

	batch      judge.Batch
	told       bool // its elements tell of usage that may have been unknown
	start      judge.Start
	rulings    []judge.Ruling
	competitor core.OperationID // of the start that is being judged
	served     servedCompetitor // the same, if its own start is what made it doubtful
	rows       []preemption     // of the batch that is being judged
	own        []judge.Ruling   // on one of them
	pools      []int32          // of those that the batch concerns
	texts      texts
	row        tables.Decision

	beneficiaries []int32 // of the batch, by start; -1 where it is none
	freed         []freed // by the victims of the heartbeat that is followed
	tally         tally
	held          []held

	undecided undecided
	repairs   repairs
	idle      idleness
	lost      lostWork
	arrivals  arrivals
	versions  limitVersions
}

// starts are the jobs that a node's heartbeat has started.
type starts struct {
	at, last core.Time // of the first, and of the last
	count    int
	inPlace  int  // of them, those of stages that are told to be preemptive
	before   int  // of those, the ones before the last moment
	ruled    bool // victims tell of those of the last moment: PRE-13 is judged by them
}

func newReferee(t *core.Tree, dims *core.Dimensions, out *output, opts *Options, g *excuseWindows) *referee {
	r := &referee{core: t, dims: dims, opts: opts, out: out, excuses: g, slacks: slacksOf(t.Cluster(), opts), exactDemand: true, repairs: newRepairs(opts.Facts), idle: newIdleness(opts.Facts)}
	t.DoubtUsage(r.slacks.OnUsage)
	r.nodesLag = nodesLag(opts.Facts)
	t.DelayNodes(r.nodesLag)
	r.remember()
	for _, f := range opts.Facts {
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
			t.TrustHeartbeats()
		case f.Aspect == "operation_states":
			r.assumesStates = f.State == "assumed"
		case f.Aspect == "pool_config":
			r.poolsKnown, r.poolsAssumed = knowsPools(f.State), f.State == "assumed"
			g.single = f.State == "single"
		}
		for k := range r.vague {
			if f.Aspect == "usage."+resource.Kind(k).String() {
				r.vague[k] = f.State != "recorded"
			}
		}
	}
	return r
}

// decide judges an event that states a decision and applies it, now or when all
// of its instant are known. It reports false for an event that states none, or
// that came before the window.
func (r *referee) decide(e *core.Event, inWindow bool) bool {
	if e.Kind == core.JobStarted || e.Kind == core.JobPreempted || e.Kind == core.JobFinished {
		r.core.Prefetch(e)
	}
	if len(r.held) > 0 && e.Kind != core.HeartbeatReceived {
		r.followEndings(e)
		r.followHeld(e)
	}
	if len(r.arrivals.queue) > 0 && e.Kind != core.HeartbeatReceived {
		r.followArrivals(e)
	}
	if inWindow {
		r.followLostWork(e)
	}
	switch e.Kind {
	case core.JobPreempted:
		if inWindow {
			r.core.Changes() // what the instant configured is in force
			r.keep(e)
		}
		return inWindow
	case core.HeartbeatReceived:
		if inWindow {
			r.beat(e)
		}
	case core.NodeChanged:
		r.forgetIdle(e)
	case core.DemandChanged:
		r.hearRival(e.Operation, e.MinNeeded, e.Needed.IsZero())
	case core.JobStarted:
		r.forgetIdle(e)
		switch {
		case !inWindow:
			return false
		case len(r.instant) > 0:
			r.keep(e)
		default:
			r.core.Changes()
			r.judgeStart(e, isPreemptive(e))
			r.core.Step(e)
		}
		return true
	case core.JobReported:
		r.inexact = r.inexact || e.Uses
	case core.ClusterConfigured:
		r.slacks = slacksOf(e.Cluster, r.opts)
		r.remember()
		r.configured(e.Time)
	case core.TreeConfigured, core.PoolConfigured:
		r.configured(e.Time)
	}
	return false
}

// logBegins is when a log begins that has its first event then, scheduling.Never if nothing
// was there before. What a log tells from before it begins was there by then, and nobody
// knows how it had fared (ingest/trace/FORMAT.md §3.7).
func (o *Options) logBegins(first core.Time) int64 {
	if begins := o.Window.From - o.Warmup; first < begins {
		return int64(begins)
	}
	return scheduling.Never
}

// remember has the core remember usage for as long as slacks ask for it.
func (r *referee) remember() {
	r.core.RememberUsage(core.Time(max(r.slacks.Usage, r.slacks.Heartbeat, r.slacks.Configuration, r.slacks.Clock)))
}

// keep copies an event, which its stream will reuse.
func (r *referee) keep(e *core.Event) {
	from := len(r.names)
	r.names = append(r.names, e.Name...)
	r.instant = append(r.instant, *e)
	own := &r.instant[len(r.instant)-1]
	own.Name = r.names[from:len(r.names):len(r.names)]
	if e.Preemption != nil {
		r.records = append(r.records, *e.Preemption)
		own.Preemption = &r.records[len(r.records)-1]
	}
}

// settle judges and applies the decisions that wait, heartbeat by heartbeat.
func (r *referee) settle() {
	if len(r.instant) == 0 {
		return
	}
	r.group()
	for i := range r.groups {
		r.judgeHeartbeat(&r.groups[i])
	}
	r.instant, r.names, r.records = r.instant[:0], r.names[:0], r.records[:0]
}

// A heartbeat is what one node's heartbeat decided, as places in the instant.
type heartbeat struct {
	node     int32 // slot, -1 if the log does not say
	seq      int64 // orders the heartbeats of an instant
	recorded bool  // the log holds the heartbeat itself
	taken    []int32
	started  []int32
}

// group sorts the decisions of the instant by node, in the order of the nodes'
// heartbeats as far as the log tells.
func (r *referee) group() {
	r.groups = r.groups[:0]
	for i := range r.instant {
		e := &r.instant[i]
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

func (r *referee) groupOf(e *core.Event) *heartbeat {
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
		if n := r.core.Node(node); n.Answers(e.Time) {
			g.seq, g.recorded = n.HeartbeatSeq, true
		}
	}
	return g
}

// nodeOf returns the slot of an event's node, -1 if the log does not say.
func (r *referee) nodeOf(e *core.Event) int32 {
	if slot, ok := r.core.JobOf(e.Job); ok && e.Kind == core.JobPreempted {
		return r.core.Job(slot).Node
	}
	if e.Node < 0 {
		return -1
	}
	slot, _ := r.core.NodeOf(e.Node)
	return slot
}

// context is what all judgements at an instant share. Decisions shortly after a
// change of the configuration that concerns them may have been made by the old
// one, which proves nothing (core/spec/invariants.md §1).
func (r *referee) context(at core.Time, evidence judge.Evidence, pools ...int32) judge.Context {
	o := r.core.Scheduling().Options()
	r.slacks.Interrupt, r.slacks.Backoff = o.InterruptTimeout, o.PreemptiveBackoff
	c := judge.Context{Evidence: evidence, MissingInputs: r.lacks, Slacks: &r.slacks}
	r.excuses.cover(&c, r.core, at)
	if r.core.Unplaced() > 0 {
		c.Missing = judge.OperationPool
	}
	if !r.core.KnowsPast() {
		c.MissingInputs |= judge.NoShares
	}
	if r.core.Config().Assumed {
		c.MissingInputs |= judge.NoConfiguration
	}
	if !r.poolsKnown && (r.poolsAssumed || !r.core.PoolsConfigured()) {
		c.MissingInputs |= judge.NoPools
	}
	above := r.core.Cluster()
	if !above.MinSpare.Set {
		c.MissingInputs |= judge.NoSpare
	}
	if !above.OvercommitDuration.Set {
		c.MissingInputs |= judge.NoOvercommit
	}
	for _, p := range pools {
		if since := r.core.LastConfigured(p); since > 0 && int64(at-since) < r.slacks.Configuration {
			c.Shaken |= judge.OnVersions
		}
		if r.core.HasNoOrder(p) {
			c.Shaken |= judge.OnDemand | judge.OnShares
		}
	}
	return c
}

// soften takes back what was alleged by amounts that the log does not know: what
// jobs asked for is at most too much. Where jobs may run at all is told elsewhere.
func (r *referee) soften(rulings []judge.Ruling) []judge.Ruling {
	kept := 0
	for i := range rulings {
		ruling := &rulings[i]
		if isOfJobPlacement(ruling.Invariant) {
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

// isOfJobPlacement reports whether a rule is about where jobs may run at all.
func isOfJobPlacement(i judge.Invariant) bool {
	return i == judge.TREE03 || i == judge.TREE05 || i == judge.TREE11 || i == judge.PEND05
}

// room is what a node has of the resources that the trace measures; without
// bound in the others.
func (r *referee) room(limits resource.Vector) resource.Vector {
	for k, measured := range r.opts.Measured {
		if !measured {
			limits[k] = resource.Unlimited[k]
		}
	}
	return limits
}

// unmeasured is what a node has, as far as is known, of the resources of which the log
// tells only what jobs asked for; without bound in the others, zero if there are none.
func (r *referee) unmeasured(limits resource.Vector) resource.Vector {
	room := resource.Unlimited
	for k, measured := range r.opts.Measured {
		if !measured && (r.opts.Sized[k] || limits[k] > 0) {
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
func (r *referee) known(node int32) bool {
	if node < 0 {
		return false
	}
	n := r.core.Node(node)
	return n.Online || !n.Limits.IsZero()
}

func handle(node int32) scheduling.Node {
	if node < 0 {
		return scheduling.NoNode
	}
	return scheduling.Node(node)
}
