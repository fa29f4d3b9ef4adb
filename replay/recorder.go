package replay

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/replay/tables"
)

// A recorder turns what moved in a core into rows of the result tables. It is
// settled once per instant, after all events of the instant.
type recorder struct {
	core *core.Tree
	dims *core.Dimensions
	opts *Options
	out  *output

	from    core.Time // start of the window
	begun   bool      // what held at its start is recorded
	now     core.Time // the instant being settled
	logFrom int64     // since when clocks are known, as of the referee

	pools      []poolTrack      // by slot
	operations []operationTrack // by slot
	nodes      []nodeTrack      // by slot
	deadlines  deadlines

	poolRows          batch[tables.PoolInterval]
	operationRows     batch[tables.OperationInterval]
	guaranteeRows     batch[tables.GuaranteeEpisode]
	starvingRows      batch[tables.StarvationEpisode]
	limitRows         batch[tables.LimitEpisode]
	unschedulableRows batch[tables.UnschedulableEpisode]
	nodeRows          batch[tables.Node]
	objectRows        batch[tables.Operation]

	admissions    admissions
	pendings      pendings
	pendingRows   batch[tables.PendingEpisode]
	excuses       excuseWindows
	jobPlacements jobPlacements
	neighbours    neighbourhood
	totals        totals

	versions     versions
	treeVersion  treeVersions
	versionRows  batch[tables.PoolVersion]
	configFaults configFaults
	faultRows    batch[tables.ConfigurationFault]

	limits                  limitEpisodes
	guarantees              guaranteeEpisodes
	preemptionOpportunities preemptionOpportunities
	objects                 []bool                      // operations that have a row, by id
	unschedulableChecks     []tables.UnschedulableCheck // by operation, in the window
	openExcuse              openExcuse
	snapshots               snapshots
	ephemeralRows           ephemeralRows
	settled                 func() // is told when a snapshot is complete
	announced               []announcement
	snapshotRows
	stale    bool // the last share update was refused
	seen     facts
	refused  map[string]int64
	refusals []string

	overtakings []overtaking // by job slot
	doubts      []jobDoubt   // reused
	job         tables.Job   // reused
	starving    starver      // reused
}

func newRecorder(t *core.Tree, dims *core.Dimensions, out *output, opts *Options) *recorder {
	r := &recorder{core: t, dims: dims, opts: opts, out: out, refused: map[string]int64{}}
	r.poolRows = batch[tables.PoolInterval]{compare: comparePools, append: func(row *tables.PoolInterval) { add(out, out.poolIntervals, row) }}
	r.operationRows = batch[tables.OperationInterval]{compare: compareOperations, append: func(row *tables.OperationInterval) { add(out, out.operationIntervals, row) }}
	r.guaranteeRows = batch[tables.GuaranteeEpisode]{compare: compareGuarantees, append: func(row *tables.GuaranteeEpisode) { add(out, out.guaranteeEpisodes, row) }}
	r.starvingRows = batch[tables.StarvationEpisode]{compare: compareStarving, append: func(row *tables.StarvationEpisode) { add(out, out.starvationEpisodes, row) }}
	r.limitRows = batch[tables.LimitEpisode]{compare: compareLimits, append: func(row *tables.LimitEpisode) { add(out, out.limitEpisodes, row) }}
	r.unschedulableRows = batch[tables.UnschedulableEpisode]{compare: compareUnschedulable, append: func(row *tables.UnschedulableEpisode) { add(out, out.unschedulableEpisodes, row) }}
	r.nodeRows = batch[tables.Node]{compare: compareNodes, append: func(row *tables.Node) { add(out, out.nodes, row) }}
	r.objectRows = batch[tables.Operation]{compare: compareObjects, append: func(row *tables.Operation) { add(out, out.operations, row) }}
	r.pendingRows = batch[tables.PendingEpisode]{compare: comparePendings, append: func(row *tables.PendingEpisode) { add(out, out.pendingEpisodes, row) }}
	r.faultRows = batch[tables.ConfigurationFault]{compare: compareFaults, append: func(row *tables.ConfigurationFault) { add(out, out.configurationFaults, row) }}
	r.versionRows = batch[tables.PoolVersion]{compare: compareVersions, append: func(row *tables.PoolVersion) { add(out, out.poolVersions, row) }}
	r.admissions = newAdmissions(opts.Facts)
	r.jobPlacements.lag = nodesLag(opts.Facts)
	r.limits.lag, r.snapshots.lag = r.jobPlacements.lag, r.jobPlacements.lag
	r.openSnapshots()
	r.limits.open = map[limitKey]*limitEpisode{}
	return r
}

// grow makes room for the slots that the core has.
func (r *recorder) grow() {
	for len(r.pools) < r.core.Pools() {
		r.pools = append(r.pools, poolTrack{under: r.core.Pool(int32(len(r.pools))).Parent})
	}
	for len(r.operations) < r.core.Operations() {
		r.operations = append(r.operations, operationTrack{})
	}
	for len(r.nodes) < r.core.Nodes() {
		r.nodes = append(r.nodes, nodeTrack{})
	}
}

