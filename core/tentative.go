package core

import (
	"math"

	"poolproof/core/pooltree"
)

// A trial tracks an operation's trial of a tentative tree: once the operation has enough jobs
// there to judge the tree by, it gets no more until they end (core/spec/scheduling.md §2.4).
type trial struct {
	tentative bool // the tree is tentative to the operation
	rules     pooltree.Eligibility
	finished  int64 // jobs that completed
	saturated bool
	since     Time // when it last became saturated
	until     Time // when it is tried again, if it is no longer saturated
}

// forever is later than any time.
const forever = Time(math.MaxInt64)

// setRole sets the role of the tree for an operation.
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

// saturate updates whether an operation is saturated. Schedulers skip a saturated operation for a
// period before trying it again, so it may be skipped for some time after its jobs have ended.
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

// pushSample passes on until when an operation is skipped.
func (t *Tree) pushSample(slot int32) {
	if o := &t.operations[slot]; o.enabled && o.sample.until > 0 {
		t.scheduling.SetSaturated(o.Element, int64(o.sample.until))
	}
}
