package ingest

import (
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// A snapshot can have a row per operation each second, so its rows are read
// like those of a log, into records that are used again.

// recorded is a table of snapshots.
type recorded struct {
	tableSource
	ids      *parquetlog.Vector
	snapshot string // that of the last row
}

func (r *recorded) bind(b *parquetlog.Batch) {
	r.ids = &b.Columns[r.table.Column("snapshot_id")]
}

// snapshotID returns the id of the current row's snapshot. All rows of one
// snapshot share the text.
func (r *recorded) snapshotID() string {
	if id := r.ids.Bytes(r.i); string(id) != r.snapshot {
		r.snapshot = strings.ToValidUTF8(string(id), "\uFFFD")
	}
	return r.snapshot
}

// treeRecords is the source of TreeRecorded.
type treeRecords struct {
	recorded
	total    *group
	nodes    *parquetlog.Vector
	settings *settingsGroup
	record   core.TreeRecord
}

func newTreeRecords(s *stream, folder string) (source, error) {
	table := &trace.SnapTrees.Table
	t := &treeRecords{total: newGroup(table, "total_limits"), settings: newSettingsGroup(table)}
	columns := append([]string{"snapshot_id", "node_count"}, t.total.names[:]...)
	columns = append(columns, t.settings.names()...)
	var err error
	t.tableSource, err = newTableSource(s, folder, table, columns, func(b *parquetlog.Batch) {
		t.recorded.bind(b)
		t.total.bind(b)
		t.nodes = &b.Columns[table.Column("node_count")]
		t.settings.bind(b)
	})
	t.accept = func() bool { return t.resources(t.total) }
	return t, err
}

func (t *treeRecords) emit(e *core.Event) {
	t.record = core.TreeRecord{
		Snapshot: t.snapshotID(), Total: t.total.vector(t.i), NodeCount: optionalInt64(t.nodes, t.i), Settings: t.settings.settings(&t.tableSource),
	}
	e.TreeRecord = &t.record
}

// elementRecords is what the tables of pools and of operations have in common.
type elementRecords struct {
	recorded
	usage, demand, limits                           *group
	usageShare, demandShare, strongShare, fairShare *shareGroup
	fairStrong, fairIntegral, fairWeight            *shareGroup // null where the scheduler named no parts
	strongRatio, fairRatio                          *parquetlog.Vector
	dominant, status, pools                         []int32
	satisfaction, localSatisfaction                 *parquetlog.Vector
	more                                            []*shareGroup // of one table alone
	all                                             []*shareGroup // of both, and more
}

// open opens the table. Columns are those of one of the two alone.
func (r *elementRecords) open(s *stream, folder string, table *parquetlog.Table, columns []string, bind func(column func(name string) *parquetlog.Vector)) error {
	r.usage, r.demand, r.limits = newGroup(table, "usage"), newGroup(table, "demand"), newGroup(table, "limits")
	r.usageShare, r.demandShare = newShareGroup(table, "usage_share"), newShareGroup(table, "demand_share")
	r.strongShare, r.fairShare = newShareGroup(table, "strong_share"), newShareGroup(table, "fair_total")
	r.fairStrong, r.fairIntegral, r.fairWeight = newShareGroup(table, "fair_strong"), newShareGroup(table, "fair_integral"), newShareGroup(table, "fair_weight")
	r.all = append([]*shareGroup{r.usageShare, r.demandShare, r.strongShare, r.fairShare, r.fairStrong, r.fairIntegral, r.fairWeight}, r.more...)
	columns = append(columns, "snapshot_id", "pool_ix", "dominant_resource", "satisfaction", "local_satisfaction", "starvation_status", "strong_ratio", "fair_ratio")
	for _, g := range []*group{r.usage, r.demand, r.limits} {
		columns = append(columns, g.names[:]...)
	}
	for _, g := range r.all {
		columns = append(columns, g.names[:]...)
	}
	var err error
	r.tableSource, err = newTableSource(s, folder, table, columns, func(b *parquetlog.Batch) {
		column := func(name string) *parquetlog.Vector { return &b.Columns[table.Column(name)] }
		r.recorded.bind(b)
		for _, g := range []*group{r.usage, r.demand, r.limits} {
			g.bind(b)
		}
		for _, g := range r.all {
			g.bind(b)
		}
		r.dominant, r.status, r.pools = column("dominant_resource").Texts, column("starvation_status").Texts, column("pool_ix").Int32s
		r.satisfaction, r.localSatisfaction = column("satisfaction"), column("local_satisfaction")
		r.strongRatio, r.fairRatio = column("strong_ratio"), column("fair_ratio")
		bind(column)
	})
	return err
}

// acceptState checks what the tables have in common.
func (r *elementRecords) acceptState() bool {
	if !r.resources(r.usage) || !r.resources(r.demand) || !r.limits.null(r.i) && !r.rows.limits(r.limits) {
		return false
	}
	for _, g := range r.all {
		if !g.null(r.i) && !r.finiteShares(g) {
			return false
		}
	}
	return true
}

// state fills what the tables have in common.
func (r *elementRecords) state(to *core.RecordedState) {
	i := r.i
	*to = core.RecordedState{
		Snapshot: r.snapshotID(), Usage: r.usage.vector(i), Demand: r.demand.vector(i),
		FairStrong: r.fairStrong.optional(i), FairIntegral: r.fairIntegral.optional(i), FairWeight: r.fairWeight.optional(i),
		Dominant: r.stream.intern.Text(r.dominant[i]), Status: r.stream.intern.Text(r.status[i]),
		Satisfaction:      r.real("satisfaction", r.satisfaction),
		LocalSatisfaction: r.real("local_satisfaction", r.localSatisfaction),
	}
	to.UsageShare, to.UsageDetail = r.usageShare.recorded(i)
	to.DemandShare, to.DemandDetail = r.demandShare.recorded(i)
	if to.StrongShare, to.StrongDetail = r.strongShare.recorded(i); to.StrongDetail == core.Unrecorded {
		to.StrongShare, to.StrongDetail = r.ratio("strong_ratio", r.strongRatio, to.Dominant)
	}
	if to.FairShare, to.FairDetail = r.fairShare.recorded(i); to.FairDetail == core.Unrecorded {
		to.FairShare, to.FairDetail = r.ratio("fair_ratio", r.fairRatio, to.Dominant)
	}
	if !r.limits.null(i) {
		to.Limits = core.Some(r.limits.vector(i))
	}
}

// ratio is a share whose greatest component alone the log records, if that. It stands
// at the dominant resource, at cpu if the log names none.
func (r *elementRecords) ratio(name string, column *parquetlog.Vector, dominant string) (s resource.Share, d core.Detail) {
	x := r.real(name, column)
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
func (r *elementRecords) recordedPool(column string, id int32) bool {
	return core.PoolID(id) == core.RootPool || r.checkPool(column, core.PoolID(id))
}

// poolRecords is the source of PoolRecorded.
type poolRecords struct {
	elementRecords
	parent, volume, running, operations, lightweight *parquetlog.Vector
	own                                              *parquetlog.Vector
	mode                                             []int32
	weight                                           []float64
	settings                                         *settingsGroup
	record                                           core.PoolRecord
}

func newPoolRecords(s *stream, folder string) (source, error) {
	p := &poolRecords{settings: newSettingsGroup(&trace.SnapPools.Table)}
	columns := []string{"parent_ix", "mode", "weight", "accumulated_ratio_volume", "running_operations", "operations", "lightweight_running", "own_operations"}
	columns = append(columns, p.settings.names()...)
	err := p.open(s, folder, &trace.SnapPools.Table, columns, func(column func(string) *parquetlog.Vector) {
		p.parent, p.mode, p.weight = column("parent_ix"), column("mode").Texts, column("weight").Doubles
		p.volume, p.running = column("accumulated_ratio_volume"), column("running_operations")
		p.operations, p.lightweight, p.own = column("operations"), column("lightweight_running"), column("own_operations")
		p.settings.bind(p.batch)
	})
	p.accept = func() bool {
		return p.recordedPool("pool_ix", p.pools[p.i]) && (p.parent.Null(p.i) || p.parent.Int32s[p.i] == core.Unknown || p.recordedPool("parent_ix", p.parent.Int32s[p.i])) &&
			p.finite("weight", p.weight[p.i]) && p.acceptState()
	}
	return p, err
}

func (p *poolRecords) emit(e *core.Event) {
	i, r := p.i, &p.record
	p.state(&r.RecordedState)
	r.Pool, r.Parent = core.PoolID(p.pools[i]), core.RootPool
	switch {
	case r.Pool == core.RootPool || p.parent.Absent:
		r.Parent = core.Unknown
	case !p.parent.Null(i):
		r.Parent = core.PoolID(p.parent.Int32s[i])
	}
	r.Mode, r.Weight = p.stream.intern.Text(p.mode[i]), p.weight[i]
	r.RatioVolume = p.real("accumulated_ratio_volume", p.volume)
	r.Running, r.Operations, r.Lightweight = optionalInt64(p.running, i), optionalInt64(p.operations, i), optionalInt64(p.lightweight, i)
	r.Settings = p.settings.settings(&p.tableSource)
	r.Own = optionalInt64(p.own, i)
	e.PoolRecord = r
}

// operationRecords is the source of OperationRecorded.
type operationRecords struct {
	elementRecords
	op                                                       []int32
	weight                                                   *parquetlog.Vector
	preemptible, aggressive, since, reason, fifo, scheduling *parquetlog.Vector
	declines                                                 *parquetlog.Vector
	best                                                     *shareGroup
	settings                                                 *settingsGroup
	record                                                   core.OperationRecord
}

func newOperationRecords(s *stream, folder string) (source, error) {
	o := &operationRecords{settings: newSettingsGroup(&trace.SnapOps.Table)}
	columns := []string{"op_ix", "weight", "preemptible_jobs", "aggressively_preemptible_jobs", "starving_since", "unschedulable_reason", "fifo_index", "scheduling_index", "declines"}
	columns = append(columns, o.settings.names()...)
	o.best = newShareGroup(&trace.SnapOps.Table, "best_allocation")
	o.more = []*shareGroup{o.best}
	err := o.open(s, folder, &trace.SnapOps.Table, columns, func(column func(string) *parquetlog.Vector) {
		o.op, o.preemptible, o.aggressive = column("op_ix").Int32s, column("preemptible_jobs"), column("aggressively_preemptible_jobs")
		o.weight = column("weight")
		o.since, o.reason = column("starving_since"), column("unschedulable_reason")
		o.fifo, o.scheduling, o.declines = column("fifo_index"), column("scheduling_index"), column("declines")
		o.settings.bind(o.batch)
	})
	operations := len(s.trace.dimensions.Operations)
	o.accept = func() bool {
		return o.id("op_ix", o.op[o.i], operations) && o.recordedPool("pool_ix", o.pools[o.i]) && o.acceptState()
	}
	return o, err
}

func (o *operationRecords) emit(e *core.Event) {
	i, r := o.i, &o.record
	o.state(&r.RecordedState)
	r.Operation, r.Pool = core.OperationID(o.op[i]), core.PoolID(o.pools[i])
	r.Weight = o.real("weight", o.weight)
	r.Preemptible, r.AggressivePreempt = optionalInt64(o.preemptible, i), optionalInt64(o.aggressive, i)
	r.FIFOIndex, r.SchedulingIndex = optionalInt32(o.fifo, i), optionalInt32(o.scheduling, i)
	r.Unschedulable = o.stream.intern.Text(o.reason.Texts[i])
	r.Declines, r.BestAllocation = optionalInt64(o.declines, i), o.best.optional(i)
	r.Settings = o.settings.settings(&o.tableSource)
	since, ok := o.instant("starving_since", o.since)
	r.StarvingSince = core.Optional[core.Time]{Value: since, Set: ok}
	e.OperationRecord = r
}

// A shareGroup is a group of columns that hold a share.
type shareGroup struct {
	names [resource.Kinds]string
	at    [resource.Kinds]int
	v     [resource.Kinds][]float64
	all   [resource.Kinds]*parquetlog.Vector
}

func newShareGroup(t *parquetlog.Table, prefix string) *shareGroup {
	g := &shareGroup{}
	for k := range g.names {
		g.names[k] = prefix + "_" + resource.Kind(k).String()
		g.at[k] = t.Column(g.names[k])
	}
	return g
}

func (g *shareGroup) bind(b *parquetlog.Batch) {
	for k, at := range g.at {
		g.all[k] = &b.Columns[at]
		g.v[k] = g.all[k].Doubles
	}
}

// null reports whether the group is null, as a whole: see group.
func (g *shareGroup) null(i int) bool { return anyNull(&g.all, i) }

// optional returns a group that may be null.
func (g *shareGroup) optional(i int) (s core.Optional[resource.Share]) {
	if !g.null(i) {
		s = core.Some(g.share(i))
	}
	return s
}

// recorded returns the group, or that nothing of it is recorded.
func (g *shareGroup) recorded(i int) (s resource.Share, d core.Detail) {
	if g.null(i) {
		return s, core.Unrecorded
	}
	return g.share(i), core.PerResource
}

func (g *shareGroup) share(i int) (s resource.Share) {
	for k := range s {
		s[k] = g.v[k][i]
	}
	return s
}
