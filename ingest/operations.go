package ingest

import (
	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/trace"
)

// operationChanges is the source of OperationChanged. Settings are few among
// the rows, so they are looked at only where a row has any.
type operationChanges struct {
	tableSource
	op             column              `col:"op_ix"`
	inPool         column              `col:"pool_ix"`
	event          column              `col:"event"`
	errorCode      column              `col:"error_code"`
	tentative      column              `col:"tentative"`
	probing        column              `col:"probing"`
	offloading     column              `col:"offloading"`
	status         column              `col:"starvation_status"`
	applyLimits    column              `col:"apply_limits_to_demand"`
	limit          group               `col:"limit"`
	strong         group               `col:"strong"`
	settings       []int               // columns that pooltree reads
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
	o := &operationChanges{steps: map[int32]core.Step{}, operationCount: len(s.trace.dimensions.Operations)}
	for word, step := range stepWords {
		o.steps[s.intern.ID([]byte(word))] = step
	}
	columns := bindColumns(o, table)
	for k := range table.Columns {
		if name := table.Columns[k].Name; operationSettings[name] != "" {
			columns.names, o.settings = append(columns.names, name), append(o.settings, k)
		}
	}
	return o, o.open(s, folder, table, columns, o.acceptRow)
}

// recordedRole returns the role of the tree for the operation of the current row. Old clusters do
// not distinguish offloading from regular trees.
func (o *operationChanges) recordedRole() core.Role {
	is := func(c *column) bool { return optionalBool(c, o.i) == core.Some(true) }
	switch {
	case is(&o.tentative):
		return core.RoleTentative
	case is(&o.probing):
		return core.RoleProbing
	case is(&o.offloading):
		return core.RoleOffloading
	case o.offloading.Null(o.i):
		return core.RoleUnknown
	}
	return core.RoleRegular
}

func (o *operationChanges) acceptRow() bool {
	i := o.i
	if !o.idOf(&o.op, o.operationCount) {
		return false
	}
	step, known := o.steps[o.event.Texts[i]]
	if !known {
		o.problem("event", unknownEnum, o.textOf(&o.event))
		return false
	}
	o.step, o.pool = step, core.Unknown
	if !o.inPool.Null(i) && o.inPool.Int32s[i] >= 0 {
		o.pool = core.PoolID(o.inPool.Int32s[i])
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
		p.Gang = o.stream.trace.operations[o.op.Int32s[i]].gang
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
	e.Operation = core.OperationID(o.op.Int32s[o.i])
	e.Pool, e.Step, e.Role = o.pool, o.step, o.role
	if o.role == core.RoleUnknown && o.spec != nil { // the default tree is that of now
		e.Role = o.stream.roleBySpec(&o.spec.Trees)
	}
	e.ErrorCode = o.errorCode.Int32s[o.i]
	e.Status = o.textOf(&o.status)
	e.Params, e.Spec = nil, o.spec
	if o.changes {
		e.Params = &o.params
	}
}
