package ingest

import (
	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// Configurations are few: a row is read as a struct, and the setting it makes
// is a new one each time.

// treeConfigs is the source of TreeConfigured.
type treeConfigs struct {
	versions
	row    trace.TreeConfig
	config *core.TreeConfig
}

func newTreeConfigs(s *stream, folder string) (source, error) {
	c := &treeConfigs{}
	var err error
	c.tableSource, err = newTableSource(s, folder, &trace.TreeConfigs.Table, nil, func(*parquetlog.Batch) {})
	c.accept = func() bool {
		row := &c.row
		trace.TreeConfigs.Row(c.batch, c.i, s.intern, row)
		c.clean("non_preemptible", &row.NonPreemptible)
		attributes, wrong := poolconf.TreeAttributes(row)
		c.badJSON(wrong)
		config := parseOptions(c.rows, treeColumns, attributes, pooltree.ParseTree)
		config.Assumed = row.Source == "assumed"
		c.config = &config
		return true
	}
	return c, err
}

func (c *treeConfigs) emit(e *core.Event) {
	if c.lapsing() {
		// Nobody recorded what the settings are from here on.
		e.Tree = &core.TreeConfig{Assumed: true}
		return
	}
	e.Tree = c.config
	c.begin(core.RootPool, core.RootPool, c.row.ValidTo)
}

// treeColumns names the columns of tree_config that are not named as the
// options they hold, by option.
var treeColumns = map[string]string{
	"job_interrupt_timeout":                         "preempt_timeout_ms",
	"job_graceful_interrupt_timeout":                "graceful_preempt_timeout_ms",
	"infer_weight_from_guarantees_share_multiplier": "infer_weight_multiplier",
	"enable_fair_share_truncation_in_fifo_pool":     "fifo_truncation",
	"smooth_period":                                 "integral_smooth_period_ms",
	"pool_capacity_saturation_period":               "integral_pool_capacity_saturation_period_ms",
}

// poolConfigs is the source of PoolConfigured.
type poolConfigs struct {
	versions
	row    trace.PoolConfig
	config *core.PoolConfig
}

func newPoolConfigs(s *stream, folder string) (source, error) {
	c := &poolConfigs{}
	var err error
	c.tableSource, err = newTableSource(s, folder, &trace.PoolConfigs.Table, nil, func(*parquetlog.Batch) {})
	c.accept = func() bool {
		row := &c.row
		trace.PoolConfigs.Row(c.batch, c.i, s.intern, row)
		if !c.checkPool("pool_ix", row.Pool) || row.Parent.Set && !c.checkPool("parent_ix", row.Parent.Value) {
			return false
		}
		c.clean("strong", &row.Strong)
		c.clean("limit", &row.Limit)
		c.clean("flow", &row.Flow)
		c.clean("burst", &row.Burst)
		c.clean("non_preemptible", &row.NonPreemptible)
		attributes, wrong := poolconf.PoolAttributes(row)
		c.badJSON(wrong)
		c.config = &core.PoolConfig{
			PoolConfig: parseOptions(c.rows, poolColumns, attributes, pooltree.ParsePool),
			Parent:     row.Parent.Or(core.RootPool),
			Deleted:    row.Deleted,
			Ephemeral:  row.Ephemeral,
		}
		return true
	}
	return c, err
}

func (c *poolConfigs) emit(e *core.Event) {
	if c.lapsing() {
		ended := c.pending[0]
		e.Pool, e.Config = ended.pool, &core.PoolConfig{Parent: ended.parent, Deleted: true}
		return
	}
	e.Pool, e.Config = c.row.Pool, c.config
	validTo := c.row.ValidTo
	if c.config.Deleted {
		validTo = core.Optional[core.Time]{} // what is gone cannot end
	}
	c.begin(c.row.Pool, c.config.Parent, validTo)
}

// poolColumns is treeColumns for pool_config.
var poolColumns = map[string]string{
	"guarantee_type":                            "integral_type",
	"ephemeral_subpool_config":                  "ephemeral_subpool_json",
	"enable_fair_share_truncation_in_fifo_pool": "fifo_truncation",
	"config_preset":                             "preset",
}
