package ingest

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// Configurations are few: a row is read as a struct, and the setting it makes
// is a new one each time.

// treeConfigs is the source of TreeConfigured.
type treeConfigs struct {
	tableSource
	row    trace.TreeConfig
	config *core.TreeConfig
}

func newTreeConfigs(s *stream, folder string) (source, error) {
	c := &treeConfigs{}
	var err error
	c.tableSource, err = newTableSource(s, folder, &trace.TreeConfigs.Table, nil, func(*parquetlog.Batch) {})
	c.accept = func() bool {
		trace.TreeConfigs.Row(c.batch, c.i, s.intern, &c.row)
		more, wrong := poolconf.TreeOptions(c.row.ConfigJSON)
		c.badConfig(wrong)
		overlay(&c.row, &more.TreeConfig)
		c.config = c.convert(&c.row, more.FIFOOrder)
		return true
	}
	return c, err
}

func (c *treeConfigs) emit(e *core.Event) { e.Tree = c.config }

func (c *treeConfigs) convert(row *trace.TreeConfig, order core.Optional[string]) *core.TreeConfig {
	config := &core.TreeConfig{
		Assumed:                         row.Source == "assumed",
		DefaultParentPool:               row.DefaultParentPool.Value,
		MainResource:                    c.kind("main_resource", row.MainResource),
		MaxOperationCount:               c.count("max_operation_count", row.MaxOperationCount),
		MaxRunningOperationCount:        c.count("max_running_operation_count", row.MaxRunningOperationCount),
		MaxOperationCountPerPool:        c.count("max_operation_count_per_pool", row.MaxOperationCountPerPool),
		MaxRunningOperationCountPerPool: c.count("max_running_operation_count_per_pool", row.MaxRunningOperationCountPerPool),
		FairShareStarvationTolerance:    c.real("fair_share_starvation_tolerance", row.FairShareStarvationTolerance, 0, 1),
		FairShareStarvationTimeout:      c.duration("fair_share_starvation_timeout_ms", row.FairShareStarvationTimeoutMS),
		AggressiveStarvationTimeout:     c.duration("fair_share_aggressive_starvation_timeout_ms", row.AggressiveStarvationTimeoutMS),
		MinSharePreemptionTimeout:       c.duration("min_share_preemption_timeout_ms", row.MinSharePreemptionTimeoutMS),
		PreemptionSatisfaction:          c.real("preemption_satisfaction_threshold", row.PreemptionSatisfaction, 0, math.MaxFloat64),
		AggressiveSatisfaction:          c.real("aggressive_preemption_satisfaction_threshold", row.AggressiveSatisfaction, 0, math.MaxFloat64),
		InferWeightMultiplier:           c.real("infer_weight_multiplier", row.InferWeightMultiplier, 0, math.MaxFloat64),
		FIFOTruncation:                  row.FIFOTruncation,
		FIFOOrder:                       c.fifoOrder("config_json", order),
	}
	config.Integral.SmoothPeriod = c.duration("integral_smooth_period_ms", row.SmoothPeriodMS)
	config.Integral.SaturationPeriod = c.duration("integral_pool_capacity_saturation_period_ms", row.SaturationPeriodMS)
	return config
}

// poolConfigs is the source of PoolConfigured.
type poolConfigs struct {
	tableSource
	row    trace.PoolConfig
	config *core.PoolConfig
}

func newPoolConfigs(s *stream, folder string) (source, error) {
	c := &poolConfigs{}
	var err error
	c.tableSource, err = newTableSource(s, folder, &trace.PoolConfigs.Table, nil, func(*parquetlog.Batch) {})
	c.accept = func() bool {
		trace.PoolConfigs.Row(c.batch, c.i, s.intern, &c.row)
		if !c.checkPool("pool_ix", c.row.Pool) || c.row.Parent.Set && !c.checkPool("parent_ix", c.row.Parent.Value) {
			return false
		}
		more, wrong := poolconf.PoolOptions(c.row.ConfigJSON)
		c.badConfig(wrong)
		overlay(&c.row, &more)
		c.config = c.convert(&c.row)
		return true
	}
	return c, err
}

