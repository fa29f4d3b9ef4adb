package synthetic

import "poolproof/core"

func init() {
	overLimit := func(from, to int64) func(w *world) bool {
		return func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				p := w.pools["limited"]
				return e.Kind == core.JobStarted && over(w.poolUsage(p).Add(e.Limits), w.config[p].ResourceLimits, e.Limits) && e.Time > w.at(from) && e.Time < w.at(to)
			})
		}
	}
	recounts["start_over_node_under_alert"] = recounts["start_over_node"]
	recounts["start_over_limit_after_alert"] = overLimit(120+6, 600) // once the new limit is surely known
	recounts["start_over_accepted_limit"] = overLimit(5, 120)
	recounts["legal_start_by_accepted_limit"] = overLimit(60+6, 120)
}
