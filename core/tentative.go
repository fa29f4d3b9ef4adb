package core

import (
	"math"

	"poolproof/core/pooltree"
)

// A sample is what an operation has tried of a tentative tree: whoever has enough
// jobs there to judge it by gets no more until they are over (core/spec/scheduling.md
// §2.4).
type sample struct {
	tentative bool // the tree is tentative to the operation
	rules     pooltree.Eligibility
	finished  int64 // jobs that completed
	saturated bool
	since     Time // when it became so last
	until     Time // when it is looked at again, if it is no longer
}

// forever is later than any time.
const forever = Time(math.MaxInt64)

// setRole follows what the log says that the tree is to an operation.
func (t *Tree) setRole(slot int32, e *Event) {
	s := &t.operations[slot].sample
	if e.Role != RoleUnknown {
		s.tentative = e.Role == RoleTentative
	}
	if e.Spec != nil {
		s.rules = e.Spec.Trees.Eligibility
	}
	t.saturate(slot)
}

// saturate follows the jobs of an operation. One that is saturated is passed over
// for a while and then tried again, so that it may be passed over for some time after
// its jobs are over, too.
func (t *Tree) saturate(slot int32) {
	o := &t.operations[slot]
	s := &o.sample
	saturated := s.tentative && s.rules.Saturated(s.finished, o.LiveJobs)
	if saturated == s.saturated {
		return
	}
	s.saturated = saturated
	if saturated {
		s.since, s.until = t.now, forever
	} else {
		period := Time(t.config.SaturationWait()) * 1000
		s.until = t.now
		if late := (t.now - s.since) % max(period, 1); late > 0 {
			s.until += period - late
		}
	}
	t.pushSample(slot)
}

// pushSample says until when an operation is passed over.
func (t *Tree) pushSample(slot int32) {
	if o := &t.operations[slot]; o.enabled && o.sample.until > 0 {
		t.scheduling.SetSaturated(o.Element, int64(o.sample.until))
	}
}
