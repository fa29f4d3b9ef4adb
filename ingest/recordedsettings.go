package ingest

import (
	"math"

	"poolproof/core"
	"poolproof/core/pooltree"
)

// A settingsGroup is the columns of trace.SnapSettings.
type settingsGroup struct {
	tolerance  column `col:"effective_starvation_tolerance"`
	timeout    column `col:"effective_starvation_timeout_ms"`
	aggressive column `col:"effective_aggressive_starvation"`
	recorded   column `col:"effective_non_preemptible_recorded"`
	threshold  group  `col:"effective_non_preemptible"`
}

// settings returns those of the current row. A value that no configuration could hold counts as not recorded.
func (g *settingsGroup) settings(r *tableSource) (s core.RecordedSettings) {
	const maxTimeout = math.MaxInt64 / 1000 // milliseconds
	i := r.i
	s.Tolerance = r.real(&g.tolerance)
	if ms := optionalInt64(&g.timeout, i); ms.Set && ms.Value >= 0 && ms.Value <= maxTimeout {
		s.Timeout = core.Some(pooltree.Milliseconds(ms.Value))
	}
	s.Aggressive = optionalBool(&g.aggressive, i)
	if optionalBool(&g.recorded, i).Value {
		s.Threshold = core.Some(g.threshold.partial(r.rows))
	}
	return s
}
