package ingest

import (
	"math"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/parquetlog"
)

// A settingsGroup is the columns of trace.SnapSettings.
type settingsGroup struct {
	columns   [4]string
	at        [4]int
	v         [4]*parquetlog.Vector
	threshold *partialGroup
}

func newSettingsGroup(t *parquetlog.Table) *settingsGroup {
	g := &settingsGroup{
		columns:   [...]string{"effective_starvation_tolerance", "effective_starvation_timeout_ms", "effective_aggressive_starvation", "effective_non_preemptible_recorded"},
		threshold: newPartialGroup(t, "effective_non_preemptible"),
	}
	for i, name := range g.columns {
		g.at[i] = t.Column(name)
	}
	return g
}

func (g *settingsGroup) names() []string { return append(g.columns[:], g.threshold.names[:]...) }

func (g *settingsGroup) bind(b *parquetlog.Batch) {
	for i, at := range g.at {
		g.v[i] = &b.Columns[at]
	}
	g.threshold.bind(b)
}

// settings returns those of the current row. A value that no configuration could hold counts as not recorded.
func (g *settingsGroup) settings(r *tableSource) (s core.RecordedSettings) {
	const maxTimeout = math.MaxInt64 / 1000 // milliseconds
	i := r.i
	s.Tolerance = r.real(g.columns[0], g.v[0])
	if ms := optionalInt64(g.v[1], i); ms.Set && ms.Value >= 0 && ms.Value <= maxTimeout {
		s.Timeout = core.Some(pooltree.Milliseconds(ms.Value))
	}
	s.Aggressive = optionalBool(g.v[2], i)
	if optionalBool(g.v[3], i).Value {
		s.Threshold = core.Some(g.threshold.partial(r.rows))
	}
	return s
}
