package replay

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/resource"
)

// A relief is when an element that the ticks of the replay find below a share was not,
// between two of them: one of the scheduler's may have come then (core/spec/scheduling.md §13.2).
type relief struct {
	now   bool
	until core.Time // when it was over, 0 if there was none
}

// note takes over how an element fares from an instant on.
func (x *relief) note(now core.Time, below bool) {
	if x.now || !below {
		x.until = now
	}
	x.now = !below
}

// at is when the last relief was over as of a moment, 0 if there was none.
func (x *relief) at(now core.Time) core.Time {
	if x.now {
		return now
	}
	return x.until
}

// noteReliefs notes those of both kinds of an element that the last tick found below its
// fair share or its min share: by what it uses and demands now, but for what was moved below
// it since, which its fair share does not know yet.
func (r *recorder) noteReliefs(x *[2]relief, now core.Time, e fairshare.Element, operation bool, usage, demand resource.Vector) {
	if !r.core.Scheduling().Starvation(e).IsBelow() {
		*x = [2]relief{}
		return
	}
	shares, total := r.core.Shares(e), r.core.ShareTotal()
	m := measures{shares.FairShare.Total, shares.DemandShare, shares.StrongShare}.upTo(demand.ShareOf(total))
	usage = usage.Sub(r.core.MovedIn(e, r.core.Updated()+1))
	below := r.boundsAbove(m, usage.ShareOf(total), operation, r.core.Scheduling().Entitlement(e).Tolerance)
	x[0].note(now, below.fair)
	x[1].note(now, below.minShare)
}

// takeRelieved adds the state in which ticks of the scheduler have seen what those of the
// replay have not: elements that were not below a share for a moment.
func (h *held) takeRelieved(r *referee) {
	if h.batch == nil {
		return
	}
	h.takeClocks(func(i int, own *judge.Element) {
		if c := r.course(h.owners[i]); c != nil {
			fairShare, minShare := r.noEarlier(h.at, c.reliefs[0].at(h.at), c.reliefs[1].at(h.at), own)
			own.Starvation.StartAt(fairShare, minShare, int64(h.at), own.Timeouts, own.MinShare)
		}
	})
}
