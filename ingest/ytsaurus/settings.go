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

// encodePool appends what is known of a pool.
func (x *element) encodePool(e *encoder) {
	x.encode(e)
	e.settings(x.settings)
}

func (e *encoder) settings(s trace.SnapSettings) {
	optional(e, s.StarvationTolerance, e.float)
	optional(e, s.StarvationTimeoutMS, e.int)
	optional(e, s.AggressiveStarvation, e.bool)
	optional(e, s.ThresholdRecorded, e.bool)
	p := &s.NonPreemptible
	for _, n := range [...]core.Optional[int64]{p.UserSlots, p.CPUMilli, {Value: int64(p.GPU.Value), Set: p.GPU.Set}, p.Memory, p.Network} {
		optional(e, n, e.int)
	}
}

func (d *decoder) settings() (s trace.SnapSettings) {
	s.StarvationTolerance = optionalOf(d, d.float)
	s.StarvationTimeoutMS = optionalOf(d, d.int)
	s.AggressiveStarvation = optionalOf(d, d.bool)
	s.ThresholdRecorded = optionalOf(d, d.bool)
	p := &s.NonPreemptible
	p.UserSlots, p.CPUMilli = optionalOf(d, d.int), optionalOf(d, d.int)
	p.GPU = optionalOf(d, func() int32 { return int32(d.int()) })
	p.Memory, p.Network = optionalOf(d, d.int), optionalOf(d, d.int)
	return s
}
