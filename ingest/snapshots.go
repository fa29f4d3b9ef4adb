package ingest

import (
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

// A snapshot can have a row per operation each second, so its rows are read
// like those of a log, into records that are used again.

// recorded is a table of snapshots.
type recorded struct {
	tableSource
	id       column `col:"snapshot_id"`
	snapshot string // that of the last row
}

// snapshotID returns the id of the current row's snapshot. All rows of one
// snapshot share the text.
func (r *recorded) snapshotID() string {
	if id := r.id.Bytes(r.i); string(id) != r.snapshot {
		r.snapshot = strings.ToValidUTF8(string(id), "\uFFFD")
	}
	return r.snapshot
}

// treeRecords is the source of TreeRecorded.
type treeRecords struct {
	recorded
	total    group  `col:"total_limits"`
	nodes    column `col:"node_count"`
	settings settingsGroup
	record   core.TreeRecord
}

func newTreeRecords(s *stream, folder string) (source, error) {
	t := &treeRecords{}
	return t, t.open(s, folder, &trace.SnapTrees.Table, bindColumns(t, &trace.SnapTrees.Table), func() bool { return t.resources(&t.total) })
}

func (t *treeRecords) emit(e *core.Event) {
	t.record = core.TreeRecord{
		Snapshot: t.snapshotID(), Total: t.total.vector(t.i), NodeCount: optionalInt64(&t.nodes, t.i), Settings: t.settings.settings(&t.tableSource),
	}
	e.TreeRecord = &t.record
}

// elementRecords holds the columns that the tables of pools and of operations have in common.
type elementRecords struct {
	recorded
	pool              column     `col:"pool_ix"`
	usage             group      `col:"usage"`
	demand            group      `col:"demand"`
	limits            group      `col:"limits"`
	usageShare        shareGroup `col:"usage_share"`
	demandShare       shareGroup `col:"demand_share"`
	strongShare       shareGroup `col:"strong_share"`
	fairShare         shareGroup `col:"fair_total"`
	fairStrong        shareGroup `col:"fair_strong"` // null where the scheduler named no parts
	fairIntegral      shareGroup `col:"fair_integral"`
	fairWeight        shareGroup `col:"fair_weight"`
	strongRatio       column     `col:"strong_ratio"`
	fairRatio         column     `col:"fair_ratio"`
	dominant          column     `col:"dominant_resource"`
	status            column     `col:"starvation_status"`
	satisfaction      column     `col:"satisfaction"`
	localSatisfaction column     `col:"local_satisfaction"`
	settings          settingsGroup
	shares            []*shareGroup // all that are checked
}

// acceptState checks what the tables have in common.
func (r *elementRecords) acceptState() bool {
	if !r.resources(&r.usage) || !r.resources(&r.demand) || !r.limits.null(r.i) && !r.rows.limits(&r.limits) {
		return false
	}
	for _, g := range r.shares {
		if !g.null(r.i) && !r.finiteShares(g) {
			return false
		}
	}
	return true
}

// common are the shares of both tables.
func (r *elementRecords) common() []*shareGroup {
	return []*shareGroup{&r.usageShare, &r.demandShare, &r.strongShare, &r.fairShare, &r.fairStrong, &r.fairIntegral, &r.fairWeight}
}

// state fills what the tables have in common.
func (r *elementRecords) state(to *core.RecordedState) {
	i := r.i
	*to = core.RecordedState{
		Snapshot: r.snapshotID(), Usage: r.usage.vector(i), Demand: r.demand.vector(i),
		FairStrong: r.fairStrong.optional(i), FairIntegral: r.fairIntegral.optional(i), FairWeight: r.fairWeight.optional(i),
		Dominant: r.textOf(&r.dominant), Status: r.textOf(&r.status),
		Satisfaction:      r.real(&r.satisfaction),
		LocalSatisfaction: r.real(&r.localSatisfaction),
	}
	to.UsageShare, to.UsageDetail = r.usageShare.recorded(i)
	to.DemandShare, to.DemandDetail = r.demandShare.recorded(i)
	if to.StrongShare, to.StrongDetail = r.strongShare.recorded(i); to.StrongDetail == core.Unrecorded {
		to.StrongShare, to.StrongDetail = r.ratio(&r.strongRatio, to.Dominant)
	}
	if to.FairShare, to.FairDetail = r.fairShare.recorded(i); to.FairDetail == core.Unrecorded {
		to.FairShare, to.FairDetail = r.ratio(&r.fairRatio, to.Dominant)
	}
	if !r.limits.null(i) {
		to.Limits = core.Some(r.limits.vector(i))
	}
}

// ratio is a share whose greatest component alone the log records, if that. It stands
// at the dominant resource, at cpu if the log names none.
func (r *elementRecords) ratio(c *column, dominant string) (s resource.Share, d core.Detail) {
	x := r.real(c)
	if !x.Set {
		return s, core.Unrecorded
	}
	at, known := resource.ParseKind(dominant)
	if !known {
		at = resource.CPU
	}
	s[at] = x.Value
	return s, core.DominantOnly
}

// recordedPool checks the number of a pool in a snapshot, where that of the
// root may stand, too.
func (r *elementRecords) recordedPool(c *column) bool {
	id := core.PoolID(c.Int32s[r.i])
	return id == core.RootPool || r.checkPool(c.name, id)
}

// poolRecords is the source of PoolRecorded.
type poolRecords struct {
	elementRecords
	parent      column `col:"parent_ix"`
	mode        column `col:"mode"`
	weight      column `col:"weight"`
	volume      column `col:"accumulated_ratio_volume"`
	running     column `col:"running_operations"`
	operations  column `col:"operations"`
	lightweight column `col:"lightweight_running"`
	own         column `col:"own_operations"`
	record      core.PoolRecord
}

func newPoolRecords(s *stream, folder string) (source, error) {
	p := &poolRecords{}
	p.shares = p.common()
	return p, p.open(s, folder, &trace.SnapPools.Table, bindColumns(p, &trace.SnapPools.Table), func() bool {
		return p.recordedPool(&p.pool) && (p.parent.Null(p.i) || p.parent.Int32s[p.i] == core.Unknown || p.recordedPool(&p.parent)) &&
			p.finite(&p.weight) && p.acceptState()
	})
}

func (p *poolRecords) emit(e *core.Event) {
	i, r := p.i, &p.record
	p.state(&r.RecordedState)
	r.Pool, r.Parent = core.PoolID(p.pool.Int32s[i]), core.RootPool
	switch {
	case r.Pool == core.RootPool || p.parent.Absent:
		r.Parent = core.Unknown
	case !p.parent.Null(i):
		r.Parent = core.PoolID(p.parent.Int32s[i])
	}
	r.Mode, r.Weight = p.textOf(&p.mode), p.weight.Doubles[i]
	r.RatioVolume = p.real(&p.volume)
	r.Running, r.Operations, r.Lightweight = optionalInt64(&p.running, i), optionalInt64(&p.operations, i), optionalInt64(&p.lightweight, i)
	r.Settings = p.settings.settings(&p.tableSource)
	r.Own = optionalInt64(&p.own, i)
	e.PoolRecord = r
}

// operationRecords is the source of OperationRecorded.
type operationRecords struct {
	elementRecords
	op          column     `col:"op_ix"`
	weight      column     `col:"weight"`
	preemptible column     `col:"preemptible_jobs"`
	aggressive  column     `col:"aggressively_preemptible_jobs"`
	since       column     `col:"starving_since"`
	reason      column     `col:"unschedulable_reason"`
	fifo        column     `col:"fifo_index"`
	scheduling  column     `col:"scheduling_index"`
	declines    column     `col:"declines"`
	interrupt   column     `col:"interrupt_timeout_ms"`
	graceful    column     `col:"graceful_timeout_ms"`
	best        shareGroup `col:"best_allocation"`
	record      core.OperationRecord
}

func newOperationRecords(s *stream, folder string) (source, error) {
	o := &operationRecords{}
	o.shares = append(o.common(), &o.best)
	operations := len(s.trace.dimensions.Operations)
	return o, o.open(s, folder, &trace.SnapOps.Table, bindColumns(o, &trace.SnapOps.Table), func() bool {
		return o.idOf(&o.op, operations) && o.recordedPool(&o.pool) && o.acceptState()
	})
}

func (o *operationRecords) emit(e *core.Event) {
	i, r := o.i, &o.record
	o.state(&r.RecordedState)
	r.Operation, r.Pool = core.OperationID(o.op.Int32s[i]), core.PoolID(o.pool.Int32s[i])
	r.Weight = o.real(&o.weight)
	r.Preemptible, r.AggressivePreempt = optionalInt64(&o.preemptible, i), optionalInt64(&o.aggressive, i)
	r.FIFOIndex, r.SchedulingIndex = optionalInt32(&o.fifo, i), optionalInt32(&o.scheduling, i)
	r.Unschedulable = o.textOf(&o.reason)
	r.Declines, r.BestAllocation = optionalInt64(&o.declines, i), o.best.optional(i)
	r.Timeouts = core.PreemptionTimeouts{Interrupt: optionalMilliseconds(&o.interrupt, i), Graceful: optionalMilliseconds(&o.graceful, i)}
	r.Settings = o.settings.settings(&o.tableSource)
	since, ok := o.instant(&o.since)
	r.StarvingSince = core.Optional[core.Time]{Value: since, Set: ok}
	e.OperationRecord = r
}

// volumeRecords is the source of VolumesRecorded: the rows of accumulated that hold a distribution.
// The others say only what jobs say.
type volumeRecords struct {
	tableSource
	op      column     `col:"op_ix"`
	pool    column     `col:"pool_ix"`
	usage   shareGroup `col:"volume"`
	fair    shareGroup `col:"fair"`
	deficit shareGroup `col:"deficit"`
	since   column     `col:"since"`
	record  core.VolumeRecord
}

func newVolumeRecords(s *stream, folder string) (source, error) {
	v := &volumeRecords{}
	return v, v.open(s, folder, &trace.Reports.Table, bindColumns(v, &trace.Reports.Table), v.acceptRow)
}

func (v *volumeRecords) acceptRow() bool {
	return !v.usage.null(v.i) && !v.fair.null(v.i) && !v.deficit.null(v.i) &&
		v.idOf(&v.op, len(v.stream.trace.dimensions.Operations)) && v.checkPool(v.pool.name, core.PoolID(v.pool.Int32s[v.i])) &&
		v.volumes(&v.usage) && v.volumes(&v.fair) && v.volumes(&v.deficit)
}

func (v *volumeRecords) emit(e *core.Event) {
	since, ok := v.instant(&v.since)
	v.record = core.VolumeRecord{
		Operation: core.OperationID(v.op.Int32s[v.i]), Pool: core.PoolID(v.pool.Int32s[v.i]),
		Since: core.Optional[core.Time]{Value: since, Set: ok},
		Fair:  v.fair.volume(v.i), Usage: v.usage.volume(v.i), Deficit: v.deficit.volume(v.i),
	}
	e.VolumeRecord = &v.record
}
