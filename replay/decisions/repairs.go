package decisions

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// repairs checks whether heartbeats preempt jobs while a specified limit is exceeded (LIM-04,
// core/spec/scheduling.md §10.5, §11.3). It looks at heartbeats only while a limit is exceeded, and
// at each node at most as often as its preemptive stages run.
type repairs struct {
	open   map[repairKey]*repair
	record bool // the log holds heartbeats
}

// A repairKey is a node and an element whose limit is exceeded.
type repairKey struct {
	element    tables.ElementKind
	slot, node int32
}

// A repair has been due since its first time.
type repair struct {
	tables.MissedRepair
	last   core.Time
	doubt  bool      // some heartbeat could have taken a job only in the best estimate
	missed core.Time // the heartbeat after which it was overdue, or 0
}

// leastLooks is the number of heartbeats that must have found a candidate: between two of them
// anything may have happened.
const leastLooks = 3

func newRepairs(facts []env.Fact) repairs {
	r := repairs{open: map[repairKey]*repair{}}
	for _, f := range facts {
		if f.Aspect == "heartbeats" {
			r.record = f.State == "recorded" || f.State == "sampled"
		}
	}
	return r
}

// FollowRepairs handles a heartbeat before its decisions, or a preemption.
func (r *Referee) FollowRepairs(e *core.Event, limits []*env.ExceededLimit) {
	if !r.repairs.record {
		return
	}
	switch e.Kind {
	case core.HeartbeatReceived:
		node := r.nodeOf(e)
		switch {
		case node < 0:
		case e.Skipped.Value || r.Core.IsDisabled(node) || r.Core.Node(node).Waiting > 0 || r.mayBeWaiting(node, e.Time):
			r.repairs.forgetNode(node, e.Time)
		default:
			for _, limit := range limits {
				r.lookForRepair(e, repairKey{limit.Element, limit.Slot, node}, limit)
			}
		}
	case core.JobReported: // a waiting job keeps the node from preempting in the heartbeat that reports it (§9.1)
		if job, ok := r.Core.JobOf(e.Job); ok && e.State == core.JobWaiting && r.Core.Job(job).Node >= 0 {
			r.repairs.forgetNode(r.Core.Job(job).Node, e.Time)
		}
	case core.JobPreempted:
		if job, ok := r.Core.JobOf(e.Job); ok && r.Core.Job(job).Node >= 0 {
			r.repaired(job, e.Time)
		}
	}
}

// lookForRepair records the jobs that a heartbeat could take for one limit. It is certain only if
// the limit is exceeded whether or not jobs with an unrecorded end have left.
func (r *Referee) lookForRepair(e *core.Event, k repairKey, limit *env.ExceededLimit) {
	back := core.Time(r.Core.Scheduling().Options().PreemptiveBackoff)
	old := r.repairs.open[k]
	if old != nil && e.Time < old.last+back {
		return
	}
	found := r.candidates(k)
	if found.jobs == 0 {
		r.endRepair(k, e.Time, false)
		return
	}
	if old == nil {
		old = &repair{MissedRepair: tables.MissedRepair{
			Element: k.element, Resource: limit.Resource, Node: e.Node, FromTime: e.Time, Job: found.first,
		}}
		r.nameElement(old, k)
		r.repairs.open[k] = old
	}
	old.last = e.Time
	old.Looked++
	old.Jobs = max(old.Jobs, found.jobs)
	old.doubt = old.doubt || limit.Sure <= e.Time || !found.certain || r.vague[limit.Resource] ||
		r.Core.DoubtfulShare(e.Time) > r.slacks.OnUsage
	old.Allowed = 2 * int64(back+core.Time(r.slacks.Between(r.intervalOf(k.node))))
	if excuse := r.Excuses.ExcuseAt(e.Time); excuse != judge.NoExcuse {
		old.Excuse = string(excuse)
	}
	if old.missed == 0 && e.Time-old.FromTime > core.Time(old.Allowed) && old.Looked >= leastLooks {
		old.missed = e.Time
	}
}

