package ingest

import (
	"math"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// operationChanges is the source of OperationChanged. Settings are few among
// the rows, so they are looked at only where a row has any.
type operationChanges struct {
	tableSource
	op             []int32
	pools          *parquetlog.Vector
	event          []int32
	weight, share  *parquetlog.Vector
	filter         *parquetlog.Vector
	applyLimits    *parquetlog.Vector
	limit, strong  *partialGroup
	steps          map[int32]core.Step // by interned event
	params         core.OperationParams
	changes        bool
	pool           core.PoolID
	step           core.Step
	operationCount int
}

// steps are the words of op_events.event (spec/trace-formats.md §3.4). Those
// without effect on the state are StepOther.
var stepWords = map[string]core.Step{
	"started": core.StepStarted, "prepared": core.StepOther, "materialized": core.StepMaterialized,
	"running": core.StepRunning, "pending": core.StepPending,
	"suspended": core.StepSuspended, "resumed": core.StepResumed,
	"pool_changed": core.StepPoolChanged, "params_changed": core.StepParamsChanged,
	"rejected": core.StepRejected, "erased_from_tree": core.StepErased, "banned_in_tree": core.StepErased,
	"revived": core.StepRevived, "starvation_started": core.StepOther, "starvation_finished": core.StepOther,
	"completed": core.StepCompleted, "failed": core.StepFailed, "aborted": core.StepAborted,
}

func newOperationChanges(s *stream, folder string) (source, error) {
	table := &trace.OpEvents.Table
	o := &operationChanges{
		limit: newPartialGroup(table, "limit"), strong: newPartialGroup(table, "strong"),
		steps:          map[int32]core.Step{},
		operationCount: len(s.trace.dimensions.Operations),
	}
	for word, step := range stepWords {
		o.steps[s.intern.ID([]byte(word))] = step
	}
	columns := []string{"op_ix", "event", "pool_ix", "weight", "max_share_ratio", "scheduling_tag_filter", "apply_limits_to_demand"}
	columns = append(append(columns, o.limit.names[:]...), o.strong.names[:]...)
	var err error
	o.tableSource, err = newTableSource(s, folder, table, columns, o.bindBatch)
	o.accept = o.acceptRow
	return o, err
}

func (o *operationChanges) bindBatch(b *parquetlog.Batch) {
	column := func(name string) *parquetlog.Vector { return &b.Columns[trace.OpEvents.Column(name)] }
	o.op, o.event = column("op_ix").Int32s, column("event").Texts
	o.pools, o.weight, o.share = column("pool_ix"), column("weight"), column("max_share_ratio")
	o.filter, o.applyLimits = column("scheduling_tag_filter"), column("apply_limits_to_demand")
	o.limit.bind(b)
	o.strong.bind(b)
}

func (o *operationChanges) acceptRow() bool {
	i := o.i
	if !o.id("op_ix", o.op[i], o.operationCount) {
		return false
	}
	step, known := o.steps[o.event[i]]
	if !known {
		o.problem("event", UnknownEnum, o.stream.intern.Text(o.event[i]))
		return false
	}
	o.step, o.pool = step, core.Unknown
	if !o.pools.Null(i) && o.pools.Int32s[i] >= 0 {
		o.pool = core.PoolID(o.pools.Int32s[i])
		if !o.checkPool("pool_ix", o.pool) {
			return false
		}
	}
	o.setParams()
	return true
}

// setParams reads what the row changes. A bad setting is a problem and counts
// as absent.
func (o *operationChanges) setParams() {
	i, p := o.i, core.OperationParams{}
	if !o.weight.Null(i) && o.number("weight", o.weight.Doubles[i], 0, math.MaxFloat64) {
		p.Weight = core.Some(o.weight.Doubles[i])
	}
	if !o.share.Null(i) && o.number("max_share_ratio", o.share.Doubles[i], 0, 1) {
		p.MaxShareRatio = core.Some(o.share.Doubles[i])
	}
	if limit := o.limit.partial(o.rows); !limit.IsEmpty() {
		p.ResourceLimits = core.Some(limit)
	}
	if strong := o.strong.partial(o.rows); !strong.IsEmpty() {
		p.StrongGuarantee = core.Some(strong)
	}
	if !o.filter.Null(i) {
		text := o.stream.intern.Text(o.filter.Texts[i])
		if filter, err := pooltree.ParseTagFilter(text); err == nil {
			p.TagFilter = &filter
		} else {
			o.problem("scheduling_tag_filter", BadFilter, text+": "+err.Error())
		}
	}
	if !o.applyLimits.Null(i) {
		p.ApplyLimitsToDemand = core.Some(o.applyLimits.Bools[i])
	}
	if o.step == core.StepStarted || o.step == core.StepRevived {
		known := o.stream.trace.operations[o.op[i]]
		p.Gang = known.gang
		if known.start.Set && known.start.Value < o.stamp.Time {
			p.StartTime = known.start
		}
	}
	o.changes = p != core.OperationParams{}
	o.params = p
}

func (o *operationChanges) emit(e *core.Event) {
	e.Operation = core.OperationID(o.op[o.i])
	e.Pool, e.Step = o.pool, o.step
	e.Params = nil
	if o.changes {
		e.Params = &o.params
	}
}

// A partialGroup is a resource group that is null per column.
type partialGroup struct {
	names [resource.Kinds]string
	v     [resource.Kinds]*parquetlog.Vector
	at    [resource.Kinds]int
}

func newPartialGroup(t *parquetlog.Table, prefix string) *partialGroup {
	g := &partialGroup{names: newGroup(t, prefix).names}
	for k, name := range g.names {
		g.at[k] = t.Column(name)
	}
	return g
}

func (g *partialGroup) bind(b *parquetlog.Batch) {
	for k, at := range g.at {
		g.v[k] = &b.Columns[at]
	}
}

// partial returns the amounts of the current row in the units of the core.
func (g *partialGroup) partial(r *rows) resource.Partial {
	var p resource.Partial
	for k, v := range g.v {
		if v.Null(r.i) {
			continue
		}
		var amount int64
		if v.Int32s != nil {
			amount = int64(v.Int32s[r.i])
		} else {
			amount = v.Int64s[r.i]
		}
		if r.amount(g.names[k], resource.Kind(k), amount) {
			if k == int(resource.CPU) {
				amount = trace.Cents(amount)
			}
			p.Amounts[k], p.Set[k] = amount, true
		}
	}
	return p
}
