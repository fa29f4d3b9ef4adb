package env

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A Course is how a pool or an operation has fared lately.
type Course struct {
	Given   ShareHistory // fair share
	Reliefs [2]Relief    // from being below the fair share and the min share
}

// An Owner is what stood behind an element.
type Owner struct {
	Pool      core.PoolID
	Operation core.OperationID
}

// A Relief is when an element that the ticks of the replay find below a share was not,
// between two of them: one of the scheduler's may have come then (core/spec/scheduling.md §13.2).
type Relief struct {
	now   bool
	until core.Optional[core.Time] // when it was over, absent if there was none
}

// note takes over how an element fares from an instant on.
func (x *Relief) note(now core.Time, below bool) {
	if x.now || !below {
		x.until = core.Some(now)
	}
	x.now = !below
}

// At is when the last relief was over as of a moment, core.Never if there was none.
func (x *Relief) At(now core.Time) core.Time {
	if x.now {
		return now
	}
	return x.until.Or(core.Never)
}

// NoteReliefs notes those of both kinds of an element that the last tick found below its
// fair share or its min share: by what it uses and demands now, but for what was moved below
// it since, which its fair share does not know yet.
func (e *Env) NoteReliefs(reliefs *[2]Relief, now core.Time, x fairshare.Element, operation bool, usage, demand resource.Vector) {
	if !e.Core.Scheduling().Starvation(x).IsBelow() {
		*reliefs = [2]Relief{}
		return
	}
	shares, total := e.Core.Shares(x), e.Core.ShareTotal()
	m := Measures{shares.FairShare.Total, shares.DemandShare, shares.StrongShare}.UpTo(demand.ShareOf(total))
	usage = usage.Sub(e.Core.MovedIn(x, e.Core.Updated()+1))
	below := e.BoundsAbove(m, usage.ShareOf(total), operation, e.Core.Scheduling().Effective(x).Tolerance)
	reliefs[0].note(now, below.Fair)
	reliefs[1].note(now, below.MinShare)
}
