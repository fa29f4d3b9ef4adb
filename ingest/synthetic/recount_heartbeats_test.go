package synthetic

import "poolproof/core"

func init() {
	for kind, is := range map[string]func(w *world) bool{
		"heartbeat_starts_too_many":   func(w *world) bool { return w.mostStarted() == 3 },
		"legal_heartbeat_starts_most": func(w *world) bool { return w.mostStarted() == 2 },
	} {
		recounts[kind] = is
	}
}

// mostStarted is how many jobs were started on one node at one instant, at most.
func (w *world) mostStarted() (most int) {
	type beat struct {
		at   core.Time
		node core.NodeID
	}
	count := map[beat]int{}
	w.any(func(e *core.Event) bool {
		if e.Kind == core.JobStarted {
			count[beat{e.Time, e.Node}]++
			most = max(most, count[beat{e.Time, e.Node}])
		}
		return false
	})
	return most
}
