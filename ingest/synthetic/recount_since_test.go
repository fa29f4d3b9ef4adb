package synthetic

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

func init() {
	for kind, is := range map[string]func(w *world) bool{
		// Nine of twenty cores are more than eight tenths of ten, and the timeout is two minutes.
		"min_share_too_early": func(w *world) bool {
			return w.anyPool("rich", func(r *trace.SnapPool) bool {
				return r.StarvationStatus == "starving" && r.UsageShare.Value.CPU > 0.44 && r.FairTotal.Value.CPU < 0.51 && r.Time < w.at(150)
			})
		},
		"min_share_announced_early": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Step == core.StepStarvationStarted && e.Operation == w.names["b"] && e.Time < w.at(150)
			})
		},
		// Below the guarantee, not below eight tenths of the fair share.
		"aggressive_for_min_share": func(w *world) bool {
			return w.anyPool("rich", func(r *trace.SnapPool) bool {
				return r.StarvationStatus == "aggressively_starving" && r.UsageShare.Value.CPU > 0.44 && r.FairTotal.Value.CPU < 0.51
			})
		},
		"legal_aggressive_for_both": func(w *world) bool {
			first := w.anyPool("rich", func(r *trace.SnapPool) bool { return r.StarvationStatus == "starving" && r.Time < w.at(90) })
			return first && w.anyPool("rich", func(r *trace.SnapPool) bool {
				return r.StarvationStatus == "aggressively_starving" && r.UsageShare.Value.CPU < 0.4 && r.Time > w.at(120)
			})
		},
		"legal_min_share_starvation": func(w *world) bool {
			return w.anyPool("rich", func(r *trace.SnapPool) bool {
				return r.StarvationStatus == "starving" && r.UsageShare.Value.CPU > 0.44 && r.FairTotal.Value.CPU < 0.51
			})
		},
		"since_begun_anew": func(w *world) bool {
			times := map[core.Time]bool{}
			w.sinces("b", 60, 230, func(r *trace.SnapOp) { times[r.StarvingSince.Value] = true })
			return len(times) > 2
		},
		"since_not_told": func(w *world) bool {
			without := 0
			w.sinces("b", 65, 230, func(r *trace.SnapOp) {
				if !r.StarvingSince.Set {
					without++
				}
			})
			return without > 2
		},
		"since_kept": func(w *world) bool {
			with := 0
			w.sinces("b", 290, 400, func(r *trace.SnapOp) {
				if r.StarvingSince.Set {
					with++
				}
			})
			return with > 2
		},
		"legal_since_of_the_turn": func(w *world) bool {
			starved, other := 0, 0
			w.sinces("b", 0, 600, func(r *trace.SnapOp) {
				switch {
				case !r.StarvingSince.Set:
				case r.StarvationStatus == "starving" && r.StarvingSince.Value > w.at(85):
					starved++
				default:
					other++
				}
			})
			return starved > 2 && other == 0
		},
	} {
		recounts[kind] = is
	}
}

// sinces shows the snapshots of an operation between two seconds.
func (w *world) sinces(name string, from, to int64, show func(*trace.SnapOp)) {
	w.anyOp(name, func(r *trace.SnapOp) bool {
		if r.Time >= w.at(from) && r.Time < w.at(to) {
			show(r)
		}
		return false
	})
}
