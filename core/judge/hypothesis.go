package judge

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A hypothesis is one of the states that the scheduler may have been in: the best
// estimate, or one that is off from a state in some direction.
type hypothesis struct {
	*State
	clock  int64   // how much later starvation was looked at
	mine   int     // jobs that the victim's operation had more than is known
	theirs int     // likewise the other operations on the node
	factor float64 // by which reported usage is off
	ssd    bool    // jobs of which it is not known hold SSD
	forced bool    // likewise, their segment does not fit the node
	gone   int     // of the batch's victims, the first ones, are gone
	left   bool    // jobs that may have left did, and those that may have begun to run
	late   bool    // what usage has dropped lately is not known yet
	tags   bool    // the node's are those before they made it an SSD-priority node or took that away
	asked  bool    // jobs use what they asked for of what the log does not measure
	alone  bool    // what heartbeats of other nodes take at the same time is not known yet
	fresh  bool    // satisfaction goes by usage of the moment for all
}

// doubts are the directions in which a rule's inputs may be off. Another state
// of the batch is always tried.
type doubts uint8

const (
	onClock  doubts = 1 << iota // statuses of earlier or later ticks
	onMine                      // one job either way
	onTheirs                    // likewise of the others
	onUsage                     // 1 % of usage either way, unless it is exact
	onLag                       // what usage has dropped lately
	onAsked                     // what jobs asked for of what the log does not measure
	onOthers                    // what heartbeats of other nodes take at the same time (§9.1)
)

// among calls try with every hypothesis but the best until one returns true.
func (b *Batch) among(d doubts, try func(r *hypothesis) bool) bool {
	for _, vague := range b.vagueness() {
		if b.amongStates(d, vague, try) {
			return true
		}
	}
	return false
}

// vagueness are the hypotheses of what the log does not record of jobs.
func (b *Batch) vagueness() []hypothesis {
	ssd, forced, tags := false, false, b.isNewlySSD()
	for i := range b.Jobs {
		ssd = ssd || b.Jobs[i].SSDUnknown
		forced = forced || b.Jobs[i].ForcedUnknown
	}
	if !ssd && !forced && !tags {
		return nothingVague
	}
	var all []hypothesis
	for _, t := range whether(tags) {
		for _, f := range whether(forced) {
			for _, s := range whether(ssd) {
				all = append(all, hypothesis{ssd: s, forced: f, tags: t})
			}
		}
	}
	return all
}

var nothingVague = []hypothesis{{}}

// isNewlySSD reports whether the decision may have been made by tags of the node that
// made no SSD-priority node of it, or by those that did and are gone.
func (b *Batch) isNewlySSD() bool {
	return !b.NoNode && b.Node.SSDSince != scheduling.Never && b.At-b.Node.SSDSince <= b.Slacks.Tagged()
}

// isOnSSD reports whether the node is an SSD-priority node in a hypothesis.
func (b *Batch) isOnSSD(r *hypothesis) bool { return b.Node.SSD != r.tags }

func (b *Batch) amongStates(d doubts, vague hypothesis, try func(r *hypothesis) bool) bool {
	asked, alone := d&onAsked != 0 && b.Node.Asked != (resource.Vector{}), d&onOthers != 0 && b.hasOthers()
	fresh := d&(onUsage|onLag) != 0 && b.holdsUsage()
	for s := range b.States {
		for _, c := range steps(d&onClock != 0) {
			for _, m := range steps(d&onMine != 0) {
				for _, o := range steps(d&onTheirs != 0) {
					for _, u := range steps(d&onUsage != 0 && b.Inexact) {
						for _, late := range whether(d&onLag != 0) {
							for _, asked := range whether(asked) {
								for _, alone := range whether(alone) {
									for _, fresh := range whether(fresh) {
										b.other = hypothesis{&b.States[s], b.clock(c), m, o, b.Slacks.OnUsage * float64(u), vague.ssd, vague.forced, 0, false, late, vague.tags, asked, alone, fresh}
										if b.other != b.best && try(&b.other) {
											return true
										}
									}
								}
							}
						}
					}
				}
			}
		}
	}
	return false
}

