package judge

import (
	"slices"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A hypothesis is a state that the scheduler may have been in: a State, shifted in some dimensions.
// For example, with half a second between ticks and 1 % tolerance of usage:
//
//	best estimate      used 10.0 of 10 cpu
//	onUsage, less      used  9.9
//	onClock, more      starvation 0.5 s later
type hypothesis struct {
	*State
	less, more doubts  // dimensions in which it is shifted; for yes/no dimensions, more means yes
	clock      int64   // shift of the time of the starvation tick
	factor     float64 // factor on reported usage
	gone       int     // number of the batch's first victims that are gone
}

// doubts is a set of dimensions in which inputs of a rule may be off. Other States of the decision
// are always tried.
type doubts uint16

const (
	onClock  doubts = 1 << iota // statuses of earlier or later ticks
	onMine                      // one job either way of the victim's operation
	onTheirs                    // likewise for the other operations on the node
	onUsage                     // 1 % of usage either way, unless it is exact

	onLag    // recent drops of usage are not known yet
	onAsked  // jobs use what they requested of unmeasured resources
	onOthers // victims of simultaneous heartbeats of other nodes are not known yet (§9.1)
	onHeld   // satisfaction uses current usage everywhere
	onMedia  // jobs hold SSD if the log does not record it
	onForced // likewise, their segment does not fit the node
	onTags   // the node has its tags from before they made it an SSD-priority node or no longer one
	onLeft   // jobs that may have left have left, and jobs that may have started have started

	eitherWay = onClock | onMine | onTheirs | onUsage // the others are yes or no
)

// dimensions lists the dimensions that are open only for some batches; others are always open.
var dimensions = [...]struct {
	doubt doubts
	open  func(b *Batch) bool
}{
	{onClock, func(b *Batch) bool { return b.Slacks.Noticed() != 0 }},
	{onUsage, func(b *Batch) bool { return b.Inexact && b.Slacks.OnUsage != 0 }},
	{onAsked, func(b *Batch) bool { return b.Node.Asked != (resource.Vector{}) }},
	{onOthers, (*Batch).hasOthers},
	{onHeld, (*Batch).holdsUsage},
	{onMedia, func(b *Batch) bool { return slices.ContainsFunc(b.Jobs, func(j Job) bool { return j.SSDUnknown }) }},
	{onForced, func(b *Batch) bool { return slices.ContainsFunc(b.Jobs, func(j Job) bool { return j.ForcedUnknown }) }},
	{onTags, (*Batch).isNewlySSD},
}

// open returns those of d that are open for the batch.
func (b *Batch) open(d doubts) doubts {
	if b.Taken[b.turn].Reason == scheduling.NoReason { // an inferred stage changes with its preemptor's priority
		d |= onClock
	}
	if d&(onMine|onTheirs|onUsage) != 0 {
		b.place()
	}
	if d&(onUsage|onLag) != 0 {
		d |= onHeld
	}
	d |= onMedia | onForced | onTags
	for i := range dimensions {
		if x := &dimensions[i]; d&x.doubt != 0 && !x.open(b) {
			d &^= x.doubt
		}
	}
	return d
}

// next advances to the next combination of open dimensions. It returns false when it is back at the
// first one, which has no shifts.
func (r *hypothesis) next(open doubts) bool {
	for ; open != 0; open &= open - 1 {
		switch d := open & -open; {
		case r.less&d != 0:
			r.less, r.more = r.less&^d, r.more|d
			return true
		case r.more&d != 0:
			r.more &^= d
		case d&eitherWay != 0:
			r.less |= d
			return true
		default:
			r.more |= d
			return true
		}
	}
	return false
}

// is reports whether a yes/no dimension is yes.
func (r *hypothesis) is(d doubts) bool { return r.more&d != 0 }

// step returns the direction of the shift in a dimension: -1, 0 or 1.
func (r *hypothesis) step(d doubts) int {
	switch {
	case r.more&d != 0:
		return 1
	case r.less&d != 0:
		return -1
	}
	return 0
}

// measure sets the amounts of the shifts. The scheduler may have seen an element below its share a
// tick earlier than the replay, or a tick later, with its last tick up to a tick before the
// decision (§13.2). Rows may carry times of another clock (ingest/trace/FORMAT.md §4.2).
func (r *hypothesis) measure(s *Slacks) {
	r.factor = s.OnUsage * float64(r.step(onUsage))
	switch r.step(onClock) {
	case 1:
		r.clock = s.Noticed()
	case -1:
		r.clock = -s.Tick - s.Noticed()
	default:
		r.clock = 0
	}
}

// isNewlySSD reports whether the SSD priority of the node changed so recently that the decision may
// be based on its former tags.
func (b *Batch) isNewlySSD() bool {
	return !b.NoNode && b.Node.SSDSince != scheduling.Never && b.At-b.Node.SSDSince <= b.Slacks.Tagged()
}

// isOnSSD reports whether the node is an SSD-priority node in a hypothesis.
func (b *Batch) isOnSSD() bool { return b.Node.SSD != b.r.is(onTags) }

// isForced reports whether a job's segment does not fit the node in a hypothesis.
func (r *hypothesis) isForced(j *Job) bool { return j.Forced || j.ForcedUnknown && r.is(onForced) }

// scale returns an amount of usage in a hypothesis.
func (r *hypothesis) scale(v resource.Vector) resource.Vector {
	if r.factor == 0 {
		return v
	}
	return v.Times(1 + r.factor)
}

// used returns the usage of an element in a hypothesis.
func (r *hypothesis) used(e *Element) resource.Vector {
	if r.is(onLeft) {
		return r.scale(e.Amount.Sub(e.Doubt))
	}
	return r.scale(e.Amount)
}

// hasOthers reports whether heartbeats of other nodes preempted jobs at the same time.
func (b *Batch) hasOthers() bool {
	for i := range b.States[0].Elements {
		if !b.States[0].Elements[i].Elsewhere.IsZero() {
			return true
		}
	}
	return false
}

// holdsUsage reports whether satisfaction counts released usage.
func (b *Batch) holdsUsage() bool {
	best := &b.States[0]
	for e := range best.Elements {
		if !best.standing(int32(e)).Held.IsZero() {
			return true
		}
	}
	return false
}

// room returns the resources of the node for its jobs in a hypothesis.
func (b *Batch) room() resource.Vector {
	n := b.node()
	if b.r.is(onAsked) {
		return n.Limits.Min(n.Asked)
	}
	return n.Limits
}

// shift returns the number of jobs by which a hypothesis shifts the list of a job's operation,
// given the victim.
func (b *Batch) shift(job *Job) int {
	if job.Operation == b.victim.Operation {
		return b.r.step(onMine)
	}
	return b.r.step(onTheirs)
}

// status returns the starvation status of an element in a hypothesis.
func (b *Batch) status(e int32) scheduling.Status {
	x := b.r.standing(e)
	status := x.Starvation.Status()
	if b.r.clock == 0 || x.Starvation.FairShare.Since == scheduling.Never && x.Starvation.MinShare.Since == scheduling.Never {
		return status
	}
	x = b.r.Element(e)
	later := scheduling.NonStarving
	if t := b.elapsed(x, scheduling.MinShare); t >= 0 && t+b.r.clock > x.MinShare {
		later = scheduling.Starving
	}
	if t := b.elapsed(x, scheduling.FairShare); t >= 0 {
		switch {
		case x.Timeouts.AggressiveEnabled && t+b.r.clock > x.Timeouts.Aggressive:
			later = scheduling.AggressivelyStarving
		case t+b.r.clock > x.Timeouts.Starving:
			later = max(later, scheduling.Starving)
		}
	}
	return later
}

// elapsed returns the time for which an element has been below a share, -1 if it is not below.
func (b *Batch) elapsed(x *Element, kind scheduling.Kind) int64 {
	since := x.Starvation.FairShare.Since
	if kind == scheduling.MinShare {
		since = x.Starvation.MinShare.Since
	}
	if since == scheduling.Never {
		return -1
	}
	return b.At - since
}

// priority returns the priority of an operation on the node in a hypothesis
// (core/spec/scheduling.md §10.1).
func (b *Batch) priority(e int32, scope scheduling.Scope) scheduling.Priority {
	own := b.r.Element(e)
	if !own.Schedulable {
		return scheduling.NoPriority
	}
	p := scheduling.NoPriority
	for x := e; x >= 0; x = b.r.Elements[x].Above {
		p = max(p, scheduling.Priority(b.status(x))) // normal and aggressive have the order of the statuses
		if scope == scheduling.OperationOnly {
			break
		}
	}
	if b.isOnSSD() && own.RequestsSSD && p != scheduling.NoPriority {
		p += scheduling.SSDNormal - scheduling.Normal
	}
	return p
}

// list returns the list of a job in a hypothesis (§8.1). Jobs that started together with it are
// behind it if the shift is one job less, and ahead of it if one more.
func (b *Batch) list(j *Job) scheduling.List {
	if !j.Placed || b.r == &b.best {
		return j.List
	}
	ahead := j.Ahead
	switch shift := b.shift(j); {
	case shift > 0:
		ahead = ahead.Add(j.Tied).Add(j.Usage)
	case shift < 0:
		ahead = ahead.Sub(j.Previous)
	}
	if b.r.is(onOthers) {
		ahead = ahead.Add(b.r.Elements[j.Operation].Elsewhere)
	}
	ahead = b.r.scale(ahead)
	return scheduling.ListAfter(ahead, b.r.Total, &b.r.Element(j.Operation).ElementInfo, b.r.Options)
}

// level returns the level of a job in a hypothesis (§10.2).
func (b *Batch) level(j *Job) scheduling.Level {
	list := b.list(j)
	aggressively := list == scheduling.AggressivelyPreemptible && b.r.standing(j.Operation).AggressivePreemption
	return scheduling.LevelOf(list, aggressively, b.isOnSSD() && (j.SSD || j.SSDUnknown && b.r.is(onMedia)))
}

// usage returns the usage share of an element in a hypothesis, shifted by jobs of the given size.
func (b *Batch) usage(e int32, jobs int, size resource.Vector) resource.Share {
	u := b.r.standing(e).Usage
	if b.r.factor != 0 {
		u = u.Scale(1 + b.r.factor)
	}
	if jobs != 0 {
		u = u.Add(size.ShareOf(b.r.Total).Scale(float64(jobs)))
	}
	if b.r.is(onLag) {
		u = u.Add(b.r.Element(e).Dropped.ShareOf(b.r.Total))
	}
	if b.r.is(onOthers) {
		u = u.Add(b.r.Elements[e].Elsewhere.ShareOf(b.r.Total))
	}
	if b.r.gone > 0 {
		u = u.Sub(b.lostBy(e, b.r.gone).ShareOf(b.r.Total))
	}
	return u
}

// satisfaction returns the local satisfaction (§1.5) by which an element protects a job: held usage
// counts (§10.4).
func (b *Batch) satisfaction(e int32, j *Job) float64 {
	x, jobs := b.r.standing(e), b.shift(j)
	u := x.Usage
	if jobs != 0 || b.r.factor != 0 || b.r.gone != 0 || b.r.is(onLag) || b.r.is(onOthers) {
		u = b.usage(e, jobs, j.Usage)
	}
	if !b.r.is(onHeld) && !x.Held.IsZero() {
		u = u.Add(x.Held.ShareOf(b.r.Total))
	}
	return fairshare.LocalSatisfaction(x.Fair, x.Demand, u)
}

// threshold returns the satisfaction that an element must exceed to lose a job (§10.3).
func (b *Batch) threshold(e int32) float64 {
	o := b.r.Options
	if b.stage >= scheduling.Aggressive && b.r.standing(e).AggressivePreemption {
		return o.AggressiveThreshold() + Epsilon
	}
	return o.SatisfactionThreshold + Epsilon
}

// satisfactionAt returns the local satisfaction and dominant usage share of an element at victim
// k's turn.
func (b *Batch) satisfactionAt(e int32, k int) (satisfaction, share float64) {
	x := b.States[0].Element(e)
	u := x.Usage.Sub(b.lostBy(e, k).ShareOf(b.States[0].Total))
	return fairshare.LocalSatisfaction(x.Fair, x.Demand, u), u.Dominant()
}