func (r *Referee) nameElement(repair *repair, k repairKey) {
	if k.element == tables.ElementPool {
		repair.Pool = r.Core.Pool(k.slot).ID
		return
	}
	o := r.Core.Operation(k.slot)
	repair.Pool, repair.Operation = r.Core.Pool(o.Pool).ID, core.Some(o.ID)
}

// A reach describes the jobs below an element that a heartbeat could take.
type reach struct {
	jobs    int64
	first   string
	certain bool // one of them even if a job or 1 % of usage is miscounted
}

// candidates counts the jobs on a node that the normal stage, which always runs, may take
// unconditionally (core/spec/scheduling.md §9.4, §10.4).
func (r *Referee) candidates(k repairKey) (found reach) {
	t := r.Core.Scheduling()
	r.Core.NodeJobs(k.node, func(slot int32) {
		j := r.Core.Job(slot)
		if !r.isBelow(k, j) {
			return
		}
		proof := t.Prove(r.Core.JobHandle(slot), scheduling.Normal, scheduling.None)
		if proof.Candidacy != scheduling.Unconditional {
			return
		}
		if found.jobs++; found.first == "" {
			found.first = string(j.Name)
		}
		found.certain = found.certain || proof.Forced || proof.After >= t.Options().SatisfactionThreshold*(1+r.slacks.OnUsage)
	})
	found.certain = found.certain && found.jobs > 1
	return found
}

// isBelow reports whether a job counts for the element.
func (r *Referee) isBelow(k repairKey, j *core.Job) bool {
	if k.element == tables.ElementOperation {
		return j.Operation == k.slot
	}
	return r.Core.IsWithin(r.Core.Operation(j.Operation).Pool, k.slot)
}

// repaired closes the missed repairs of a node when a heartbeat takes a job.
func (r *Referee) repaired(job int32, now core.Time) {
	node, j := r.Core.Job(job).Node, r.Core.Job(job)
	for _, k := range r.repairs.keys(func(k repairKey) bool { return k.node == node }) {
		r.endRepair(k, now, r.isBelow(k, j))
	}
}

// EndRepairs closes the missed repairs of a limit that is no longer exceeded.
func (r *Referee) EndRepairs(limit env.LimitKey, now core.Time) {
	for _, k := range r.repairs.keys(func(k repairKey) bool { return k.element == limit.Element && k.slot == limit.Slot }) {
		r.endRepair(k, now, false)
	}
}

// endRepair writes a row if the repair was missed.
func (r *Referee) endRepair(k repairKey, now core.Time, done bool) {
	old := r.repairs.open[k]
	if old == nil {
		return
	}
	delete(r.repairs.open, k)
	switch {
	case !r.Begun, r.Core.Scheduling().Options().GPUPolicy: // it ended before the window, or the rule does not apply
	case old.missed != 0:
		old.ToTime = old.last
		verdict := judge.Violated
		switch {
		case old.Excuse != "":
			verdict = judge.Excused
		case old.doubt:
			verdict = judge.Suspect
		}
		old.Verdict = verdict.String()
		r.tally.add(now, judge.LIM04, verdict, old.Excuse)
		r.missedRepairs.Add(&old.MissedRepair)
	case done:
		r.tally.add(now, judge.LIM04, judge.OK, "")
	}
}

// FinishRepairs closes the missed repairs at the window's end.
func (r *Referee) FinishRepairs(to core.Time) {
	for _, k := range r.repairs.keys(func(repairKey) bool { return true }) {
		r.endRepair(k, to, false)
	}
}

// keys returns the keys of selected open repairs, in order.
func (s *repairs) keys(which func(repairKey) bool) (keys []repairKey) {
	for k := range s.open {
		if which(k) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b repairKey) int {
		return cmp.Or(cmp.Compare(a.element, b.element), cmp.Compare(a.slot, b.slot), cmp.Compare(a.node, b.node))
	})
	return keys
}

// forgetNode drops the repairs of a node whose heartbeat is skipped.
func (s *repairs) forgetNode(node int32, now core.Time) {
	for k, repair := range s.open {
		if k.node == node && (repair.missed == 0 || now-repair.missed < core.HeartbeatSpan) {
			delete(s.open, k)
		}
	}
}
