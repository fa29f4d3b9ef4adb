package core

// logAccuracy states how accurate the log is. It is set before the first event.
type logAccuracy struct {
	usageTolerance float64 // tolerance of reported usage, a fraction
	allHeartbeats  bool    // the log holds every heartbeat
	nodeLag        Time    // see SetNodeLag
}

// SetAllHeartbeats states that the log holds every heartbeat.
func (t *logAccuracy) SetAllHeartbeats() { t.allHeartbeats = true }

// SetUsageTolerance states by what fraction reported usage may be wrong; 0 by default.
func (t *logAccuracy) SetUsageTolerance(part float64) { t.usageTolerance = part }

// SetNodeLag states how late the log may record a change of a node; 0 by default.
func (t *logAccuracy) SetNodeLag(by Time) { t.nodeLag = by }
