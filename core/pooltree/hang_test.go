package pooltree

import (
	"poolproof/core/resource"
	"slices"
)

// A HangVerdict is what the check for hung operations says.
type HangVerdict uint8

// The verdicts.
const (
	NotHung        HangVerdict = iota
	Hung                       // scheduling hung: no start in spite of many attempts
	HungByAncestor             // a specified limit is smaller than the smallest job
)

// HangOptions are the thresholds of the check; absent ones have the defaults
// of core/spec/scheduling.md §3.4.
type HangOptions struct {
	SafeTimeout     Optional[Milliseconds] // operation_hangup_safe_timeout
	MinAttempts     Optional[int64]        // operation_hangup_min_schedule_job_attempts
	AncestorTimeout Optional[Milliseconds] // operation_hangup_due_to_limiting_ancestor_safe_timeout
	CheckAncestors  bool                   // enable_limiting_ancestor_check of tree and spec
}

const (
	defaultSafeTimeout     = Milliseconds(60 * 60_000)
	defaultMinAttempts     = 1000
	defaultAncestorTimeout = Milliseconds(5 * 60_000)
)

// A Hang follows one operation through the checks, which come every minute.
// Times are milliseconds on any scale.
type Hang struct {
	Activated Milliseconds
	LastStart Milliseconds // of a job; Activated before the first
	limited   Optional[Milliseconds]
}

// HangInput is what a check looks at.
type HangInput struct {
	Now       Milliseconds
	Pending   int64 // jobs the operation waits for
	Attempts  int64 // to schedule since the last start of a job
	MinNeeded resource.Vector
	Chain     []resource.Partial // specified limits, the operation's own first, then upwards
}

// Check returns the verdict, and the index in the chain of the lowest limit
// that is too small, or -1. Usage does not matter, nor what the nodes have
// (core/spec/scheduling.md §5.9).
func (h *Hang) Check(o *HangOptions, in *HangInput) (HangVerdict, int) {
	limiting := -1
	if o.CheckAncestors {
		limiting = smallerLimit(in.Chain, in.MinNeeded)
	}
	if limiting < 0 {
		h.limited = Optional[Milliseconds]{}
	} else if !h.limited.Set {
		h.limited = Some(in.Now)
	}
	safe := o.SafeTimeout.Or(defaultSafeTimeout)
	if in.Pending > 0 && in.Attempts >= o.MinAttempts.Or(defaultMinAttempts) &&
		in.Now-h.Activated >= safe && in.Now-h.LastStart >= safe {
		return Hung, -1
	}
	patience := o.AncestorTimeout.Or(defaultAncestorTimeout)
	if limiting >= 0 && in.Now-h.Activated > patience && in.Now-h.limited.Value > patience {
		return HungByAncestor, limiting
	}
	return NotHung, limiting
}

func smallerLimit(chain []resource.Partial, needed resource.Vector) int {
	return slices.IndexFunc(chain, func(limits resource.Partial) bool {
		_, small := LimitBelow(limits, needed)
		return small
	})
}
