package ingest

import (
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// Configurations are few: a row is read as a struct, and the setting it makes
// is a new one each time.

// treeConfigs is the source of TreeConfigured. A version comes again when the templates that
// patch it change (core/spec/scheduling.md §2.1).
type treeConfigs struct {
	versions
	row        trace.TreeConfig
	attributes pooltree.Attributes // of the row
	latest     pooltree.Attributes // of the version in force
	assumed    bool                // so is its source
	dated      bool                // the log says when it took effect
	again      lapse               // when it comes again
	doubled    []*pooltree.RuleError
}

// eventSource is the source of a version that a row of the log dates.
const eventSource = "event"

func newTreeConfigs(s *stream, folder string) (source, error) {
	c := &treeConfigs{again: lapse{time: never}}
	s.options = c
	return c, c.open(s, folder, &trace.TreeConfigs.Table, allColumns(), func() bool {
		row := &c.row
		trace.TreeConfigs.Row(c.batch, c.i, s.intern, row)
		c.clean("non_preemptible", &row.NonPreemptible)
		var wrong []string
		c.doubled = doubled(s.profile, row.ConfigJSON, pooltree.ParseTree)
		c.attributes, wrong = poolconf.TreeAttributes(row)
		c.badJSON(wrong)
		return true
	})
}

func (c *treeConfigs) emit(e *core.Event) {
	switch {
	case c.isRepeat():
		c.reported = true
		c.patch(e)
		c.reported = false
	case c.lapsing():
		// The settings from here on are not recorded.
		e.Tree, e.Attributes, e.Doubled = &core.TreeConfig{Assumed: true}, nil, nil
		c.latest = nil
	default:
		c.latest, c.assumed, c.dated = c.attributes, c.row.Source == "assumed", c.row.Source == eventSource
		c.patch(e)
		e.Doubled = c.doubled
		c.beginVersion(core.RootPool, core.RootPool, c.row.ValidTo)
	}
}

// patch reads the options of the latest version and of the templates below it. What is
// wrong with them is a problem of the row at hand.
func (c *treeConfigs) patch(e *core.Event) {
	e.Attributes = c.latest
	if len(c.stream.templates) > 0 {
		e.Attributes = pooltree.TreeAttributes(c.stream.tree, c.latest, c.stream.templates)
	}
	config := parseOptions(c.rows, treeColumns, e.Attributes, pooltree.ParseTree)
	config.Assumed, config.Dated = c.assumed, c.dated
	e.Tree = &config
}

// repeatAt repeats the version in force, unless another replaces it at
// that instant.
func (c *treeConfigs) repeatAt(at core.Time, seq int64) {
	if c.latest != nil {
		c.again = lapse{time: at, seq: seq}
	}
}

func (c *treeConfigs) isRepeat() bool { return c.again.time < c.versions.head() }

func (c *treeConfigs) head() core.Time { return min(c.again.time, c.versions.head()) }

func (c *treeConfigs) seq() int64 {
	if c.isRepeat() {
		return c.again.seq
	}
	return c.versions.seq()
}

func (c *treeConfigs) advance() error {
	repeated := c.isRepeat()
	c.again.time = never
	if repeated {
		return nil
	}
	return c.versions.advance()
}

// doubled returns the options that config_json holds under two names at once, as
// its writer set them: beside a column, which goes first, they do no harm.
func doubled[C any](p core.Profile, configJSON string, parse func(pooltree.Profile, pooltree.Attributes) (C, []*pooltree.RuleError)) []*pooltree.RuleError {
	v, err := poolconf.ParseJSON([]byte(configJSON))
	m, isMap := v.(map[string]any)
	if err != nil || !isMap {
		return nil
	}
	_, errs := parse(p, m)
	return slices.DeleteFunc(errs, func(e *pooltree.RuleError) bool { return e.Rule != pooltree.AliasConflict })
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
	row        trace.PoolConfig
	attributes pooltree.Attributes
	config     *core.PoolConfig
	doubled    []*pooltree.RuleError
}

func newPoolConfigs(s *stream, folder string) (source, error) {
	c := &poolConfigs{}
	return c, c.open(s, folder, &trace.PoolConfigs.Table, allColumns(), func() bool {
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
		c.doubled = doubled(s.profile, row.ConfigJSON, pooltree.ParsePool)
		var wrong []string
		c.attributes, wrong = poolconf.PoolAttributes(row)
		c.badJSON(wrong)
		c.config = &core.PoolConfig{
			PoolConfig: parseOptions(c.rows, poolColumns, c.attributes, pooltree.ParsePool),
			Parent:     row.Parent.Or(core.RootPool),
			Deleted:    row.Deleted,
			Ephemeral:  row.Ephemeral,
			Dated:      row.Source == core.Some(eventSource),
		}
		return true
	})
}

func (c *poolConfigs) emit(e *core.Event) {
	if c.lapsing() {
		ended := c.pending[0]
		e.Pool, e.Config, e.Attributes, e.Doubled = ended.pool, &core.PoolConfig{Parent: ended.parent, Deleted: true}, nil, nil
		return
	}
	e.Pool, e.Config, e.Attributes, e.Doubled = c.row.Pool, c.config, c.attributes, c.doubled
	validTo := c.row.ValidTo
	if c.config.Deleted {
		validTo = core.Optional[core.Time]{} // what is gone cannot end
	}
	c.beginVersion(c.row.Pool, c.config.Parent, validTo)
}

// poolColumns is treeColumns for pool_config.
var poolColumns = map[string]string{
	"guarantee_type":                            "integral_type",
	"ephemeral_subpool_config":                  "ephemeral_subpool_json",
	"enable_fair_share_truncation_in_fifo_pool": "fifo_truncation",
	"config_preset":                             "preset",
}
