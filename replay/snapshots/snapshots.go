package snapshots

import (
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// Snapshots compares the scheduler's own records with the replay, and judges them. Records come
// first in their instant: they describe the state of the core until an event of another kind comes.
type Snapshots struct {
	*env.Env
	snapshotPools      env.Batch[tables.SnapshotPool]
	snapshotOperations env.Batch[tables.SnapshotOperation]
	snapshotErrors     env.Batch[tables.SnapshotError]
	snapshotChecks     env.Batch[tables.SnapshotCheck]
	shareAgreements    env.Table[tables.ShareAgreement]
	deficitAgreements  env.Table[tables.DeficitAgreement]
	snapshotTallies    env.Table[tables.SnapshotTally]
	elements           Elements
	Complete           func() // is called when a snapshot is complete

	announced     []announcement
	ephemeralRows ephemeralRows

	open      bool // records of this instant have come
	at        core.Time
	first     core.Time // of the first snapshot, core.Never before it
	before    core.Time // of the last snapshot, or core.Never
	total     resource.Vector
	totals    resource.Vector // of the last snapshot
	totalTold bool            // the snapshot records total
	moved     core.Time       // last change of total, by the records
	lag       core.Time       // see nodeLag

	pools       []poolView      // by slot
	operations  []operationView // by slot
	seenPools   []int32         // slots recorded in this snapshot
	seenOps     []int32
	strays      []stray        // recorded pools that are not in the tree
	shown       []shownCount   // objects in the snapshot besides the pools of the tree
	counts      []allegedCount // recorded counters that seem wrong
	recomputed  buffers        // with the replay's order of children
	reordered   buffers        // with another order
	comparisons comparisons

	since   judge.Meaning // of starving_since in this tree, as far as known
	changed core.Time     // when a configuration last replaced another, or 0

	source   core.Optional[core.TreeConfig] // the version of the tree's settings that the source holds
	settings core.RecordedSettings          // of the tree's root in this snapshot

	settingsBefore core.RecordedSettings // in the previous one
	slacks         judge.Slacks
	context        judge.Context
	differed       core.Optional[core.Time] // the last record with another total than the replay
	vague          bool                     // usage of jobs that may have left makes recomputed shares doubtful
	partial        bool                     // some record of this snapshot lacks its shares of every resource

	said map[core.OperationID]scheduling.Status // last announced status of operations

	unrecorded core.Time // see Unrecorded
	whole      bool      // see IsWhole

	exactDemand bool // the log holds every change of demand
	lists       bool // some record counts preemptible jobs
	assumed     bool // the log does not record which operations run: that is inferred
	ordered     bool // the log records the order in which a heartbeat started its jobs

	errors   map[errorKey]*openError
	breaches map[breachKey]*openBreach
	closed   map[breachKey]closedBreach // the last breach of each operation with late starvation
	tallies  recordTallies

	unexplained  int  // successive snapshots that no tried order of children explains
	orderMatters bool // shares of the last of them depended on it
	agreements   agreements
	deficits     deficitAgreements
	rulings      []judge.Ruling // reused
	queue        []int32        // reused
}

// Elements gives access to the histories of pools and operations, by slot.
type Elements interface {
	// Grow makes room for the slots that the core has.
	Grow()
	// PoolHistory returns the history of a pool.
	PoolHistory(slot int32) *env.PoolHistory
	// OperationHistory returns the history of an operation.
	OperationHistory(slot int32) *env.History
	// StarvesUntil returns until when the open starvation episode of an operation lasted in a
	// status, scheduling.Never if it did not.
	StarvesUntil(slot int32, operation core.OperationID, status scheduling.Status) int64
}

// New returns the recorder of a tree's snapshots, given the histories of its elements.
func New(e *env.Env, elements Elements) *Snapshots {
	return &Snapshots{
		Env: e, elements: elements,
		snapshotPools: env.OpenBatch(e.Out, compareSnapshotPools), snapshotOperations: env.OpenBatch(e.Out, compareSnapshotOperations),
		snapshotErrors: env.OpenBatch(e.Out, compareErrors), snapshotChecks: env.OpenBatch(e.Out, compareBreaches),
		shareAgreements: env.Open[tables.ShareAgreement](e.Out), deficitAgreements: env.Open[tables.DeficitAgreement](e.Out),
		snapshotTallies: env.Open[tables.SnapshotTally](e.Out),
		slacks:          e.Slacks(), lag: e.Log.NodesLag(), exactDemand: e.Log.IsDemandExact(),
		assumed: e.Log.Records("operation_states", "assumed"), ordered: e.Log.Records("heartbeats", "recorded"),
		unrecorded: forever, said: map[core.OperationID]scheduling.Status{}, first: core.Never, before: core.Never,
		errors: map[errorKey]*openError{}, breaches: map[breachKey]*openBreach{},
		closed: map[breachKey]closedBreach{},
	}
}

// Flush writes the rows of the last instant.
func (s *Snapshots) Flush() {
	s.snapshotPools.Flush()
	s.snapshotOperations.Flush()
	s.snapshotErrors.Flush()
	s.snapshotChecks.Flush()
}

// Tolerance returns the slacks of records.
func (s *Snapshots) Tolerance() *judge.Slacks { return &s.slacks }

// KnowsDemand reports whether demand is known at an instant. If only snapshots record it, it is
// known for a tick after one: later some may have been met, also in other trees, which only the
// next snapshot shows (ingest/trace/FORMAT.md §4.3). Demand of operations with lost records is
// unknown.
func (s *Snapshots) KnowsDemand(now core.Time) bool {
	return s.exactDemand || int64(now-s.at) <= s.slacks.Noticed() && s.Core.HasAllRecords()
}

// Unrecorded returns the time up to which updates of the shares may have come without a complete
// snapshot: before the first snapshot, and in gaps between two. Later updates used the demand in
// their snapshots.
func (s *Snapshots) Unrecorded() core.Time { return s.unrecorded }

// IsWhole reports whether the last snapshot contains all inputs of the shares of its update, and no
// job that the log lacks.
func (s *Snapshots) IsWhole() bool { return s.whole }

// IsSteady reports whether the last snapshot is whole, and from the update right after that of the
// previous snapshot.
func (s *Snapshots) IsSteady() bool { return s.unrecorded < s.at }

// forever is later than any time in a log.
const forever core.Time = 1 << 62

// ShowsUpdate reports whether the snapshot of an instant is from the update right after that of the
// previous snapshot.
func (s *Snapshots) ShowsUpdate(at core.Time) bool { return s.at == at && s.unrecorded < at }

// A view holds the recorded state of one element.
type view struct {
	at       core.Time // of the last record of it
	state    core.RecordedState
	previous core.RecordedState
	had      bool // previous is from the previous snapshot
	denied   bool // the recorded starvation differs from the recomputed one

	fairClock, minClock *judge.Starvation
	since               *judge.Since
	begun               int64 // serial of the start of the element's clocks to which they belong
	timeouts            scheduling.Timeouts
	minTimeout          int64
	moved               core.Time // last change of the timeouts
}

type poolView struct {
	view
	record, earlier core.PoolRecord
	own, ownBefore  [3]int64        // of the operations directly in the pool, recomputed
	all, allBefore  [3]int64        // of all below it, likewise
	whole           bool            // all pools below it are recorded
	fairSum         resource.Share  // of the children, recorded
	fairBefore      resource.Share  // the same in the previous record
	usedSum         resource.Vector // likewise
	counts          [3]int64        // of the children, recorded: running, operations, lightweight
	countsBefore    [3]int64
	countable       [3]bool  // every child has the count
	summed          [3]int64 // sums of the counters in the snapshot's rows of the pool and below it
	frozen          bool     // its state was surely frozen in its last record (core/spec/scheduling.md §7.4)
	flow            flow     // of a relaxed pool
	volume          judge.VolumeRun
	agreed          core.Optional[core.Time] // start of the configuration with which a record of an ephemeral pool agreed
	row             tables.SnapshotPool
	rowOpen         bool
}

type operationView struct {
	view
	id              core.OperationID
	record, earlier core.OperationRecord
	row             tables.SnapshotOperation
	rowOpen         bool
	accumulated     *accumulation // since its last report; nil before the first
}

// ApplyEvent adds the scheduler's records and settles a snapshot once it is complete.
func (s *Snapshots) ApplyEvent(e *core.Event) {
	if s.open && (e.Time != s.at || e.Kind > core.OperationRecorded) {
		s.settleSnapshot()
	}
	switch e.Kind {
	case core.TreeRecorded, core.PoolRecorded, core.OperationRecorded:
		s.beginSnapshot(e.Time)
	case core.ClusterConfigured, core.TreeConfigured, core.PoolConfigured:
		if s.isChange(e) {
			s.changed = e.Time
		}
		if e.Kind == core.TreeConfigured && !e.Tree.Learned {
			s.source = core.Some(*e.Tree)
		}
	case core.ProcessChanged:
		s.forgetClocks()
	}
	switch e.Kind {
	case core.TreeRecorded:
		if !s.totalTold { // the first record of an instant counts, as for elements
			s.total, s.totalTold = e.TreeRecord.Total, true
			s.settings = e.TreeRecord.Settings
		}
	case core.PoolRecorded:
		s.recordPool(e.PoolRecord)
	case core.OperationRecorded:
		s.recordOperation(e.OperationRecord)
	case core.VolumesRecorded:
		s.recordVolumes(e.Time, e.VolumeRecord)
	case core.OperationChanged:
		s.followAnnouncement(e)
	}
	s.followEphemeralRow(e)
}

func (s *Snapshots) beginSnapshot(at core.Time) {
	if s.open {
		return
	}
	s.settleAlleged()
	s.open, s.at, s.total, s.totalTold, s.partial = true, at, s.Core.ShareTotal(), false, false
	if s.first == core.Never {
		s.first = at
	}
	if s.before == core.Never || int64(at-s.before) > s.slacks.Tick+s.slacks.Tick/4 {
		s.unrecorded = at
	}
	s.settings, s.settingsBefore = core.RecordedSettings{}, s.settings
	s.seenPools, s.seenOps, s.shown = s.seenPools[:0], s.seenOps[:0], s.shown[:0]
	s.pools = slices.Grow(s.pools, max(0, s.Core.Pools()-len(s.pools)))
	for len(s.pools) < s.Core.Pools() {
		s.pools = append(s.pools, poolView{view: view{at: core.Never}})
	}
	for len(s.operations) < s.Core.Operations() {
		s.operations = append(s.operations, operationView{id: core.Unknown, view: view{at: core.Never}})
	}
}

func (s *Snapshots) recordPool(p *core.PoolRecord) {
	slot, ok := s.Core.PoolOf(p.Pool)
	if !ok || int(slot) >= len(s.pools) || s.Core.Pool(slot).Removed.Set {
		s.recordStray(p)
		s.showPool(p)
		return
	}
	if s.pools[slot].at == s.at {
		return
	}
	v := &s.pools[slot]
	v.setRecord(s, &p.RecordedState)
	v.earlier, v.record = v.record, *p
	s.seenPools = append(s.seenPools, slot)
}

func (s *Snapshots) recordOperation(o *core.OperationRecord) {
	s.showOperation(o)
	slot, ok := s.Core.OperationOf(o.Operation)
	if !ok || int(slot) >= len(s.operations) {
		return
	}
	v := &s.operations[slot]
	if v.id != o.Operation {
		s.closeOperationSnapshot(v, s.at)
		s.closeAccumulation(s.at, v)
		*v = operationView{id: o.Operation}
	}
	if v.at == s.at {
		return
	}
	v.setRecord(s, &o.RecordedState)
	v.earlier, v.record = v.record, *o
	s.lists = s.lists || o.Preemptible.Set
	if o.StarvingSince.Set && o.Status == scheduling.NonStarving.String() {
		s.since = judge.BelowSince
	}
	s.seenOps = append(s.seenOps, slot)
}

// setRecord makes a record the current one.
func (v *view) setRecord(s *Snapshots, state *core.RecordedState) {
	v.had, v.denied = v.at != core.Never && v.at == s.before, false
	v.previous, v.state, v.at = v.state, *state, s.at
	x := &v.state
	if x.UsageDetail != core.PerResource {
		x.UsageShare = x.Usage.ShareOf(s.total)
	}
	if x.DemandDetail != core.PerResource {
		x.DemandShare = x.Demand.ShareOf(s.total)
	}
	s.partial = s.partial || !v.isWhole()
}

// detail returns the detail of the recorded shares.
func (v *view) detail() core.Detail { return max(v.state.FairDetail, v.state.StrongDetail) }

// isWhole reports whether the record holds its shares of every resource.
func (v *view) isWhole() bool { return v.detail() == core.PerResource }

// sharesMoved reports whether shares of the element changed since the previous snapshot: a record
// across two ticks mixes both.
func (v *view) sharesMoved() bool {
	return !v.had || v.previous.FairShare != v.state.FairShare || v.previous.DemandShare != v.state.DemandShare
}

// EndInstant settles the snapshot of the instant.
func (s *Snapshots) EndInstant() {
	if s.open {
		s.settleSnapshot()
	}
}

// settleSnapshot compares and judges the records of an instant.
func (s *Snapshots) settleSnapshot() {
	s.open = false
	s.elements.Grow()
	s.prepare()
	s.compareTotal()
	s.compareFairShares()
	for _, slot := range s.seenPools {
		s.compareRecordedPool(slot, &s.pools[slot])
	}
	for _, slot := range s.seenOps {
		s.compareRecordedOperation(slot, &s.operations[slot])
	}
	for slot := range s.operations {
		if v := &s.operations[slot]; v.at != s.at {
			s.closeOperationSnapshot(v, s.at)
		}
	}
	for _, slot := range s.seenPools {
		s.judgeRecordedPool(slot, &s.pools[slot])
	}
	for _, slot := range s.seenOps {
		s.judgeRecordedOperation(slot, &s.operations[slot])
	}
	s.judgeWhole()
	s.judgeTreeSettings()
	s.judgeQueues()
	s.judgeEphemeral()
	s.accumulate()
	if !s.isAlleged() { // otherwise that waits until the counters are judged
		s.endSpans(s.at)
	}
	s.before, s.totals = s.at, s.total
	s.Complete()
}

// Slack returns the time within which the next record follows, in µs.
func (s *Snapshots) Slack() int64 { return s.slacks.Record }

// StatusDenied returns the status of an element in the last snapshot, if it differs from the
// replay.
func (s *Snapshots) StatusDenied(t *core.Tree, o env.Owner) (status scheduling.Status, denied bool) {
	var v *view
	if o.Operation != core.Unknown {
		if slot, ok := t.OperationOf(o.Operation); ok && int(slot) < len(s.operations) && s.operations[slot].id == o.Operation {
			v = &s.operations[slot].view
		}
	} else if o.Pool != core.Unknown {
		if slot, ok := t.PoolOf(o.Pool); ok && int(slot) < len(s.pools) {
			v = &s.pools[slot].view
		}
	}
	if v == nil || v.at != s.before || !v.denied {
		return scheduling.NonStarving, false
	}
	status, _ = scheduling.ParseStatus(v.state.Status)
	return status, true
}

// TakesNoPart reports whether by the last snapshot an operation did not take part in scheduling,
// although it did in the replay: only records show that a controller was throttled
// (core/spec/scheduling.md §6.2).
func (s *Snapshots) TakesNoPart(slot int32, id core.OperationID) bool {
	if int(slot) >= len(s.operations) {
		return false
	}
	v := &s.operations[slot]
	return v.id == id && v.at == s.before && v.record.Unschedulable != "" && v.row.UnschedulableExpected == ""
}

// RecordsLists reports whether some record of an operation counts its preemptible jobs.
func (s *Snapshots) RecordsLists() bool { return s.lists }

// LastRecord returns the time of the last record of an operation, core.Never if it has none.
func (s *Snapshots) LastRecord(id core.OperationID) core.Time {
	if slot, ok := s.Core.OperationOf(id); ok && int(slot) < len(s.operations) && s.operations[slot].id == id {
		return s.operations[slot].at
	}
	return core.Never
}

// prepare sums up the records below every pool.
func (s *Snapshots) prepare() {
	s.slacks = s.Slacks()
	if s.total != s.totals {
		s.moved = s.at
	}
	s.noteTotal()
	if s.before != core.Never {
		s.slacks.Record = max(s.slacks.Record, int64(s.at-s.before))
	}
	s.context = judge.Context{Evidence: judge.Recorded, Slacks: &s.slacks, Shaken: env.LostOperations(s.Log.Facts), Unmodelled: s.Core.Unmodelled()}
	s.Excuses.Cover(&s.context, s.Core, s.at)
	s.vague = s.Core.DoubtfulShare(s.at) > judge.Epsilon
	if s.Core.Unplaced() > 0 {
		s.context.Missing = judge.OperationPool
	}
	for _, slot := range s.seenPools {
		v := &s.pools[slot]
		v.fairBefore, v.fairSum, v.usedSum = v.fairSum, resource.Share{}, resource.Vector{}
		v.countsBefore, v.counts = v.counts, [3]int64{}
		v.allBefore, v.all = v.all, ownCounts(s.Core.Pool(slot))
		v.ownBefore, v.own = v.own, v.all
		v.countable, v.whole = [3]bool{true, true, true}, true
	}
	if root := &s.pools[0]; root.at != s.at { // the sums are needed anyway
		root.fairBefore, root.fairSum = root.fairSum, resource.Share{}
	}
	s.sumPools()
	s.addShown()
	if s.whole = s.isWhole(); !s.whole {
		s.unrecorded = s.at
	}
	if !s.Core.HasAllRecords() {
		s.vague = true
		s.context.Shaken |= judge.OnDemand | judge.OnShares | judge.OnOperations
	}
	s.sumOperations()
}

// sumPools adds the record of each pool to the sums of its parent.
func (s *Snapshots) sumPools() {
	placeless, namesParents := false, s.namesParents()
	for slot := range s.pools { // of all children, so that a missing record shows
		p := s.Core.Pool(int32(slot))
		if p.Removed.Set || p.Parent < 0 {
			continue
		}
		parent, child := &s.pools[p.Parent], &s.pools[slot]
		for i, n := range ownCounts(p) {
			parent.own[i] -= n
		}
		if slot, ok := s.recordedParent(child); ok && child.at == s.at {
			parent = &s.pools[slot] // it may have been moved, by another clock
		}
		if child.at != s.at {
			parent.countable, parent.whole = [3]bool{}, false
			continue
		}
		placeless = placeless || child.record.Parent == core.Unknown && namesParents
		parent.fairSum = parent.fairSum.Add(child.state.FairShare)
		parent.usedSum = parent.usedSum.Add(child.state.Usage)
		for i, n := range child.counters() {
			parent.countable[i] = parent.countable[i] && n.Set
			parent.counts[i] += n.Value
		}
	}
	if placeless { // it may be below any other pool
		s.partial = true
		for _, slot := range s.seenPools {
			s.pools[slot].countable, s.pools[slot].whole = [3]bool{}, false
		}
	}
}

// sumOperations adds the record of each operation to the sums of its pool.
func (s *Snapshots) sumOperations() {
	for _, slot := range s.seenOps {
		v := &s.operations[slot]
		if pool, ok := s.Core.PoolOf(v.record.Pool); ok && int(pool) < len(s.pools) {
			s.pools[pool].fairSum = s.pools[pool].fairSum.Add(v.state.FairShare)
			s.pools[pool].usedSum = s.pools[pool].usedSum.Add(v.state.Usage)
		}
	}
}

// isWhole reports whether the snapshot has a complete record of every pool and operation, and the
// log contains all jobs of the recorded usage.
func (s *Snapshots) isWhole() bool {
	if s.partial || !s.Core.HasAllRecords() {
		return false
	}
	for slot := 1; slot < s.Core.Pools(); slot++ {
		if !s.Core.Pool(int32(slot)).Removed.Set && (slot >= len(s.pools) || s.pools[slot].at != s.at) { // no record has come of a new one
			return false
		}
	}
	for slot := range s.operations {
		o := s.Core.Operation(int32(slot))
		began := max(o.Start, o.RunningSince.Value)
		switch v := &s.operations[slot]; {
		case v.at == s.at:
			if !v.state.Usage.FitsIn(o.Usage) {
				return false
			}
		case o.Alive && o.Enabled() && !o.Ended && int64(s.at-began) > s.slacks.Noticed():
			return false
		}
	}
	return true
}

// namesParents reports whether the snapshot records the parent of any pool.
func (s *Snapshots) namesParents() bool {
	return slices.ContainsFunc(s.seenPools, func(slot int32) bool { return s.pools[slot].record.Parent != core.Unknown })
}

// recordedParent returns the slot of the parent in the last record of a pool, if recorded.
func (s *Snapshots) recordedParent(v *poolView) (slot int32, ok bool) {
	if v.record.Parent == core.Unknown {
		return 0, false
	}
	slot, ok = s.Core.PoolOf(v.record.Parent)
	return slot, ok && int(slot) < len(s.pools)
}

// ownCounts returns the counters of a pool in the order of countNames.
func ownCounts(p *core.Pool) [3]int64 { return [3]int64{p.Running, p.Operations, p.Lightweight} }

func (v *poolView) counters() [3]core.Optional[int64] {
	return [3]core.Optional[int64]{v.record.Running, v.record.Operations, v.record.Lightweight}
}

// isChange reports whether an event changes the configuration. The first version in a log does not
// replace one, unless a snapshot comes before it. Ephemeral pools are created and removed with
// their operations: only a move is a change.
func (s *Snapshots) isChange(e *core.Event) bool {
	if !s.Core.IsConfiguredBefore(e.Time) && (s.first == core.Never || s.first >= e.Time) {
		return false
	}
	if e.Kind != core.PoolConfigured || !e.Config.Ephemeral {
		return true
	}
	slot, ok := s.Core.PoolOf(e.Pool)
	if !ok || s.Core.Pool(slot).Removed.Set {
		return false
	}
	parent, ok := s.Core.PoolOf(e.Config.Parent)
	return ok && s.Core.Pool(slot).Parent != parent
}

// settled reports whether no configuration took effect within the delay of configurations.
func (s *Snapshots) settled() bool { return !s.isRecent(s.changed, s.slacks.Configuration) }

// resized reports whether the record may be based on another total of the tree than the replay:
// they differ by more than the tolerance, or one of them changed recently.
func (s *Snapshots) resized(t *core.Tree) bool {
	return s.hasMoved(t) || s.differs(t.ShareTotal())
}

// isOfAnotherTotal reports whether the recorded total and that of the replay differ because one of
// them changed: recently, or since the last sample of nodes.
func (s *Snapshots) isOfAnotherTotal(t *core.Tree) bool {
	return (s.hasMoved(t) || s.isRecent(s.moved, s.slacks.Clock+int64(s.lag))) && s.differs(t.ShareTotal())
}

// DifferedInTotal reports whether the last record, or one since a moment, had another total than the replay, so that
// the scheduler had other shares: samples of nodes come later than the node did.
func (s *Snapshots) DifferedInTotal(since core.Time) bool {
	return s.differed.Set && (s.differed.Value == s.at || s.differed.Value >= since)
}

// noteTotal notes whether the total of the record at hand differs from that of the replay.
func (s *Snapshots) noteTotal() {
	total := s.Core.ShareTotal()
	for k := range total {
		if s.total[k] == 0 { // it is not recorded
			total[k] = 0
		}
	}
	if s.differs(total) {
		s.differed = core.Some(s.at)
	}
}

// hasMoved reports whether the recorded total, or that of the replay, has just changed.
func (s *Snapshots) hasMoved(t *core.Tree) bool {
	return s.before != core.Never && s.total != s.totals || s.isRecent(t.LastResized(), s.slacks.Tick+s.slacks.Record)
}

// differs reports whether the recorded total differs from that of the replay.
func (s *Snapshots) differs(total resource.Vector) bool {
	for k, amount := range total {
		if off := max(amount-s.total[k], s.total[k]-amount); float64(off) > s.slacks.OnUsage*float64(s.total[k]) {
			return true
		}
	}
	return false
}

// retagged reports whether the record may be based on other totals by tag than the replay, because
// tags of a node changed, or because builds differ in when they apply after a restart.
func (s *Snapshots) retagged(t *core.Tree) bool {
	return t.MayHaveTagTotals(s.at) || s.isRecent(t.LastTagged(), s.slacks.Tags+s.slacks.Configuration)
}

// isRecent reports whether at, 0 for never, is within slack before the snapshot.
func (s *Snapshots) isRecent(at core.Time, slack int64) bool {
	return int64(s.at-at) <= slack
}

// forgetClocks drops the clocks, as a restart of the scheduler does.
func (s *Snapshots) forgetClocks() {
	for i := range s.pools {
		s.pools[i].forgetClocks()
	}
	for i := range s.operations {
		s.operations[i].forgetClocks()
	}
}

func (v *view) forgetClocks() { v.fairClock, v.minClock, v.since = nil, nil, nil }

// Finish ends all rows at the end of the log.
func (s *Snapshots) Finish(to core.Time) {
	s.SettleAnnouncements(to)
	s.EndInstant()
	s.settleAlleged()
	at := min(to, s.at)
	for slot := range s.pools {
		s.closePoolSnapshot(&s.pools[slot], at)
	}
	for slot := range s.operations {
		s.closeOperationSnapshot(&s.operations[slot], at)
	}
	s.closeSpans(at)
	for slot := range s.operations {
		s.closeAccumulation(to, &s.operations[slot])
	}
	s.closeAgreements()
	s.closeTallies(to, func(core.PoolID) bool { return true })
	s.finishEphemeralRows(to)
}
