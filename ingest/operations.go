package ingest

import (
	"poolproof/core"
	"poolproof/core/pooltree"
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
	errorCode      *parquetlog.Vector
	roles          [3]*parquetlog.Vector // tentative, probing, offloading
	status         []int32
	applyLimits    *parquetlog.Vector
	settings       []int // columns that pooltree reads
	limit, strong  *partialGroup
	steps          map[int32]core.Step // by interned event
	params         core.OperationParams
	spec           *core.OperationSpec
	role           core.Role
	changes        bool
	pool           core.PoolID
	step           core.Step
	operationCount int
}

// stepWords are the words of op_events.event (ingest/trace/FORMAT.md §3.4). Those
// without effect on the state are StepOther.
var stepWords = map[string]core.Step{
	"started": core.StepStarted, "prepared": core.StepOther, "materialized": core.StepMaterialized,
	"running": core.StepRunning, "pending": core.StepPending,
	"suspended": core.StepSuspended, "resumed": core.StepResumed,
	"pool_changed": core.StepPoolChanged, "params_changed": core.StepParamsChanged,
	"rejected": core.StepRejected, "erased_from_tree": core.StepErased, "banned_in_tree": core.StepBanned,
	"revived":            core.StepRevived,
	"starvation_started": core.StepStarvationStarted, "starvation_finished": core.StepStarvationFinished,
	"completed": core.StepCompleted, "failed": core.StepFailed, "aborted": core.StepAborted,
}

// operationSettings are the columns of op_events that hold options, by their
// documented names.
var operationSettings = map[string]string{
	"weight": "weight", "max_share_ratio": "max_share_ratio", "scheduling_tag_filter": "scheduling_tag_filter",
	"fair_share_starvation_tolerance":  "fair_share_starvation_tolerance",
	"fair_share_starvation_timeout_ms": "fair_share_starvation_timeout",
	"min_share_preemption_timeout_ms":  "min_share_preemption_timeout",
	"enable_aggressive_starvation":     "enable_aggressive_starvation",
	"preemption_mode":                  "preemption_mode",
	"max_unpreemptible_job_count":      "max_unpreemptible_job_count",
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
	columns := []string{"op_ix", "event", "pool_ix", "apply_limits_to_demand", "error_code", "starvation_status"}
	columns = append(columns, roleColumns[:]...)
	columns = append(append(columns, o.limit.names[:]...), o.strong.names[:]...)
	for k := range table.Columns {
		if name := table.Columns[k].Name; operationSettings[name] != "" {
			columns, o.settings = append(columns, name), append(o.settings, k)
		}
	}
	var err error
	o.tableSource, err = newTableSource(s, folder, table, columns, o.bindBatch)
	o.accept = o.acceptRow
	return o, err
}

func (o *operationChanges) bindBatch(b *parquetlog.Batch) {
	column := func(name string) *parquetlog.Vector { return &b.Columns[trace.OpEvents.Column(name)] }
	o.op, o.event, o.status = column("op_ix").Int32s, column("event").Texts, column("starvation_status").Texts
	o.pools, o.applyLimits, o.errorCode = column("pool_ix"), column("apply_limits_to_demand"), column("error_code")
	for k, name := range roleColumns {
		o.roles[k] = column(name)
	}
	o.limit.bind(b)
	o.strong.bind(b)
}

// roleColumns are those that say what the tree is to the operation, in the order
// of the roles after core.RoleRegular.
var roleColumns = [3]string{"tentative", "probing", "offloading"}

// recordedRole is what the current row says that the tree is to its operation. Old clusters do
// not distinguish offloading from regular trees.
func (o *operationChanges) recordedRole() core.Role {
	for k, v := range o.roles {
		if !v.Null(o.i) && v.Bools[o.i] {
			return core.RoleRegular + core.Role(k) + 1
		}
	}
	if o.roles[len(o.roles)-1].Null(o.i) {
		return core.RoleUnknown
	}
	return core.RoleRegular
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
		if o.stream.trace.dimensions.Pools[o.pool].Name == pooltree.RootName {
			o.pool = core.RootPool
		}
	}
	o.setParams()
	return true
}

// setParams reads what the row changes. A bad setting is a problem and counts
// as absent.
func (o *operationChanges) setParams() {
	i, p := o.i, core.OperationParams{}
	o.setOptions(&p)
	if limit := o.limit.partial(o.rows); !limit.IsEmpty() {
		p.ResourceLimits = core.Some(limit)
	}
	if strong := o.strong.partial(o.rows); !strong.IsEmpty() {
		p.StrongGuarantee = core.Some(strong)
	}
	if !o.applyLimits.Null(i) {
		p.ApplyLimitsToDemand = core.Some(o.applyLimits.Bools[i])
	}
	if o.step == core.StepStarted || o.step == core.StepRevived {
		p.Gang = o.stream.trace.operations[o.op[i]].gang
	}
	o.setSpec(&p)
	o.changes = p != core.OperationParams{}
	o.params = p
}

// setOptions reads the options of the row by the rules of the profile.
func (o *operationChanges) setOptions(p *core.OperationParams) {
	var a pooltree.Attributes
	for _, k := range o.settings {
		if v := &o.batch.Columns[k]; !v.Null(o.i) {
			if a == nil {
				a = pooltree.Attributes{}
			}
			a[operationSettings[o.table.Columns[k].Name]] = o.value(k)
		}
	}
	if a == nil {
		return
	}
	c := parseOptions(o.rows, nil, a, func(profile pooltree.Profile, a pooltree.Attributes) (pooltree.OperationConfig, []*pooltree.RuleError) {
		c, errs := pooltree.ParseOperation(profile, a, "")
		for _, e := range errs {
			delete(a, e.Option)
		}
		return c, errs
	})
	p.OperationSettings = c.OperationSettings
	if a["scheduling_tag_filter"] != nil {
		filter := c.TagFilter
		p.TagFilter = &filter
	}
	if a["preemption_mode"] != nil {
		p.Graceful = core.Some(c.Graceful)
	}
}

func (o *operationChanges) emit(e *core.Event) {
	e.Operation = core.OperationID(o.op[o.i])
	e.Pool, e.Step, e.Role = o.pool, o.step, o.role
	if o.role == core.RoleUnknown && o.spec != nil { // the default tree is that of now
		e.Role = o.stream.roleBySpec(&o.spec.Trees)
	}
	e.ErrorCode = o.errorCode.Int32s[o.i]
	e.Status = o.stream.intern.Text(o.status[o.i])
	e.Params, e.Spec = nil, o.spec
	if o.changes {
		e.Params = &o.params
	}
}
