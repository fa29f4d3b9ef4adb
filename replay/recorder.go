package replay

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/snapshots"
	"poolproof/replay/survey"
	"poolproof/replay/tables"
)

// A recorder turns what moved in a core into rows of the result tables. It is
// settled once per instant, after all events of the instant.
type recorder struct {
	*env.Env

	from core.Time // start of the window

	pools      []poolTrack      // by slot
	operations []operationTrack // by slot
	nodes      []nodeTrack      // by slot
	deadlines  deadlines

	admissionRows env.Table[tables.Admission]
	jobRows       env.Table[tables.Job]
	poolTable     env.Table[tables.Pool]
	excuseRows    env.Table[tables.ExcuseWindow]
	misplacedJobs env.Table[tables.MisplacedJob]
	totalEpisodes env.Table[tables.TotalEpisode]
	treeVersions  env.Table[tables.TreeVersion]
	coverage      env.Table[tables.Coverage]
	problems      env.Table[tables.Problem]
	trees         env.Table[tables.Tree]

	poolRows          env.Batch[tables.PoolInterval]
	operationRows     env.Batch[tables.OperationInterval]
	guaranteeRows     env.Batch[tables.GuaranteeEpisode]
	starvingRows      env.Batch[tables.StarvationEpisode]
	limitRows         env.Batch[tables.LimitEpisode]
	unschedulableRows env.Batch[tables.UnschedulableEpisode]
	nodeRows          env.Batch[tables.Node]
	objectRows        env.Batch[tables.Operation]

	admissions    admissions
	pendings      pendings
	pendingRows   env.Batch[tables.PendingEpisode]
	jobPlacements jobPlacements
	neighbours    survey.Neighbourhood
	totals        totals

	versions     versions
	treeVersion  treeVersions
	versionRows  env.Batch[tables.PoolVersion]
	configFaults configFaults
	faultRows    env.Batch[tables.ConfigurationFault]

	limits                  limitEpisodes
	guarantees              guaranteeEpisodes
	preemptionOpportunities preemptionOpportunities
	objects                 []bool                      // operations that have a row, by id
	unschedulableChecks     []tables.UnschedulableCheck // by operation, in the window
	openExcuse              openExcuse
	snapshots               *snapshots.Snapshots
	seen                    facts
	refused                 map[string]int64
	refusals                []string

	overtakings []overtaking // by job slot
	doubts      []jobDoubt   // reused
	job         tables.Job   // reused
	starving    starver      // reused
}

func newRecorder(e *env.Env) *recorder {
	out := e.Out
	r := &recorder{Env: e, refused: map[string]int64{}}
	r.poolRows = env.OpenBatch(out, comparePools)
	r.operationRows = env.OpenBatch(out, compareOperations)
	r.guaranteeRows = env.OpenBatch(out, compareGuarantees)
	r.starvingRows = env.OpenBatch(out, compareStarving)
	r.limitRows = env.OpenBatch(out, compareLimits)
	r.unschedulableRows = env.OpenBatch(out, compareUnschedulable)
	r.nodeRows = env.OpenBatch(out, compareNodes)
	r.objectRows = env.OpenBatch(out, compareObjects)
	r.pendingRows = env.OpenBatch(out, comparePendings)
	r.faultRows = env.OpenBatch(out, compareFaults)
	r.versionRows = env.OpenBatch(out, compareVersions)
	r.admissionRows = env.Open[tables.Admission](out)
	r.jobRows = env.Open[tables.Job](out)
	r.poolTable = env.Open[tables.Pool](out)
	r.excuseRows = env.Open[tables.ExcuseWindow](out)
	r.misplacedJobs = env.Open[tables.MisplacedJob](out)
	r.totalEpisodes = env.Open[tables.TotalEpisode](out)
	r.treeVersions = env.Open[tables.TreeVersion](out)
	r.coverage = env.Open[tables.Coverage](out)
	r.problems = env.Open[tables.Problem](out)
	r.trees = env.Open[tables.Tree](out)
	r.admissions = newAdmissions(e.Log.Facts)
	r.jobPlacements.lag = e.Log.NodesLag()
	r.limits.lag = r.jobPlacements.lag
	r.snapshots = snapshots.New(e, r)
	r.limits.open = map[env.LimitKey]*limitEpisode{}
	return r
}

// Grow makes room for the slots that the core has.
func (r *recorder) Grow() {
	for len(r.pools) < r.Core.Pools() {
		r.pools = append(r.pools, poolTrack{under: r.Core.Pool(int32(len(r.pools))).Parent})
	}
	for len(r.operations) < r.Core.Operations() {
		r.operations = append(r.operations, operationTrack{})
	}
	for len(r.nodes) < r.Core.Nodes() {
		r.nodes = append(r.nodes, nodeTrack{})
	}
}

// PoolHistory returns how a pool has fared lately.
func (r *recorder) PoolHistory(slot int32) *env.PoolHistory { return &r.pools[slot].PoolHistory }

// OperationHistory returns how an operation has fared lately.
func (r *recorder) OperationHistory(slot int32) *env.History { return &r.operations[slot].History }

// StarvesUntil returns until when the open starvation episode of an operation lasted in a
// status, scheduling.Never if it did not.
func (r *recorder) StarvesUntil(slot int32, operation core.OperationID, status scheduling.Status) int64 {
	return r.operations[slot].starvations.until(operation, status)
}