// clock is how much later starvation was looked at, in a hypothesis of the least or of the most
// that it may have been. The scheduler may have seen who was below a share a tick sooner than
// the replay; or a tick later, and have looked last up to a tick before it decided (§13.2). The
// rows that it followed from may be told by another clock (ingest/trace/FORMAT.md §4.2).
func (b *Batch) clock(step int) int64 {
	switch {
	case step > 0:
		return b.Slacks.Noticed()
	case step < 0:
		return -b.Slacks.Tick - b.Slacks.Noticed()
	}
	return 0
}

// isForced reports whether a job's segment does not fit the node in a hypothesis.
func (r *hypothesis) isForced(j *Job) bool { return j.Forced || j.ForcedUnknown && r.forced }

var bothWays = []int{0, -1, 1}

func steps(inDoubt bool) []int {
	if inDoubt {
		return bothWays
	}
	return bothWays[:1]
}

var offAndOn = []bool{false, true}

func whether(inDoubt bool) []bool {
	if inDoubt {
		return offAndOn
	}
	return offAndOn[:1]
}

// scale is an amount of usage in a hypothesis.
func (r *hypothesis) scale(v resource.Vector) resource.Vector {
	if r.factor == 0 {
		return v
	}
	return v.Times(1 + r.factor)
}

// used is what an element uses in a hypothesis.
func (r *hypothesis) used(e *Element) resource.Vector {
	if r.left {
		return r.scale(e.Amount.Sub(e.Doubt))
	}
	return r.scale(e.Amount)
}

// hasOthers reports whether heartbeats of other nodes took something at the same time.
func (b *Batch) hasOthers() bool {
	for i := range b.States[0].Elements {
		if !b.States[0].Elements[i].Elsewhere.IsZero() {
			return true
		}
	}
	return false
}

// holdsUsage reports whether satisfaction counts usage that is gone.
func (b *Batch) holdsUsage() bool {
	best := &b.States[0]
	for e := range best.Elements {
		if !best.standing(int32(e)).Held.IsZero() {
			return true
		}
	}
	return false
}

// room is what the node has for its jobs in a hypothesis.
func (b *Batch) room(r *hypothesis) resource.Vector {
	n := &b.Node
	if r.Node != nil {
		n = r.Node
	}
	if r.asked {
		return n.Limits.Min(n.Asked)
	}
	return n.Limits
}

// shift is by how many jobs an operation is off in a hypothesis, given the
// victim.
func (r *hypothesis) shift(job, victim *Job) int {
	if job.Operation == victim.Operation {
		return r.mine
	}
	return r.theirs
}

// status is how an element starves in a hypothesis.
func (b *Batch) status(r *hypothesis, e int32) scheduling.Status {
	x := r.standing(e)
	status := x.Starvation.Status()
	if r.clock == 0 || x.Starvation.FairShare.Since == scheduling.Never && x.Starvation.MinShare.Since == scheduling.Never {
		return status
	}
	x = r.Element(e)
	later := scheduling.NonStarving
	if t := b.elapsed(x, scheduling.MinShare); t >= 0 && t+r.clock > x.MinShare {
		later = scheduling.Starving
	}
	if t := b.elapsed(x, scheduling.FairShare); t >= 0 {
		switch {
		case x.Timeouts.AggressiveEnabled && t+r.clock > x.Timeouts.Aggressive:
			later = scheduling.AggressivelyStarving
		case t+r.clock > x.Timeouts.Starving:
			later = max(later, scheduling.Starving)
		}
	}
	return later
}

// elapsed is how long an element has been below a share, -1 if it is not.
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