func (c *poolConfigs) emit(e *core.Event) { e.Pool, e.Config = c.row.Pool, c.config }

func (c *poolConfigs) convert(row *trace.PoolConfig) *core.PoolConfig {
	config := &core.PoolConfig{
		Parent:    core.PoolID(row.Parent.Or(core.RootPool)),
		Deleted:   row.Deleted,
		Ephemeral: row.Ephemeral,
	}
	config.PoolConfig = pooltree.PoolConfig{
		Mode:            core.Some(word(c.rows, "mode", row.Mode, map[string]core.Mode{"": core.FairShare, "fair_share": core.FairShare, "fifo": core.FIFO})),
		Weight:          c.real("weight", row.Weight, 0, math.MaxFloat64),
		MaxShareRatio:   c.real("max_share_ratio", row.MaxShareRatio, 0, 1),
		StrongGuarantee: c.partial("strong", row.Strong),
		ResourceLimits:  c.partial("limit", row.Limit),
		FIFOSort:        c.fifoSort(row.FIFOSortParameters),
		FIFOTruncation:  row.FIFOTruncation,
		FIFOOrder:       c.fifoOrder("fifo_pool_scheduling_order", row.FIFOPoolSchedulingOrder),
		TagFilter:       c.formula("scheduling_tag_filter", row.SchedulingTagFilter.Value),
		Integral: pooltree.IntegralConfig{
			Type: word(c.rows, "integral_type", row.IntegralType, map[string]core.GuaranteeType{
				"": core.NoIntegral, "none": core.NoIntegral, "burst": core.Burst, "relaxed": core.Relaxed}),
			Flow:         c.partial("flow", row.Flow),
			Burst:        c.partial("burst", row.Burst),
			RelaxedLimit: c.real("relaxed_share_multiplier_limit", row.RelaxedShareMultiplierLimit, 0, math.MaxFloat64),
		},
		CreateSubpools:               row.CreateEphemeralSubpools.Value,
		ForbidImmediate:              row.ForbidImmediateOperations,
		LightweightOps:               row.EnableLightweightOperations,
		MaxOperationCount:            c.count("max_operation_count", row.MaxOperationCount),
		MaxRunningOperationCount:     c.count("max_running_operation_count", row.MaxRunningOperationCount),
		FairShareStarvationTolerance: c.real("fair_share_starvation_tolerance", row.FairShareStarvationTolerance, 0, 1),
		FairShareStarvationTimeout:   c.duration("fair_share_starvation_timeout_ms", row.FairShareStarvationTimeoutMS),
		MinSharePreemptionTimeout:    c.duration("min_share_preemption_timeout_ms", row.MinSharePreemptionTimeoutMS),
		EnableAggressiveStarvation:   row.EnableAggressiveStarvation,
		AllowAggressivePreemption:    row.AllowAggressivePreemption,
	}
	return config
}

// Each reader of a setting drops a bad value, with a problem.

func (r *rows) badConfig(wrong []string) {
	for _, w := range wrong {
		r.problem("config_json", BadConfig, w)
	}
}

func (r *rows) real(column string, v core.Optional[float64], least, most float64) core.Optional[float64] {
	if v.Set && !r.number(column, v.Value, least, most) {
		return core.Optional[float64]{}
	}
	return v
}

func (r *rows) count(column string, v core.Optional[int64]) core.Optional[int64] {
	if v.Set && v.Value < 0 {
		r.problem(column, BadNumber, strconv.FormatInt(v.Value, 10))
		return core.Optional[int64]{}
	}
	return v
}