// begin opens the window: what lives now has begun before it.
func (r *recorder) begin(at core.Time) {
	r.from, r.Now = at, at
	r.Grow()
	clear(r.unschedulableChecks) // of the time before
	r.limits.clip(at)
	for slot := range r.pools {
		r.settlePool(int32(slot), at)
	}
	for slot := range r.operations {
		if r.Core.Operation(int32(slot)).Alive {
			r.settleOperation(int32(slot), at)
		}
	}
	for slot := range r.nodes {
		r.settleNode(int32(slot), at)
	}
	r.guarantees.settle(r, at)
	r.clipPending(at)
	r.clipFaults(at)
	r.clipVersions(at)
	r.clipTreeVersion(at)
	r.Begun = true
}

// settle records the state at an instant, of what changed in it.
func (r *recorder) settle(now core.Time) {
	c := r.Core.Changes()
	r.snapshots.SettleEphemeralRows(now)
	if c.IsEmpty() {
		return
	}
	r.Now = now
	r.Grow()
	r.snapshots.FollowAlleged(now)
	r.settleAdmissions(now)
	r.settlePending(now)
	r.settleConfiguration(now)
	r.settleVersions(now)
	r.settleTreeVersion(now)
	r.noteJobPlacements(now)
	slices.SortStableFunc(c.Ended, func(a, b core.EndedJob) int {
		return cmp.Compare(r.Core.Job(a.Slot).ID, r.Core.Job(b.Slot).ID)
	})
	for _, job := range c.Started {
		r.seen.start(r.Core, job)
		r.judgeJobPlacement(job)
		r.noteOvertaking(job)
	}
	for _, ended := range c.Ended {
		r.endJob(&ended)
	}
	for _, slot := range c.Nodes {
		r.settleNode(slot, now)
	}
	for _, slot := range c.Operations {
		r.settleOperation(slot, now)
	}
	r.guarantees.followMoves(r)
	for _, slot := range c.Pools {
		r.settlePool(slot, now)
		if p := r.Core.Pool(slot); p.Removed > 0 {
			r.snapshots.EndEphemeralRow(p.ID, now)
		}
	}
	r.guarantees.settle(r, now)
}

// skip passes over the changes of the time before the window. Limits are looked
// at all the same: what is over one when the window begins keeps its cause.
func (r *recorder) skip(now core.Time) {
	c := r.Core.Changes()
	r.Grow()
	r.settlePending(now)
	r.settleConfiguration(now)
	r.settleVersions(now)
	r.settleTreeVersion(now)
	r.noteJobPlacements(now)
	for _, slot := range c.Nodes {
		r.checkNode(slot, r.Core.Node(slot), now)
	}
	for _, slot := range c.Operations {
		o := r.Core.Operation(slot)
		r.noteCourse(slot, o, now)
		r.operations[slot].Swing.Note(o.Usage, o.Demand(), r.operations[slot].Given.Value)
		r.operations[slot].starvations.pass(r, now, o)
		r.checkOperation(slot, o, now)
	}
	for _, slot := range c.Pools {
		if p := r.Core.Pool(slot); p.Removed == 0 {
			track, shares := &r.pools[slot], r.Core.Shares(p.Element)
			track.Swing.Note(p.Usage, p.Demand, shares.FairShare.Total)
			r.NoteReliefs(&track.Reliefs, now, p.Element, false, p.Usage, p.Demand)
			track.NoteIntegral(shares.Integral)
			track.Given.Note(now, r.snapshots.Tolerance().Configuration, shares.FairShare.Total)
			r.checkPool(slot, p, now)
		} else {
			r.forgetPool(slot, now)
		}
	}
}

// passTo closes the rows whose time is up before a later instant.
func (r *recorder) passTo(to core.Time) {
	r.admissions.passTo(r, to-1)
	r.settleJobPlacements(to)
	r.settleSizes(to)
	r.guarantees.passTo(r, to)
	r.preemptionOpportunities.passTo(r, to)
	for {
		d, ok := r.deadlines.pop(to)
		if !ok {
			return
		}
		r.expire(d)
	}
}

// finish closes everything at the window's end; what lives on is clipped.
func (r *recorder) finish(to core.Time) {
	r.Grow()
	for slot := range r.pools {
		r.closePool(int32(slot), to, true)
		r.pools[slot].starvations.starve(r, to, nil, tables.StarvationGoesOn)
	}
	for slot := range r.operations {
		if o := r.Core.Operation(int32(slot)); o.Alive {
			r.closeOperation(int32(slot), to, true)
			r.starveOperation(int32(slot), to, nil, tables.StarvationGoesOn)
			r.addOperation(o, to)
		}
	}
	for slot := range r.nodes {
		r.closeNode(int32(slot), to, true)
	}
	for slot := range r.operations {
		if r.operations[slot].unschedulable != nil {
			r.closeUnschedulable(int32(slot), to, true)
		}
	}
	r.admissions.finish(r)
	r.settleJobPlacements(env.Never)
	r.finishPending(to)
	r.finishFaults(to)
	r.finishVersions(to)
	r.closeTreeVersion(to, true)
	r.finishTotals(to)
	r.limits.finish(r, to)
	r.guarantees.finish(r, to)
	r.finishJobs()
	r.finishExcuse(to)
	r.snapshots.Finish(to)
}

// close writes what is left and completes the files.
func (r *recorder) close(summary *tables.Tree, facts []env.Fact) ([]tables.File, error) {
	r.poolRows.Flush()
	r.operationRows.Flush()
	r.guaranteeRows.Flush()
	r.starvingRows.Flush()
	r.limitRows.Flush()
	r.unschedulableRows.Flush()
	r.nodeRows.Flush()
	r.objectRows.Flush()
	r.pendingRows.Flush()
	r.faultRows.Flush()
	r.versionRows.Flush()
	r.snapshots.Flush()
	r.addPools()
	r.addCoverage(facts)
	r.addRefusals()
	summary.Jobs, summary.Operations = r.seen.jobs, r.seen.operations
	r.trees.Add(summary)
	return r.Out.Close()
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