// priority is that of an operation on the node in a hypothesis
// (core/spec/scheduling.md §10.1).
func (b *Batch) priority(r *hypothesis, e int32, scope scheduling.Scope) scheduling.Priority {
	own := r.Element(e)
	if !own.Schedulable {
		return scheduling.NoPriority
	}
	p := scheduling.NoPriority
	for x := e; x >= 0; x = r.Elements[x].Above {
		p = max(p, scheduling.Priority(b.status(r, x))) // normal and aggressive stand in the order of the statuses
		if scope == scheduling.OperationOnly {
			break
		}
	}
	if b.isOnSSD(r) && own.RequestsSSD && p != scheduling.NoPriority {
		p += scheduling.SSDNormal - scheduling.Normal
	}
	return p
}

// list is the list of a job in a hypothesis (§8.1). What started together with it stands
// behind it where a job less stands ahead of it, and ahead of it where a job more does.
func (b *Batch) list(r *hypothesis, j, victim *Job) scheduling.List {
	if !j.Placed || r == &b.best {
		return j.List
	}
	ahead := j.Ahead
	switch shift := r.shift(j, victim); {
	case shift > 0:
		ahead = ahead.Add(j.Tied).Add(j.Usage)
	case shift < 0:
		ahead = ahead.Sub(j.Previous)
	}
	if r.alone {
		ahead = ahead.Add(r.Elements[j.Operation].Elsewhere)
	}
	ahead = r.scale(ahead)
	return scheduling.ListAfter(ahead, r.Total, &r.Element(j.Operation).ElementInfo, r.Options)
}

// level is the level of a job in a hypothesis (§10.2).
func (b *Batch) level(r *hypothesis, j, victim *Job) scheduling.Level {
	list := b.list(r, j, victim)
	aggressively := list == scheduling.AggressivelyPreemptible && r.standing(j.Operation).AggressivePreemption
	return scheduling.LevelOf(list, aggressively, b.isOnSSD(r) && (j.SSD || j.SSDUnknown && r.ssd))
}

// usage is the usage share of an element in a hypothesis, off by jobs of the given
// size.
func (b *Batch) usage(r *hypothesis, e int32, jobs int, size resource.Vector) resource.Share {
	u := r.standing(e).Usage
	if r.factor != 0 {
		u = u.Scale(1 + r.factor)
	}
	if jobs != 0 {
		u = u.Add(size.ShareOf(r.Total).Scale(float64(jobs)))
	}
	if r.late {
		u = u.Add(r.Element(e).Dropped.ShareOf(r.Total))
	}
	if r.alone {
		u = u.Add(r.Elements[e].Elsewhere.ShareOf(r.Total))
	}
	if r.gone > 0 {
		u = u.Sub(b.lostBy(e, r.gone).ShareOf(r.Total))
	}
	return u
}

// satisfaction is the local satisfaction of an element above a job (§1.5), by which that
// protects it: usage that preemption holds counts (§10.4).
func (b *Batch) satisfaction(r *hypothesis, e int32, j, victim *Job) float64 {
	x, jobs := r.standing(e), r.shift(j, victim)
	u := x.Usage
	if jobs != 0 || r.factor != 0 || r.gone != 0 || r.late || r.alone {
		u = b.usage(r, e, jobs, j.Usage)
	}
	if !r.fresh && !x.Held.IsZero() {
		u = u.Add(x.Held.ShareOf(r.Total))
	}
	return fairshare.LocalSatisfaction(x.Fair, x.Demand, u)
}

// threshold is what an element's satisfaction must exceed before it loses a
// job (§10.3).
func (b *Batch) threshold(r *hypothesis, e int32, target scheduling.Priority) float64 {
	o := r.Options
	if target >= scheduling.Aggressive && r.standing(e).AggressivePreemption {
		return o.AggressiveThreshold() + Epsilon
	}
	return o.SatisfactionThreshold + Epsilon
}

// satisfactionAt is the local satisfaction of an element when it was victim k's
// turn, and its dominant usage share.
func (b *Batch) satisfactionAt(e int32, k int) (satisfaction, share float64) {
	x := b.States[0].Element(e)
	u := x.Usage.Sub(b.lostBy(e, k).ShareOf(b.States[0].Total))
	return fairshare.LocalSatisfaction(x.Fair, x.Demand, u), u.Dominant()
}
