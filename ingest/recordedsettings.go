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
	i := r.i
	s.Tolerance, s.Timeout = r.real(&g.tolerance), optionalMilliseconds(&g.timeout, i)
	s.Aggressive = optionalBool(&g.aggressive, i)
	if optionalBool(&g.recorded, i).Value {
		s.Threshold = core.Some(g.threshold.partial(r.rows))
	}
	return s
}

func optionalMilliseconds(c *column, i int) (ms core.Optional[pooltree.Milliseconds]) {
	const most = math.MaxInt64 / 4000 // the time that it means can be added to a time of the log
	if x := optionalInt64(c, i); x.Set && x.Value >= 0 && x.Value <= most {
		ms = core.Some(pooltree.Milliseconds(x.Value))
	}
	return ms
}
