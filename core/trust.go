package core

// A trust is how far the log can be relied on, stated before the first event.
type trust struct {
	usagePart     float64 // by which reported usage may be off
	allHeartbeats bool    // the log holds every heartbeat
	nodesLag      Time    // see DelayNodes
}

// TrustHeartbeats states, before the first event, that the log holds every heartbeat.
func (t *trust) TrustHeartbeats() { t.allHeartbeats = true }

// DoubtUsage states by what part of it usage that is reported may be off, before the
// first event; by nothing by default.
func (t *trust) DoubtUsage(part float64) { t.usagePart = part }

// DelayNodes states how much later than it happened the log may tell that a node changed,
// before the first event; by nothing by default.
func (t *trust) DelayNodes(by Time) { t.nodesLag = by }