// begin opens the window: what lives now has begun before it.
func (r *recorder) begin(at core.Time) {
	r.from, r.now = at, at
	r.grow()
	clear(r.unschedulableChecks) // of the time before
	r.limits.clip(at)
	for slot := range r.pools {
		r.settlePool(int32(slot), at)
	}
	for slot := range r.operations {
		if r.core.Operation(int32(slot)).Alive {
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
	r.begun = true
}

// settle records the state at an instant, of what changed in it.
func (r *recorder) settle(now core.Time) {
	c := r.core.Changes()
	if len(r.ephemeralRows.waiting) > 0 {
		r.settleEphemeralRows(now)
	}
	if c.IsEmpty() {
		return
	}
	r.now = now
	r.grow()
	r.followAlleged(now)
	r.settleAdmissions(now)
	r.settlePending(now)
	r.settleConfiguration(now)
	r.settleVersions(now)
	r.settleTreeVersion(now)
	r.noteJobPlacements(now)
	slices.SortStableFunc(c.Ended, func(a, b core.EndedJob) int {
		return cmp.Compare(r.core.Job(a.Slot).ID, r.core.Job(b.Slot).ID)
	})
	for _, job := range c.Started {
		r.seen.start(r.core, job)
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
		if p := r.core.Pool(slot); p.Removed > 0 {
			r.endEphemeralRow(p.ID, now)
		}
	}
	r.guarantees.settle(r, now)
}

// skip passes over the changes of the time before the window. Limits are looked
// at all the same: what is over one when the window begins keeps its cause.
func (r *recorder) skip(now core.Time) {
	c := r.core.Changes()
	r.grow()
	r.settlePending(now)
	r.settleConfiguration(now)
	r.settleVersions(now)
	r.settleTreeVersion(now)
	r.noteJobPlacements(now)
	for _, slot := range c.Nodes {
		r.checkNode(slot, r.core.Node(slot), now)
	}
	for _, slot := range c.Operations {
		o := r.core.Operation(slot)
		r.noteCourse(slot, o, now)
		r.operations[slot].swing.note(o.Usage, o.Demand(), r.operations[slot].given.value)
		r.operations[slot].starvations.pass(r, now, o)
		r.checkOperation(slot, o, now)
	}
	for _, slot := range c.Pools {
		if p := r.core.Pool(slot); p.Removed == 0 {
			track, shares := &r.pools[slot], r.core.Shares(p.Element)
			track.swing.note(p.Usage, p.Demand, shares.FairShare.Total)
			r.noteReliefs(&track.reliefs, now, p.Element, false, p.Usage, p.Demand)
			track.noteIntegral(shares.Integral)
			track.given.note(now, r.snapshots.slacks.Configuration, shares.FairShare.Total)
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
	r.grow()
	for slot := range r.pools {
		r.closePool(int32(slot), to, true)
		r.pools[slot].starvations.starve(r, to, nil, tables.StarvationGoesOn)
	}
	for slot := range r.operations {
		if o := r.core.Operation(int32(slot)); o.Alive {
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
	r.settleJobPlacements(never)
	r.finishPending(to)
	r.finishFaults(to)
	r.finishVersions(to)
	r.closeTreeVersion(to, true)
	r.finishTotals(to)
	r.limits.finish(r, to)
	r.guarantees.finish(r, to)
	r.finishJobs()
	r.settleAnnouncements(to)
	r.finishExcuse(to)
	r.finishSnapshots(to)
	r.finishEphemeralRows(to)
}

// close writes what is left and completes the files.
func (r *recorder) close(summary *tables.Tree, facts []Fact) ([]tables.File, error) {
	r.poolRows.flush()
	r.operationRows.flush()
	r.guaranteeRows.flush()
	r.starvingRows.flush()
	r.limitRows.flush()
	r.unschedulableRows.flush()
	r.nodeRows.flush()
	r.objectRows.flush()
	r.pendingRows.flush()
	r.faultRows.flush()
	r.versionRows.flush()
	r.flushSnapshots()
	r.addPools()
	r.addCoverage(facts)
	r.addRefusals()
	summary.Jobs, summary.Operations = r.seen.jobs, r.seen.operations
	add(r.out, r.out.trees, summary)
	return r.out.close()
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
		add(r.out, r.out.problems, &tables.Problem{Source: "core", Row: -1, Code: "refused_update", Value: text})
	}
}

// A batch holds the rows that close at one instant, to write them in the order
// of their elements (design §6).
type batch[Row any] struct {
	rows    []Row
	order   []int32 // of the rows, which are too wide to be moved about
	to      core.Time
	compare func(a, b *Row) int
	append  func(*Row)
}

func (b *batch[Row]) add(to core.Time, row *Row) {
	if to != b.to {
		b.flush()
		b.to = to
	}
	b.rows = append(b.rows, *row)
}

func (b *batch[Row]) flush() {
	b.order = b.order[:0]
	for i := range b.rows {
		b.order = append(b.order, int32(i))
	}
	slices.SortStableFunc(b.order, func(x, y int32) int { return b.compare(&b.rows[x], &b.rows[y]) })
	for _, i := range b.order {
		b.append(&b.rows[i])
	}
	b.rows = b.rows[:0]
}