// duration reads milliseconds. One that does not fit the core's time is bad.
func (r *rows) duration(column string, v core.Optional[int64]) core.Optional[pooltree.Milliseconds] {
	const perMilli = 1000
	if v.Set && v.Value > math.MaxInt64/perMilli {
		r.problem(column, BadNumber, strconv.FormatInt(v.Value, 10))
		return core.Optional[pooltree.Milliseconds]{}
	}
	v = r.count(column, v)
	return core.Optional[pooltree.Milliseconds]{Value: pooltree.Milliseconds(v.Value), Set: v.Set}
}

// formula reads a tag filter.
func (r *rows) formula(column, text string) pooltree.Formula {
	f, err := pooltree.ParseTagFilter(text)
	if err != nil {
		r.problem(column, BadConfig, text+": "+err.Error())
	}
	return f
}

func (r *rows) kind(column string, v core.Optional[string]) core.Optional[resource.Kind] {
	k, ok := resource.ParseKind(v.Value)
	if v.Set && !ok {
		r.problem(column, UnknownEnum, v.Value)
	}
	return core.Optional[resource.Kind]{Value: k, Set: ok}
}

func (r *rows) fifoOrder(column string, v core.Optional[string]) core.Optional[core.FIFOOrder] {
	if !v.Set {
		return core.Optional[core.FIFOOrder]{}
	}
	return core.Some(word(r, column, v.Value, map[string]core.FIFOOrder{"satisfaction": core.OrderSatisfaction, "fifo": core.OrderFIFO}))
}

func (r *rows) fifoSort(v core.Optional[string]) []core.FIFOKey {
	if !v.Set {
		return nil
	}
	words := map[string]core.FIFOKey{"weight": core.ByWeight, "start_time": core.ByStartTime, "pending_job_count": core.ByPendingJobs}
	var keys []core.FIFOKey
	for key := range strings.SplitSeq(v.Value, ",") {
		k, ok := words[strings.TrimSpace(key)]
		if !ok {
			r.problem("fifo_sort_parameters", UnknownEnum, v.Value)
			return nil
		}
		keys = append(keys, k)
	}
	return keys
}

// word looks a word up. One that is not among the words is a problem, and the
// zero value stands for it.
func word[T any](r *rows, column, v string, words map[string]T) T {
	t, ok := words[v]
	if !ok {
		r.problem(column, UnknownEnum, v)
	}
	return t
}

// partial reads a resource group of a configuration.
func (r *rows) partial(prefix string, p trace.PartialResources) resource.Partial {
	var out resource.Partial
	set := func(suffix string, k resource.Kind, v core.Optional[int64]) {
		if v.Set {
			r.setAmount(&out, prefix+suffix, k, v.Value)
		}
	}
	set("_user_slots", resource.UserSlots, p.UserSlots)
	set("_cpu_milli", resource.CPU, p.CPUMilli)
	set("_gpu", resource.GPU, core.Optional[int64]{Value: int64(p.GPU.Value), Set: p.GPU.Set})
	set("_memory", resource.Memory, p.Memory)
	set("_network", resource.Network, p.Network)
	return out
}

// setAmount sets one kind of p from the units of the file.
func (r *rows) setAmount(p *resource.Partial, column string, k resource.Kind, amount int64) {
	if amount < 0 {
		r.problem(column, NegativeResource, strconv.FormatInt(amount, 10))
		return
	}
	if k == resource.CPU {
		amount = trace.Cents(amount)
	}
	p.Amounts[k], p.Set[k] = amount, true
}

// overlay fills the settings that a row's columns leave open with those of its
// config_json: columns win.
func overlay[T any](row, more *T) {
	overlayValue(reflect.ValueOf(row).Elem(), reflect.ValueOf(more).Elem())
}

func overlayValue(row, more reflect.Value) {
	for i := range row.NumField() {
		a, b := row.Field(i), more.Field(i)
		switch {
		case a.Kind() == reflect.Struct && a.NumField() == 2 && a.Type().Field(1).Name == "Set":
			if !a.Field(1).Bool() {
				a.Set(b)
			}
		case a.Kind() == reflect.Struct:
			overlayValue(a, b)
		case a.Kind() == reflect.String && a.String() == "":
			a.Set(b)
		}
	}
}
