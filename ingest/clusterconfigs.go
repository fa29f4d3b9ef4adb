package ingest

import (
	"reflect"
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// clusterConfigs is the source of ClusterConfigured: the settings above all trees come in the
// stream of each.
type clusterConfigs struct {
	tableSource
	row    trace.ClusterConfig
	config *core.ClusterConfig
}

func newClusterConfigs(s *stream, _ string) (source, error) {
	c := &clusterConfigs{}
	return c, c.open(s, globalFolder, &trace.ClusterConfigs.Table, allColumns(), func() bool {
		row := &c.row
		trace.ClusterConfigs.Row(c.batch, c.i, s.intern, row)
		attributes, wrong := poolconf.ClusterAttributes(row)
		c.badJSON(wrong)
		config := parseOptions(c.rows, nil, attributes, pooltree.ParseCluster)
		slices.Sort(config.Trees)
		config.Trees = slices.Compact(config.Trees)
		c.config = &config
		return true
	})
}

func (c *clusterConfigs) emit(e *core.Event) {
	e.Cluster = c.config
	s := c.stream
	s.defaultTree = c.config.Default
	if !reflect.DeepEqual(s.templates, c.config.Templates) {
		s.templates = c.config.Templates
		s.options.repeatAt(e.Time, e.Seq)
	}
}
