package env

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A ShareTrack holds the recent fair shares of a pool or an operation, and when it was last not
// below them.
type ShareTrack struct {
	FairShares ShareHistory    // recent fair shares
	NotBelow   [2]LastNotBelow // for the fair share and the strong guarantee
}

// An Owner is the pool or the operation of an element.
type Owner struct {
	Pool      core.PoolID
	Operation core.OperationID
}

// LastNotBelow tracks when an element that is below a share at every tick of the replay was not
// below it between two ticks: a tick of the scheduler may have come then (core/spec/scheduling.md
// §13.2).
type LastNotBelow struct {
	now   bool
	until core.Optional[core.Time] // end of the last such time, if any
}

// update records whether the element is below its share from now on.
func (x *LastNotBelow) update(now core.Time, below bool) {
	if x.now || !below {
		x.until = core.Some(now)
	}
	x.now = !below
}

// AsOf returns the end of the last time when the element was not below, as of now, or core.Never.
func (x *LastNotBelow) AsOf(now core.Time) core.Time {
	if x.now {
		return now
	}
	return x.until.Or(core.Never)
}

// TrackNotBelow updates both kinds for an element that the last tick found below its fair share or
// its min share, by current usage and demand without what was moved below the element since, which
// its fair share does not include yet.
func (e *Env) TrackNotBelow(reliefs *[2]LastNotBelow, now core.Time, x fairshare.Element, operation bool, usage, demand resource.Vector) {
	if !e.Core.Scheduling().Starvation(x).IsBelow() {
		*reliefs = [2]LastNotBelow{}
		return
	}
	shares, total := e.Core.Shares(x), e.Core.ShareTotal()
	m := Entitlement{shares.FairShare.Total, shares.DemandShare, shares.StrongShare}.UpTo(demand.ShareOf(total))
	usage = usage.Sub(e.Core.MovedIn(x, e.Core.Updated()+1))
	below := e.BelowAt(m, usage.ShareOf(total), operation, e.Core.Scheduling().Effective(x).Tolerance)
	reliefs[0].update(now, below.Fair)
	reliefs[1].update(now, below.MinShare)
}
