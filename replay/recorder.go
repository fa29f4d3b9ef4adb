package replay

import (
	"poolproof/core"
	"poolproof/replay/configuration"
	"poolproof/replay/env"
	"poolproof/replay/episodes"
	"poolproof/replay/jobs"
	"poolproof/replay/ledger"
	"poolproof/replay/limits"
	"poolproof/replay/queues"
	"poolproof/replay/snapshots"
	"poolproof/replay/survey"
	"poolproof/replay/tables"
)

// A recorder has the rooms turn what moved in a core into rows of the result tables. It is
// settled once per instant, after all events of the instant.
//
// Rooms that others ask come first: queues and configurations before the jobs that start by
// them, elements of the tree before the guarantees that compare them, operations before
// pools.
type recorder struct {
	*env.Env

	nodes []nodeTrack // by slot

	excuseRows    env.Table[tables.ExcuseWindow]
	earlierExcuse env.Table[tables.EarlierExcuseWindow]
	totalEpisodes env.Table[tables.TotalEpisode]
	coverage      env.Table[tables.Coverage]
	problems      env.Table[tables.Problem]
	trees         env.Table[tables.Tree]

	nodeRows   env.Batch[tables.Node]
	objectRows env.Batch[tables.Operation]

	episodes      *episodes.Recorder
	queues        *queues.Queues
	configuration *configuration.Configuration
	jobs          *jobs.Jobs
	neighbours    survey.Neighbourhood
	totals        totals

	ledger     *ledger.Ledger
	limits     *limits.Limits
	objects    []bool // operations that have a row, by id
	openExcuse openExcuse
	snapshots  *snapshots.Snapshots
	seen       facts
	refused    map[string]int64
	refusals   []string
}

func newRecorder(e *env.Env) *recorder {
	out := e.Out
	r := &recorder{Env: e, refused: map[string]int64{}}
	r.nodeRows = env.OpenBatch(out, compareNodes)
	r.objectRows = env.OpenBatch(out, compareObjects)
	r.excuseRows = env.Open[tables.ExcuseWindow](out)
	r.earlierExcuse = env.Open[tables.EarlierExcuseWindow](out)
	r.totalEpisodes = env.Open[tables.TotalEpisode](out)
	r.coverage = env.Open[tables.Coverage](out)
	r.problems = env.Open[tables.Problem](out)
	r.trees = env.Open[tables.Tree](out)
	r.queues, r.configuration = queues.New(e), configuration.New(e)
	r.limits = limits.New(e)
	r.configuration.Changed = r.reconfigure
	r.episodes = episodes.New(e)
	r.snapshots = snapshots.New(e, r.episodes)
	r.episodes.Records = r.snapshots
	r.jobs = jobs.New(e, r.snapshots)
	r.ledger = ledger.New(e)
	return r
}

// grow makes room for the slots that the core has.
func (r *recorder) grow() {
	r.episodes.Grow()
	for len(r.nodes) < r.Core.Nodes() {
		r.nodes = append(r.nodes, nodeTrack{})
	}
}

// beginWindow opens the window: what lives now has begun before it.
func (r *recorder) beginWindow(at core.Time) {
	r.Now = at
	r.grow()
	r.episodes.Cut(at, r.Log.Warmup > 0)
	r.limits.BeginWindow(at)
	for slot := range int32(r.Core.Pools()) {
		r.settlePool(slot, at)
	}
	for slot := range int32(r.Core.Operations()) {
		if r.Core.Operation(slot).Alive {
			r.settleOperation(slot, at)
		}
	}
	for slot := range r.nodes {
		r.settleNode(int32(slot), at)
	}
	r.episodes.EndInstant(at)
	r.queues.BeginWindow(at)
	r.configuration.BeginWindow(at)
	r.ledger.BeginWindow(at)
	r.Begun = true
}

func (r *recorder) settlePool(slot int32, now core.Time) {
	r.episodes.SettlePool(slot, now)
	r.limits.SettlePool(slot, now)
	r.ledger.SettlePool(slot, now)
}

// settleOperation records an operation's state, and its row once it is over.
func (r *recorder) settleOperation(slot int32, now core.Time) {
	r.episodes.SettleOperation(slot, now)
	o := r.Core.Operation(slot)
	r.limits.CheckOperation(slot, o, now)
	r.ledger.SettleOperation(slot, now)
	if !o.Alive {
		r.addOperation(o, now)
	}
}

