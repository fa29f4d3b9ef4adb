package ytsaurus

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// settingsOf reads the settings in force that a snapshot records of a pool; those of the root are the tree's.
// One that is not what its name says counts as not recorded.
func settingsOf(c cursor) (s trace.SnapSettings) {
	for e := range c.children {
		switch e.key() {
		case keyEffectiveTolerance:
			s.StarvationTolerance = e.number()
		case keyEffectiveTimeout:
			s.StarvationTimeoutMS = e.count()
		case keyEffectiveAggressive:
			s.AggressiveStarvation = e.flag()
		case keyEffectiveThreshold:
			if p, ok := e.partialResources(); ok && !e.isNull() {
				s.NonPreemptible, s.ThresholdRecorded = p, core.Some(true)
			}
		}
	}
	return s
}