// endInstant records the state at an instant, of what changed in it.
func (r *recorder) endInstant(now core.Time) {
	c := r.Core.Changes()
	r.snapshots.SettleEphemeralRows(now)
	if c.IsEmpty() {
		return
	}
	r.Now = now
	r.grow()
	r.snapshots.FollowAlleged(now)
	r.queues.EndInstant(now)
	r.configuration.EndInstant(now)
	for _, job := range c.Started {
		r.seen.start(r.Core, job)
	}
	r.jobs.EndInstant(now)
	for _, slot := range c.Nodes {
		r.settleNode(slot, now)
	}
	for _, slot := range c.Operations {
		r.settleOperation(slot, now)
	}
	r.episodes.FollowMoves()
	for _, slot := range c.Pools {
		r.settlePool(slot, now)
		if p := r.Core.Pool(slot); p.Removed.Set {
			r.snapshots.EndEphemeralRow(p.ID, now)
		}
	}
	r.episodes.EndInstant(now)
}

// skip follows the changes of the time before the window. Episodes are followed as in it: those
// that are open when the window begins are judged by their whole length.
func (r *recorder) skip(now core.Time) {
	c := r.Core.Changes()
	r.Now = now
	r.grow()
	r.queues.Skip(now)
	r.configuration.EndInstant(now)
	r.jobs.Skip(now)
	for _, slot := range c.Nodes {
		r.limits.CheckNode(slot, r.Core.Node(slot), now)
	}
	for _, slot := range c.Operations {
		r.episodes.SkipOperation(slot, now)
		r.limits.CheckOperation(slot, r.Core.Operation(slot), now)
	}
	r.episodes.FollowMoves()
	for _, slot := range c.Pools {
		r.episodes.SkipPool(slot, now)
		r.limits.SettlePool(slot, now)
	}
	r.episodes.EndInstant(now)
}

// passTo closes the rows whose time is up before a later instant.
func (r *recorder) passTo(to core.Time) {
	r.queues.PassTo(to)
	r.jobs.PassTo(to)
	r.limits.PassTo(to)
	r.ledger.PassTo(to)
	r.episodes.PassTo(to)
}

// finish closes everything at the window's end; what lives on is clipped.
func (r *recorder) finish(to core.Time) {
	r.grow()
	r.episodes.Finish(to)
	for slot := range int32(r.Core.Operations()) {
		if o := r.Core.Operation(slot); o.Alive {
			r.addOperation(o, to)
		}
	}
	for slot := range r.nodes {
		r.closeNode(int32(slot), to, true)
	}
	r.queues.Finish(to)
	r.configuration.Finish(to)
	r.finishTotals(to)
	r.limits.Finish(to)
	r.ledger.Finish(to)
	r.jobs.Finish()
	r.finishExcuse(to)
	r.snapshots.Finish(to)
}

// stop ends what goes on behind the replay.
func (r *recorder) stop() {
	r.ledger.Stop()
	r.Out.Stop()
}

// close writes what is left and completes the files.
func (r *recorder) close(summary *tables.Tree, facts []env.Fact) ([]tables.File, error) {
	r.episodes.Flush()
	r.limits.Flush()
	r.ledger.Flush()
	r.nodeRows.Flush()
	r.objectRows.Flush()
	r.queues.Flush()
	r.configuration.Flush()
	r.snapshots.Flush()
	r.addCoverage(facts)
	r.addRefusals()
	summary.Jobs, summary.Operations = r.seen.jobs, r.seen.operations
	r.trees.Add(summary)
	return r.Out.Close()
}

// reconfigure notes that settings may have become others.
func (r *recorder) reconfigure(moved []bool, now core.Time) {
	r.limits.FollowUnschedulable(now) // the tree may have turned the check off
	r.snapshots.CloseTalliesUnder(moved, now)
}

// refuse notes a share update that the rules refuse.
func (r *recorder) refuse(err error) {
	text := err.Error()
	if r.refused[text] == 0 {
		r.refusals = append(r.refusals, text)
	}
	r.refused[text]++
}

func (r *recorder) addRefusals() {
	for _, text := range r.refusals {
		r.problems.Add(&tables.Problem{Source: "core", Row: -1, Code: "refused_update", Value: text})
	}
}
